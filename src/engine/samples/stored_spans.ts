// When samples of every tag lie, in memory: a row beside these times is new without a look-up.
import type { SampleStage } from "./staging.ts";

/** Of a tag, one span less than these are told apart: of so many, two are taken as one. */
const most = 16;
/** A wider gap between two of them counts as one of half an hour. */
const wide_us = 1_800_000_000;

/** The rows of a commit. */
type Rows = Pick<SampleStage, "rows" | "tagAt" | "tsAt" | "ownerAt">;

/**
 * Spans of time by tag number, in microseconds, that hold all that is stored of the tag and may
 * hold more. Each body of a tag makes one, so that bodies may come in any order.
 */
export class StoredSpans {
  readonly #floor_us: number;
  /** How many spans a tag has; their starts and ends rise from place `most × tag_no` on. */
  #counts = new Uint8Array(0);
  #starts = new Float64Array(0);
  #ends = new Float64Array(0);
  /** By tag, the span of the rows that are being taken; none where its start is Infinity. */
  #from = new Float64Array(0);
  #to = new Float64Array(0);

  /** `floor_us`: the newest `ts` of any tag at start; what lies up to there is not known. */
  constructor(floor_us: number) {
    this.#floor_us = floor_us;
    this.#grow(1024);
  }

  /** Whether nothing is stored of a tag at a time. */
  isFree(tag_no: number, ts_us: number): boolean {
    if (tag_no >= this.#counts.length) return ts_us > this.#floor_us;
    const first = most * tag_no;
    for (let place = first + this.#counts[tag_no] - 1; place >= first; place--) {
      if (ts_us > this.#ends[place]) return true;
      if (ts_us >= this.#starts[place]) return false;
    }
    return true;
  }

  /** Notes a tag that has nothing stored yet. */
  begin(tag_no: number): void {
    if (tag_no >= this.#counts.length) this.#grow(tag_no + 1);
    this.#counts[tag_no] = 0;
  }

  /** Notes the rows of a commit. */
  take(rows: Rows): void {
    for (let row = 0; row < rows.rows;) row = this.#takeBody(rows, row);
  }

  /** Notes the rows of one body from `begin` on; where they end. */
  #takeBody(rows: Rows, begin: number): number {
    const owner = rows.ownerAt(begin);
    const touched: number[] = [];
    let row = begin;
    for (; row < rows.rows && rows.ownerAt(row) === owner; row++) {
      const tag_no = rows.tagAt(row);
      const ts_us = rows.tsAt(row);
      if (tag_no >= this.#counts.length) this.#grow(tag_no + 1);
      if (this.#from[tag_no] === Infinity) touched.push(tag_no);
      if (ts_us < this.#from[tag_no]) this.#from[tag_no] = ts_us;
      if (ts_us > this.#to[tag_no]) this.#to[tag_no] = ts_us;
    }
    for (const tag_no of touched) {
      this.#add(tag_no, this.#from[tag_no], this.#to[tag_no]);
      this.#from[tag_no] = Infinity;
      this.#to[tag_no] = -Infinity;
    }
    return row;
  }

  /** Adds a span, as one with those that it meets. */
  #add(tag_no: number, from_us: number, to_us: number): void {
    const first = most * tag_no;
    const behind = first + this.#counts[tag_no];
    let place = behind;
    while (place > first && this.#starts[place - 1] > to_us) place--;
    let met = place;
    let [start, end] = [from_us, to_us];
    while (met > first && this.#ends[met - 1] >= from_us) {
      met--;
      start = Math.min(start, this.#starts[met]);
      end = Math.max(end, this.#ends[met]);
    }
    if (place < behind) {
      this.#starts.copyWithin(met + 1, place, behind);
      this.#ends.copyWithin(met + 1, place, behind);
    }
    this.#starts[met] = start;
    this.#ends[met] = end;
    this.#counts[tag_no] += 1 - (place - met);
    if (this.#counts[tag_no] === most) this.#joinClosest(first);
  }

  /**
   * Joins two of a tag, where the gap between them is the smallest beside the time since: a minute
   * between two bodies goes before the hole of one that comes late, and so do nights of last week.
   */
  #joinClosest(first: number): void {
    const last = first + most - 1;
    const newest_us = this.#ends[last];
    let closest = first;
    let [least_us, since_us] = [Infinity, 1];
    for (let place = first; place < last; place++) {
      const end = this.#ends[place];
      const gap_us = Math.min(this.#starts[place + 1] - end, wide_us);
      if (gap_us * since_us >= least_us * (newest_us - end)) continue;
      closest = place;
      least_us = gap_us;
      since_us = newest_us - end;
    }
    this.#ends[closest] = this.#ends[closest + 1];
    // Of so few, a loop takes less than a call does.
    for (let place = closest + 1; place < last; place++) {
      this.#starts[place] = this.#starts[place + 1];
      this.#ends[place] = this.#ends[place + 1];
    }
    this.#counts[first / most]--;
  }

  #grow(tags: number): void {
    const known = this.#counts.length;
    const room = Math.max(known * 2, tags);
    const grown = (from: Float64Array<ArrayBuffer>, places: number, blank: number) => {
      const to = new Float64Array(places * room).fill(blank);
      to.set(from);
      return to;
    };
    this.#starts = grown(this.#starts, most, -Infinity);
    this.#ends = grown(this.#ends, most, this.#floor_us);
    this.#from = grown(this.#from, 1, Infinity);
    this.#to = grown(this.#to, 1, -Infinity);
    const counts = new Uint8Array(room).fill(this.#floor_us === -Infinity ? 0 : 1);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}
