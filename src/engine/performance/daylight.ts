// The daylight of a slab: which of its rows are present, and how many minutes of it sensors have.
import { minutesOf, type Positions } from "../../model/time/bucket.ts";
import type { Place } from "../../model/time/daylight.ts";
import type { Seeker } from "./aggregates.ts";
import { type AnswerPlan, litParts } from "./reading.ts";

/** Which rows of a slab are present: by the group's set of sites, then by position in the slab. */
export type Presence = {
  readonly present: readonly Uint8Array[];
  /** Each group's set of sites. */
  readonly set_of: Int32Array;
};

/** Computes the daylight grid slab by slab; groups of the same sites share it. */
export class DaylightGrid {
  readonly #plan: AnswerPlan;
  readonly #sets: readonly (readonly Place[])[];
  readonly #set_of: Int32Array;

  constructor(plan: AnswerPlan) {
    const sites = plan.selection.groups.map((
      { sensors },
    ) => [...new Set(sensors.map((sensor) => sensor.site_no))]);
    const sets = new Map(sites.map((set) => [set.join(" "), set]));
    const keys = [...sets.keys()];
    this.#plan = plan;
    this.#sets = [...sets.values()].map((set) => set.map((no) => plan.catalog.placeOf(no)));
    this.#set_of = Int32Array.from(sites, (set) => keys.indexOf(set.join(" ")));
  }

  /**
   * A bucket of a group is present if it overlaps the daylight of any of the group's sites. A whole
   * day and longer always is.
   */
  presenceOf(positions: Positions): Presence {
    const size = positions.to - positions.from;
    const whole = minutesOf(this.#plan.request.interval) === undefined;
    const present = this.#sets.map((places) => {
      const lit = new Uint8Array(size).fill(whole ? 1 : 0);
      if (!whole) { for (const place of places) this.#light(lit, place, positions); }
      return lit;
    });
    return { present, set_of: this.#set_of };
  }

  /** Marks the positions that overlap a place's daylight. */
  #light(lit: Uint8Array, place: Place, positions: Positions): void {
    for (const piece of this.#plan.axis.piecesOf(place.timezone, positions)) {
      for (const { from_minute, to_minute, shift, width } of litParts(piece, place)) {
        const first = Math.floor((from_minute + shift) / width);
        const last = Math.floor((to_minute - 1 + shift) / width);
        lit.fill(1, first - positions.from, last - positions.from + 1);
      }
    }
  }
}

/** Seeks cells in daylight, `width` of them a position. */
export function litSeeker({ present, set_of }: Presence, width: number): Seeker {
  return (is_row, from, to) => {
    let at = from;
    let row = Math.floor(from / width);
    for (let group = from % width; at < to; at++) {
      if ((present[set_of[group]][row] === 1) === is_row) break;
      if (++group < width) continue;
      group = 0;
      row++;
    }
    return at;
  };
}

/** Adds to each cell of a slab the minutes of daylight in its bucket, once for each sensor. */
export function addDaylight(
  cells: Float64Array,
  { catalog, axis, selection: { groups, group_of, sensors } }: AnswerPlan,
  positions: Positions,
): void {
  for (const [site_no, here] of Map.groupBy(sensors, (sensor) => sensor.site_no)) {
    const place = catalog.placeOf(site_no);
    const by_group = Map.groupBy(here, ({ sensor_no }) => group_of[sensor_no]);
    for (const piece of axis.piecesOf(place.timezone, positions)) {
      for (const { from_minute, to_minute, shift, width } of litParts(piece, place)) {
        for (let minute = from_minute; minute < to_minute;) {
          const at = Math.floor((minute + shift) / width);
          const end = Math.min(to_minute, (at + 1) * width - shift);
          const first = (at - positions.from) * groups.length;
          by_group.forEach((some, i) => cells[first + i] += some.length * (end - minute));
          minute = end;
        }
      }
    }
  }
}
