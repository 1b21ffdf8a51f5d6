// Curves over time by uPlot, in the plant's zone, with a readout, marks and a real table.
import { effect, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { say } from "../frame/say.ts";
import { colorOf, is_dark } from "../frame/scheme.ts";
import { numberText } from "../frame/number.ts";
import { zone } from "../frame/session.ts";
import { dateText, instantText, offsetText, secondText, timeText } from "../frame/zone.ts";
import { DataTable } from "./data_table.tsx";
import { followHand, movesSpan } from "./gesture.ts";
import { spanOfKey } from "../frame/span.ts";

/** A curve: one value an instant, NaN or null where there is none, undefined where it goes on. */
export type Line = {
  readonly label: string;
  readonly unit: string;
  readonly values: ArrayLike<number | null | undefined>;
  /** A colour of the style sheet, such as `--line-1`. */
  readonly color: string;
  readonly look?: "line" | "dashed" | "area" | "step" | "points";
  /** Curves of one scale share an axis; the first scale is the left one. */
  readonly scale?: string;
  readonly width?: number;
  /** How opaque it is, 0 to 1. */
  readonly alpha?: number;
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
  /** Told of a span that was dragged over. */
  readonly onSelect?: (from_ms: number, to_ms: number) => void;
  /** Told of a span that was reached by wheel, fingers, keys, or a drag while `is_moving`. */
  readonly onMove?: (from_ms: number, to_ms: number) => void;
  readonly is_moving?: boolean;
  /** Told of the instant that the cursor is at. */
  readonly onCursor?: (at_ms: number | undefined) => void;
  /** Without legend and table: who draws it has their own. */
  readonly is_bare?: boolean;
  /** Axes that need not begin at zero. */
  readonly is_free?: boolean;
  /** How many axes are drawn at most; curves of others are still there. */
  readonly most_axes?: number;
};

/** Curves over time. */
export function Chart(props: ChartProps) {
  const { instants, lines, height = 260, decimals = 1 } = props;
  const index = useSignal<number | null>(null);
  const { box, shown, plot } = usePlot(props, (i) => {
    index.value = i;
    shown.current.onCursor?.(i === null ? undefined : shown.current.instants[i]);
  });
  const named = lines.filter(({ is_quiet }) => !is_quiet);
  const drawing = (
    <div
      ref={box}
      {...(props.onMove ? handOf(() => shown.current, () => plot.current) : { role: "img" })}
      aria-label={props.label}
      style={{ minHeight: height }}
    />
  );
  if (props.is_bare) return <figure class="chart">{drawing}</figure>;
  return (
    <figure class="chart">
      <Legend lines={named} {...{ instants, index, decimals }} />
      {drawing}
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

/** A plot in a box, made anew for another set of curves; new values of the same are put into it. */
function usePlot(props: ChartProps, onIndex: (index: number | null) => void) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const shown = useRef(props);
  shown.current = props;
  const { instants, lines, height = 260, from_ms, to_ms } = props;
  const looks = lines.map(({ values: _, ...look }) => look);
  const kind = JSON.stringify([looks, height, zone.value, props.is_free, props.most_axes]);
  useLayoutEffect(() => {
    const target = box.current!;
    const end = effect(() => {
      is_dark.value;
      plot.current?.destroy();
      const options = optionsOf(() => shown.current, { width: target.clientWidth, onIndex });
      plot.current = new uPlot(options, dataOf(shown.current), target);
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
  useLayoutEffect(
    () => plot.current?.setData(dataOf(props)),
    [instants, lines, marks, from_ms, to_ms],
  );
  return { box, plot, shown };
}

/** What makes a drawing take keys. */
function handOf(shown: () => ChartProps, plot: () => uPlot | undefined) {
  return {
    role: "application",
    tabIndex: 0,
    onKeyDown: (event: KeyboardEvent) => {
      const next = !event.ctrlKey && !event.metaKey && plot() &&
        spanOfKey(event.key, shownSpan(shown(), plot()!));
      if (!next) return;
      event.preventDefault();
      shown().onMove?.(next.from_ms, next.to_ms);
    },
  } as const;
}

function shownSpan({ from_ms, to_ms }: ChartProps, { scales: { x } }: uPlot) {
  return { from_ms: from_ms ?? x.min!, to_ms: to_ms ?? x.max! };
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
    Array.from(values, (value) => Number.isNaN(value) ? null : value)
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
  const { lines, height = 260, onSelect, onMove, is_free } = shown();
  const hand = {
    shown: () => shownSpan(shown(), plot_now!),
    isMoving: () => shown().is_moving === true,
    onMove: (from_ms: number, to_ms: number) => shown().onMove?.(from_ms, to_ms),
  };
  let plot_now: uPlot | undefined;
  const scales = [...new Set(lines.map(({ scale, unit }) => scale ?? unit))];
  const at_zone = zone.peek();
  return {
    width,
    height,
    ms: 1,
    tzDate: (at) => uPlot.tzDate(new Date(at), at_zone),
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: onSelect !== undefined, y: false, setScale: false },
      bind: {
        mousedown: (_, __, choose) => (event) => {
          if (!onMove || !movesSpan(event, hand)) choose(event);
          return null;
        },
      },
    },
    scales: {
      x: {
        time: true,
        range: (_, least, most) => [shown().from_ms ?? least, shown().to_ms ?? most],
      },
      ...Object.fromEntries(
        scales.map((name) => [name, { range: is_free ? freeRangeOf : rangeOf }]),
      ),
    },
    axes: axesOf(shown(), scales),
    series: [{}, ...lines.map(seriesOf)],
    hooks: {
      ready: [(plot) => {
        plot_now = plot;
        if (onMove) followHand(plot.over, hand);
      }],
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

function seriesOf(
  { color, look = "line", scale, unit, width = 1.5, alpha = 1 }: Line,
): uPlot.Series {
  const stroke = colorOf(color);
  return {
    alpha,
    scale: scale ?? unit,
    stroke: look === "area" ? undefined : stroke,
    fill: look === "area" ? stroke : undefined,
    width: look === "area" ? 0 : width,
    dash: look === "dashed" ? [6, 4] : undefined,
    paths: look === "step"
      ? uPlot.paths.stepped!({ align: 1 })
      : look === "points"
      ? () => null
      : undefined,
    points: { show: look === "points", size: width > 1.5 ? 2 * width + 2 : 4 },
  };
}

/** The axis of time, and one for each scale: in the colour of its curves where they share one. */
function axesOf({ lines, most_axes = 4 }: ChartProps, scales: readonly string[]): uPlot.Axis[] {
  const at_zone = zone.peek();
  const [grid, text] = [colorOf("--grid"), colorOf("--text-quiet")];
  const axis = {
    stroke: text,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
  };
  const colorOfScale = (name: string) => {
    const own = lines.filter(({ scale, unit, look }) =>
      (scale ?? unit) === name && look !== "points"
    );
    const [color, another] = new Set(own.map((line) => line.color));
    return color === undefined || another || color === "--area" ? text : colorOf(color);
  };
  return [
    { ...axis, values: (_, splits) => timeLabels(splits, at_zone), space: 64, size: 62 },
    ...scales.slice(0, most_axes).map((name, i) => ({
      ...axis,
      stroke: scales.length > 1 ? colorOfScale(name) : text,
      scale: name,
      side: i === 0 ? 3 as const : 1 as const,
      grid: i === 0 ? axis.grid : { show: false },
      label: name.split("|")[0],
      labelSize: 18,
      size: 52,
      values: (_: uPlot, splits: number[]) =>
        splits.map((it) => numberText(it, decimalsOf(splits))),
    })),
  ];
}

/** From zero, unless something is below it; never of no height. */
function rangeOf(_: uPlot, least: number | null, most: number | null): [number, number] {
  const low = Math.min(0, least ?? 0);
  const high = Math.max(0, most ?? 1);
  return [low * 1.05, high === low ? 1 : high * 1.05];
}

/** Around the values; from zero where that is not far below them. */
function freeRangeOf(_: uPlot, least: number | null, most: number | null): [number, number] {
  const [low, high] = [least ?? 0, most ?? 1];
  if (low < 0.4 * high && high > 0.4 * low) return rangeOf(_, low, high);
  const room = (high - low) * 0.08 || Math.abs(high) * 0.01 || 1;
  return [low - room, high + room];
}

function decimalsOf(splits: readonly number[]): number {
  const step = Math.abs((splits[1] ?? 1) - (splits[0] ?? 0));
  const isWhole = (it: number) => Math.abs(it - Math.round(it)) < 1e-6;
  return [0, 1, 2, 3, 4, 5].find((decimals) => isWhole(step * 10 ** decimals)) ?? 6;
}

/**
 * Times, or over many days their dates; the first, and each after a change, with its date and its
 * offset, on lines of their own for they are wider than the distance of two.
 */
function timeLabels(splits: readonly number[], at_zone: string): string[] {
  const is_long = splits.length > 1 && splits[splits.length - 1] - splits[0] > 3 * 86_400_000;
  const textOf = (splits[1] - splits[0]) % 60_000 === 0 ? timeText : secondText;
  let [last_date, last_offset] = ["", ""];
  return splits.map((at) => {
    const time = textOf(at, at_zone);
    const [date, offset] = [dateText(at, at_zone), offsetText(at, at_zone)];
    const label = is_long && time === "00:00" ? date : time;
    const isNewDate = label !== date && (is_long ? last_date === "" : date !== last_date);
    const lines = [label, isNewDate && date, offset !== last_offset && offset];
    [last_date, last_offset] = [date, offset];
    return lines.filter(Boolean).join("\n");
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
