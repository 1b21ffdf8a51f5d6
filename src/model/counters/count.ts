// What a counter counted in each minute, and what happened to it beside its climbing.
import { counter_limits } from "./limits.ts";
import type { CounterEvent } from "./event.ts";
import { type CounterReadings, isTrack } from "./readings.ts";
import { addTo, eachMinute, minute_us, type MinuteValues } from "../time/series.ts";

/** What was counted in each minute, and the first and last minute that its differences reach. */
export type CounterMinutes = MinuteValues & {
  readonly span_from: Int32Array<ArrayBuffer>;
  readonly span_to: Int32Array<ArrayBuffer>;
};

/** Gives minutes without values room for the spans of differences. */
export function withSpans(minutes: MinuteValues): CounterMinutes {
  const count = minutes.values.length;
  return { ...minutes, span_from: new Int32Array(count), span_to: new Int32Array(count) };
}

/** An event as its counter knows it. */
export type FoundEvent = Omit<CounterEvent, "sensor_no">;

/**
 * Adds what a counter counted over its readings [from, to) to `minutes`, and gives what happened.
 * The first is taken as it is, so it is a sync point or the first reading of all.
 */
export function countReadings(
  counter: CounterReadings,
  { from, to }: { readonly from: number; readonly to: number },
  minutes: CounterMinutes,
): readonly FoundEvent[] {
  const track = new Track(counter, from, minutes);
  for (let i = from + 1; i < to; i++) track.take(i);
  track.end(to);
  return track.events;
}

/** The reference, and the run of readings after it that do not fit to it. */
class Track {
  readonly events: FoundEvent[] = [];
  readonly #counter: CounterReadings;
  readonly #minutes: CounterMinutes;
  #ref: number;
  /** The first reading of the run; -1 where there is none. It ends with the reading before. */
  #run = -1;
  #climbed = 0;

  constructor(counter: CounterReadings, ref: number, minutes: CounterMinutes) {
    this.#counter = counter;
    this.#ref = ref;
    this.#minutes = minutes;
  }

  take(i: number): void {
    const amount = this.#counter.step(this.#ref, i);
    if (this.#run < 0) {
      if (Number.isNaN(amount)) this.#begin(i);
      else this.#count(i, amount);
      return;
    }
    const next = this.#counter.step(i - 1, i);
    const stands = this.#climbed + next === 0;
    if (stands && !Number.isNaN(amount)) this.#count(i, amount);
    // It belongs to the level that it is nearer to.
    else if (!Number.isNaN(amount) && !(next < amount)) {
      this.end(i);
      this.#count(i, amount);
    } else if (Number.isNaN(next)) {
      this.end(i);
      this.#begin(i);
    } else {
      this.#climbed += next;
      if (isTrack(i + 1 - this.#run, this.#climbed)) this.#turn(i);
    }
  }

  /** The run ends before reading `i` and is no track, or not yet: it adds nothing. */
  end(i: number): void {
    if (this.#run >= 0) this.#tell("suspect", { at: this.#run, readings: i - this.#run });
  }

  #begin(i: number): void {
    this.#run = i;
    this.#climbed = 0;
  }

  /** The run is a new track: what it climbed is counted, the step to it is not. */
  #turn(i: number): void {
    const first = this.#run;
    this.#tell("new_track", { at: first, readings: i + 1 - first });
    this.#ref = first;
    for (let k = first + 1; k <= i; k++) this.#count(k, this.#counter.step(k - 1, k));
  }

  /** Counts from the reference to a reading, which is the reference then. */
  #count(i: number, counted: number): void {
    const { ts, value } = this.#counter;
    const resets = this.#counter.resets(this.#ref, i);
    for (const { at_us } of resets) {
      this.#tell("reset", { at: i, readings: 1, counted, reset_us: at_us });
    }
    if (value[i] < value[this.#ref] && resets.length === 0) {
      this.#tell("wrap", { at: i, readings: 1, counted });
    }
    addSpan(this.#minutes, { from: ts[this.#ref], to: ts[i], amount: counted });
    this.#ref = i;
    this.#run = -1;
  }

  #tell(
    kind: FoundEvent["kind"],
    { at, ...known }: Partial<FoundEvent> & { readonly at: number; readonly readings: number },
  ): void {
    const { ts, value } = this.#counter;
    const most = this.#counter.most(this.#ref, at);
    this.events.push({
      kind,
      ts: ts[at],
      value: value[at],
      before_ts: ts[this.#ref],
      before_value: value[this.#ref],
      counted: null,
      most: most < Infinity ? most : null,
      reset_us: null,
      ...known,
    });
  }
}

/** Adds a difference: spread evenly, or over a long time as a whole to the later minute. */
function addSpan(
  minutes: CounterMinutes,
  { from, to, amount }: { readonly from: number; readonly to: number; readonly amount: number },
): void {
  const { values, span_from, span_to, from_minute } = minutes;
  const is_spread = to - from <= counter_limits.spread_s * 1_000_000;
  const first = Math.floor(from / minute_us);
  const last = is_spread ? Math.ceil(to / minute_us) - 1 : Math.floor(to / minute_us);
  const visit = (i: number, a: number, b: number) => {
    const is_first = Number.isNaN(values[i]);
    span_from[i] = is_first ? first : Math.min(span_from[i], first);
    span_to[i] = is_first ? last : Math.max(span_to[i], last);
    addTo(minutes, { i, amount: is_spread ? amount * (b - a) / (to - from) : amount });
  };
  if (is_spread) eachMinute(minutes, visit, { from, to });
  else if (last >= from_minute && last < from_minute + values.length) {
    visit(last - from_minute, from, to);
  }
}
