// The rows of one body that can't be taken: their count, and the first of them with their reasons.
import { type Meter, unmetered } from "../../base/budget.ts";
import { ownText } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { textBytes } from "../../base/heap.ts";
import { limits } from "../../base/limits.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { Rejection } from "../../model/samples/sample.ts";

/** Bytes of a rejection beside its reason. */
const rejection_bytes = 1024;

/** Counts rejected rows and keeps the first; beyond `sample_limits.rows` a `Fault` (too_large). */
export class Rejections<Row extends { readonly reason: string } = Rejection> {
  readonly shown: Row[] = [];
  count = 0;
  readonly #meter: Meter;

  constructor(meter: Meter = unmetered) {
    this.#meter = meter;
  }

  add(rejection: Row): void {
    if (this.count >= sample_limits.rows) {
      throw new Fault(
        "too_large",
        `more than ${sample_limits.rows} rows of the body can't be read`,
      );
    }
    this.count++;
    if (this.shown.length === limits.rejected_shown) return;
    this.#meter.take(rejection_bytes + textBytes(rejection.reason));
    // A reason may quote a part of its line.
    this.shown.push({ ...rejection, reason: ownText(rejection.reason) });
  }
}
