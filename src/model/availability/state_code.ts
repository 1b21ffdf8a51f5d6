// Status codes and event bits: how a site file gives them, and which states an inverter had.
import * as z from "zod";
import { availability_limits } from "./limits.ts";
import { type Device, type DeviceModel, modelOf } from "../plant/plant.ts";
import { type State, states, type StateSpan, verdict } from "./availability.ts";
import { type InverterFacts, isCurbed, quarter_us, type Scene } from "./fact.ts";
import { minute_us } from "../time/series.ts";

const state = z.enum(Object.keys(states) as [State, ...State[]]);

/** What status codes mean: the word of a standard, or a state by code. */
export const status_form = codes(/^(0|-?[1-9]\d{0,9})$/, "a whole number")
  .describe(
    "State by status code; a code that is not listed is no evidence. sunspec is 4 (MPPT) " +
      "full_capability, 5 (throttled) partial_capability, 7 (fault) forced_outage.",
  );

/** What the bits of an event word mean: the word of a standard, or a state by bit. */
export const events_form = codes(/^(\d|[1-5]\d|6[0-3])$/, "a bit from 0 to 63")
  .describe(
    "State by bit of the event word (0 is the lowest); other bits are no evidence. sunspec is " +
      "3 and 12 dc_side_outage; 4 and 8 to 11 out_of_electrical_specification; 6 " +
      "requested_shutdown; 7 and 13 out_of_environmental_specification; 0, 1, 2, 5, 14 and 15 " +
      "forced_outage.",
  );

/** The meaning of codes as it is checked. */
type CodesEntry = z.output<typeof status_form>;

/** States by status code, and by bit of the event word; what is not in them says nothing. */
export type Codes = {
  readonly status: ReadonlyMap<number, State>;
  readonly events: ReadonlyMap<number, State>;
};

/** What the codes of a device mean by its device model; empty where that is silent. */
export function codesOf(
  device: Pick<Device, "site_no" | "device_model">,
  models: readonly DeviceModel[],
): Codes {
  const model = modelOf(device, models);
  return {
    status: statesOf(model?.status, sunspec_status),
    events: statesOf(model?.events, sunspec_events),
  };
}

/** The JSON of a meaning of codes, the same for the same meaning; null for one that is silent. */
export function codesText(entry: CodesEntry | undefined): string | null {
  if (entry === undefined) return null;
  if (typeof entry === "string") return JSON.stringify(entry);
  const rising = Object.entries(entry).sort(([a], [b]) => Number(a) - Number(b));
  return rising.length === 0 ? null : JSON.stringify(Object.fromEntries(rising));
}

type CodeTable = Readonly<Record<string, State>>;

/**
 * SunSpec inverter models 101 to 113, point `St`. Silent are 1 off, 2 sleeping, 3 starting,
 * 6 shutting down and 8 standby: an inverter is so every night, and what keeps it so by day is
 * for other evidence to say.
 */
const sunspec_status: CodeTable = {
  4: "full_capability", // tracking the maximum power point
  5: "partial_capability", // throttled
  7: "forced_outage", // fault
};

/** The same models, point `Evt1`. */
const sunspec_events: CodeTable = {
  0: "forced_outage", // ground fault
  1: "forced_outage", // DC over voltage
  2: "forced_outage", // AC disconnect open
  3: "dc_side_outage", // DC disconnect open
  4: "out_of_electrical_specification", // grid disconnect
  5: "forced_outage", // cabinet open
  6: "requested_shutdown", // manual shutdown
  7: "out_of_environmental_specification", // over temperature
  8: "out_of_electrical_specification", // over frequency
  9: "out_of_electrical_specification", // under frequency
  10: "out_of_electrical_specification", // AC over voltage
  11: "out_of_electrical_specification", // AC under voltage
  12: "dc_side_outage", // blown string fuse
  13: "out_of_environmental_specification", // under temperature
  14: "forced_outage", // memory or communication error
  15: "forced_outage", // hardware test failure
};

function statesOf(text: string | null | undefined, sunspec: CodeTable): Map<number, State> {
  if (!text) return new Map();
  const entry = JSON.parse(text) as CodesEntry;
  const table = entry === "sunspec" ? sunspec : entry;
  return new Map(Object.entries(table).map(([code, state]) => [Number(code), state]));
}

function codes(form: RegExp, what: string) {
  const table = z.record(z.string().regex(form, { error: `a key is ${what}` }), state)
    .refine((entries) => Object.keys(entries).length <= availability_limits.state_codes, {
      error: `give at most ${availability_limits.state_codes} codes`,
    });
  return z.union([z.literal("sunspec"), table], {
    error: 'give "sunspec" or a table of states by code',
  });
}

/** Codes or bits that held, by rising quarter-hour; bit i of `minutes` stands for its minute i. */
export type Held = {
  readonly quarter: ArrayLike<number>;
  readonly code: ArrayLike<number>;
  readonly minutes: ArrayLike<number>;
};

