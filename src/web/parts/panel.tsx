// A panel: a title, what belongs to it, and its data with their age, their absence and failure.
import type { ComponentChildren } from "preact";
import { now_ms } from "../frame/clock.ts";
import { filling } from "../frame/fill.ts";
import { isStale, type Load } from "../frame/load.ts";
import { spanText } from "../frame/number.ts";
import { say } from "../frame/say.ts";
import { Problem } from "../frame/api.ts";

/** A titled part of a page; `aside` stands at the end of its title's line. */
export function Panel({ title, aside, class: name = "", children }: {
  readonly title: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={`panel ${name}`}>
      <header>
        <h2>{title}</h2>
        {aside && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/**
 * What is drawn of loaded data. Before they are there, that they are loading; after a failure, why;
 * where `isEmpty` says so, or nothing is to be asked for, `empty`, but not while the demo's history
 * is written; and beside what is old, its age.
 */
export function Loaded<T>({ of, empty, isEmpty = () => false, children }: {
  readonly of: Load<T>;
  readonly empty?: ComponentChildren;
  readonly isEmpty?: (data: T) => boolean;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, problem } = of;
  const nothing = <p class="quiet">{filling.value ? say().fill_wait : empty ?? say().no_data}</p>;
  if (data === undefined) {
    if (!problem && !of.is_loading) return nothing;
    return (
      <p class="quiet" role="status">
        {problem ? problemText(problem) : say().loading}
      </p>
    );
  }
  return (
    <>
      <Age of={of} />
      {isEmpty(data) ? nothing : children(data)}
    </>
  );
}

/** That what is shown is old, where it is, and why. */
export function Age({ of }: { readonly of: Load<unknown> }) {
  if (!isStale(of)) return null;
  return (
    <p class="stale" role="status">
      {say().stale(spanText(now_ms.value - of.loaded_ms))}
      {of.problem && ` · ${problemText(of.problem)}`}
    </p>
  );
}

/** What a reader is told of a failure. */
export function problemText({ status, message, detail }: Problem): string {
  if (status === 0 && message === "unreachable") return say().unreachable;
  if (status === 403) return say().forbidden;
  if (status === 503) return say().away(detail || message);
  return status >= 400 && status < 500
    ? say().refused(detail || message)
    : say().failed(detail || message);
}
