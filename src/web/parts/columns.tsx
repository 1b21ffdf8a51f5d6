// Stacked bars side by side, one a bucket; each leads to what it is made of.
import type { PageName, PlaceParams } from "../frame/place.ts";
import { Link } from "./message.tsx";

/** A stack: its parts from the bottom up; those below zero are not drawn. */
export type Column = {
  readonly key: string;
  readonly label: string;
  /** The stack in words. */
  readonly title: string;
  readonly params: PlaceParams;
  readonly parts: readonly { readonly kind: string; readonly value: number }[];
  /** There is nothing to stack. */
  readonly is_unknown?: boolean;
};

/** Stacks on one scale from zero to the highest of them, or to `most`. */
export function Columns({ label, page, columns, most, text }: {
  readonly label: string;
  readonly page: PageName;
  readonly columns: readonly Column[];
  readonly most?: number;
  /** A value as an axis up to `greatest` says it. */
  readonly text: (value: number, greatest: number) => string;
}) {
  const heights = columns.map(({ parts }) =>
    parts.reduce((sum, { value }) => sum + Math.max(0, value || 0), 0)
  );
  const greatest = most ?? (Math.max(...heights) || 1);
  const every = Math.ceil(columns.length / 12);
  const every_narrow = Math.ceil(columns.length / 5);
  return (
    <div class="columns">
      <ol class="scale" aria-hidden="true">
        {[1, 0.5, 0].map((share) => <li>{text(share * greatest, greatest)}</li>)}
      </ol>
      <ol class="stacks" aria-label={label}>
        {columns.map(({ key, label, title, params, parts, is_unknown }, i) => (
          <li key={key}>
            <Link page={page} params={params} title={title} class={is_unknown ? "unknown" : ""}>
              <span class="hidden">{title}</span>
              {parts.map(({ kind, value }) => (
                <i
                  class={`share ${kind}`}
                  style={{ height: `${100 * Math.min(1, Math.max(0, value || 0) / greatest)}%` }}
                />
              ))}
            </Link>
            <span class="wide" aria-hidden="true">{i % every === 0 ? label : ""}</span>
            <span class="narrow" aria-hidden="true">{i % every_narrow === 0 ? label : ""}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** What the parts of stacks are called. */
export function Shares(
  { of }: { readonly of: readonly (readonly [kind: string, name: string])[] },
) {
  return (
    <p class="legend shares">
      {of.map(([kind, name]) => (
        <span>
          <i class={`share ${kind}`} aria-hidden="true" /> {name}
        </span>
      ))}
    </p>
  );
}
