// The newest stored instant of every tag, in memory: a row after it is new without a look-up.

/** Newest stored `ts` by tag number; never lower than what is stored, possibly higher. */
export class NewestByTag {
  #newest = new Float64Array(1024);
  #floor_us: number;

  /** `floor_us`: the newest `ts` of any tag at start, which then stands for each tag's own. */
  constructor(floor_us: number) {
    this.#floor_us = floor_us;
    this.#newest.fill(floor_us);
  }

  of(tag_no: number): number {
    return tag_no < this.#newest.length ? this.#newest[tag_no] : this.#floor_us;
  }

  /** Notes that `ts_us` of a tag is stored now. */
  raise(tag_no: number, ts_us: number): void {
    if (tag_no >= this.#newest.length) this.#grow(tag_no);
    if (ts_us > this.#newest[tag_no]) this.#newest[tag_no] = ts_us;
  }

  /** Notes a tag that has nothing stored yet. */
  begin(tag_no: number): void {
    if (tag_no >= this.#newest.length) this.#grow(tag_no);
    this.#newest[tag_no] = -Infinity;
  }

  #grow(tag_no: number): void {
    const newest = new Float64Array(Math.max(this.#newest.length * 2, tag_no + 1));
    newest.fill(this.#floor_us).set(this.#newest);
    this.#newest = newest;
  }
}
