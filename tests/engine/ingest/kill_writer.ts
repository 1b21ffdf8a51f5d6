// A process that ingests numbered batches into a file and prints each number once acknowledged.
import { systemEffects } from "../../../src/base/effects.ts";
import { Catalog } from "../../../src/engine/catalog/catalog.ts";
import { Ingest } from "../../../src/engine/ingest/ingest.ts";
import { Database } from "../../../src/store/database.ts";
import { SampleBatchBuilder } from "../../../src/wire/samples/sample_builder.ts";
import { project } from "./ingest_help.ts";
import { batch_rows, epoch_us } from "./kill_batch.ts";
import { openRuleEngine } from "../../../src/engine/rules/open.ts";

const [path, first] = Deno.args;
const effects = systemEffects();
const database = await Database.open({ path, effects, threads: 1, memory_mb: 512 });
const catalog = await Catalog.load(database);
const parts = { database, catalog, effects };
const ingest = await Ingest.open({ ...parts, ...await openRuleEngine(parts) });

let next = Number(first);
// Four sources at once: their batches share commits.
await Promise.all(Array.from({ length: 4 }, async () => {
  for (;;) {
    const batch = next++;
    const builder = new SampleBatchBuilder();
    for (let i = 0; i < batch_rows; i++) {
      // A new tag now and then, so that tags are taken up at every moment.
      const tag = `t${(batch * batch_rows + i) % (50 + batch)}`;
      builder.add({ line: i + 1, tag, ts_us: epoch_us + batch * batch_rows + i, value: batch });
    }
    await ingest.add(project, { batches: [builder.build()], rejected: [], rejected_count: 0 });
    effects.out(`${batch}\n`);
  }
}));
