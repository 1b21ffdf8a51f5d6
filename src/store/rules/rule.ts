// Stores alarm rules: a row for each version, the one in force without an end.
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import type { TsRange } from "../samples/sample.ts";
import rule_end from "./rule_end.sql" with { type: "text" };
import rule_insert from "./rule_insert.sql" with { type: "text" };
import rule_list from "./rule_list.sql" with { type: "text" };
import rule_sample_count from "./rule_sample_count.sql" with { type: "text" };
import rule_version_list from "./rule_version_list.sql" with { type: "text" };

/** Where rules are declared: each in one place only. */
export const rule_origins = ["site_file", "api"] as const;
export type RuleOrigin = typeof rule_origins[number];

/** A version of a rule as it is kept; instants are microseconds since 1970 UTC. */
export type RuleRow = {
  readonly rule_no: number;
  readonly version: number;
  readonly site_no: number;
  readonly key: string;
  readonly origin: RuleOrigin;
  /** What `ruleText` gives. */
  readonly definition: string;
  /** Name of the token that it was made with; null: the operator of the machine. */
  readonly author: string | null;
  readonly valid_from: number;
  /** Null while it is in force. */
  readonly valid_to: number | null;
};

/** The newest version of every rule, removed ones too, by site and key. */
export function readRules(connection: Connection): Promise<RuleRow[]> {
  return connection.rows<RuleRow>(rule_list);
}

/** Every version of one rule, the newest first; none where the site never had it. */
export function readRuleVersions(
  connection: Connection,
  rule: Pick<RuleRow, "site_no" | "key">,
): Promise<RuleRow[]> {
  return connection.rows<RuleRow>(rule_version_list, rule);
}

/** What changes of a site's rules: versions that begin now, and rules whose version ends. */
export type RuleChanges = Pick<RuleRow, "site_no" | "origin" | "author"> & {
  readonly begun: readonly Pick<RuleRow, "rule_no" | "version" | "key" | "definition">[];
  readonly ended: readonly number[];
};

/** Stores changes of rules, by the write's instant. */
export async function storeRules(
  { connection, stamp_us }: Write,
  { site_no, origin, author, begun, ended }: RuleChanges,
): Promise<void> {
  const rule_nos = [...ended, ...begun.map(({ rule_no }) => rule_no)];
  if (rule_nos.length === 0) return;
  await connection.run(rule_end, { rule_nos, valid_to: stamp_us });
  if (begun.length === 0) return;
  await connection.run(rule_insert, {
    site_no,
    origin,
    author,
    valid_from: stamp_us,
    rule_nos: begun.map(({ rule_no }) => rule_no),
    versions: begun.map(({ version }) => version),
    keys: begun.map(({ key }) => key),
    definitions: begun.map(({ definition }) => definition),
  });
}

/** How many samples tags have within [from_us, to_us). */
export async function countSamples(
  connection: Connection,
  tag_nos: readonly number[],
  { from_us, to_us }: TsRange,
): Promise<number> {
  const which = { tag_nos: tag_nos.join(" "), from_us, to_us };
  const [{ samples }] = await connection.rows<{ samples: number }>(rule_sample_count, which);
  return samples;
}
