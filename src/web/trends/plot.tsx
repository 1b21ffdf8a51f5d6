// The drawing: each curve thinned to the pixels there are, on the axis of its unit.
import { useMemo, useRef } from "preact/hooks";
import { numberText, scaledText, scaleOf } from "../frame/number.ts";
import { zone } from "../frame/session.ts";
import { instantText, offsetText, secondText } from "../frame/zone.ts";
import { Chart, type Line } from "../parts/chart.tsx";
import { DataTable } from "../parts/data_table.tsx";
import { placeAt, type Samples, toldAt } from "./samples.ts";
import { say } from "./say.ts";
import type { Trace } from "./series.ts";
import type { Span } from "../frame/span.ts";
import { aligned, type Column, type Layers, thin } from "./thin.ts";
import { cursor_ms, focused, show } from "./view.ts";

/** The narrowest window in which every axis has room. */
const wide_px = 720;

/** What a trace is called. */
export function nameOf({ source, days, step_ms }: Trace): string {
  const { label, is_increment } = source;
  const per = is_increment && step_ms > 0 ? ` / ${numberText(step_ms / 60_000)} min` : "";
  return label + per + (days > 0 ? `, ${say().days_before(days)}` : "");
}

/** The colour of a style sheet for the curve at a place; there are eight. */
export function colorAt(i: number): string {
  return `--line-${1 + i % 8}`;
}

/** A number of a unit with as many figures as fit; small steps of great values stay visible. */
export function valueText(value: number | undefined, unit: string): string {
  if (value === undefined || Number.isNaN(value)) return numberText(undefined);
  const scale = scaleOf(value, unit);
  const isWhole = Number.isInteger(value) && scale.divisor === 1;
  const text = isWhole
    ? numberText(value)
    : Math.abs(value) >= 10 && scale.divisor === 1
    ? numberText(value, 2)
    : scaledText(value, scale);
  return scale.unit ? `${text}\u202f${scale.unit}` : text;
}

/** The curves in a span. */
export function Plot({ traces, span, is_moving }: {
  readonly traces: readonly Trace[];
  readonly span: Span;
  readonly is_moving: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = box.current?.clientWidth ?? innerWidth;
  const pixels = Math.max(200, width - 60);
  const { from_ms, to_ms } = span;
  const focus = focused.value;
  const { instants, lines } = useMemo(
    () => drawn(traces, { ...span, pixels }, focus),
    [traces, from_ms, to_ms, pixels, focus, say()],
  );
  return (
    <div ref={box}>
      <Chart
        label={`${say().chart}: ${traces.map(nameOf).join(", ")}`}
        instants={instants}
        lines={lines}
        from_ms={from_ms}
        to_ms={to_ms}
        height={innerWidth > wide_px ? 420 : 320}
        most_axes={innerWidth > wide_px ? 5 : 2}
        is_bare
        is_free
        is_moving={is_moving}
        onCursor={(at) => cursor_ms.value = at}
        onSelect={(from_ms, to_ms) => show({ from_ms, to_ms })}
        onMove={(from_ms, to_ms) => show({ from_ms, to_ms })}
      />
      <Table traces={traces} span={span} />
    </div>
  );
}

/** What is drawn of traces on some pixels. */
function drawn(
  traces: readonly Trace[],
  view: Span & { readonly pixels: number },
  focus: string | undefined,
): { readonly instants: Float64Array; readonly lines: readonly Line[] } {
  const thinned = traces.map(({ samples, gap_ms }) => thin(samples, { ...view, gap_ms }));
  const { instants, layers } = aligned(thinned);
  const scales = scalesOf(traces, thinned);
  const words = [...new Set(traces.map(({ source }) => source.word))];
  const lines = traces.flatMap((trace, i) => {
    const { source, days } = trace;
    const standsBack = focus !== undefined && focus !== source.word;
    return linesOf(trace, layers[i], {
      ...scales.get(source.unit)!,
      color: standsBack ? "--line-peer" : colorAt(words.indexOf(source.word)),
      alpha: days === 0 ? 1 : 0.55,
      width: focus === source.word ? 2.5 : 1.5,
    });
  });
  return { instants, lines };
}

type Look = Pick<Line, "color" | "alpha" | "width"> & {
  readonly unit: string;
  readonly divisor: number;
};

/** The lines of a trace: as measured, dashed where carried, signs where alone or not good. */
function linesOf({ source, has }: Trace, layers: Layers, look: Look): readonly Line[] {
  const { divisor, unit, ...rest } = look;
  const scaled = (column: Column) =>
    divisor === 1
      ? column
      : column.map((it) => it === null || it === undefined ? it : it / divisor);
  const common = { label: source.label, unit, scale: unit || "–", ...rest };
  const isDashed = source.is_expected;
  const line = (layer: keyof Layers, more: Partial<Line>): Line => ({
    ...common,
    values: scaled(layers[layer]),
    ...more,
  });
  return [
    line("line", { look: isDashed ? "dashed" : source.is_state ? "step" : "line" }),
    ...(layers.lone.some((it) => it !== undefined && it !== null)
      ? [line("lone", { look: "points" })]
      : []),
    ...(has.carried ? [line("carried", { look: "dashed" })] : []),
    ...(has.uncertain ? [line("uncertain", { look: "points", color: "--priority-2" })] : []),
    ...(has.bad ? [line("bad", { look: "points", color: "--priority-1", width: 2 })] : []),
  ];
}

/** The prefix of each unit that fits its greatest value. */
function scalesOf(traces: readonly Trace[], thinned: readonly Samples[]) {
  const greatest = new Map<string, number>();
  for (const [i, { source }] of traces.entries()) {
    let most = greatest.get(source.unit) ?? 0;
    for (const value of thinned[i].values) if (Math.abs(value) > most) most = Math.abs(value);
    greatest.set(source.unit, most);
  }
  return new Map(Array.from(greatest, ([unit, most]) => [unit, scaleOf(most, unit)] as const));
}

/** The values themselves, by the instants of the first curve that has any. */
function Table({ traces, span }: { readonly traces: readonly Trace[]; readonly span: Span }) {
  const lead = traces.find(({ samples }) => samples.instants.length > 0) ?? traces[0];
  const { instants } = lead.samples;
  const first = placeAt(instants, span.from_ms);
  const at_zone = zone.value;
  return (
    <DataTable
      columns={[
        say().from,
        ...traces.map((trace) => {
          const { unit } = trace.source;
          return unit ? `${nameOf(trace)}, ${unit}` : nameOf(trace);
        }),
      ]}
      length={placeAt(instants, span.to_ms) - first}
      row={(i) => {
        const at = instants[first + i];
        const time = lead.step_ms > 0
          ? instantText(at, at_zone)
          : `${instantText(at, at_zone)} ${secondText(at, at_zone).slice(-2)} s`;
        return [
          `${time} ${offsetText(at, at_zone)}`,
          ...traces.map(({ samples, gap_ms }) => {
            const place = toldAt({ samples, gap_ms }, at);
            return numberText(place === undefined ? NaN : samples.values[place], 2);
          }),
        ];
      }}
    />
  );
}
