// The way to every page: in a line, or on a phone those most used and a menu of the others.
import { signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { page_name } from "../frame/place.ts";
import { say } from "../frame/say.ts";
import { may } from "../frame/session.ts";
import { Link } from "../parts/message.tsx";
import { pages } from "./pages.ts";

const narrow = matchMedia("(max-width: 720px)");
const is_narrow = signal(narrow.matches);
narrow.addEventListener("change", () => is_narrow.value = narrow.matches);

/** The pages that the reader may open. */
export function Navigation() {
  const own = pages.filter(({ scope }) => may(scope));
  const others = is_narrow.value ? own.filter(({ is_first }) => !is_first) : [];
  return (
    <nav aria-label={say().navigation}>
      <Links of={own.filter((it) => !others.includes(it))} />
      {others.length > 0 && <More of={others} />}
    </nav>
  );
}

/** A button that opens the pages for which the bar has no room; Escape closes them. */
function More({ of }: { readonly of: typeof pages }) {
  const id = useId();
  const isHere = of.some(({ name }) => name === page_name.value);
  return (
    <>
      <button type="button" popovertarget={id} class={isHere ? "here" : undefined}>
        {say().more_pages}
      </button>
      <div
        id={id}
        popover="auto"
        class="more-pages"
        onClick={({ currentTarget }) => currentTarget.hidePopover()}
      >
        <Links of={of} />
      </div>
    </>
  );
}

function Links({ of }: { readonly of: typeof pages }) {
  return of.map(({ name }) => {
    const isHere = name === page_name.value;
    return (
      <Link
        page={name}
        class={isHere ? "here" : undefined}
        aria-current={isHere ? "page" : undefined}
      >
        {say()[`page_${name}`]}
      </Link>
    );
  });
}
