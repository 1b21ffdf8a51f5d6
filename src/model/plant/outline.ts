// The outline of a plant: its small tables, by which old samples are read.

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
