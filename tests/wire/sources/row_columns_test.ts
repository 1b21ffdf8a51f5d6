// Samples in columns are the samples that came, and a part of them is a body.
import { deepEqual } from "node:assert/strict";
import type { MessageRow } from "../../../src/wire/sources/mqtt_message.ts";
import { RowColumns } from "../../../src/wire/sources/row_columns.ts";
import { TagIndex } from "../../../src/wire/samples/tag_index.ts";

const bad = 0x8000_0000;
const rows: readonly MessageRow[] = [
  { tag: "a", ts_us: 1_780_315_200_000_001, value: 0.5 },
  { tag: "b", ts_us: 2, value: -(2n ** 60n) },
  { tag: "a", ts_us: 3, value: "off", status_code: 0 },
  { tag: "c", ts_us: 4, status_code: bad },
];

Deno.test("rows come out of their columns as they went in", () => {
  const columns = RowColumns.of(rows);
  deepEqual([...columns], rows);
  deepEqual(rows.map((_, i) => columns.hasValue(i)), [true, true, true, false]);

  const batch = columns.batch(1, 4, new TagIndex());
  deepEqual(Array.from(batch.tag, (code) => batch.tags[code]), ["b", "a", "c"]);
  deepEqual([...batch.line], [1, 2, 3], "a line is a place among all");
  deepEqual([...batch.ts], [2n, 3n, 4n]);
  deepEqual([batch.value_int[0], batch.int_valid[0]], [-(2n ** 60n), 1]);
  deepEqual([...batch.value_str], [[1, "off"]]);
  deepEqual([...batch.quality], [0, 0, 2]);
  deepEqual([batch.status_code[2], batch.status_valid[0]], [bad, 0b110]);
  deepEqual([...columns.batch(0, 1, new TagIndex()).value], [0.5]);
});
