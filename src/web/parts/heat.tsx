// A heat map: rows by columns on a canvas, with a cursor for mouse and keys, and a real table.
import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { colorOf, is_dark } from "../frame/scheme.ts";
import { DataTable } from "./data_table.tsx";
import { HeatArea } from "./heat_area.tsx";
import { type HeatColors, paintHeat, pixelOf } from "./heat_paint.ts";

/** A row: its name, and the address that its name leads to. */
export type HeatRow = { readonly key: string; readonly name: string; readonly href: string };

/** A cell by its row, as it is drawn, and its column. */
export type HeatCell = { readonly row: number; readonly column: number };

export type HeatProps = {
  /** What the map shows, for those who do not see it. */
  readonly label: string;
  readonly rows: readonly HeatRow[];
  readonly columns: number;
  /** Codes by the place of a row in `order`, `columns` a row; see `heat_codes`. */
  readonly codes: Uint8Array;
  /** Which row of `codes` each of `rows` is. */
  readonly order: ArrayLike<number>;
  /** What is written below columns. */
  readonly ticks: readonly { readonly column: number; readonly label: string }[];
  /** What is said of the cell under the cursor, and of none. */
  readonly readout: (cell: HeatCell | undefined) => ComponentChildren;
  readonly chosen?: { readonly row: number; readonly column?: number };
  readonly onOpen: (cell: HeatCell) => void;
  /** Told of columns that were dragged over, the last included. */
  readonly onZoom?: (first: number, last: number) => void;
  readonly table: {
    readonly columns: readonly string[];
    readonly row: (i: number) => readonly string[];
  };
};

/** A heat map. */
export function Heat(props: HeatProps) {
  const cursor = useSignal<HeatCell | undefined>(undefined);
  const { rows, ticks, columns, table } = props;
  const row_px = rowHeight(rows.length);
  return (
    <figure class="heat">
      <figcaption class="heat-readout" style={{ gridColumn: "1 / -1" }}>
        <Readout {...{ props, cursor }} />
      </figcaption>
      <div class="heat-scroll">
        <HeatLabels rows={rows} row_px={row_px} chosen={props.chosen?.row} />
        <HeatArea {...{ props, cursor, row_px }}>
          <HeatCanvas {...{ props }} height={rows.length * row_px} />
        </HeatArea>
      </div>
      <div class="heat-axis" aria-hidden="true">
        {ticks.map(({ column, label }) => (
          <span style={{ left: `${100 * column / columns}%` }}>{label}</span>
        ))}
      </div>
      <div style={{ gridColumn: "1 / -1" }}>
        <DataTable columns={table.columns} length={rows.length} row={table.row} />
      </div>
    </figure>
  );
}

function Readout({ props, cursor }: {
  readonly props: HeatProps;
  readonly cursor: Signal<HeatCell | undefined>;
}) {
  const at = cursor.value;
  const is_there = at && at.row < props.rows.length && at.column < props.columns;
  return <>{props.readout(is_there ? at : undefined)}</>;
}

/** Rows of a finger's height where there are few of them, thin ones where there are hundreds. */
function rowHeight(rows: number): number {
  return Math.min(24, Math.max(4, Math.floor(560 / Math.max(1, rows))));
}

function HeatCanvas({ props, height }: { readonly props: HeatProps; readonly height: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const { codes, columns, order } = props;
  const cells = useSignal({ codes, columns, order });
  cells.value = useStable({ codes, columns, order });
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([{ contentRect }]) => {
      const scale = height > 1000 ? 1 : Math.min(2, devicePixelRatio);
      size.value = {
        width: Math.round(contentRect.width * scale),
        height: Math.round(height * scale),
      };
    });
    watch.observe(canvas.current!);
    return () => watch.disconnect();
  }, [height]);
  useSignalEffect(() => {
    is_dark.value;
    const { width, height } = size.value;
    if (width === 0 || height === 0 || cells.value.columns === 0) return;
    const target = canvas.current!;
    Object.assign(target, { width, height });
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    paintHeat({ pixels, width, height }, cells.value, heatColors());
    target.getContext("2d")!.putImageData(image, 0, 0);
  });
  return <canvas ref={canvas} role="img" aria-label={props.label} />;
}

/** The same object as long as what it is made of is the same. */
function useStable<T extends object>(made: T): T {
  const kept = useRef(made);
  const is_same = (Object.keys(made) as (keyof T)[]).every((key) =>
    kept.current[key] === made[key]
  );
  if (!is_same) kept.current = made;
  return kept.current;
}

function heatColors(): HeatColors {
  const color = (name: string) => pixelOf(colorOf(`--heat-${name}`));
  return {
    ground: color("ground"),
    quiet: color("quiet"),
    low: color("low"),
    middle: color("middle"),
    high: color("high"),
    shared: color("shared"),
    outage: color("outage"),
    hatch: color("hatch"),
    mark: color("mark"),
  };
}

/** What a finger and a name need. */
const [target_px, name_px] = [24, 18];

/** The rows' names: links where rows are high enough, else every so many. */
function HeatLabels({ rows, row_px, chosen }: {
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
