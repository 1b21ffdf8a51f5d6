// Instants of what a station's clock shows, and what it is to show at an instant.
import { minutesAt, wallMinute } from "../../model/time/zone.ts";
import { minute_us } from "../../model/time/series.ts";
import type { StationTime } from "../../wire/sources/iec104.ts";

const hour_us = 60 * minute_us;
/** How far a station's clock may be ahead before a short time counts as of the hour before. */
const ahead_us = 5 * minute_us;

const half_us = 30 * minute_us;
/** No two zones are further apart, in half hours. */
const zone_halves = 52;
/** How closely a time is off by whole half hours, and how often, before it is told. */
const [exact_us, times_told] = [20_000_000, 5];

/** The clock of stations in one zone; it keeps the offset of the newest minute. */
export class StationClock {
  readonly #timezone: string;
  #minute = NaN;
  #offset_us = 0;
  /** By how many half hours the last values were off, and how many of them in a row. */
  #off = { halves: 0, times: 0 };

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

  /**
   * Says where values come again and again with times that are off by the same whole half hours:
   * the zone is another one. Values that the station has kept are off by this and that.
   */
  flawOf(ts_us: number, now_us: number): string | undefined {
    const halves = Math.round((ts_us - now_us) / half_us);
    const is_whole = Math.abs(ts_us - now_us - halves * half_us) < exact_us;
    if (halves === 0 || !is_whole || Math.abs(halves) > zone_halves) {
      this.#off = { halves: 0, times: 0 };
      return undefined;
    }
    const times = this.#off.halves === halves ? this.#off.times + 1 : 1;
    this.#off = { halves, times };
    if (times < times_told) return undefined;
    const where = halves > 0 ? "in the future" : "in the past";
    return `its times lie ${Math.abs(halves) / 2} h ${where}: is its clock in ${this.#timezone} ` +
      "(timezone)?";
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
