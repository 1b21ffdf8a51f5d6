// Where rules stand, and the samples that they look back at.
import newest_find from "./watch_newest.sql" with { type: "text" };
import sample_list from "./watch_sample_list.sql" with { type: "text" };
import state_delete from "./watch_state_delete.sql" with { type: "text" };
import state_list from "./watch_state_list.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import { isValid } from "../../model/data/chunk.ts";
import type { Phase } from "../../model/rules/state_machine.ts";
import { chunkOf } from "../alarms/row.ts";
import type { Connection } from "../connection.ts";
import type { TimeSpan } from "../rollup/progress.ts";

/** A row of `rule_state`. */
export type StateRow = {
  readonly rule_no: number;
  readonly tag_no: number;
  readonly subject: number;
  readonly phase: Phase;
  readonly since_us: number | null;
  readonly since_value: number;
  readonly source_us: number | null;
  readonly peak_value: number | null;
  readonly peak_at: number | null;
  readonly bits: string;
  readonly turned_us: number | null;
  readonly occurrence_no: number | null;
};

const state_columns = {
  rule_no: "int32",
  tag_no: "int32",
  subject: "int64",
  phase: "text",
  since_us: "int64",
  since_value: "float64",
  source_us: "int64",
  peak_value: "float64",
  peak_at: "int64",
  bits: "text",
  turned_us: "int64",
  occurrence_no: "int64",
} as const satisfies Record<keyof StateRow, string>;

/** All of them, by rule, tag and subject. */
export function readStates(connection: Connection): Promise<StateRow[]> {
  return connection.rows<StateRow>(state_list);
}

/** Stores `rows` in place of what is stored of rules on tags; both within a write. */
export async function replaceStates(
  connection: Connection,
  places: readonly Pick<StateRow, "rule_no" | "tag_no">[],
  rows: readonly StateRow[],
): Promise<void> {
  if (places.length === 0) return;
  await connection.run(state_delete, {
    rule_nos: places.map(({ rule_no }) => rule_no).join(" "),
    tag_nos: places.map(({ tag_no }) => tag_no).join(" "),
  });
  await connection.append("rule_state", chunkOf(state_columns, rows));
}

/** A tag's newest sample, and its newest with a value. */
export type Newest = {
  readonly tag_no: number;
  readonly head_us: number;
  readonly valued_us: number | null;
};

/** The newest samples of tags within [from_us, to_us); tags without one there are left out. */
export async function newestSamples(
  connection: Connection,
  tag_nos: readonly number[],
  range: TimeSpan,
): Promise<Newest[]> {
  if (tag_nos.length === 0) return [];
  return await connection.rows<Newest>(newest_find, { tag_nos: tag_nos.join(" "), ...range });
}

/** Samples of a tag within [from_us, to_us). */
export type TagSpan = TimeSpan & { readonly tag_no: number };

/** A sample as rules see it; a text has no number, and says only that there is a value. */
export type SeenSample = {
  readonly tag_no: number;
  readonly ts_us: number;
  readonly value: number | bigint | string | null;
};

/** The samples of some spans of tags, a tag's at most one: by tag and time. */
export async function* readSpans(
  connection: Connection,
  spans: readonly TagSpan[],
): AsyncGenerator<SeenSample, void> {
  if (spans.length === 0) return;
  const chunks = connection.chunks(sample_list, {
    tag_nos: spans.map(({ tag_no }) => tag_no).join(" "),
    froms: spans.map(({ from_us }) => from_us).join(" "),
    tos: spans.map(({ to_us }) => to_us).join(" "),
    from_us: spans.reduce((least, { from_us }) => Math.min(least, from_us), Infinity),
    to_us: spans.reduce((most, { to_us }) => Math.max(most, to_us), -Infinity),
  });
  for await (const { rows, vectors: [tag_no, ts, value, value_int, has_text] } of chunks) {
    assert(value.kind === "float64" && value_int.kind === "int64", "values of samples");
    assert(tag_no.kind === "int32" && ts.kind === "int64" && has_text.kind === "int32", "its key");
    for (let row = 0; row < rows; row++) {
      const whole = isValid(value_int.valid, row) ? value_int.values[row] : null;
      yield {
        tag_no: tag_no.values[row],
        ts_us: Number(ts.values[row]),
        value: isValid(value.valid, row)
          ? value.values[row]
          : whole ?? (has_text.values[row] === 1 ? "" : null),
      };
    }
  }
}
