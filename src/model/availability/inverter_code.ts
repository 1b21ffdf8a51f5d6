// What an inverter's status codes and event bits say of its state, minute by minute.
import { type State, type StateSpan, verdict } from "./availability.ts";
import { type InverterFacts, isCurbed, quarter_us, type Scene } from "./fact.ts";
import type { Codes } from "./state_code.ts";
import { minute_us } from "../time/series.ts";

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
