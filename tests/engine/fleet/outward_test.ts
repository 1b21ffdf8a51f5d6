// What leaves a shard that is not certain of its lease: nothing, until it is, or another holds it.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import type { Post, Posted } from "../../../src/base/effects_post.ts";
import { systemPost } from "../../../src/base/effects_post.ts";
import { carryOut, HeardValues } from "../../../src/engine/devices/command.ts";
import { outwardEffects } from "../../../src/engine/fleet/outward.ts";
import { openSending } from "../../help/destination.ts";
import { fakeEffects } from "../../help/effects.ts";
import { answering, readRequest, receive, socketTest, write } from "../../help/receiver.ts";
import { openDelivery } from "../webhooks/dispatcher_help.ts";

/** A lease in a test's hand. */
const leaseOf = (is_certain: boolean) => ({ is_certain });

const ok_answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

function postTo(port: number): Post {
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    headers: {},
    body: new TextEncoder().encode("{}"),
    timeout_ms: 10_000,
    refuse: () => undefined,
    signal: new AbortController().signal,
  };
}

Deno.test("an uncertain shard asks nobody, connects to nobody and looks nobody up", async () => {
  const lease = leaseOf(true);
  const asked: string[] = [];
  const effects = outwardEffects({
    ...fakeEffects().effects,
    request: () => Promise.resolve(new Response(`${asked.push("request")}`)),
    connect: () => Promise.reject(new Error(`${asked.push("connect")}`)),
  }, lease);
  const all = () =>
    Promise.allSettled([
      effects.request(new Request("http://centre")),
      effects.connect({ host: "h", port: 1, timeout_ms: 1, signal: new AbortController().signal }),
      effects.resolve("h"),
    ]);
  const statuses = async () => (await all()).map(({ status }) => status);
  deepEqual(await statuses(), ["fulfilled", "rejected", "fulfilled"]);
  deepEqual(asked, ["request", "connect"]);
  lease.is_certain = false;
  deepEqual(await statuses(), ["rejected", "rejected", "rejected"]);
  deepEqual([asked.length, effects.owns()], [2, false]);
  await rejects(effects.resolve("h"), /may be another node's by now/);
});

socketTest(
  "a post that is under way when the lease ends says nothing to its receiver",
  async () => {
    const said: (string | null)[] = [];
    const receiver = receive(async (connection) => {
      said.push(await readRequest(connection));
      await write(connection, ok_answer);
    });
    // Certain while the address is looked at, and no longer once there is a connection.
    let looks = 0;
    const lease = {
      get is_certain() {
        return ++looks < 2;
      },
    };
    const effects = { ...fakeEffects().effects, post: systemPost() };
    const posted = await outwardEffects(effects, lease).post(postTo(receiver.port));
    match(posted.error!, /may be another node's by now/);
    equal(posted.status, null);
    deepEqual([looks, said.filter((it) => it !== null)], [2, []]);
    const sent = await outwardEffects(effects, leaseOf(true)).post(postTo(receiver.port));
    equal(sent.status, 200);
    equal(said.filter((it) => it !== null).length, 1);
    receiver.close();
  },
);

socketTest("a connection that was kept carries nothing more once the lease has ended", async () => {
  const receiver = receive(answering(ok_answer));
  const lease = leaseOf(true);
  const { post } = outwardEffects({ ...fakeEffects().effects, post: systemPost() }, lease);
  equal((await post(postTo(receiver.port))).status, 200);
  lease.is_certain = false;
  match((await post(postTo(receiver.port))).error!, /may be another node's by now/);
  receiver.close();
});

Deno.test("webhooks wait while the lease is uncertain, and cost no attempt", async () => {
  const lease = leaseOf(false);
  const world = await openDelivery();
  Object.assign(world.effects, { owns: () => lease.is_certain });
  await world.subscribe();
  await world.tell(world.draft());
  await world.deliveries.settle();
  deepEqual([world.calls.length, await world.states()], [0, ["pending"]]);
  // It ends while the receiver is being reached.
  lease.is_certain = true;
  world.network.answer = () => {
    lease.is_certain = false;
    return { status: null, error: "withheld" };
  };
  await world.deliveries.settle();
  deepEqual([world.calls.length, await world.states()], [1, ["pending"]]);
  lease.is_certain = true;
  world.network.answer = () => ({});
  await world.deliveries.settle();
  deepEqual([world.calls.length, await world.states()], [2, ["acknowledged"]]);
  const [{ attempts }] = await world.rows("SELECT attempts FROM delivery");
  equal(attempts, 1);
  await world.database.close();
});

Deno.test("a command whose shard becomes uncertain before it is written is not sent", async () => {
  const lease = leaseOf(true);
  const effects = outwardEffects(fakeEffects().effects, lease);
  const written: number[] = [];
  const heard = new HeardValues(["t"]);
  heard.hear([{ tag: "t", ts_us: 0, value: 100 }]);
  const way = heard.way<{ readonly value: number }>("t", {
    messageOf: (value) => {
      lease.is_certain = false;
      return { value };
    },
    write({ value }) {
      written.push(value);
      heard.hear([{ tag: "t", ts_us: 0, value }]);
      return Promise.resolve();
    },
  });
  const limits = { unit: "%", min: 0, max: 100, every_s: 1, confirm_ms: 1_000 };
  const { signal } = new AbortController();
  const ended = await carryOut(way, { tag: "t", value: 60, limits }, { effects, signal });
  deepEqual([ended.outcome, ended.before, written], ["not_sent", 100, []]);
  match(ended.reason!, /may be another node's by now/);
});

Deno.test("samples wait for their destination while the lease is uncertain", async () => {
  const lease = leaseOf(false);
  const posts: Post[] = [];
  const good: Posted = {
    ...{ status: 204, error: null, is_timeout: false, retry_after: null, address: null },
    answer: "",
  };
  const world = await openSending({
    settings: { destination_allow: "127.0.0.1" },
    post: (post) => {
      posts.push(post);
      return Promise.resolve(good);
    },
    owns: () => lease.is_certain,
  });
  await world.put({ key: "r", kind: "remote_write", url: "http://127.0.0.1:1/write" });
  await world.send([{ tag: "t", ts: "2026-06-01T11:59:00Z", value: 1 }]);
  await world.turn();
  const { state } = await world.shown();
  deepEqual([posts.length, state.waiting_rows, state.reason], [0, 1, null]);
  lease.is_certain = true;
  await world.turn();
  deepEqual([posts.length, (await world.shown()).state.waiting_rows], [1, 0]);
  await world.close();
});
