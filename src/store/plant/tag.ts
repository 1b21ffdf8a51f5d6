// Reads and writes single tags, as sources name them; a site file's tags are written by site.ts.
import { type Encoding, type Tag, tag_table, type TagLane } from "../../model/plant/plant.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

/** Tags of a project and lane by their names. */
const tags_find = statement({
  sql: `
    SELECT {row}
    FROM tag
    WHERE
      project_no = $project_no::INTEGER
      AND lane = $lane::VARCHAR
      AND sensor_tag IN (SELECT unnest($names::VARCHAR[]))
    ORDER BY tag_no`,
  parameters: { project_no: "int32", lane: "text", names: "text[]" },
  row: tag_table,
});

/** Tags of a project and lane by their names; those that are not stored are left out. */
export function findTags(
  connection: Connection,
  key: {
    readonly project_no: number;
    readonly lane: TagLane;
    readonly names: readonly string[];
  },
): Promise<Tag[]> {
  return connection.rows(tags_find, key);
}

/** Tags by their numbers. */
const tags_read = statement({
  sql: `
    SELECT {row}
    FROM tag
    WHERE tag_no IN (SELECT unnest($tag_nos::INTEGER[]))
    ORDER BY tag_no`,
  parameters: { tag_nos: "int32[]" },
  row: tag_table,
});

/** Tags by their numbers. */
export function readTags(connection: Connection, tag_nos: readonly number[]): Promise<Tag[]> {
  return connection.rows(tags_read, { tag_nos });
}

const last_find = statement({
  sql: "SELECT coalesce(max(tag_no), 0)::INTEGER AS last FROM tag",
  row: { last: "int32" },
});

/** The highest number of any tag, 0 without one. */
export async function lastTagNo(connection: Connection): Promise<number> {
  const [{ last }] = await connection.rows(last_find);
  return last;
}

/** Stores new tags of one project and lane. */
const tags_insert = statement({
  sql: `
    INSERT INTO tag BY NAME
    SELECT
      unnest($tag_nos::INTEGER[]) AS tag_no, $project_no::INTEGER AS project_no,
      $lane::VARCHAR AS lane, unnest($names::VARCHAR[]) AS sensor_tag,
      nullif(unnest($encodings::VARCHAR[]), '') AS encoding, $carry_s::INTEGER AS carry_s,
      false AS declared`,
  parameters: {
    project_no: "int32",
    lane: "text",
    carry_s: "int32",
    tag_nos: "int32[]",
    names: "text[]",
    encodings: "text[]",
  },
});

/** Stores new tags, as sources name them, of one project and lane. */
export function insertTags(connection: Connection, tags: readonly Tag[]): Promise<void> {
  const [{ project_no, lane, carry_s }] = tags;
  return connection.run(tags_insert, {
    project_no,
    lane,
    carry_s,
    tag_nos: tags.map((tag) => tag.tag_no),
    names: tags.map((tag) => tag.sensor_tag),
    encodings: tags.map((tag) => tag.encoding ?? ""),
  });
}

/** Fixes the encoding of tags by their first value, or by their first number. */
const encoding_settle = statement({
  sql: `
    UPDATE tag SET encoding = $encoding::VARCHAR
    WHERE tag_no IN (SELECT unnest($tag_nos::INTEGER[]))
      AND coalesce(encoding, 'string') = 'string'`,
  parameters: { encoding: "text", tag_nos: "int32[]" },
});

/** Fixes the encoding of tags that have none yet, or held texts before they were mapped. */
export function settleEncoding(
  connection: Connection,
  settled: { readonly encoding: Encoding; readonly tag_nos: readonly number[] },
): Promise<void> {
  return connection.run(encoding_settle, settled);
}

/** Gives tags the units that their source names, where they have none. */
const units_set = statement({
  sql: `
    UPDATE tag SET unit = told.unit
    FROM (SELECT unnest($tag_nos::INTEGER[]) AS tag_no, unnest($units::VARCHAR[]) AS unit) AS told
    WHERE tag.tag_no = told.tag_no AND tag.unit IS NULL`,
  parameters: { tag_nos: "int32[]", units: "text[]" },
});

/** Sets the unit of each tag that has none. */
export function setTagUnits(
  connection: Connection,
  tags: readonly { readonly tag_no: number; readonly unit: string }[],
): Promise<void> {
  return connection.run(units_set, {
    tag_nos: tags.map((tag) => tag.tag_no),
    units: tags.map((tag) => tag.unit),
  });
}
