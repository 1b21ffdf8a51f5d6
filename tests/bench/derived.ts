// `deno run -A tests/bench/derived.ts [seconds] [inputs]`: what derived tags cost beside none.
import process from "node:process";
import { systemEffects } from "../../src/base/effects.ts";
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { Ingest } from "../../src/engine/ingest/ingest.ts";
import { openRuleEngine } from "../../src/engine/rules/open.ts";
import { applySite } from "../../src/engine/site/site.ts";
import type { SiteInput } from "../../src/model/site/file.ts";
import { Database } from "../../src/store/database.ts";
import { SampleBatchBuilder } from "../../src/wire/samples/sample_builder.ts";

type TagEntry = NonNullable<SiteInput["tags"]>[number];

const [seconds = 120, inputs = 1_000] = Deno.args.map(Number);
const effects = systemEffects();
const names = Array.from({ length: inputs }, (_, i) => `INV-${i}.p_w`);

const kinds: Readonly<Record<string, readonly TagEntry[]>> = {
  "none": [],
  "sums of two": Array.from(
    { length: inputs },
    (_, i) => derived(i, `[${names[i]}] + [${names[(i + 1) % inputs]}]`),
  ),
  "sums of fifty": Array.from(
    { length: Math.floor(inputs / 50) },
    (_, i) => derived(i, names.slice(50 * i, 50 * i + 50).map((it) => `[${it}]`).join(" + ")),
  ),
};

function derived(i: number, formula: string): TagEntry {
  return { name: `d${i}`, unit: "kW", derived: { formula } };
}

/** Sends a body a second of virtual time; the processor's time of each, in milliseconds. */
async function measure(derived_tags: readonly TagEntry[], with_jitter: boolean) {
  const folder = await Deno.makeTempDir();
  const database = await Database.open({ path: `${folder}/data.duckdb`, effects });
  try {
    const catalog = await Catalog.load(database);
    const parts = { database, catalog, effects };
    const roll = { markStale: () => Promise.resolve(), wake() {} };
    const file: SiteInput = {
      version: 1,
      organization: { key: "o", name: "O" },
      project: { key: "p", name: "P", timezone: "UTC" },
      site: { key: "s", name: "S", latitude: 0, longitude: 0 },
      tags: [...names.map((name) => ({ name, unit: "W" })), ...derived_tags],
    };
    const follow = () => Promise.resolve(() => Promise.resolve());
    await applySite({ ...parts, roll, follow }, file, { dry_run: false });
    const ingest = await Ingest.open({ ...parts, ...await openRuleEngine(parts) });
    const [project] = catalog.projects;
    const from_us = effects.now_us() - seconds * 1e6;
    const begun = process.cpuUsage();
    for (let second = 0; second < seconds; second++) {
      const builder = new SampleBatchBuilder();
      names.forEach((tag, i) => {
        const ts_us = from_us + second * 1e6 + (with_jitter ? i % 50 : 0);
        builder.add({ tag, ts_us, value: (i * second) % 5000, line: i + 1 });
      });
      const body = { batches: [builder.build()], rejected: [], rejected_count: 0 };
      const { accepted } = await ingest.add(project, body);
      if (accepted !== inputs) throw new Error(`${accepted} rows were taken`);
    }
    const { user, system } = process.cpuUsage(begun);
    return { cpu_ms: (user + system) / 1000, rows: ingest.totals };
  } finally {
    await database.close();
    await Deno.remove(folder, { recursive: true });
  }
}

const none = await measure([], false);
for (const [kind, tags] of Object.entries(kinds)) {
  for (const with_jitter of kind === "sums of fifty" ? [false, true] : [false]) {
    const { cpu_ms } = await measure(tags, with_jitter);
    const made = tags.length * seconds * (with_jitter ? 50 : 1);
    const each = made === 0
      ? ""
      : `, ${((cpu_ms - none.cpu_ms) / made * 1000).toFixed(2)} ms for ` +
        "1 000 derived values more than without";
    effects.out(
      `${kind}${with_jitter ? ", each input at an instant of its own" : ""}: ` +
        `${made} values, ${(cpu_ms / seconds).toFixed(2)} ms of the processor a body${each}\n`,
    );
  }
}
