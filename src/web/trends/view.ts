// What the trends show, as the address says it; while a hand moves the span, as the hand does.
import { computed, signal } from "@preact/signals";
import { after, at_ms, moment_ms } from "../frame/clock.ts";
import { devicesOf } from "../frame/plant.ts";
import { change, param } from "../frame/place.ts";
import { curveOf, curveWords, wordOf } from "./curve.ts";
import { is_known, type Source, sourceOf } from "./source.ts";
import type { Span } from "../frame/span.ts";
import { instantWord, type Preset, spanOf, type Step, stepFor, steps } from "./span.ts";

/** Until when anything may be shown: now by ten seconds, or the moment of the replay. */
export const last_ms = computed(() => at_ms.value ?? Math.ceil(moment_ms.value / 10_000) * 10_000);

/** The words of the curves that are shown. */
export const curve_words = computed(() => {
  const list = param("curves");
  if (list !== undefined) return curveWords(list);
  const usual = usualWords();
  return is_known.value ? usual.filter((it) => sourceOf(curveOf(it)!) !== undefined) : usual;
});

/** The curves that are shown and that the plant has. */
export const sources = computed<readonly Source[]>(() =>
  is_known.value
    ? curve_words.value.map((word) => sourceOf(curveOf(word)!)).filter((it) => it !== undefined)
    : []
);

/** The words that the plant has no curve for. */
export const unknown_words = computed(() =>
  is_known.value ? curve_words.value.filter((word) => sourceOf(curveOf(word)!) === undefined) : []
);

/** The span while it is moved by hand. */
const held = signal<Span | undefined>(undefined);

/** The span that the address says. */
export const settled = computed<Span>(() =>
  spanOf({ from: param("from"), to: param("to"), range: param("range") }, last_ms.value)
);

/** The span that is shown. */
export const span = computed<Span>(() => held.value ?? settled.value);

/** The step that the address wants; undefined for the one that fits the span. */
export const wanted_step = computed(() => {
  const step = param("step") ?? "";
  return Object.hasOwn(steps, step) ? step as Step : undefined;
});

/** The step in which data are read. */
export const step = computed(() => wanted_step.value ?? stepFor(span.value));

/** How many days before the same curves are drawn from too. */
export const days_before = computed(() =>
  [...new Set((param("compare") ?? "").split(",").map(Number))]
    .filter((it) => Number.isInteger(it) && it > 0 && it <= 3660).slice(0, 3)
);

/** The curve that stands out; the others step back. */
export const focused = computed(() => param("focus"));

/** Where the cursor is over the curves. */
export const cursor_ms = signal<number | undefined>(undefined);

/** The least and greatest length of a span. */
const [least_ms, greatest_ms] = [2_000, 10 * 366 * 86_400_000];

/** How long a hand must rest before the address says the new span. */
const rest_ms = 250;

let callOff = () => {};

/** Shows another span: nothing later than may be shown, neither too short nor too long. */
export function show({ from_ms, to_ms }: Span): void {
  const length = Math.min(greatest_ms, Math.max(least_ms, to_ms - from_ms));
  const end = Math.min(last_ms.peek(), (from_ms + to_ms + length) / 2);
  const next = { from_ms: end - length, to_ms: end };
  held.value = next;
  callOff();
  callOff = after(rest_ms, () => {
    held.value = undefined;
    change({ from: instantWord(next.from_ms), to: instantWord(next.to_ms), range: undefined });
  });
}

/** Shows as long a span as a preset says, up to the moment. */
export function showLast(range: Preset): void {
  callOff();
  held.value = undefined;
  change({ range, from: undefined, to: undefined });
}

/** Shows other curves; no curve at all is a word too, for an address without any has the usual. */
export function setCurves(words: readonly string[]): void {
  change({ curves: curveWords(words.join(",")).join(",") || ":", focus: undefined });
}

/** What a plant's people look at first: its power, what was expected, and the light. */
function usualWords(): readonly string[] {
  const component = devicesOf("meter").length > 0 ? "meter" : "inverter";
  return [
    usualWord(component, "active_power", { is_expected: false }),
    usualWord(component, "active_power", { is_expected: true }),
    usualWord("met", "poa_front", { is_expected: false }),
  ];
}

/** A measure of the only device of a type, or of all together. */
function usualWord(
  component: string,
  measure: string,
  { is_expected }: { readonly is_expected: boolean },
): string {
  const [device, another] = devicesOf(component);
  return device && !another
    ? wordOf({ kind: "sensor", device: device.key, measure, is_expected })
    : wordOf({ kind: "total", component, measure, is_expected });
}
