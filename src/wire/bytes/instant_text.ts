// The text of an instant in UTC, kept from one to the next: rows of one second follow one another.
import { type Fragments, fragmentsOf } from "./text_piece.ts";

/** Prints instants as RFC 3339 with six decimals, between `open` and `close`. */
export class InstantText {
  readonly #open: string;
  readonly #close: string;
  #text = fragmentsOf([""]);
  #time_at = 0;
  #day = NaN;
  #second = NaN;

  constructor(open: string, close: string) {
    this.#open = open;
    this.#close = close;
  }

  /** The text of microseconds since 1970, as fragment 0, until the next call. */
  of(at_us: number): Fragments {
    const at_s = Math.floor(at_us / 1e6);
    if (at_s !== this.#second) this.#setSecond(at_s);
    writeDigits(this.#text.view, this.#time_at + 9, { value: at_us - at_s * 1e6, count: 6 });
    return this.#text;
  }

  #setSecond(at_s: number): void {
    const day = Math.floor(at_s / 86_400);
    if (day !== this.#day) this.#setDay(day);
    const of_day = at_s - day * 86_400;
    const { view } = this.#text;
    writeDigits(view, this.#time_at, { value: of_day / 3600, count: 2 });
    writeDigits(view, this.#time_at + 3, { value: of_day % 3600 / 60, count: 2 });
    writeDigits(view, this.#time_at + 6, { value: of_day % 60, count: 2 });
    this.#second = at_s;
  }

  #setDay(day: number): void {
    const iso = new Date(day * 86_400_000).toISOString();
    const date = iso.slice(0, iso.indexOf("T") + 1);
    this.#text = fragmentsOf([`${this.#open}${date}00:00:00.000000Z${this.#close}`]);
    this.#time_at = this.#text.longest - this.#close.length - "00:00:00.000000Z".length;
    this.#day = day;
  }
}

function writeDigits(
  view: DataView,
  at: number,
  { value, count }: { readonly value: number; readonly count: number },
): void {
  let rest = value | 0;
  for (let i = at + count - 1; i >= at; i--) {
    const tens = (rest / 10) | 0;
    view.setUint8(i, 0x30 + rest - tens * 10);
    rest = tens;
  }
}
