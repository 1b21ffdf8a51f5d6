// A figure: a name, its value, what it is measured against, and a bar that shows both.
import type { ComponentChildren } from "preact";

type FigureProps = {
  readonly name: string;
  readonly value: string;
  /** Beside the value: its unit, or what it is a part of. */
  readonly beside?: ComponentChildren;
  /** Below: what the figure stands on. */
  readonly below?: ComponentChildren;
  /** Shares of the bar's length: how far it is filled, and where its mark stands. */
  readonly filled?: number;
  readonly mark?: number;
  /** What the figure means. */
  readonly help?: string;
};

/** One figure of a row of them. */
export function Figure({ name, value, beside, below, filled, mark, help }: FigureProps) {
  return (
    <div class="figure" title={help}>
      <h2>{name}</h2>
      <p>
        <b>{value}</b> <span class="quiet">{beside}</span>
      </p>
      {filled !== undefined && <Bar filled={filled} mark={mark} />}
      {below && <p class="quiet small">{below}</p>}
    </div>
  );
}

/** A bar that is filled in part, with a mark where it should reach. */
function Bar({ filled, mark }: { readonly filled: number; readonly mark?: number }) {
  const percent = (share: number) => `${Math.min(1, Math.max(0, share || 0)) * 100}%`;
  return (
    <div class="bar" aria-hidden="true">
      <i style={{ width: percent(filled) }} />
      {mark !== undefined && <u style={{ left: percent(mark) }} />}
    </div>
  );
}
