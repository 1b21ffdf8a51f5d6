// Instants of what a station's clock shows, and what it is to show at an instant.
import { minutesAt, wallMinute } from "../../model/time/zone.ts";
import { minute_us } from "../../model/time/series.ts";
import type { StationTime } from "../../wire/sources/iec104.ts";

const hour_us = 60 * minute_us;
/** How far a station's clock may be ahead before a short time counts as of the hour before. */
const ahead_us = 5 * minute_us;

/** The clock of stations in one zone; it keeps the offset of the newest minute. */
export class StationClock {
  readonly #timezone: string;
  #minute = NaN;
  #offset_us = 0;

  constructor(timezone: string) {
    this.#timezone = timezone;
  }

  /** The instant of a time that came at `now_us`; a time that the clock skips counts as now. */
  instantOf({ wall_us, is_short, is_summer }: StationTime, now_us: number): number {
    if (is_short) return this.#nearest(wall_us, now_us);
    const minute = Math.floor(wall_us / minute_us);
    const found = minutesAt(this.#timezone, minute);
    if (found.length === 0) return now_us;
    // Where the clock shows a time twice, the first pass is in summer time.
    const utc_minute = found.length > 1 && !is_summer ? found[1] : found[0];
    return wall_us - (minute - utc_minute) * minute_us;
  }

  /** What the clock shows at an instant. */
  wallAt(at_us: number): Pick<StationTime, "wall_us" | "is_summer"> {
    const wall_us = at_us + this.#offsetAt(at_us);
    return { wall_us, is_summer: this.#offsetAt(at_us) > this.#winterOffset(at_us) };
  }

  /** A time within the hour is of the newest hour that is not ahead. */
  #nearest(within_us: number, now_us: number): number {
    const offset_us = this.#offsetAt(now_us);
    const wall_us = now_us + offset_us;
    const same_us = Math.floor(wall_us / hour_us) * hour_us + within_us;
    const ahead = same_us > wall_us + ahead_us;
    const behind = same_us + hour_us <= wall_us + ahead_us;
    return same_us + (ahead ? -hour_us : behind ? hour_us : 0) - offset_us;
  }

  #offsetAt(at_us: number): number {
    const minute = Math.floor(at_us / minute_us);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#offset_us = (wallMinute(this.#timezone, minute) - minute) * minute_us;
    }
    return this.#offset_us;
  }

  /** The lesser of the offsets in January and July of the year. */
  #winterOffset(at_us: number): number {
    const year = new Date(at_us / 1000).getUTCFullYear();
    return Math.min(...[0, 6].map((month) => {
      const minute = Date.UTC(year, month) / 60_000;
      return (wallMinute(this.#timezone, minute) - minute) * minute_us;
    }));
  }
}