/** What an inverter said of itself; of its status at most one code a minute. */
type Said = { readonly status: Held; readonly events: Held };

/** One that said nothing. */
export const nothing_held: Held = { quarter: [], code: [], minutes: [] };

/** Codes of states in which an inverter works: no event bit beside one says otherwise. */
const working: ReadonlySet<State> = new Set([
  "full_capability",
  "partial_capability",
  "service_setpoint",
]);

/** Of several event bits, the one that tells the cause of the others holds. */
const causes: readonly State[] = [
  "out_of_electrical_specification",
  "requested_shutdown",
  "scheduled_maintenance",
  "planned_corrective_action",
  "suspended",
  "forced_outage",
  "out_of_environmental_specification",
  "dc_side_outage",
  "service_setpoint",
  "partial_capability",
  "full_capability",
  "unknown",
];

/**
 * The claims of an inverter's own codes. Where nothing was heard a held code says nothing; where a
 * setpoint holds the inverter, being held back is no derate.
 */
export function claimsOf(
  said: Said,
  { codes, facts, scene }: {
    readonly codes: Codes;
    readonly facts: InverterFacts;
    readonly scene: Scene;
  },
): readonly StateSpan[] {
  const status = new Words(said.status, { meaning: codes.status, name: "status" });
  const events = new Words(said.events, { meaning: codes.events, name: "event bit" });
  const claims: Growing[] = [];
  for (;;) {
    const quarter = Math.min(status.quarter, events.quarter);
    if (quarter === Infinity) return claims;
    const words = wordsOf(status.take(quarter), events.take(quarter));
    const i = quarter - scene.from;
    if (facts.heard[i] !== 1) continue;
    const curbed = isCurbed(facts, i);
    for (const word of words) addMinutes(claims, quarter, curbed ? curbedWord(word) : word);
  }
}

/** A claim while its minutes come. */
type Growing = Omit<StateSpan, "to_us"> & { to_us: number };

/** A state and the minutes of a quarter-hour that it held in. */
type Word = { readonly state: State; readonly detail: string; readonly minutes: number };

type Book = { readonly meaning: ReadonlyMap<number, State>; readonly name: string };

/** What is held as words, quarter-hour by quarter-hour. */
class Words {
  readonly #held: Held;
  readonly #book: ReadonlyMap<number, Omit<Word, "minutes">>;
  #at = 0;

  constructor(held: Held, { meaning, name }: Book) {
    this.#held = held;
    this.#book = new Map(
      Array.from(meaning, ([code, state]) => [code, { state, detail: `${name} ${code}` }]),
    );
  }

  /** The next quarter-hour; Infinity behind the last. */
  get quarter(): number {
    return this.#at < this.#held.quarter.length ? this.#held.quarter[this.#at] : Infinity;
  }

  /** The words of a quarter-hour, which is not before the next one. */
  take(quarter: number): readonly Word[] {
    const words: Word[] = [];
    for (; this.quarter === quarter; this.#at++) {
      const known = this.#book.get(this.#held.code[this.#at]);
      if (known) words.push({ ...known, minutes: this.#held.minutes[this.#at] });
    }
    return words;
  }
}

/** The words of a quarter-hour that hold, each minute in one at most. */
function wordsOf(status: readonly Word[], events: readonly Word[]): readonly Word[] {
  if (events.length === 0) return status;
  const strongest_first = [
    ...status.filter((word) => working.has(word.state)),
    ...events.toSorted((a, b) => causes.indexOf(a.state) - causes.indexOf(b.state)),
    ...status.filter((word) => !working.has(word.state)),
  ];
  let taken = 0;
  return strongest_first.map((word) => {
    const minutes = word.minutes & ~taken;
    taken |= minutes;
    return { ...word, minutes };
  });
}

function curbedWord(word: Word): Word {
  return word.state === "partial_capability" ? { ...word, state: "service_setpoint" } : word;
}

/** Adds a word's minutes; those that go on where an equal claim ended make it longer. */
function addMinutes(claims: Growing[], quarter: number, { state, detail, minutes }: Word): void {
  for (let from = 0; minutes >> from !== 0;) {
    if ((minutes >> from & 1) === 0) {
      from++;
      continue;
    }
    let to = from + 1;
    while (minutes >> to & 1) to++;
    const from_us = quarter * quarter_us + from * minute_us;
    const to_us = quarter * quarter_us + to * minute_us;
    const before = claims.findLastIndex((it) => it.to_us <= from_us);
    const goes_on = before >= 0 && claims[before].to_us === from_us &&
      claims[before].state === state && claims[before].detail === detail;
    if (goes_on) claims[before].to_us = to_us;
    else claims.push({ from_us, to_us, ...verdict(state, { evidence: "status", detail }) });
    from = to;
  }
}
