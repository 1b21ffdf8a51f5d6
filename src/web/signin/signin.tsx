// The sign-in: by password, by a pasted token, by another service, or as the demo's guest.
import { useSignal } from "@preact/signals";
import { Problem } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { type Credentials, signIn, signInWays } from "../frame/session.ts";
import { words } from "../frame/words.ts";
import { say as say_frame } from "../frame/say.ts";
import { problemText } from "../parts/panel.tsx";
import { signin_en } from "../words/en/signin.ts";

const say = words(signin_en, {
  de: async () => (await import("../words/de/signin.ts")).signin_de,
  es: async () => (await import("../words/es/signin.ts")).signin_es,
});

/** What is shown while nobody is signed in. */
export function SignIn() {
  const { data: ways, problem } = useLoad("ways", signInWays);
  const refused = useSignal<string | undefined>(undefined);
  const enter = async (credentials: Credentials) => {
    refused.value = undefined;
    await signIn(credentials).catch((error) => refused.value = refusalOf(error));
  };
  return (
    <main class="signin" id="page">
      <h1>{say_frame().product}</h1>
      <h2>{say().title}</h2>
      <p class="refused" role="alert">{refused.value ?? (problem && problemText(problem))}</p>
      {ways?.demo && (
        <button type="button" class="main" onClick={() => void enter({ demo: true })}>
          {say().by_demo}
        </button>
      )}
      {ways?.oidc && (
        <a class="button" href="/platform/v1/session/oidc">{say().by_oidc(ways.oidc.name)}</a>
      )}
      {ways?.password && <PasswordForm onEnter={enter} />}
      {ways && <TokenForm onEnter={enter} />}
      <p class="quiet">{say().by_link}</p>
    </main>
  );
}

type FormProps = { readonly onEnter: (credentials: Credentials) => Promise<void> };

function PasswordForm({ onEnter }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const [email, password] = [String(form.get("email")), String(form.get("password"))];
        void onEnter({ email, password });
      }}
    >
      <h3>{say().by_password}</h3>
      <label>
        {say().email}
        <input name="email" type="email" autocomplete="username" required />
      </label>
      <label>
        {say().password}
        <input name="password" type="password" autocomplete="current-password" required />
      </label>
      <button type="submit">{say().sign_in}</button>
    </form>
  );
}

function TokenForm({ onEnter }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        void onEnter({ token: String(form.get("token")).trim() });
      }}
    >
      <h3>{say().by_token}</h3>
      <label>
        {say().token}
        <input name="token" type="password" autocomplete="off" required />
      </label>
      <p class="quiet">{say().token_help}</p>
      <button type="submit">{say().sign_in}</button>
    </form>
  );
}

function refusalOf(error: unknown): string {
  if (!(error instanceof Problem)) return String(error);
  return error.status === 401 ? say().wrong : problemText(error);
}
