// What an inverter's status codes and event bits say of its state, minute by minute.
import { type State, type StateSpan, verdict } from "./availability.ts";
import { type InverterFacts, isCurbed, quarter_us, type Scene } from "./availability_fact.ts";
import type { Codes } from "./device_model.ts";
import { minute_us } from "./series.ts";

/** A code or a bit that held in some minutes of a quarter-hour: bit i stands for its minute i. */
export type Held = { readonly quarter: number; readonly code: number; readonly minutes: number };

/** What an inverter said of itself. */
export type Said = { readonly status: readonly Held[]; readonly events: readonly Held[] };

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
  const status = Map.groupBy(said.status, ({ quarter }) => quarter);
  const events = Map.groupBy(said.events, ({ quarter }) => quarter);
  const quarters = [...new Set([...status.keys(), ...events.keys()])].sort((a, b) => a - b);
  const claims: StateSpan[] = [];
  for (const quarter of quarters) {
    const i = quarter - scene.from;
    if (facts.heard[i] !== 1) continue;
    const told = tellOf(
      { status: status.get(quarter) ?? [], events: events.get(quarter) ?? [] },
      codes,
    );
    for (const word of curbedWords(told, isCurbed(facts, i))) addMinutes(claims, quarter, word);
  }
  return claims;
}

/** A state and the minutes of a quarter-hour that it held in. */
type Word = { readonly state: State; readonly detail: string; readonly minutes: number };

/** The words of a quarter-hour, each minute in one at most. */
function tellOf({ status, events }: Said, codes: Codes): readonly Word[] {
  const coded = wordsOf(status, { meaning: codes.status, name: "status" });
  const bits = wordsOf(events, { meaning: codes.events, name: "event bit" })
    .toSorted((a, b) => causes.indexOf(a.state) - causes.indexOf(b.state));
  const strongest_first = [
    ...coded.filter((word) => working.has(word.state)),
    ...bits,
    ...coded.filter((word) => !working.has(word.state)),
  ];
  let taken = 0;
  return strongest_first.map((word) => {
    const minutes = word.minutes & ~taken;
    taken |= minutes;
    return { ...word, minutes };
  });
}

function wordsOf(
  held: readonly Held[],
  { meaning, name }: { readonly meaning: ReadonlyMap<number, State>; readonly name: string },
): readonly Word[] {
  return held.flatMap(({ code, minutes }) => {
    const state = meaning.get(code);
    return state === undefined ? [] : [{ state, detail: `${name} ${code}`, minutes }];
  });
}

function curbedWords(words: readonly Word[], curbed: boolean): readonly Word[] {
  if (!curbed) return words;
  return words.map((word) =>
    word.state === "partial_capability" ? { ...word, state: "service_setpoint" as const } : word
  );
}

/** Adds a word's minutes; those that go on where an equal claim ended make it longer. */
function addMinutes(claims: StateSpan[], quarter: number, { state, detail, minutes }: Word): void {
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
    if (goes_on) claims[before] = { ...claims[before], to_us };
    else claims.push({ from_us, to_us, ...verdict(state, "status", detail) });
    from = to;
  }
}
