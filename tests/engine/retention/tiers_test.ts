// Samples of old days in files: every answer is as if they were here, and no kill loses any.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { Catalog } from "../../../src/engine/catalog/catalog.ts";
import { Tiers, type TierStep } from "../../../src/engine/retention/tiers.ts";
import { Rollup } from "../../../src/engine/rollup/rollup.ts";
import { Database } from "../../../src/store/database.ts";
import { statement } from "../../../src/store/statement.ts";
import { listTiers } from "../../../src/store/retention/tier.ts";
import { fakeEffects } from "../../help/effects.ts";
import type { TestService } from "../../help/service.ts";
import { apply, ask, day_ms, days, filled, first_ms, projectOf, send, site } from "./world_help.ts";

Deno.test("answers over files and database are those of a database alone", async () => {
  const data_dir = await Deno.makeTempDir();
  const tiered = await filled({ data_dir, tier_after: "35d" });
  const twin = await filled({});
  await tiered.services.tiers.settle();
  const inFiles = async () => (await tiered.services.database.read(listTiers)).length;
  equal(await inFiles(), days - 36);
  await compare(tiered, twin);

  const at = (ms: number) => new Date(first_ms + 5 * day_ms + ms).toISOString();
  const late = [
    { tag: "p", ts: at(0), value: 0 },
    { tag: "p", ts: at(60_000), value: 1 },
    { tag: "e", ts: at(60_000), value: 2 },
  ];
  for (const service of [tiered, twin]) {
    const { accepted, duplicates } = await send(service, late);
    deepEqual({ accepted, duplicates }, { accepted: 2, duplicates: 1 });
    await service.services.roll.settle();
  }
  equal(await inFiles(), days - 37);
  await compare(tiered, twin);

  const mapped = { ...site, sensors: site.sensors.map((it) => ({ ...it, scale: 2 })) };
  for (const service of [tiered, twin]) {
    await apply(service, mapped);
    await service.services.roll.settle();
  }
  await compare(tiered, twin);
  for (const service of [tiered, twin]) await service.close();
  await Deno.remove(data_dir, { recursive: true });
});

/** Both give the same samples, statistics and figures. */
async function compare(tiered: TestService, twin: TestService): Promise<void> {
  const range = { from: "2026-03-04T00:00:00Z", to: "2026-03-30T00:00:00Z" };
  const searches: readonly Record<string, string>[] = [
    { ...range },
    { ...range, resolution: "raw", tag: "p", offset: "400" },
    { received_since: "2026-03-01T00:00:00Z" },
    { at: "2026-03-08T11:10:00Z" },
    { from: "2026-03-19T00:00:00Z", to: "2026-03-24T00:00:00Z", every: "7h" },
  ];
  for (const search of searches) {
    const [one, other] = [await signals(tiered, search), await signals(twin, search)];
    equal(one, other);
  }
  const sums: readonly Record<string, string>[] = [{}, { include: "stats" }, {
    component_measure: "energy",
  }];
  for (const search of sums) {
    deepEqual(await ask(tiered, "OneDay", search), await ask(twin, "OneDay", search));
  }
}

async function signals(service: TestService, search: Record<string, string>): Promise<string> {
  const query = new URLSearchParams({ ...projectOf(service), format: "csv", ...search });
  const answer = await service.fetch(`/platform/v1/signals?${query}`);
  equal(answer.status, 200);
  // Moving days are writes too, so that later ones have other stamps.
  return (await answer.text()).replaceAll(/2026-04-26T00:00:00\.\d+Z/g, "stamp");
}

const last_day = 20_059;
const all_samples = statement({
  sql:
    "SELECT count(*)::INTEGER AS n, count(DISTINCT (tag_no, ts))::INTEGER AS distinct FROM sample",
  row: { n: "int32", distinct: "int32" },
  reach: "all",
});

for (const step of ["noted", "copied", "moved", "recalled"] satisfies TierStep[]) {
  Deno.test(`a process that dies when a day is ${step} loses and doubles nothing`, async () => {
    const folder = await Deno.makeTempDir();
    const { effects } = fakeEffects("2024-12-02T12:00:00Z");
    const open = () =>
      Database.open({ path: `${folder}/a.duckdb`, effects, threads: 1, memory_mb: 256 });
    const settings = { tier_after: "35d", tier_dir: "none", data_dir: folder };
    const tiersOf = async (database: Database, onStep?: (step: TierStep) => void) => {
      const catalog = await Catalog.load(database);
      const roll = await Rollup.open({ database, catalog, effects });
      return await Tiers.open({ database, roll, settings, effects, onStep });
    };
    const count = async (database: Database) =>
      await database.read((connection) => connection.rows(all_samples));
    const whole = [{ n: 60 * 24, distinct: 60 * 24 }];

    const first = await open();
    await first.write(({ connection, stamp_us }) =>
      connection.script(`INSERT INTO sample
        SELECT 1, (${last_day} - 59 + h // 24) * 86400000000 + h % 24 * 3600000000, ${stamp_us}, h,
          NULL, NULL, 0, NULL
        FROM range(60 * 24) AS r (h)`)
    );
    const dying = await tiersOf(first, (at) => {
      if (at === step) throw new Error("killed");
    });
    const work = async () => {
      await dying.settle();
      await dying.recall([(last_day - 50) * 86_400_000_000]);
    };
    await rejects(work, /killed/);
    await first.abandon();

    const second = await open();
    deepEqual(await count(second), whole);
    const tiers = await tiersOf(second);
    deepEqual(await count(second), whole);
    await tiers.settle();
    deepEqual(await count(second), whole);
    const moved = await second.read(listTiers);
    deepEqual(moved.map(({ state }) => state), Array(24).fill("moved"));
    const files = await Array.fromAsync(Deno.readDir(`${folder}/tiers`));
    equal(files.length, 24);
    await second.close();
    await Deno.remove(folder, { recursive: true });
  });
}
