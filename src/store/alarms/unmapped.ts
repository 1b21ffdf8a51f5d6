// Finds alarms that are on no device, by their tags.
import unmapped_find_sql from "./unmapped_find.sql" with { type: "text" };
import { occurrence_table } from "../../model/alarms/alarm.ts";
import { pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

/** The tags of all alarms that are on no device. */
const unmapped_list = statement({
  sql: `
    SELECT DISTINCT project_no, source_tag
    FROM occurrence
    WHERE device_id IS NULL
    ORDER BY project_no, source_tag`,
  row: pick(occurrence_table, "project_no", "source_tag"),
});

/** A source's tag. */
export type SourceTag = PlainRow<typeof unmapped_list.row>;

/** The tags of all alarms that are on no device. */
export function listUnmapped(connection: Connection): Promise<SourceTag[]> {
  return connection.rows(unmapped_list);
}

/** The numbers of the first alarms of some tags that are on no device. */
const unmapped_find = statement({
  sql: unmapped_find_sql,
  parameters: { project_nos: "int32[]", source_tags: "text[]", limit: "int64" },
  row: { occurrence_no: "int64" },
});

/** The numbers of the first `limit` alarms of some tags that are on no device, rising. */
export async function findUnmapped(
  connection: Connection,
  { tags, limit }: { readonly tags: readonly SourceTag[]; readonly limit: number },
): Promise<number[]> {
  if (tags.length === 0) return [];
  const rows = await connection.rows(unmapped_find, {
    project_nos: tags.map(({ project_no }) => project_no),
    source_tags: tags.map(({ source_tag }) => source_tag),
    limit,
  });
  return rows.map(({ occurrence_no }) => occurrence_no);
}
