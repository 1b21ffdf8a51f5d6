// Workloads L2 and L3: what rules take of the processor, and of the speed of ingest.
import process from "node:process";
import { assemble } from "../../src/app.ts";
import { systemEffects } from "../../src/base/effects.ts";
import { silent_log } from "../../src/engine/core/log.ts";
import { applySite } from "../../src/engine/site/site.ts";
import type { Services } from "../../src/http/frame/services.ts";
import { noneValid } from "../../src/model/data/chunk.ts";
import type { SampleBatch } from "../../src/model/samples/sample.ts";
import { type Settings, settings_table } from "../../src/model/setting.ts";
import { Database } from "../../src/store/database.ts";
import type { Figure } from "./figure.ts";

/** L2 and L3, each beside the same samples without a rule. */
export async function* measureRules(): AsyncGenerator<Figure> {
  const minute = { tags: 5000, bodies: 60, rows: 5000 };
  const bare = await run({ ...minute, rules: 0 });
  const ruled = await run({ ...minute, rules: 5000 });
  const share = (ruled.cpu_s - bare.cpu_s) / 60;
  yield {
    workload: "L2",
    what: "5 000 rules on 5 000 tags, a sample a second",
    ...{ value: share, unit: "cores", target: "< 0.5 cores", met: share < 0.5 },
    limit: { what: "storing the same samples", value: bare.cpu_s / 60 },
  };
  const bulk = { tags: 500, bodies: 20, rows: 50_000 };
  const plain = await run({ ...bulk, rules: 0 });
  const judged = await run({ ...bulk, rules: 500 });
  const value = bulk.bodies * bulk.rows / judged.wall_s;
  const limit = bulk.bodies * bulk.rows / plain.wall_s;
  yield {
    workload: "L3",
    what: "rows stored under 500 rules on 500 tags",
    ...{ value, unit: "rows/s", target: "≥ half of that without", met: value >= limit / 2 },
    limit: { what: "without rules", value: limit },
  };
}

type Load = {
  readonly tags: number;
  readonly rules: number;
  readonly bodies: number;
  readonly rows: number;
};

/** Stores `bodies` bodies, one after the other: seconds of the processor and of the clock. */
async function run(load: Load): Promise<{ cpu_s: number; wall_s: number }> {
  const path = `${await Deno.makeTempDir()}/rules.duckdb`;
  const effects = systemEffects();
  const database = await Database.open({ path, effects });
  database.vault.use(new Uint8Array(32));
  const { services } = await assemble(database, { effects, settings, log: silent_log });
  await applySite(services, siteOf(load), { dry_run: false });
  const from_us = effects.now_us() - 3_600_000_000;
  const seconds = load.rows / load.tags;
  const made = Array.from(
    { length: load.bodies },
    (_, i) => batchOf(load, from_us + i * seconds * 1_000_000),
  );
  await add(services, batchOf(load, from_us - seconds * 1_000_000));
  const from_cpu = process.cpuUsage();
  const from_ms = performance.now();
  for (const batch of made) await add(services, batch);
  const { user, system } = process.cpuUsage(from_cpu);
  const wall_s = (performance.now() - from_ms) / 1000;
  await services.roll.close();
  await services.availability.close();
  await services.minute_evaluator.close();
  await database.close();
  return { cpu_s: (user + system) / 1e6, wall_s };
}

async function add(services: Services, batch: SampleBatch): Promise<void> {
  const decoded = { batches: [batch], rejected: [], rejected_count: 0 };
  const { accepted } = await services.ingest.add(services.catalog.projects[0], decoded);
  if (accepted !== batch.rows) throw new Error(`only ${accepted} rows were accepted`);
}

/** A rule a tag, each with a delay and a deadband of its own. */
function siteOf({ tags, rules }: Load): object {
  return {
    version: 1,
    organization: { key: "o", name: "O" },
    project: { key: "p", name: "P", timezone: "UTC" },
    site: { key: "s", name: "S", latitude: 0, longitude: 0 },
    tags: Array.from({ length: tags }, (_, i) => ({ name: `t${i}`, encoding: "float" })),
    rules: Array.from({ length: rules }, (_, i) => ({
      key: `r${i}`,
      name: `Rule ${i}`,
      kind: "threshold",
      tag: `t${i}`,
      ...{ operator: ">", threshold: 90, deadband: 5, on_delay_s: i % 3, severity: "low" },
    })),
  };
}

/** Each tag is above its limit for five seconds in every thousand. */
function batchOf({ tags, rows }: Load, from_us: number): SampleBatch {
  const second = (row: number) => Math.floor(row / tags);
  const value = (row: number) => (second(row) + from_us / 1e6 + row % tags) % 1000 < 5 ? 99 : 50;
  return {
    lane: "signal",
    rows,
    tags: Array.from({ length: tags }, (_, i) => `t${i}`),
    tag: Int32Array.from({ length: rows }, (_, row) => row % tags),
    ts: BigInt64Array.from({ length: rows }, (_, row) => BigInt(from_us + second(row) * 1_000_000)),
    value: Float64Array.from({ length: rows }, (_, row) => value(row)),
    value_int: new BigInt64Array(rows),
    int_valid: noneValid(rows),
    value_str: new Map(),
    quality: new Uint8Array(rows),
    status_code: new Uint32Array(rows),
    status_valid: noneValid(rows),
    line: Int32Array.from({ length: rows }, (_, row) => row + 1),
  };
}

const defaults = Object.entries(settings_table)
  .map(([name, setting]) => [name, "default" in setting ? setting.default : 1]);
const settings = Object.fromEntries(defaults) as Settings;
