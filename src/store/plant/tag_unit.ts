// Notes the units of tags that came without a declaration.
import tag_unit_set from "./tag_unit_set.sql" with { type: "text" };
import type { Connection } from "../connection.ts";

/** Sets the unit of each tag that has none. */
export function setTagUnits(
  connection: Connection,
  tags: readonly { readonly tag_no: number; readonly unit: string }[],
): Promise<void> {
  return connection.run(tag_unit_set, {
    tag_nos: tags.map((tag) => tag.tag_no),
    units: tags.map((tag) => tag.unit),
  });
}
