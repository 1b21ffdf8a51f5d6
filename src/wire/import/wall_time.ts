// A logger's wall clock as instants: rows in order tell which pass of the autumn hour they are in.
import { Fault } from "../../base/fault.ts";
import { clippedSegments, isTimezone, zoneFlaw } from "../../model/time/zone.ts";

/** Where a reader of rows stands: what it must remember to go on after a pause. */
export type WallMark = {
  readonly last_us: number;
  readonly step_us: number;
  /** The pass of the last row's time, null when the clock shows it only once. */
  readonly pass: 0 | 1 | null;
};

type WallOptions = { readonly mark?: WallMark; readonly falling?: boolean };

const minute_us = 60_000_000;
const day_minutes = 1440;
const offset_form = /^([+-])(\d\d):?(\d\d)$/;

/**
 * Turns wall-clock times into instants, row by row. A time that the clock shows twice is of the
 * first pass until the rows go back within it, then of the second; where rows fall, the other way.
 */
export class WallTime {
  readonly #zone: string | null;
  readonly #offset_minutes: number;
  readonly #falling: boolean;
  #last_us = 0;
  #step_us = 0;
  #pass: 0 | 1 | null = null;
  #from_us = Infinity;
  #to_us = -Infinity;
  #sure_us = 0;

  /**
   * `zone` is an IANA name, `UTC`, `Z` or a fixed offset such as `-07:00`; `falling` where the
   * newest rows come first.
   */
  constructor(zone: string, { mark, falling = false }: WallOptions = {}) {
    const fixed = offset_form.exec(zone);
    if (!fixed && zone !== "Z" && !isTimezone(zone)) {
      const flaw = zoneFlaw(zone).replace(/[^?]$/, "$&.");
      throw new Fault("invalid", `${flaw} Say --timezone America/Denver, or --timezone -07:00`);
    }
    this.#falling = falling;
    this.#zone = fixed || zone === "Z" ? null : zone;
    const sign = fixed?.[1] === "-" ? -1 : 1;
    this.#offset_minutes = fixed ? sign * (Number(fixed[2]) * 60 + Number(fixed[3])) : 0;
    if (mark) ({ last_us: this.#last_us, step_us: this.#step_us, pass: this.#pass } = mark);
  }

  get mark(): WallMark {
    return { last_us: this.#last_us, step_us: this.#step_us, pass: this.#pass };
  }

  /**
   * The instant of a wall-clock time, both in microseconds; NaN for one that the clock skips.
   * `said` is the pass of a time that the clock shows twice, where the file says it.
   */
  instantOf(wall_us: number, said?: 0 | 1): number {
    if (this.#zone === null) return wall_us - this.#offset_minutes * minute_us;
    if (wall_us < this.#from_us || wall_us >= this.#to_us) {
      return this.#search(wall_us, this.#zone, said);
    }
    this.#note(wall_us);
    return wall_us - this.#sure_us;
  }

  /** Looks among the offsets around, and keeps the span in which there is only one. */
  #search(wall_us: number, zone: string, said: 0 | 1 | undefined): number {
    const minute = Math.floor(wall_us / minute_us);
    const around = { from_minute: minute - 2 * day_minutes, to_minute: minute + 2 * day_minutes };
    const fitting = clippedSegments(zone, around).filter((it) =>
      it.from_minute + it.offset_minutes <= minute && minute < it.to_minute + it.offset_minutes
    );
    if (fitting.length === 0) return NaN;
    const [first, second] = fitting.map((it) => it.offset_minutes);
    if (second !== undefined) {
      const overlap_us = (first - second) * minute_us;
      const pass = said ?? this.#passOf(wall_us, overlap_us);
      this.#note(wall_us);
      this.#pass = pass;
      return wall_us - (pass === 0 ? first : second) * minute_us;
    }
    this.#keep(wall_us, { zone, offset_minutes: first });
    this.#note(wall_us);
    return wall_us - first * minute_us;
  }

  #passOf(wall_us: number, overlap_us: number): 0 | 1 {
    const [first, second] = this.#falling ? [1, 0] as const : [0, 1] as const;
    if (this.#pass === null) return first;
    const back_us = this.#falling ? wall_us - this.#last_us : this.#last_us - wall_us;
    if (this.#pass === second || back_us > 0) return second;
    // Hourly rows show the same time twice; a clock without seconds shows it more often.
    return back_us === 0 && Math.abs(this.#step_us) >= overlap_us ? second : first;
  }

  #note(wall_us: number): void {
    const moved = wall_us !== this.#last_us;
    if (moved) this.#step_us = this.#last_us === 0 ? 0 : wall_us - this.#last_us;
    this.#last_us = wall_us;
    this.#pass = null;
  }

  /** The hours around that certainly have this one offset. */
  #keep(
    wall_us: number,
    { zone, offset_minutes }: { readonly zone: string; readonly offset_minutes: number },
  ): void {
    const hour_us = 60 * minute_us;
    const from_us = Math.floor(wall_us / hour_us) * hour_us;
    const minute = from_us / minute_us;
    const span = { from_minute: minute - 2 * day_minutes, to_minute: minute + 2 * day_minutes };
    const near = clippedSegments(zone, span);
    if (near.length > 1) return;
    this.#from_us = from_us;
    this.#to_us = from_us + hour_us;
    this.#sure_us = offset_minutes * minute_us;
  }
}
