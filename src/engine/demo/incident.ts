// What goes wrong at the demo's plant: a ten-day round of incidents, places and times by chance.
import type { Dice } from "../../base/random.ts";
import { type DemoPlace, solarDay, solarTime, sunHeight } from "./place.ts";
import type { LiveSpan } from "./story.ts";

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

/** Where and to what incidents happen, and the solar day (since 1970) on which the demo began. */
export type Scene = {
  readonly dice: Dice;
  readonly place: DemoPlace;
  readonly crowd: Crowd;
  readonly first_day: number;
};

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
  { dice, place, crowd, first_day }: Scene,
  day: number,
): readonly Incident[] {
  if (day < first_day) return [];
  const kinds = round[(day - first_day) % round.length];
  const midnight_s = day * day_s - solarTime(place, 0);
  return kinds.map((kind, i) => {
    const chance = (channel: number) => dice.unit(100 + 10 * i + channel, day);
    const { from_h, hours, among } = habits(kind, crowd);
    const from_s = midnight_s + Math.floor((from_h + 2 * chance(0)) * 60) * 60;
    const spread = fixed.includes(kind) ? 1 : 0.6 + 0.8 * chance(1);
    const length_s = Math.ceil(hours * spread * 60) * 60;
    return { kind, target: Math.floor(chance(2) * among), from_s, to_s: from_s + length_s };
  });
}

/** Seconds since 1970. */
type Span = { readonly from_s: number; readonly to_s: number };

/** A live span is cut into pieces of this length; in each of them something goes wrong. */
const piece_s = 720;
/** What goes wrong then; in the first piece it is the first. */
const live_kinds = ["trip", "derate", "outage", "trip", "curtailment"] as const;
/** Without some sun there is nothing to lose. */
const lowest_sun_deg = 5;

/** The incidents of a live span that can be going on at some time within `asked`. */
export function liveIncidents(scene: Scene, span: LiveSpan, asked: Span): readonly Incident[] {
  const [begin_s, end_s] = [span.from_us / 1e6, (span.to_us ?? Infinity) / 1e6];
  const pieceOf = (at_s: number) => Math.floor((at_s - begin_s) / piece_s);
  // None goes on beyond the piece after its own.
  const first = Math.max(0, pieceOf(asked.from_s) - 1);
  const count = pieceOf(Math.min(asked.to_s, end_s)) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (
    liveIncident(scene, { begin_s, piece: first + i })
  )).filter(({ from_s }) =>
    from_s < end_s && sunHeight(scene.place, from_s * 1e6) >= lowest_sun_deg
  );
}

/** What goes wrong in a piece: 60 to 90 s after the span's beginning, then at any time of it. */
function liveIncident(
  scene: Scene,
  { begin_s, piece }: { readonly begin_s: number; readonly piece: number },
): Incident {
  const { dice, crowd } = scene;
  const chance = (channel: number) => dice.unit(200 + channel, begin_s + piece);
  const kind = live_kinds[piece === 0 ? 0 : Math.floor(chance(0) * live_kinds.length)];
  const wait_s = piece === 0 ? 60 + 30 * chance(1) : 360 * chance(1);
  const from_s = begin_s + piece * piece_s + Math.floor(wait_s);
  const to_s = from_s + 240 + Math.floor(240 * chance(2));
  const free = freeInverters(scene, { from_s, to_s });
  const inverter = free[Math.floor(chance(3) * free.length)];
  const block = Math.floor(inverter * crowd.blocks / crowd.inverters);
  const target = { curtailment: 0, outage: block, trip: inverter, derate: inverter }[kind];
  return { kind, target, from_s, to_s };
}

/** The inverters (from 0) to which nothing of the daily round happens meanwhile. */
function freeInverters(scene: Scene, { from_s, to_s }: Span): readonly number[] {
  const { inverters, blocks } = scene.crowd;
  const day = solarDay(scene.place, from_s);
  const others = [day - 1, day].flatMap((it) => incidentsOf(scene, it))
    .filter((it) => it.from_s < to_s && from_s < it.to_s);
  const befalls = ({ kind, target }: Incident, inverter: number) =>
    kind === "outage" ? target === Math.floor(inverter * blocks / inverters) : target === inverter;
  return Array.from({ length: inverters }, (_, i) => i)
    .filter((inverter) => !others.some((it) => befalls(it, inverter)));
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
