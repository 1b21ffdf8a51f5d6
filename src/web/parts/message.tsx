// Small pieces that pages share: links between pages, messages, that days are computed again, a
// component by value, and what a button opens above the page.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { getJson } from "../frame/api.ts";
import { readAllAgain, useLoad } from "../frame/load.ts";
import { addressOf, type PageName, type PlaceParams } from "../frame/place.ts";
import { say } from "../frame/say.ts";
import { project } from "../frame/session.ts";
import { daysText } from "../frame/zone.ts";

/** A link to a page of these screens; it opens without loading everything anew. */
export function Link({ page, params, children, ...rest }: {
  readonly page: PageName;
  readonly params?: PlaceParams;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly title?: string;
  readonly "aria-current"?: "page";
}) {
  return <a data-place href={addressOf(page, params)} {...rest}>{children}</a>;
}

/** What there is to say where there is nothing to show. */
export function Message({ children }: { readonly children: ComponentChildren }) {
  return <div class="message" role="status">{children}</div>;
}

/** Days of the plant, both included. */
type Days = { readonly from: string; readonly to: string };

/** That some of the days whose figures are shown are computed again; nothing while none is. */
export function Pending(shown: Days) {
  const pending = usePending(shown);
  if (!pending) return null;
  return <p class="pending" role="status">{say().pending(daysText(pending), pending.days)}</p>;
}

/** How often it is looked whether days wait. */
const look_ms = 10_000;

/** Which of some days are computed again; once none is any more, all figures are read again. */
function usePending({ from, to }: Days): Days & { readonly days: number } | undefined {
  const key = [project.value!.id, from, to] as const;
  const { data } = useLoad(key, async ([id, dt_start, dt_end], signal) => {
    type Row = { readonly first_day: string; readonly last_day: string; readonly days: number };
    const query = { project_ids: [id], dt_start, dt_end };
    const [row] = await getJson<readonly Row[]>(pending_path, query, signal);
    return row ? { from: row.first_day, to: row.last_day, days: row.days } : null;
  }, { refresh_ms: look_ms });
  const waited = useRef<string>();
  useEffect(() => {
    if (data === undefined) return;
    const asked = key.join();
    if (data === null && waited.current === asked) readAllAgain();
    waited.current = data ? asked : undefined;
  }, [data]);
  return data ?? undefined;
}

const pending_path = "/platform/v1/performance/pending";

/** A page that is loaded, or that it is being loaded. */
export function Shown({ of: Page }: { readonly of: ComponentType | undefined }) {
  return Page ? <Page /> : <Message>{say().loading}</Message>;
}

/**
 * A button, and what it opens, which is made anew each time; Escape, its own button or a click
 * elsewhere closes it.
 */
export function Popover({ button, class: name, children }: {
  readonly button: string;
  readonly class: string;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  const is_open = useSignal(false);
  return (
    <>
      <button type="button" popovertarget={id}>{button}</button>
      <div
        id={id}
        popover="auto"
        class={`popover ${name}`}
        role="dialog"
        aria-label={button}
        onToggle={({ newState }) => is_open.value = newState === "open"}
        // The page's own keys are not meant here.
        onKeyDown={(event) => event.stopPropagation()}
      >
        {is_open.value && children}
        <button type="button" class="close" popovertarget={id} popovertargetaction="hide">
          {say().close}
        </button>
      </div>
    </>
  );
}
