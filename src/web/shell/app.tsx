// What is on the screen: the sign-in where nobody is signed in, else the frame with its page.
import { effect, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { FillBar } from "./fill_bar.tsx";
import { Header } from "./header.tsx";
import { pages } from "./pages.ts";
import { first_page, page_name } from "../frame/place.ts";
import { Link, Message, Shown } from "../parts/message.tsx";
import { problemText } from "../parts/panel.tsx";
import { plant_load } from "../frame/plant.ts";
import { type Problem, problemOf } from "../frame/api.ts";
import { say } from "../frame/say.ts";
import { may, openSession, project, session } from "../frame/session.ts";
import { SignIn } from "../signin/signin.tsx";
import { after } from "../frame/clock.ts";
import { language, wordIn, wordsLoaded } from "../frame/words.ts";

/** The page's component, once it is loaded; null for one that there is not. */
const page = signal<ComponentType | null | undefined>(undefined);
const problem = signal<Problem | undefined>(undefined);

/** Everything that is drawn. */
export function App() {
  if (problem.value) return <Message>{say().unreachable}</Message>;
  if (session.value === undefined) return <Message>{say().opening}</Message>;
  if (session.value === null) return <SignIn />;
  return (
    <>
      <a class="skip" href="#page">{say().skip}</a>
      <Header />
      <main id="page" tabIndex={-1}>
        <h1 class="hidden">{titleOf(page_name.value)}</h1>
        <FillBar />
        <PlantAway />
        <PageBody />
      </main>
    </>
  );
}

/** That the plant does not answer: many a panel waits for its devices, and says no more. */
function PlantAway() {
  const { data, problem } = plant_load.value;
  if (data !== undefined || problem === undefined) return null;
  return <p class="stale" role="status">{problemText(problem)}</p>;
}

/** A page's title in the reader's language. */
function titleOf(name: string): string {
  return wordIn(say(), `page_${name}`) ?? say().product;
}

function PageBody() {
  if (!project.value) {
    return (
      <Message>
        <p>{say().no_project}</p>
        <a href="/docs/api/plant#site_put">{say().how_to_declare}</a>
      </Message>
    );
  }
  const found = pages.find(({ name }) => name === (page_name.value));
  if (found && !may(found.scope)) return <Message>{say().needs_scope(found.scope)}</Message>;
  if (page.value === null) {
    return (
      <Message>
        <p>{say().no_page}</p>
        <Link page={first_page}>{say().to_overview}</Link>
      </Message>
    );
  }
  return <Shown of={page.value} />;
}

/** Opens the session, and then whatever page the address names. */
export function startApp(): void {
  void retried(openSession);
  effect(() => void show(page_name.value));
  effect(() => {
    document.documentElement.lang = language.value;
    const { name } = project.value ?? {};
    document.title = [titleOf(page_name.value), name ?? say().product].join(" · ");
  });
}

/** Shows a page once its code and its words are there. */
async function show(name: string): Promise<void> {
  const found = pages.find((it) => it.name === name);
  page.value = found ? undefined : null;
  if (!found) return;
  await retried(async () => {
    const component = await found.load();
    await wordsLoaded();
    if (page_name.peek() === name) page.value = component;
  });
}

/** Does what needs the service, and tries it again while that does not answer. */
async function retried(work: () => Promise<void>): Promise<void> {
  try {
    await work();
    problem.value = undefined;
  } catch (error) {
    problem.value = problemOf(error);
    after(3000, () => void retried(work));
  }
}
