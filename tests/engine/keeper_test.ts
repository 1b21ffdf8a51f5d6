// The keeper: stamps after changes, checkpoints when the log is long or all is quiet.
import { equal, ok } from "node:assert/strict";
import { Keeper } from "../../src/engine/keeper.ts";
import { silent_log } from "../../src/engine/log.ts";
import { Folder, sizeOf } from "../../src/store/folder.ts";
import { openDatabase } from "../../src/store/open.ts";
import { fakeEffects } from "../help/effects.ts";

async function keptDatabase(checkpoint_mb = 64) {
  const { effects, clock } = fakeEffects();
  const folder = await Folder.open(await Deno.makeTempDir());
  const opened = await openDatabase(folder, { effects, on_loss: "refuse", memory_mb: 256 });
  const settings = { checkpoint_mb };
  const keeper = new Keeper({ ...opened, folder, effects, settings, log: silent_log });
  const write = () =>
    opened.database.write(({ connection }) =>
      connection.run(
        "INSERT INTO meta SELECT md5(range::VARCHAR), md5((range + 1)::VARCHAR) FROM range(40000)",
      )
    );
  const close = async () => {
    await opened.database.close();
    folder.close();
  };
  return { ...opened, folder, keeper, clock, write, close };
}

Deno.test("the stamp of a change is kept at the next look", async () => {
  const { keeper, folder, write, close } = await keptDatabase();
  await keeper.look();
  equal(await sizeOf(folder.stamp_path), 0);
  await write();
  await keeper.look();
  ok(await sizeOf(folder.stamp_path) > 0);
  await close();
});

Deno.test("a long log is checkpointed at once, a short one when all was quiet", async () => {
  for (const checkpoint_mb of [1, 64]) {
    const { keeper, folder, clock, write, close } = await keptDatabase(checkpoint_mb);
    await write();
    ok(await sizeOf(folder.log_path) > 1024 * 1024);
    await keeper.look();
    equal(await sizeOf(folder.log_path) === 0, checkpoint_mb === 1);
    clock.advance(60_000);
    await keeper.look();
    equal(await sizeOf(folder.log_path), 0);
    await close();
  }
});

Deno.test("an aborted keeper stops at once", async () => {
  const { keeper, close } = await keptDatabase();
  equal(await keeper.run(AbortSignal.abort()), "stopped");
  await close();
});

Deno.test("a failed write alone does not make a database invalid", async () => {
  const { database, keeper, clock, close } = await keptDatabase();
  await database.write(({ connection }) => connection.run("SELECT 'x'::INTEGER")).catch(() => {});
  equal(database.failed_writes, 1);
  const stop = new AbortController();
  const running = keeper.run(stop.signal);
  clock.advance(2_000);
  await database.read((connection) => connection.run("SELECT 1"));
  stop.abort();
  equal(await running, "stopped");
  await close();
});
