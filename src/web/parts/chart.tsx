// Curves over time by uPlot, in the plant's zone, with a readout, marks and a real table.
import { effect, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { say } from "../frame/say.ts";
import { colorOf, is_dark } from "../frame/scheme.ts";
import { numberText } from "../frame/number.ts";
import { zone } from "../frame/session.ts";
import { dateText, instantText, offsetText, timeText } from "../frame/zone.ts";
import { DataTable } from "./data_table.tsx";

/** A curve: one value an instant, NaN or null where there is none. */
export type Line = {
  readonly label: string;
  readonly unit: string;
  readonly values: ArrayLike<number | null>;
  /** A colour of the style sheet, such as `--line-1`. */
  readonly color: string;
  readonly look?: "line" | "dashed" | "area" | "step" | "points";
  /** Curves of one scale share an axis; the first scale is the left one. */
  readonly scale?: string;
  readonly width?: number;
  /** Left out of the legend: one of many that are drawn alike. */
  readonly is_quiet?: boolean;
};

/** An instant to be marked by an upright line. */
export type Mark = { readonly at_ms: number; readonly label: string; readonly color?: string };

/** A time to be shaded behind the curves. */
export type Band = { readonly from_ms: number; readonly to_ms: number };

type ChartProps = {
  /** What the chart shows, for those who do not see it. */
  readonly label: string;
  /** Milliseconds since 1970 UTC, rising. */
  readonly instants: ArrayLike<number>;
  readonly lines: readonly Line[];
  readonly height?: number;
  readonly marks?: readonly Mark[];
  readonly bands?: readonly Band[];
  /** The span to show; else that of `instants`. */
  readonly from_ms?: number;
  readonly to_ms?: number;
  readonly decimals?: number;
  /** Whether scales fit their values; else they begin at zero. */
  readonly isFitted?: boolean;
  /** Told of a span that was dragged over. */
  readonly onSelect?: (from_ms: number, to_ms: number) => void;
};

/** Curves over time. */
export function Chart(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const index = useSignal<number | null>(null);
  const shown = useRef(props);
  shown.current = props;
  const { instants, lines, height = 260, decimals = 1 } = props;
  // Another set of curves is another plot; new values of the same are put into it.
  const kind = JSON.stringify([lines.map(({ values: _, ...look }) => look), height, zone.value]);
  useLayoutEffect(() => {
    const target = box.current!;
    const end = effect(() => {
      is_dark.value;
      plot.current?.destroy();
      plot.current = new uPlot(
        optionsOf(() => shown.current, {
          width: target.clientWidth,
          onIndex: (i) => index.value = i,
        }),
        dataOf(props),
        target,
      );
    });
    const resize = new ResizeObserver(() => {
      plot.current?.setSize({ width: target.clientWidth, height });
    });
    resize.observe(target);
    return () => {
      resize.disconnect();
      end();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [kind]);
  const marks = JSON.stringify([props.marks, props.bands]);
  useLayoutEffect(() => plot.current?.setData(dataOf(props)), [instants, lines, marks]);
  const named = lines.filter(({ is_quiet }) => !is_quiet);
  return (
    <figure class="chart">
      <Legend lines={named} {...{ instants, index, decimals }} />
      <div ref={box} role="img" aria-label={props.label} style={{ minHeight: height }} />
      <DataTable
        columns={[
          say().time,
          ...named.map(({ label, unit }) => unit ? `${label}, ${unit}` : label),
        ]}
        length={instants.length}
        row={(i) => [
          `${instantText(instants[i], zone.value)} ${offsetText(instants[i], zone.value)}`,
          ...named.map(({ values }) => numberText(values[i], decimals)),
        ]}
      />
    </figure>
  );
}

type Readout = {
  readonly lines: readonly Line[];
  readonly instants: ArrayLike<number>;
  readonly index: { readonly value: number | null };
  readonly decimals: number;
};

/** What each curve is, and its value where the cursor is. */
function Legend({ lines, instants, index, decimals }: Readout) {
  const i = index.value;
  return (
    <figcaption class="legend">
      {lines.map(({ label, unit, color, look, values }) => (
        <span>
          <i class={`swatch ${look ?? "line"}`} style={{ "--swatch": `var(${color})` }} />
          {label}
          {i !== null && <b>{numberText(values[i], decimals)}{unit && ` ${unit}`}</b>}
        </span>
      ))}
      {i !== null && instants[i] !== undefined && (
        <span class="quiet">
          {instantText(instants[i], zone.value)} {offsetText(instants[i], zone.value)}
        </span>
      )}
    </figcaption>
  );
}

function dataOf({ instants, lines }: ChartProps): uPlot.AlignedData {
  const columns = lines.map(({ values }) =>
    Array.from(values, (value) => value === null || Number.isNaN(value) ? null : value)
  );
  return [Array.from(instants), ...columns];
}

/** How a plot looks; what may change while it is there is asked of `shown` when it is drawn. */
function optionsOf(
  shown: () => ChartProps,
  { width, onIndex }: {
    readonly width: number;
    readonly onIndex: (index: number | null) => void;
  },
): uPlot.Options {
  const { lines, height = 260, onSelect } = shown();
  const scales = [...new Set(lines.map(({ scale, unit }) => scale ?? unit))];
  const [grid, text] = [colorOf("--grid"), colorOf("--text-quiet")];
  const axis = {
    stroke: text,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
  };
  const at_zone = zone.peek();
  return {
    width,
    height,
    ms: 1,
    tzDate: (at) => uPlot.tzDate(new Date(at), at_zone),
    legend: { show: false },
    cursor: { y: false, drag: { x: onSelect !== undefined, y: false, setScale: false } },
    scales: {
      x: {
        time: true,
        range: (_, least, most) => [shown().from_ms ?? least, shown().to_ms ?? most],
      },
      ...Object.fromEntries(scales.map((name) => [name, {
        range: (_: uPlot, least: number | null, most: number | null) =>
          shown().isFitted ? fittedRange(least, most) : rangeOf(least, most),
      }])),
    },
    axes: [
      { ...axis, values: (_, splits) => timeLabels(splits, at_zone), space: 64, size: 50 },
      ...scales.map((name, i) => ({
        ...axis,
        scale: name,
        side: i === 0 ? 3 as const : 1 as const,
        grid: i === 0 ? axis.grid : { show: false },
        label: name.split("|")[0],
        labelSize: 18,
        size: 52,
        values: (_: uPlot, splits: number[]) =>
          splits.map((it) => numberText(it, decimalsOf(splits))),
      })),
    ],
    series: [{}, ...lines.map(seriesOf)],
    hooks: {
      setCursor: [({ cursor }) => onIndex(cursor.idx ?? null)],
      setSelect: [(plot) => {
        const { left, width } = plot.select;
        if (width < 4) return;
        shown().onSelect?.(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
      drawClear: [(plot) => drawBands(plot, shown().bands ?? [])],
      draw: [(plot) => (shown().marks ?? []).forEach((mark) => drawMark(plot, mark))],
    },
  };
}

function seriesOf({ color, look = "line", scale, unit, width = 1.5 }: Line): uPlot.Series {
  const stroke = colorOf(color);
  return {
    scale: scale ?? unit,
    stroke: look === "area" ? undefined : stroke,
    fill: look === "area" ? stroke : undefined,
    width: look === "area" ? 0 : width,
    dash: look === "dashed" ? [6, 4] : undefined,
    paths: look === "step" ? uPlot.paths.stepped!({ align: 1 }) : undefined,
    points: { show: look === "points", size: 4 },
  };
}

/** From zero, unless something is below it; never of no height. */
function rangeOf(least: number | null, most: number | null): [number, number] {
  const low = Math.min(0, least ?? 0);
  const high = Math.max(0, most ?? 1);
  return [low * 1.05, high === low ? 1 : high * 1.05];
}

/** Around the values; never of no height. */
function fittedRange(least: number | null, most: number | null): [number, number] {
  const [low, high] = [least ?? 0, most ?? 1];
  const edge = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  return [low - edge, high + edge];
}

function decimalsOf(splits: readonly number[]): number {
  const step = Math.abs((splits[1] ?? 1) - (splits[0] ?? 0));
  return step >= 1 ? 0 : step >= 0.1 ? 1 : 2;
}

/** Times; the first, and each after a change of the offset, with its date and offset. */
function timeLabels(splits: readonly number[], at_zone: string): string[] {
  const is_long = splits.length > 1 && splits[splits.length - 1] - splits[0] > 3 * 86_400_000;
  let last = "";
  return splits.map((at) => {
    if (is_long) return dateText(at, at_zone);
    const place = `${dateText(at, at_zone)} ${offsetText(at, at_zone)}`;
    const label = place === last ? timeText(at, at_zone) : `${timeText(at, at_zone)}\n${place}`;
    last = place;
    return label;
  });
}

function drawMark(plot: uPlot, { at_ms, color = "--text" }: Mark): void {
  const x = plot.valToPos(at_ms, "x", true);
  const { left, top, width, height } = plot.bbox;
  if (x < left || x > left + width) return;
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = colorOf(color);
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  ctx.restore();
}

/** Shades times behind everything; the shortest is still seen. */
function drawBands(plot: uPlot, bands: readonly Band[]): void {
  if (bands.length === 0) return;
  const { ctx } = plot;
  const { left, top, width, height } = plot.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.fillStyle = colorOf("--band");
  for (const { from_ms, to_ms } of bands) {
    const [from, to] = [from_ms, to_ms].map((at) => plot.valToPos(at, "x", true));
    ctx.fillRect(from, top, Math.max(to - from, 2 * devicePixelRatio), height);
  }
  ctx.restore();
}
