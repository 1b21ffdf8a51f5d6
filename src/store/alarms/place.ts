// Finds the alarms that are on no device yet.
import alarm_unmapped_find from "./unmapped_find.sql" with { type: "text" };
import alarm_unmapped_list from "./unmapped_list.sql" with { type: "text" };
import type { Occurrence } from "../../model/alarms/alarm.ts";
import type { Connection } from "../connection.ts";

/** A source's tag. */
export type SourceTag = Pick<Occurrence, "project_no" | "source_tag">;

/** The tags of all alarms that are on no device. */
export function listUnmapped(connection: Connection): Promise<SourceTag[]> {
  return connection.rows<SourceTag>(alarm_unmapped_list);
}

/** The numbers of the first `limit` alarms of some tags that are on no device, rising. */
export async function findUnmapped(
  connection: Connection,
  { tags, limit }: { readonly tags: readonly SourceTag[]; readonly limit: number },
): Promise<number[]> {
  if (tags.length === 0) return [];
  const rows = await connection.rows<{ occurrence_no: number }>(alarm_unmapped_find, {
    project_nos: tags.map(({ project_no }) => project_no),
    source_tags: tags.map(({ source_tag }) => source_tag),
    limit,
  });
  return rows.map(({ occurrence_no }) => occurrence_no);
}
