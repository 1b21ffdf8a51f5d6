// The rows of one body that can't be taken: their count, and the first of them with their reasons.
import { Fault } from "../base/fault.ts";
import { limits } from "../base/limits.ts";
import type { Rejection } from "../model/sample.ts";

/** Counts rejected rows and keeps the first; beyond `limits.ingest_rows` a `Fault` (too_large). */
export class Rejections<Row = Rejection> {
  readonly shown: Row[] = [];
  count = 0;

  add(rejection: Row): void {
    if (this.count >= limits.ingest_rows) {
      throw new Fault(
        "too_large",
        `more than ${limits.ingest_rows} rows of the body can't be read`,
      );
    }
    this.count++;
    if (this.shown.length < limits.rejected_shown) this.shown.push(rejection);
  }
}
