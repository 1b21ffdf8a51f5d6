// Reads what derived tags are computed from: samples of some tags in some spans of time.
import input_list_sql from "./input_list.sql" with { type: "text" };
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

const input_list = statement({
  sql: input_list_sql,
  reach: "near",
  parameters: {
    tags: "int32[]",
    from_us: "instant",
    to_us: "instant",
    begins: "instant[]",
    ends: "instant[]",
  },
  row: {
    tag_no: "int32",
    ts_us: "instant",
    value: "float64?",
    value_int: "text?",
    quality: "int32?",
    status_code: "uint32?",
  },
});

/** A sample of an input, as it is stored. */
export type InputRow = PlainRow<typeof input_list.row>;

/** A span of time, [from_us, to_us). */
export type InputSpan = { readonly from_us: number; readonly to_us: number };

/** The samples of tags in spans that do not overlap, rising, by tag and time; of near days. */
export async function readInputs(
  connection: Connection,
  { tags, spans }: { readonly tags: Int32Array; readonly spans: readonly InputSpan[] },
): Promise<readonly InputRow[]> {
  if (spans.length === 0 || tags.length === 0) return [];
  return await connection.rows(input_list, {
    tags,
    from_us: spans[0].from_us,
    to_us: spans.at(-1)!.to_us,
    begins: spans.map(({ from_us }) => from_us),
    ends: spans.map(({ to_us }) => to_us),
  });
}
