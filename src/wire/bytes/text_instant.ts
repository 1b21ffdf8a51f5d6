// Instants as text.
import { four_digits, type TextStore } from "./text_store.ts";

/** The longest text of an instant. */
export const instant_width = "+275760-09-13T00:00:00.000000Z".length;

/** Prints instants as RFC 3339 with six decimals. */
export class InstantPrinter {
  readonly #store: TextStore;
  #date = "";
  #day = NaN;

  constructor(store: TextStore) {
    this.#store = store;
  }

  /** Puts the text of microseconds since 1970. */
  put(at_us: number): void {
    const at_s = Math.floor(at_us / 1e6);
    const day = Math.floor(at_s / 86_400);
    if (day !== this.#day) this.#setDay(day);
    const micros = (at_us - at_s * 1e6) | 0;
    const of_day = at_s - day * 86_400;
    const high = (micros / 10_000) | 0;
    const store = this.#store;
    store.putAscii(this.#date);
    const from = store.length;
    store.putAscii("00:00:00.000000Z");
    const { view } = store;
    const hours = (of_day / 3600) | 0;
    const minutes = ((of_day - hours * 3600) / 60) | 0;
    view.setUint16(from, four_digits[hours] & 0xffff);
    view.setUint16(from + 3, four_digits[minutes] & 0xffff);
    view.setUint16(from + 6, four_digits[of_day - hours * 3600 - minutes * 60] & 0xffff);
    view.setUint16(from + 9, four_digits[high] & 0xffff);
    view.setUint32(from + 11, four_digits[micros - high * 10_000]);
  }

  #setDay(day: number): void {
    const iso = new Date(day * 86_400_000).toISOString();
    this.#date = iso.slice(0, iso.indexOf("T") + 1);
    this.#day = day;
  }
}
