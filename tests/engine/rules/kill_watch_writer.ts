// A process that ingests a value a body under a rule and prints each number once acknowledged.
import { systemEffects } from "../../../src/base/effects.ts";
import { Catalog } from "../../../src/engine/catalog/catalog.ts";
import { Ingest } from "../../../src/engine/ingest/ingest.ts";
import { followRules } from "../../../src/engine/rules/follow.ts";
import { openRuleEngine } from "../../../src/engine/rules/open.ts";
import { applySite } from "../../../src/engine/site/site.ts";
import { Database } from "../../../src/store/database.ts";
import { SampleBatchBuilder } from "../../../src/wire/samples/sample_builder.ts";
import { plain } from "../../help/site.ts";
import { beyond, kill_rule, tag } from "./kill_watch.ts";

const [path, first, base_us] = Deno.args;
const effects = systemEffects();
const database = await Database.open({ path, effects, threads: 1, memory_mb: 512 });
const catalog = await Catalog.load(database);
const rule_engine = await openRuleEngine({ database, catalog, effects });
const roll = { markStale: () => Promise.resolve(), wake() {} };
const parts = {
  database,
  catalog,
  effects,
  roll,
  follow: followRules({ ...rule_engine, database, catalog }),
};
const file = { ...plain, tags: [{ name: tag }], rules: [kill_rule] };
await applySite(parts, file, { dry_run: false });
const ingest = await Ingest.open({ database, catalog, ...rule_engine, effects });

for (let n = Number(first);; n++) {
  const builder = new SampleBatchBuilder();
  builder.add({ line: 1, tag, ts_us: Number(base_us) + n * 1_000_000, value: beyond(n) ? 11 : 9 });
  const decoded = { batches: [builder.build()], rejected: [], rejected_count: 0 };
  await ingest.add(catalog.projects[0], decoded);
  effects.out(`${n}\n`);
}
