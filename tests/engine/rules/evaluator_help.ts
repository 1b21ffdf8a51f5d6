// A site with tags and rules, samples in by seconds since noon, alarms out as lines of text.
import { Catalog } from "../../../src/engine/catalog/catalog.ts";
import { Ingest } from "../../../src/engine/ingest/ingest.ts";
import { followRules } from "../../../src/engine/rules/follow.ts";
import { openRuleEngine, type RuleEngine } from "../../../src/engine/rules/open.ts";
import { applySite } from "../../../src/engine/site/site.ts";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { Database } from "../../../src/store/database.ts";
import { SampleBatchBuilder } from "../../../src/wire/samples/sample_builder.ts";
import { type Clock, fakeEffects } from "../../help/effects.ts";
import { queryRows } from "../../help/query.ts";

/** Noon, where seconds of these tests count from; the clock starts here. */
export const noon_us = Date.UTC(2026, 5, 1, 12) * 1000;

export type SentSample = readonly [
  tag: string,
  at_s: number,
  value: number | bigint | string | null,
];

export type RuleFile = NonNullable<SiteInput["rules"]>;

export type WatchedSite = {
  /** As of the last restart. */
  readonly rule_engine: RuleEngine;
  readonly database: Database;
  readonly catalog: Catalog;
  readonly effects: ReturnType<typeof fakeEffects>["effects"];
  readonly clock: Clock;
  /** Ingests samples in one body. */
  readonly send: (...samples: readonly SentSample[]) => Promise<void>;
  /** Sets the clock, in seconds since noon, and lets it look. */
  readonly at: (at_s: number) => Promise<void>;
  readonly apply: (rules: RuleFile, more?: Partial<SiteInput>) => Promise<void>;
  /** Every occurrence as `rule tag [late] raised-cleared of source: value peak … status`. */
  readonly shown: () => Promise<readonly string[]>;
  /** Every event as `occurrence type kind at detail`, in the order of the feed. */
  readonly events: () => Promise<readonly string[]>;
  /** Everything in memory again, as a new process has it. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Opens the site; its tags are floats unless a rule's kind is of bits or codes. */
export async function openWatchedSite(
  rules: RuleFile,
  { path = ":memory:", ...more }: Partial<SiteInput> & { readonly path?: string } = {},
): Promise<WatchedSite> {
  const { effects, clock } = fakeEffects("2026-06-01T12:00:00Z");
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 512 });
  const catalog = await Catalog.load(database);
  const parts = { database, catalog, effects };
  const roll = { markStale: () => Promise.resolve(), wake() {} };
  let rule_engine = await openRuleEngine(parts);
  let ingest = await Ingest.open({ ...parts, ...rule_engine });
  const site: WatchedSite = {
    ...parts,
    clock,
    get rule_engine() {
      return rule_engine;
    },
    async send(...samples) {
      const builder = new SampleBatchBuilder();
      samples.forEach(([tag, at_s, value], i) =>
        builder.add({ line: i + 1, tag, ts_us: noon_us + at_s * 1e6, ...cellOf(value) })
      );
      const batches = [builder.build()];
      await ingest.add(catalog.projects[0], { batches, rejected: [], rejected_count: 0 });
    },
    async at(at_s) {
      clock.now_us = noon_us + at_s * 1e6;
      await rule_engine.evaluator.settle();
    },
    async apply(rules, more = {}) {
      const follow = followRules({ ...parts, ...rule_engine });
      await applySite({ ...parts, follow, roll }, { ...bare, ...more, rules }, { dry_run: false });
    },
    shown: () => listAlarms(database),
    events: () => listEvents(database),
    async restart() {
      rule_engine = await openRuleEngine(parts);
      ingest = await Ingest.open({ ...parts, ...rule_engine });
    },
    close: () => database.close(),
  };
  await site.apply(rules, more);
  return site;
}

const bare: SiteInput = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
  tags: [
    { name: "a", encoding: "float" },
    { name: "b", encoding: "float" },
    { name: "w", encoding: "integer" },
    { name: "x", encoding: "string" },
  ],
};

function cellOf(value: SentSample[2]) {
  return value === null ? { value, quality: 2 } : { value };
}

const second = (column: string) => `((${column} - ${noon_us}) / 1e6)::DOUBLE`;

async function listAlarms(database: Database): Promise<readonly string[]> {
  const rows = await database.read((connection) =>
    queryRows<{ line: string }>(
      connection,
      `
      SELECT concat(
        coalesce(rule.key, rule_name), ' ', source_tag, CASE WHEN is_late THEN ' late' END, ' ',
        ${second("raised_at")}, '-', coalesce(${second("cleared_at")}::VARCHAR, ''),
        ' of ', coalesce(${second("source_ts")}::VARCHAR, 'none'), ': ', raised_value,
        ' to ', coalesce(recovered_value::VARCHAR, '?'),
        ' peak ', coalesce(peak_value || '@' || ${second("peak_at")}, 'none'), ' ',
        CASE WHEN decoded_labels <> '[]' THEN decoded_labels || ' ' END, status
      ) AS line
      FROM occurrence LEFT JOIN (SELECT DISTINCT rule_no, key FROM rule) AS rule USING (rule_no)
      ORDER BY raised_at, occurrence_no`,
    )
  );
  return rows.map(({ line }) => line.replaceAll(/\.0\b/g, ""));
}

async function listEvents(database: Database): Promise<readonly string[]> {
  const rows = await database.read((connection) =>
    queryRows<{ line: string }>(
      connection,
      `
      SELECT concat_ws(' ', occurrence_no, type, kind, ${second("created_at")}, detail) AS line
      FROM occurrence_event ORDER BY feed_no`,
    )
  );
  return rows.map(({ line }) => line.replaceAll(/\.0\b/g, ""));
}
