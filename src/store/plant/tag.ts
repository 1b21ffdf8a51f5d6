// Reads and writes single tags, as sources name them; a site file's tags are written by site.ts.
import tag_find from "./tag_find.sql" with { type: "text" };
import tag_insert from "./tag_insert.sql" with { type: "text" };
import tag_read from "./tag_read.sql" with { type: "text" };
import tag_settle from "./tag_settle.sql" with { type: "text" };
import type { Encoding, Tag, TagLane } from "../../model/plant/plant.ts";
import type { Connection } from "../connection.ts";

/** Tags of a project and lane by their names; those that are not stored are left out. */
export function findTags(
  connection: Connection,
  key: {
    readonly project_no: number;
    readonly lane: TagLane;
    readonly names: readonly string[];
  },
): Promise<Tag[]> {
  return connection.rows<Tag>(tag_find, key);
}

/** Tags by their numbers. */
export function readTags(connection: Connection, tag_nos: readonly number[]): Promise<Tag[]> {
  return connection.rows<Tag>(tag_read, { tag_nos });
}

/** The highest number of any tag, 0 without one. */
export async function lastTagNo(connection: Connection): Promise<number> {
  const [{ last }] = await connection.rows<{ last: number }>(
    "SELECT coalesce(max(tag_no), 0)::INTEGER AS last FROM tag",
  );
  return last;
}

/** Takes up new tags of one project and lane. */
export function insertTags(connection: Connection, tags: readonly Tag[]): Promise<void> {
  const [{ project_no, lane, carry_s }] = tags;
  return connection.run(tag_insert, {
    project_no,
    lane,
    carry_s,
    tag_nos: tags.map((tag) => tag.tag_no),
    names: tags.map((tag) => tag.sensor_tag),
    encodings: tags.map((tag) => tag.encoding ?? ""),
  });
}

/** Fixes the encoding of tags that have none yet. */
export function settleEncoding(
  connection: Connection,
  settled: { readonly encoding: Encoding; readonly tag_nos: readonly number[] },
): Promise<void> {
  return connection.run(tag_settle, settled);
}
