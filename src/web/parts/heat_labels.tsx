// The names beside a heat map's rows: links where rows are high enough, else every so many.
import type { HeatRow } from "./heat.tsx";

/** What a finger and a name need. */
const [target_px, name_px] = [24, 18];

/** The rows' names. */
export function HeatLabels({ rows, row_px, chosen }: {
  readonly rows: readonly HeatRow[];
  readonly row_px: number;
  readonly chosen: number | undefined;
}) {
  if (row_px >= target_px) {
    return (
      <div class="heat-labels">
        {rows.map(({ name, href }, i) => (
          <a
            data-place
            href={href}
            class={i === chosen ? "chosen" : undefined}
            style={{ height: row_px }}
          >
            {name}
          </a>
        ))}
      </div>
    );
  }
  const every = Math.ceil(name_px / row_px);
  return (
    <div class="heat-labels sparse-labels" aria-hidden="true">
      {rows.map(({ name }, i) =>
        i % every === 0 || i === chosen
          ? (
            <span
              class={i === chosen ? "sparse chosen" : "sparse"}
              style={{ top: Math.max(0, (i + 0.5) * row_px - 7) }}
            >
              {name}
            </span>
          )
          : null
      )}
    </div>
  );
}
