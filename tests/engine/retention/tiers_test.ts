// Samples of old days in files: every answer is as if they were here, and no gap is silent.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { Fault } from "../../../src/base/fault.ts";
import { Retention } from "../../../src/engine/retention/retention.ts";
import { readTiers } from "../../../src/engine/retention/tiers.ts";
import { until } from "../../help/until.ts";
import { test_settings, type TestService, testService } from "../../help/service.ts";
import {
  apply,
  compare,
  day_ms,
  days,
  end_ms,
  filled,
  first_ms,
  post,
  projectOf,
  send,
  site,
} from "./world_help.ts";

Deno.test("answers over files and database are those of a database alone", async () => {
  const data_dir = await Deno.makeTempDir();
  const tiered = await filled({ data_dir, tier_after: "35d" });
  const twin = await filled({});
  await tiered.services.tiers.settle();
  const inFiles = async () => (await readTiers(tiered.services.database)).whole;
  equal(await inFiles(), days - 36);
  await compare(tiered, twin);
  await breakFile(tiered, twin);

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
  await blockFolder(tiered);
  await dropOldest(tiered);
  for (const service of [tiered, twin]) await service.close();
  await Deno.remove(data_dir, { recursive: true });
});

Deno.test("where old days can't be read for a while, their late samples wait alone", async () => {
  const data_dir = await Deno.makeTempDir();
  const settings = { data_dir, tier_after: "35d" };
  const service = await testService({ at: new Date(end_ms).toISOString(), settings });
  await apply(service, site);
  const sample = (ms: number) => ({ tag: "p", ts: new Date(ms).toISOString(), value: 1 });
  await send(service, [5, 6, 7].map((day) => sample(first_ms + day * day_ms)));
  await send(service, [sample(end_ms - 1)]);
  const { tiers, database } = service.services;
  await tiers.settle();
  const { place } = database.far;
  const { ready } = place;
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  place.ready = () => {
    asked.resolve();
    return answered.promise;
  };
  const late = (day: number) => sample(first_ms + day * day_ms + 60_000);
  const waiting = post(service, [late(5)]);
  await asked.promise;
  equal((await send(service, [sample(end_ms)])).accepted, 1, "meanwhile");
  answered.reject(new Fault("unavailable", "it hangs", { retry_after_s: 30 }));
  const refused = await waiting;
  deepEqual([refused.status, refused.headers.get("retry-after")], [503, "30"]);
  await refused.body?.cancel();
  place.ready = ready;
  equal((await send(service, [late(5)])).accepted, 1);

  // A day can move after it was looked for, and before its sample is stored.
  const recall = tiers.recall.bind(tiers);
  let calls = 0;
  tiers.recall = (days) => ++calls === 1 ? Promise.resolve() : recall(days);
  deepEqual([(await send(service, [late(6)])).accepted, calls], [1, 2]);
  equal((await readTiers(database)).whole, 1);
  // The first sample of a tag, too: who reads the copy alone would miss it.
  calls = 0;
  deepEqual([(await send(service, [{ ...late(7), tag: "new" }])).accepted, calls], [1, 2]);
  equal((await readTiers(database)).whole, 0);
  await service.close();
  await Deno.remove(data_dir, { recursive: true });
});

Deno.test("a place that hangs while a day is stored there holds no roll-up", async () => {
  const data_dir = await Deno.makeTempDir();
  const settings = { data_dir, tier_after: "35d" };
  const service = await testService({ at: new Date(end_ms).toISOString(), settings });
  await apply(service, site);
  const sample = (ms: number) => ({ tag: "p", ts: new Date(ms).toISOString(), value: 1 });
  await send(service, [sample(first_ms + 5 * day_ms), sample(end_ms - 1)]);
  const { tiers, database, roll } = service.services;
  const { place } = database.far;
  const put = place.put.bind(place);
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  place.put = async (...given) => {
    const copied = await put(...given);
    asked.resolve();
    await answered.promise;
    return copied;
  };
  const moving = tiers.settle();
  await asked.promise;
  const late = sample(first_ms + 5 * day_ms + 60_000);
  equal((await send(service, [late, sample(end_ms)])).accepted, 2);
  await roll.settle();
  answered.resolve();
  await moving;
  const inFiles = async () => (await readTiers(database)).whole;
  equal(await inFiles(), 0, "it has changed since it was copied");
  service.clock.advance(2 * 3_600_000);
  await tiers.settle();
  equal(await inFiles(), 1);
  await service.close();
  await Deno.remove(data_dir, { recursive: true });
});

