// What is written beside the writer: others commit meanwhile, who follows by stamps misses nothing.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { Database } from "../../src/store/database.ts";
import type { Connection } from "../../src/store/connection.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

const minute_columns = "day, tag_no, minute, received_at, value, carried, good_count, " +
  "uncertain_count, bad_count";

function addMinutes(connection: Connection, stamp_us: number, minutes: number): Promise<void> {
  return connection.script(`
    INSERT INTO minute (${minute_columns})
    SELECT 0, 1, i, ${stamp_us}, 5, false, 1, 0, 0 FROM range(${minutes}) AS r(i)`);
}

async function open() {
  const { effects, clock } = fakeEffects();
  const folder = await Deno.makeTempDir();
  const database = await Database.open({ path: `${folder}/a.duckdb`, effects });
  const session = database.session();
  return {
    ...{ database, session, clock },
    /** Stamps of all minutes of tags, and of how many each. */
    minutes: () =>
      database.read((connection) =>
        queryRows<{ tag: number; rows: number }>(
          connection,
          "SELECT tag_no AS tag, count(*)::INTEGER AS rows FROM minute GROUP BY tag ORDER BY tag",
        )
      ),
    async close() {
      session.close();
      await database.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test("others write, change and remove while rows are added beside the writer", async () => {
  const { database, session, minutes, close } = await open();
  await database.write(({ connection, stamp_us }) => addMinutes(connection, stamp_us, 100));
  await database.writeBeside(session, async ({ connection, stamp_us }) => {
    await addMinutes(connection, stamp_us, 300_000);
    await database.write(({ connection }) => connection.script("DELETE FROM minute"));
    await database.write((write) => addMinutes(write.connection, write.stamp_us, 7));
    await database.write(({ connection }) => connection.script("UPDATE minute SET tag_no = 2"));
    await connection.script("INSERT INTO inverter_stale VALUES (1, 1)");
    deepEqual(await minutes(), [{ tag: 2, rows: 7 }]);
  });
  deepEqual(await minutes(), [{ tag: 1, rows: 300_000 }, { tag: 2, rows: 7 }]);
  equal(await database.checkpoint(), true);
  deepEqual(await minutes(), [{ tag: 1, rows: 300_000 }, { tag: 2, rows: 7 }]);
  await close();
});

Deno.test("who follows by stamps waits for what is added beside, and misses nothing", async () => {
  const { database, session, clock, close } = await open();
  let mark_us = 0;
  const followed = async () => {
    const to_us = database.followed_us;
    const rows = await database.read((connection) =>
      queryRows<{ stamp: number }>(
        connection,
        `SELECT received_at::DOUBLE AS stamp FROM minute
         WHERE received_at > ${mark_us} AND received_at <= ${to_us} ORDER BY stamp`,
      )
    );
    mark_us = to_us;
    return rows.map(({ stamp }) => stamp);
  };
  const add = () =>
    database.write(async ({ connection, stamp_us }) => {
      await addMinutes(connection, stamp_us, 1);
      return stamp_us;
    });
  const first = await add();
  let beside = 0;
  let later = 0;
  await database.writeBeside(session, async ({ connection, stamp_us }) => {
    beside = stamp_us;
    await addMinutes(connection, stamp_us, 1);
    clock.now_us += 1_000_000;
    later = await add();
    equal(database.committed_us, later);
    deepEqual(await followed(), [first]);
  });
  equal(database.committed_us, later);
  deepEqual(await followed(), [beside, later]);
  const failing = database.writeBeside(session, async ({ connection, stamp_us }) => {
    await addMinutes(connection, stamp_us, 1);
    later = await add();
    throw new Error("no");
  });
  await rejects(failing, /no/);
  deepEqual(await followed(), [later]);
  await close();
});

Deno.test("a checkpoint waits for what is written beside, and holds no other up", async () => {
  const { database, session, minutes, close } = await open();
  const order: string[] = [];
  let checkpoint: Promise<unknown> = Promise.resolve();
  await database.writeBeside(session, async ({ connection, stamp_us }) => {
    checkpoint = database.checkpoint().then((done) => order.push(`checkpoint ${done}`));
    await addMinutes(connection, stamp_us, 1);
    await database.write(() => Promise.resolve(order.push("write")));
  }).then(() => order.push("beside"));
  await checkpoint;
  deepEqual(order, ["write", "beside", "checkpoint true"]);
  deepEqual(await minutes(), [{ tag: 1, rows: 1 }]);
  await close();
});

Deno.test("a cut waits for what is written beside, and lets more be while it is read", async () => {
  const { database, session, close } = await open();
  const order: string[] = [];
  const other = (name: string) => database.write(() => Promise.resolve(order.push(name)));
  let cutting: ReturnType<typeof database.cut> | undefined;
  await database.writeBeside(session, async () => {
    cutting = database.cut();
    cutting.then(() => order.push("cut"));
    await other("write");
  }).then(() => order.push("beside"));
  const cut = await cutting!;
  await database.writeBeside(session, () => other("write within"));
  deepEqual(order, ["write", "beside", "cut", "write within"]);
  cut[Symbol.dispose]();
  await close();
});

Deno.test("who writes waits for one piece of other work, however much waits before", async () => {
  const { database, session, close } = await open();
  const order: string[] = [];
  const note = (name: string) => () => Promise.resolve(void order.push(name));
  const began = Promise.withResolvers<void>();
  const waiting: Promise<unknown>[] = [];
  const first = database.writeOn(session, async () => {
    waiting.push(database.writeOn(session, note("another part")));
    waiting.push(database.checkpoint().then(note("checkpoint")));
    waiting.push(database.write(note("write")));
    began.resolve();
    await note("a part")();
  });
  await began.promise;
  await Promise.all([first, ...waiting]);
  deepEqual(order.slice(0, 2), ["a part", "write"]);
  deepEqual(order.slice(2).sort(), ["another part", "checkpoint"]);
  await close();
});
