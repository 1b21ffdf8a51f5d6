// Where rules stand, and the samples that they look back at.
import gap_list_sql from "./gap_list.sql" with { type: "text" };
import newest_find_sql from "./newest_find.sql" with { type: "text" };
import sample_list_sql from "./sample_list.sql" with { type: "text" };
import { assert } from "../../base/assert.ts";
import { isValid } from "../../model/data/chunk.ts";
import { oneOf, type PlainRow } from "../../model/data/row.ts";
import { phases } from "../../model/rules/state_machine.ts";
import type { Connection } from "../connection.ts";
import type { TimeSpan } from "../rollup/stale.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

/** Where rules stand: one row for each rule, tag and subject. */
const state_table = table("rule_state", {
  rule_no: "int32",
  tag_no: "int32",
  subject: "int64",
  phase: oneOf(phases),
  since_us: "instant?",
  since_value: "float64",
  source_us: "instant?",
  peak_value: "float64?",
  peak_at: "instant?",
  bits: "text",
  turned_us: "instant?",
  occurrence_no: "int64?",
});

/** A row of `rule_state`. */
export type StateRow = PlainRow<typeof state_table.columns>;

/** Where rules stand, by rule, tag and subject. */
const states_list = statement({
  sql: `SELECT {row} FROM rule_state ORDER BY rule_no, tag_no, subject`,
  row: state_table.columns,
});

/** All of them, by rule, tag and subject. */
export function readStates(connection: Connection): Promise<StateRow[]> {
  return connection.rows(states_list);
}

/** Deletes where rules stand on tags: each rule of a list on the tag beside it. */
const states_delete = statement({
  sql: `
    DELETE FROM rule_state
    USING (
      SELECT
        unnest(string_split($rule_nos::VARCHAR, ' ')::INTEGER[]) AS rule_no,
        unnest(string_split($tag_nos::VARCHAR, ' ')::INTEGER[]) AS tag_no
    ) AS gone
    WHERE rule_state.rule_no = gone.rule_no AND rule_state.tag_no = gone.tag_no`,
  parameters: { rule_nos: "text", tag_nos: "text" },
});

/** Stores `rows` in place of what is stored of rules on tags; both within a write. */
export async function replaceStates(
  connection: Connection,
  places: readonly Pick<StateRow, "rule_no" | "tag_no">[],
  rows: readonly StateRow[],
): Promise<void> {
  if (places.length === 0) return;
  await connection.run(states_delete, {
    rule_nos: places.map(({ rule_no }) => rule_no).join(" "),
    tag_nos: places.map(({ tag_no }) => tag_no).join(" "),
  });
  await appendRows(connection, state_table, rows);
}

/** Of each of some tags that has samples within a span: the newest, the newest with a value. */
const newest_find = statement({
  sql: newest_find_sql,
  reach: "time",
  parameters: { tag_nos: "text", from_us: "instant", to_us: "instant" },
  row: { tag_no: "int32", head_us: "instant", valued_us: "instant?" },
});

/** A tag's newest sample, and its newest with a value. */
export type Newest = PlainRow<typeof newest_find.row>;

/** The newest samples of tags within [from_us, to_us); tags without one there are left out. */
export async function newestSamples(
  connection: Connection,
  tag_nos: readonly number[],
  range: TimeSpan,
): Promise<Newest[]> {
  if (tag_nos.length === 0) return [];
  return await connection.rows(newest_find, { tag_nos: tag_nos.join(" "), ...range });
}

const gaps_list = statement({
  sql: gap_list_sql,
  reach: "time",
  parameters: { tag_nos: "text", ages: "text", from_us: "instant", to_us: "instant" },
  row: { tag_no: "int32", before_us: "instant", after_us: "instant" },
});

/** Two values of a tag that lie next to each other, and far apart. */
export type Gap = PlainRow<typeof gaps_list.row>;

/** The times without a value that are longer than the age beside each tag, by tag and time. */
export async function readGaps(
  connection: Connection,
  ages: ReadonlyMap<number, number>,
  range: TimeSpan,
): Promise<Gap[]> {
  if (ages.size === 0) return [];
  const tag_nos = [...ages.keys()].join(" ");
  return await connection.rows(gaps_list, {
    ...{ tag_nos, ages: [...ages.values()].join(" ") },
    ...range,
  });
}

/** Samples of a tag within [from_us, to_us). */
export type TagSpan = TimeSpan & { readonly tag_no: number };

/** Samples of tags, each within a span of its own that lies in the whole one. */
const samples_list = statement({
  sql: sample_list_sql,
  reach: "time",
  parameters: {
    tag_nos: "text",
    froms: "text",
    tos: "text",
    from_us: "instant",
    to_us: "instant",
  },
  row: {
    tag_no: "int32",
    ts: "instant",
    value: "float64?",
    value_int: "int64?",
    has_text: "int32",
  },
});

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
  const chunks = connection.chunks(samples_list, {
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