Deno.test("an old day that can't be read holds up the roll-up of nothing new", async () => {
  const data_dir = await Deno.makeTempDir();
  const settings = { data_dir, tier_after: "35d" };
  const service = await testService({ at: new Date(end_ms).toISOString(), settings });
  await apply(service, site);
  const sample = (ms: number) => ({ tag: "p", ts: new Date(ms).toISOString(), value: 1 });
  await send(service, [sample(first_ms + 5 * day_ms), sample(end_ms - 60_000)]);
  const { tiers, database: { far }, roll } = service.services;
  await tiers.settle();
  await apply(service, { ...site, sensors: site.sensors.map((it) => ({ ...it, scale: 2 })) });
  await Deno.rename(far.folder, `${far.folder}.away`);
  await send(service, [sample(end_ms)]);
  service.clock.advance(60_000);
  const stop = new AbortController();
  const running = roll.loop.run(stop.signal);
  await until(() => roll.loop.failures > 0, { what: "the day that can't be read" });
  equal(roll.state.backlog, 0);
  await rejects(roll.settle(), /samples of 2026-03-06 can't be read/);
  await Deno.rename(`${far.folder}.away`, far.folder);
  await until(() => roll.loop.failures === 0, {
    what: "a turn that works again",
    meanwhile: () => service.clock.advance(1_000),
  });
  const minutes = { ...projectOf(service), resolution: "1m", lane: "performance", format: "csv" };
  const search = new URLSearchParams({
    ...{ ...minutes, columns: "value", from: "2026-03-06T00:00:00Z", to: "2026-03-06T00:01:00Z" },
  });
  const answer = await service.fetch(`/platform/v1/signals?${search}`);
  equal(await answer.text(), "value\r\n2\r\n");
  stop.abort();
  await running;
  await service.close();
  await Deno.remove(data_dir, { recursive: true });
});

/** A file that is lost or changed is named wherever it is needed, and nothing else is touched. */
async function breakFile(service: TestService, twin: TestService): Promise<void> {
  const { far } = service.services.database;
  const [name] = (await Array.fromAsync(Deno.readDir(far.folder))).map(({ name }) => name).sort();
  const path = far.pathOf(name);
  const bytes = await Deno.readFile(path);
  const day = name.slice("samples-".length, "samples-2026-03-01".length);
  const range = { ...projectOf(service), from: `${day}T00:00:00Z`, to: `${day}T10:00:00Z` };
  const flipped = bytes.map((byte, i) => i === 400 ? byte ^ 4 : byte);
  const breaks: readonly (readonly [flaw: string, seen: number, work: () => Promise<void>])[] = [
    ["unreadable", 1, () => Deno.remove(path).then(() => Deno.symlink(path, path))],
    ["missing", 1, () => Deno.remove(path)],
    ["damaged", 0, () => Deno.writeFile(path, flipped)],
    ["damaged", 1, () => Deno.writeFile(path, bytes.subarray(0, -1))],
  ];
  for (const [flaw, seen, work] of breaks) {
    await work();
    const named = new RegExp(`samples of ${day} can't be read, ${name} of tier_dir is ${flaw}`);
    const late = { tag: "p", ts: `${day}T00:30:00Z`, value: 1 };
    for (
      const answer of [
        await service.fetch(`/platform/v1/signals?${new URLSearchParams(range)}`),
        await post(service, [late]),
      ]
    ) {
      equal(answer.status, 503);
      match(await answer.text(), named);
    }
    equal((await service.fetch("/readyz")).status, 200);
    equal((await readTiers(service.services.database)).flaws.length, seen);
  }
  for (const it of [service, twin]) {
    const ts = new Date(end_ms).toISOString();
    equal((await post(it, [{ tag: "p", ts, value: 1 }])).status, 200);
  }
  await Deno.writeFile(path, bytes);
  equal((await readTiers(service.services.database)).flaws.length, 0);
}

/** Where the folder can't be written, samples are taken all the same, and move when it can. */
async function blockFolder(service: TestService): Promise<void> {
  const { tiers, database } = service.services;
  const { folder } = database.far;

  await Deno.rename(folder, `${folder}.away`);
  await Deno.writeTextFile(folder, "");
  service.clock.advance(2 * day_ms);
  const ts = new Date(end_ms + 2 * day_ms).toISOString();
  equal((await post(service, [{ tag: "p", ts, value: 1 }])).status, 200);
  await rejects(() => tiers.settle(), /tiers/);
  await Deno.remove(folder);
  await Deno.rename(`${folder}.away`, folder);
  await tiers.settle();
  equal((await readTiers(database)).whole, days + 2 - 35);
}

/** Retention takes what is due out of the files, and removes them. */
async function dropOldest({ services }: TestService): Promise<void> {
  const settings = { ...test_settings, keep_samples: "40d" };
  await new Retention({ ...services, settings }).settle();
  const left = days + 2 - 35 - (days + 2 - 50);
  equal((await readTiers(services.database)).whole, left);
  const files = await Array.fromAsync(Deno.readDir(services.database.far.folder));
  equal(files.length, left, "no file is left behind");
}
