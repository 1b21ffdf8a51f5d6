// The way to every page: in a line, or on a phone those most used and a menu of the others.
import { signal, useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { page_name } from "../frame/place.ts";
import { say } from "../frame/say.ts";
import { may } from "../frame/session.ts";
import { Link } from "../parts/message.tsx";
import { type Page, pages } from "./pages.ts";

const narrow = matchMedia("(max-width: 720px)");
const is_narrow = signal(narrow.matches);
narrow.addEventListener("change", () => is_narrow.value = narrow.matches);

/** The pages that the reader may open: as many as a line has room for, and a menu of others. */
export function Navigation() {
  const bar = useRef<HTMLDivElement>(null);
  const fitting = useSignal(all_fit);
  const here = page_name.value;
  const own = pages.filter(({ scope }) => may(scope));
  const listed = is_narrow.value ? own.filter(({ is_first }) => is_first) : own;
  const others = is_narrow.value
    ? own.filter(({ is_first }) => !is_first)
    : own.slice(fitting.value.count);
  useLayoutEffect(() => {
    const look = () => {
      const found = firstLine(bar.current!);
      const { count, slack_px } = fitting.peek();
      if (found.count !== count || found.slack_px !== slack_px) fitting.value = found;
    };
    look();
    const watch = new ResizeObserver(look);
    watch.observe(bar.current!);
    return () => watch.disconnect();
  });
  return (
    <nav aria-label={say().navigation}>
      <div class="line" ref={bar}>
        <Links of={listed} {...{ here, others }} />
      </div>
      {others.length > 0 && (
        <More of={others} here={here} slack_px={is_narrow.value ? 0 : fitting.value.slack_px} />
      )}
    </nav>
  );
}

/** How many links stand in the first line, and what of its width is free behind them. */
type Fitting = { readonly count: number; readonly slack_px: number };

const all_fit: Fitting = { count: Infinity, slack_px: 0 };

function firstLine(bar: HTMLElement): Fitting {
  const links = [...bar.children] as HTMLElement[];
  const count = links.findIndex((it) => it.offsetTop > links[0].offsetTop);
  if (count < 0) return all_fit;
  const { right } = links[count - 1].getBoundingClientRect();
  return { count, slack_px: bar.getBoundingClientRect().right - right };
}

type LinksProps = {
  readonly of: readonly Page[];
  /** The page that is open. */
  readonly here: string;
  /** Those that are in the menu: in the bar they only keep their place. */
  readonly others?: readonly Page[];
};

/** A button that opens the pages for which the bar has no room; Escape closes them. */
function More({ of, here, slack_px }: LinksProps & { readonly slack_px: number }) {
  const id = useId();
  const isHere = of.some(({ name }) => name === here);
  return (
    <>
      <button
        type="button"
        popovertarget={id}
        class={isHere ? "here" : undefined}
        style={{ right: `${slack_px}px` }}
      >
        {say().more_pages}
      </button>
      <div
        id={id}
        popover="auto"
        class="more-pages"
        onClick={({ currentTarget }) => currentTarget.hidePopover()}
      >
        <Links {...{ of, here }} />
      </div>
    </>
  );
}

function Links({ of, here, others = [] }: LinksProps) {
  return of.map((page) => {
    const isHere = page.name === here;
    const names = [isHere && "here", others.includes(page) && "wrapped"].filter((it) => it);
    return (
      <Link
        page={page.name}
        class={names.join(" ") || undefined}
        aria-current={isHere ? "page" : undefined}
      >
        {say()[`page_${page.name}`]}
      </Link>
    );
  });
}
