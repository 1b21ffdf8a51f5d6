// The outline of a plant: its small tables, by which old samples are read without its database.

/** Its tables. What is read of samples follows from them, from the samples, and nothing else. */
export const outline_tables: readonly string[] = [
  ...["organization", "project", "site", "block", "device_model", "device", "tag", "sensor"],
  ...["fallback", "keep_rule", "horizon"],
];

const changing = new RegExp(
  `\\b(INSERT( OR \\w+)? INTO|UPDATE|DELETE FROM|MERGE INTO|TRUNCATE|(DROP|ALTER) TABLE)\\s+` +
    `(main\\.)?"?(${outline_tables.join("|")})\\b`,
  "i",
);

/** Whether SQL changes any of them. */
export function changesOutline(sql: string): boolean {
  return changing.test(sql);
}

/**
 * What the process of a shard says of its outline, of which the catalogue has a copy. Null: it is
 * to count no more, as it changes. Else base64 of what is to be in its place.
 */
export type OutlineWord = {
  /** The number that the catalogue gave last; what happened to the outline since ends this. */
  readonly after_no: number;
  readonly outline: string | null;
};
