// What goes wrong at the demo's plant: a ten-day round of incidents, places and times by chance.
import type { Dice } from "../../base/random.ts";
import { demo_place } from "./weather.ts";

/**
 * curtailment: the grid limits the plant · trip: an inverter faults · derate: heat takes two of its
 * five power stages · maintenance: it is switched off for its service · outage: a block is dark ·
 * silence: a device sends nothing · bad: its values are bad · late: its values come hours later ·
 * glitch: a counter reads nonsense for a moment · stuck: an irradiance sensor shows one value for
 * hours · dead: it shows 0 until night · replaced: an inverter's board with its register is
 * replaced · new_meter: the revenue meter is.
 */
export type IncidentKind =
  | "curtailment"
  | "trip"
  | "derate"
  | "maintenance"
  | "outage"
  | "silence"
  | "bad"
  | "late"
  | "glitch"
  | "stuck"
  | "dead"
  | "replaced"
  | "new_meter";

/** `[from_s, to_s)` in seconds since 1970; `target` numbers an inverter, block or station. */
export type Incident = {
  readonly kind: IncidentKind;
  readonly target: number;
  readonly from_s: number;
  readonly to_s: number;
};

/** How many devices of a kind chance can choose from. */
type Crowd = { readonly inverters: number; readonly blocks: number; readonly mets: number };

/** A solar day (since 1970), and the one on which the demo began. */
type DemoDay = { readonly day: number; readonly first_day: number; readonly crowd: Crowd };

const day_s = 86_400;
/** Long enough for one reading every five minutes, too short for three. */
const glitch_h = 7 / 60;
const replacement_h = 0.35;
/** Of them chance doesn't change the length: a glitch lasts a reading or two, death until night. */
const fixed: readonly IncidentKind[] = ["glitch", "dead"];
const round: readonly (readonly IncidentKind[])[] = [
  ["trip", "new_meter"],
  ["curtailment", "dead", "replaced"],
  ["silence", "late", "stuck"],
  ["bad", "derate"],
  ["trip", "glitch"],
  ["outage"],
  ["late"],
  ["trip", "silence"],
  ["bad", "curtailment"],
  ["maintenance"],
];

/** The incidents of a solar day; none before the demo began. */
export function incidentsOf(
  dice: Dice,
  { day, first_day, crowd }: DemoDay,
): readonly Incident[] {
  if (day < first_day) return [];
  const kinds = round[(day - first_day) % round.length];
  const midnight_s = day * day_s - demo_place.solar_offset_s;
  return kinds.map((kind, i) => {
    const chance = (channel: number) => dice.unit(100 + 10 * i + channel, day);
    const { from_h, hours, among } = habits(kind, crowd);
    const from_s = midnight_s + Math.floor((from_h + 2 * chance(0)) * 60) * 60;
    const spread = fixed.includes(kind) ? 1 : 0.6 + 0.8 * chance(1);
    const length_s = Math.ceil(hours * spread * 60) * 60;
    return { kind, target: Math.floor(chance(2) * among), from_s, to_s: from_s + length_s };
  });
}

/** The solar day (since 1970) of an instant. */
export function solarDay(at_s: number): number {
  return Math.floor((at_s + demo_place.solar_offset_s) / day_s);
}

function habits(kind: IncidentKind, { inverters, blocks, mets }: Crowd) {
  switch (kind) {
    case "curtailment":
      return { from_h: 10, hours: 2.5, among: 1 };
    case "trip":
      return { from_h: 9, hours: 2, among: inverters };
    case "derate":
      return { from_h: 9, hours: 4, among: inverters };
    case "maintenance":
      return { from_h: 9, hours: 3, among: inverters };
    case "outage":
      return { from_h: 11, hours: 1.5, among: blocks };
    case "silence":
      return { from_h: 12, hours: 1.2, among: inverters };
    case "bad":
      return { from_h: 8, hours: 3, among: mets };
    case "late":
      return { from_h: 9, hours: 3, among: inverters };
    case "glitch":
      return { from_h: 13, hours: glitch_h, among: inverters };
    case "stuck":
      return { from_h: 10, hours: 3, among: mets };
    case "dead":
      return { from_h: 11, hours: 12, among: mets };
    case "replaced":
      return { from_h: 11, hours: replacement_h, among: inverters };
    case "new_meter":
      return { from_h: 11, hours: replacement_h, among: 1 };
  }
}
