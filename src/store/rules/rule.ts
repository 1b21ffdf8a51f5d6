// Stores alarm rules: a row for each version, the one in force without an end.
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { oneOf, type PlainRow } from "../../model/data/row.ts";
import type { TsRange } from "../samples/sample.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

/** Where rules are declared: each in one place only. */
export const rule_origins = ["site_file", "api"] as const;
export type RuleOrigin = typeof rule_origins[number];

/** The versions of rules. */
const rule_table = table("rule", {
  rule_no: "int32",
  version: "int32",
  site_no: "int32",
  key: "text",
  origin: oneOf(rule_origins),
  /** What `ruleText` gives. */
  definition: "text",
  /** Name of the token that it was made with; null: the operator of the machine. */
  author: "text?",
  valid_from: "instant",
  /** Null while it is in force. */
  valid_to: "instant?",
});

/** A version of a rule as it is kept. */
export type RuleRow = PlainRow<typeof rule_table.columns>;

/** The newest version of every rule; one without valid_to is in force. */
const rules_list = statement({
  sql: `
    SELECT {row}
    FROM rule
    QUALIFY row_number() OVER (PARTITION BY rule_no ORDER BY version DESC) = 1
    ORDER BY site_no, key`,
  row: rule_table.columns,
});

/** The newest version of every rule, removed ones too, by site and key. */
export function readRules(connection: Connection): Promise<RuleRow[]> {
  return connection.rows(rules_list);
}

/** Every version of one rule of a site, the newest first. */
const versions_list = statement({
  sql: `
    SELECT {row}
    FROM rule
    WHERE site_no = $site_no::INTEGER AND key = $key::VARCHAR
    ORDER BY version DESC`,
  parameters: { site_no: "int32", key: "text" },
  row: rule_table.columns,
});

/** Every version of one rule, the newest first; none where the site never had it. */
export function readRuleVersions(
  connection: Connection,
  rule: Pick<RuleRow, "site_no" | "key">,
): Promise<RuleRow[]> {
  return connection.rows(versions_list, rule);
}

/** What changes of a site's rules: versions that begin now, and rules whose version ends. */
export type RuleChanges = Pick<RuleRow, "site_no" | "origin" | "author"> & {
  readonly begun: readonly Pick<RuleRow, "rule_no" | "version" | "key" | "definition">[];
  readonly ended: readonly number[];
};

/** Ends the versions in force of rules. */
const versions_end = statement({
  sql: `
    UPDATE rule SET valid_to = $valid_to::BIGINT
    WHERE valid_to IS NULL AND rule_no IN (SELECT unnest($rule_nos::INTEGER[]))`,
  parameters: { rule_nos: "int32[]", valid_to: "instant" },
});

/** Stores changes of rules, by the write's instant. */
export async function storeRules(
  { connection, stamp_us }: Write,
  { begun, ended, ...shared }: RuleChanges,
): Promise<void> {
  const rule_nos = [...ended, ...begun.map(({ rule_no }) => rule_no)];
  if (rule_nos.length === 0) return;
  await connection.run(versions_end, { rule_nos, valid_to: stamp_us });
  const { site_no, origin, author } = shared;
  await appendRows(
    connection,
    rule_table,
    begun.map((version) => ({
      ...version,
      ...{ site_no, origin, author, valid_from: stamp_us, valid_to: null },
    })),
  );
}

/** How many samples some tags have within a span. */
const samples_count = statement({
  reach: "time",
  sql: `
    SELECT count(*) AS samples
    FROM sample
    SEMI JOIN (SELECT unnest(string_split($tag_nos::VARCHAR, ' ')::INTEGER[]) AS tag_no) AS wanted
      USING (tag_no)
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT`,
  parameters: { tag_nos: "text", from_us: "instant", to_us: "instant" },
  row: { samples: "int64" },
});

/** How many samples tags have within [from_us, to_us). */
export async function countSamples(
  connection: Connection,
  tag_nos: readonly number[],
  { from_us, to_us }: TsRange,
): Promise<number> {
  const which = { tag_nos: tag_nos.join(" "), from_us, to_us };
  const [{ samples }] = await connection.rows(samples_count, which);
  return samples;
}
