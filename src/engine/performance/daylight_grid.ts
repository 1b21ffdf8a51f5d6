// Which buckets of a slab are daylight, for the sites of each group.
import { minutesOf, type Positions } from "../../model/time/bucket.ts";
import { daylightOf, type Place } from "../../model/time/daylight.ts";
import { overlap } from "../../model/time/zone.ts";
import type { Plan } from "./reading.ts";

/** Which rows of a slab are present: by the group's set of sites, then by position in the slab. */
export type Presence = {
  readonly present: readonly Uint8Array[];
  /** Each group's set of sites. */
  readonly set_of: Int32Array;
};

/** Works out the daylight grid slab by slab; groups of the same sites share it. */
export class DaylightGrid {
  readonly #plan: Plan;
  readonly #sets: readonly (readonly Place[])[];
  readonly #set_of: Int32Array;

  constructor(plan: Plan) {
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
      for (let day = piece.from_day; day < piece.to_day; day++) {
        for (const span of daylightOf(place, day)) {
          const { from_minute, to_minute } = overlap(span, piece);
          if (from_minute >= to_minute) continue;
          const first = Math.floor((from_minute + piece.shift) / piece.width);
          const last = Math.floor((to_minute - 1 + piece.shift) / piece.width);
          lit.fill(1, first - positions.from, last - positions.from + 1);
        }
      }
    }
  }
}
