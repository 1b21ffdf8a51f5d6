// Maintenance: stamps after changes, checkpoints when the log is long or all is quiet.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { service_limits } from "../../../src/engine/service/limits.ts";
import { Maintenance } from "../../../src/engine/service/maintenance.ts";
import { openLog } from "../../../src/engine/core/log.ts";
import { Folder, sizeOf } from "../../../src/store/folder.ts";
import { openDatabase } from "../../../src/store/open.ts";
import { fakeEffects } from "../../help/effects.ts";
import { until } from "../../help/until.ts";

async function keptDatabase(checkpoint_mb = 64) {
  const { effects, clock, printed } = fakeEffects();
  const folder = await Folder.open(await Deno.makeTempDir());
  const opened = await openDatabase(folder, {
    ...{ effects, on_loss: "refuse", memory_mb: 256 },
    key_path: `${folder.path}/wattkeeper.key`,
  });
  const settings = { checkpoint_mb };
  const log = openLog({ log_level: "info", log_format: "pretty" }, effects);
  const maintenance = new Maintenance({ ...opened, folder, effects, settings, log });
  const write = () =>
    opened.database.write(({ connection }) =>
      connection.script(
        "INSERT INTO meta SELECT md5(range::VARCHAR), md5((range + 1)::VARCHAR) FROM range(40000)",
      )
    );
  const close = async () => {
    await opened.database.close();
    folder.close();
  };
  return { ...opened, folder, maintenance, clock, printed, write, close };
}

Deno.test("the mark of a change is brought to the disk at the next look, and once", async () => {
  const { guard, maintenance, write, close } = await keptDatabase();
  for (const changes of [0, 1, 2]) {
    for (let i = 0; i < changes; i++) await write();
    await maintenance.look();
    equal(await guard.keep(), false);
  }
  await write();
  equal(await guard.keep(), true);
  await close();
});

Deno.test("a long log is checkpointed at once, a short one when all was quiet", async () => {
  for (const checkpoint_mb of [1, 64]) {
    const { maintenance, folder, clock, write, close } = await keptDatabase(checkpoint_mb);
    await write();
    ok(await sizeOf(folder.log_path) > 1024 * 1024);
    await maintenance.look();
    equal(await sizeOf(folder.log_path) === 0, checkpoint_mb === 1);
    clock.advance(60_000);
    await maintenance.look();
    equal(await sizeOf(folder.log_path), 0);
    await close();
  }
});

Deno.test("a log that has become long is not left to grow until the next look", async () => {
  const { maintenance, folder, clock, write, close } = await keptDatabase(1);
  const stop = new AbortController();
  const running = maintenance.loop.run(stop.signal);
  clock.advance(service_limits.keep_ms);
  await write();
  await until(async () => await sizeOf(folder.log_path) === 0, { what: "the checkpoint" });
  stop.abort();
  await running;
  await close();
});

Deno.test("a checkpoint that is held back is tried at looks alone, until one is made", async () => {
  const { database, maintenance, folder, write, close } = await keptDatabase(1);
  let woken = 0;
  maintenance.loop.wake = () => void woken++;
  const wakes = async () => {
    await write();
    await maintenance.look();
    return woken;
  };
  const cut = await database.cut();
  deepEqual([await wakes(), await wakes(), await wakes()], [1, 1, 1]);
  cut[Symbol.dispose]();
  equal(await wakes(), 1);
  equal(await sizeOf(folder.log_path), 0);
  equal(await wakes(), 2);
  await close();
});

Deno.test("a short log is brought into the file when that is asked for", async () => {
  const { maintenance, folder, write, close } = await keptDatabase();
  await write();
  ok(await sizeOf(folder.log_path) > 0);
  await maintenance.settle();
  equal(await sizeOf(folder.log_path), 0);
  await close();
});

Deno.test("stamps far ahead of the clock are told once, and once when that is over", async () => {
  const { maintenance, clock, printed, write, close } = await keptDatabase();
  const looks = async () => {
    for (let i = 0; i < 3; i++) await maintenance.look();
    return printed.err.match(/time stamps (are|follow) .*/g) ?? [];
  };
  clock.step(61_000);
  await write();
  deepEqual(await looks(), []);
  clock.step(-61_000);
  const told = ["time stamps are 61 s ahead of the clock, which was set back"];
  deepEqual(await looks(), told);
  await write();
  deepEqual(await looks(), told);
  clock.advance(20_000);
  deepEqual(await looks(), [...told, "time stamps follow the clock again"]);
  await close();
});

Deno.test("maintenance that is aborted stops at once", async () => {
  const { maintenance, close } = await keptDatabase();
  await maintenance.loop.run(AbortSignal.abort());
  await close();
});

Deno.test("a disk that refused a write is tried until it takes one", async () => {
  const { database, maintenance, close } = await keptDatabase();
  const full = new Error("No space left on device");
  await rejects(database.write(() => Promise.reject(full)));
  ok(database.write_refusal);
  await maintenance.look();
  equal(database.write_refusal, undefined);
  await close();
});
