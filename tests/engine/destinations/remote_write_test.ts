// Samples by remote write: to a real Prometheus and a real VictoriaMetrics, and what they refuse.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type Posted, systemPost } from "../../../src/base/effects_post.ts";
import { concat, textOf } from "../../../src/base/bytes.ts";
import { Destinations } from "../../../src/engine/destinations/destinations.ts";
import { readAskedAgain } from "../../../src/store/upstream/ledger.ts";
import { hasProgram, openSending, type Peer, startPeer } from "../../help/destination.ts";

const settings = { destination_allow: "127.0.0.1" };

/** A service on this machine's network and clock. */
const openReal = (post: Sender = systemPost()) =>
  openSending({ settings, post, at: new Date().toISOString() });

type Sender = ReturnType<typeof systemPost>;

/** The samples of series that a receiver answers to a query, by labels. */
async function ask(peer: Peer, query: string, at_ms: number) {
  const search = new URLSearchParams({ query, time: `${at_ms / 1000}` });
  const answer = await fetch(`http://127.0.0.1:${peer.port}/api/v1/query?${search}`);
  const { data } = await answer.json();
  return data.result as {
    readonly metric: Readonly<Record<string, string>>;
    readonly values: readonly (readonly [number, string])[];
  }[];
}

function prometheus(folder: string, port?: number): Promise<Peer> {
  return startPeer("prometheus", {
    ...(port && { port }),
    argsOf: (port) => [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      ...["--web.enable-remote-write-receiver", "--log.level=error"],
    ],
  });
}

async function ready(peer: Peer): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${peer.port}/-/ready`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

Deno.test({
  name: "Prometheus gets series by labels, refuses late samples, and misses nothing of a stop",
  ignore: !hasProgram("prometheus", ["--version"]),
  async fn() {
    const folder = await Deno.makeTempDir();
    await Deno.writeTextFile(`${folder}/prometheus.yml`, "");
    let peer = await prometheus(folder);
    await ready(peer);
    const world = await openReal();
    const now_ms = Math.floor(world.service.clock.now_us / 1000);
    const at = (s: number) => new Date(now_ms + 1000 * s).toISOString();
    try {
      await world.put({
        ...{ key: "prom", kind: "remote_write", labels: { region: "north" } },
        url: `http://127.0.0.1:${peer.port}/api/v1/write`,
      });
      await world.send([
        { tag: "INV 1.P", ts: at(-20), value: 1.5 },
        { tag: "INV 1.P", ts: at(-10), value: 2.5 },
        { tag: 'power_watts{inverter="7"}', ts: at(-20), value_int: "7" },
        { tag: "text", ts: at(-20), value_str: "läuft" },
      ]);
      await world.turn();
      const [inverter] = await ask(peer, "INV_1_P[5m]", now_ms);
      deepEqual(inverter.metric, {
        ...{ __name__: "INV_1_P", tag: "INV 1.P", project: "p1", region: "north" },
      });
      deepEqual(inverter.values.map(([, value]) => value), ["1.5", "2.5"]);
      const [plain] = await ask(peer, 'power_watts{inverter="7"}[5m]', now_ms);
      deepEqual([plain.metric.tag, plain.values[0][1]], [undefined, "7"]);
      match((await world.shown()).state.notes[0], /^1 texts .* were not sent/);
      // Late ones among others: they are set aside, the others are there.
      await world.send([
        { tag: "INV 1.P", ts: at(-15), value: 9 },
        { tag: "INV 1.P", ts: at(-16), value: 9 },
        { tag: "INV 1.P", ts: at(-5), value: 3.5 },
        { tag: "other", ts: at(-30), value: 4 },
      ]);
      await world.turn();
      const { state } = await world.shown();
      deepEqual([state.reason, state.waiting_rows, state.set_aside_rows], [null, 0, 2]);
      match(state.notes[1], /takes no late samples/);
      equal((await ask(peer, "other[5m]", now_ms))[0].values.length, 1);
      const { port } = peer;
      await peer.stop();
      await world.send([{ tag: "INV 1.P", ts: at(-1), value: 5 }]);
      ok(await world.turn() >= 500);
      match((await world.shown()).state.reason, /does not answer: the connection was refused/);
      peer = await prometheus(folder, port);
      await ready(peer);
      await world.turn();
      equal((await world.shown()).state.waiting_rows, 0);
      deepEqual(
        (await ask(peer, "INV_1_P[5m]", now_ms))[0].values.map(([, value]) => value),
        ["1.5", "2.5", "3.5", "5"],
      );
    } finally {
      await world.close();
      await peer.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

const asides_path = "/platform/v1/destinations/prom/set-aside?project_id=p1";

/** A service that sends to a Prometheus, whose configuration may change. */
async function sendingTo(folder: string, config: string) {
  const write = (text: string) => Deno.writeTextFile(`${folder}/prometheus.yml`, text);
  await write(config);
  let peer = await prometheus(folder);
  await ready(peer);
  const post = systemPost();
  const bodies: Uint8Array[] = [];
  const world = await openReal((what) => {
    bodies.push(what.body);
    return post(what);
  });
  const now_ms = Math.floor(world.service.clock.now_us / 1000);
  const url = `http://127.0.0.1:${peer.port}/api/v1/write`;
  await world.put({ key: "prom", kind: "remote_write", url });
  return {
    ...{ world, bodies },
    /** Stores samples whose values are their times, in seconds before now; and sends them. */
    async send(values: readonly (readonly [tag: string, s: number])[]) {
      await world.send(values.map(([tag, s]) => (
        { tag, ts: new Date(now_ms + 1000 * s).toISOString(), value: s }
      )));
      await world.turn();
    },
    async sendAgain(): Promise<number> {
      const path = asides_path.replace("?", "/retry?");
      const answer = await world.service.fetch(path, { method: "POST" });
      bodies.length = 0;
      await world.turn();
      return (await answer.json()).rows;
    },
    async asides(): Promise<readonly Readonly<Record<"tag" | "rows" | "reason", unknown>>[]> {
      return await (await world.service.fetch(asides_path)).json();
    },
    async values(tag: string): Promise<readonly string[]> {
      const [{ values }] = await ask(peer, `${tag}[5m]`, now_ms);
      return values.map(([, value]) => value);
    },
    async restart(config: string) {
      await write(config);
      const { port } = peer;
      await peer.stop();
      peer = await prometheus(folder, port);
      await ready(peer);
    },
    async close() {
      await world.close();
      await peer.stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const late_config = "storage: { tsdb: { out_of_order_time_window: 1h } }";

Deno.test({
  name: "what is sent again is asked of Prometheus, alone, and its answer decides",
  ignore: !hasProgram("prometheus", ["--version"]),
  async fn() {
    const it = await sendingTo(await Deno.makeTempDir(), "");
    try {
      await it.send([["a", -20], ["b", -20]]);
      await it.send([["a", -40], ["a", -5], ["b", -10]]);
      await it.send([["b", -8]]);
      await it.send([["a", -30], ["b", -9]]);
      equal((await it.world.shown()).state.set_aside_rows, 3);
      // It still takes none: it was asked, and what it has already does not count as set aside.
      equal(await it.sendAgain(), 3);
      ok(it.bodies.length > 0);
      deepEqual((await it.asides()).map(({ tag, rows }) => [tag, rows]), [["a", 2], ["b", 1]]);
      await it.restart(late_config);
      equal(await it.sendAgain(), 3);
      const { state } = await it.world.shown();
      deepEqual([state.reason, state.waiting_rows, state.set_aside_rows], [null, 0, 0]);
      deepEqual(await it.values("a"), ["-40", "-30", "-20", "-5"]);
    } finally {
      await it.close();
    }
  },
});

Deno.test({
  name: "samples that are too old hold up nothing, and say nothing of those that are late",
  ignore: !hasProgram("prometheus", ["--version"]),
  async fn() {
    const it = await sendingTo(await Deno.makeTempDir(), late_config);
    try {
      await it.send([["a", -5]]);
      await it.send([["a", -7200], ["a", -7100], ["a", -50]]);
      await it.send([["a", -45]]);
      const [{ rows, reason }] = await it.asides();
      equal(rows, 2);
      match(`${reason}`, /too old|out of bounds/);
      deepEqual(await it.values("a"), ["-50", "-45", "-5"]);
      equal((await it.world.shown()).state.waiting_rows, 0);
    } finally {
      await it.close();
    }
  },
});

Deno.test({
  name: "VictoriaMetrics takes the past in any order, what came last first",
  ignore: !hasProgram("victoria-metrics", ["--version"]),
  async fn() {
    const folder = await Deno.makeTempDir();
    const peer = await startPeer("victoria-metrics", {
      argsOf: (port) => [
        `-storageDataPath=${folder}`,
        `-httpListenAddr=127.0.0.1:${port}`,
        ...["-retentionPeriod=10y", "-loggerLevel=ERROR"],
      ],
    });
    const world = await openReal();
    const now_ms = Math.floor(world.service.clock.now_us / 1000);
    const at = (s: number) => new Date(now_ms + 1000 * s).toISOString();
    try {
      await world.send([{ tag: "a", ts: at(-7200), value: 1 }]);
      await world.put({
        ...{ key: "vm", kind: "remote_write", takes_late: true, history: true },
        url: `http://127.0.0.1:${peer.port}/api/v1/write`,
      });
      await world.send([{ tag: "a", ts: at(-60), value: 3 }, {
        tag: "a",
        ts: at(-3600),
        value: 2,
      }]);
      await world.turn();
      await world.send([{ tag: "a", ts: at(-5000), value: 1.5 }]);
      await world.turn();
      const { state } = await world.shown();
      deepEqual([state.reason, state.waiting_rows, state.set_aside_rows], [null, 0, 0]);
      const flush = await fetch(`http://127.0.0.1:${peer.port}/internal/force_flush`);
      await flush.body?.cancel();
      const [series] = await ask(peer, "a[3h]", now_ms);
      deepEqual(series.values.map(([, value]) => value), ["1", "1.5", "2", "3"]);
    } finally {
      await world.close();
      await peer.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

const answered = (status: number, more: Partial<Posted> = {}): Posted => ({
  ...{ status, error: null, is_timeout: false, retry_after: null, address: null, answer: "" },
  ...more,
});

Deno.test("429 and 5xx are waited for, as long as is asked; nothing is set aside", async () => {
  let answer = answered(429, { retry_after: "90" });
  const world = await openSending({ post: () => Promise.resolve(answer) });
  try {
    await world.put({
      ...{ key: "prom", kind: "remote_write", url: "https://prom.example/write" },
      ...{ user: "me", password: "hidden-password" },
    });
    await world.send([{ tag: "a", ts: "2026-06-01T11:59:00Z", value: 1 }]);
    ok(await world.turn() >= 90_000);
    answer = answered(503, { answer: "busy, hidden-password" });
    ok(await world.turn() < 60_000);
    const text = JSON.stringify(await world.shown());
    ok(text.includes("answered 503: busy, …") && !text.includes("hidden-password"), text);
    answer = answered(404);
    await world.turn();
    match((await world.shown()).state.reason, /404.*--web\.enable-remote-write-receiver/);
    answer = answered(400, { answer: "no body of mine" });
    await world.turn();
    match((await world.shown()).state.reason, /refuses every body: no body of mine/);
    answer = answered(204);
    await world.turn();
    const { state } = await world.shown();
    deepEqual([state.reason, state.waiting_rows, state.set_aside_rows], [null, 0, 0]);
  } finally {
    await world.close();
  }
});

Deno.test("a refused row is found by halves, set aside, and sent again when asked", async () => {
  let is_mended = false;
  let bodies = 0;
  const post = (what: { readonly body: Uint8Array }) => {
    bodies++;
    const is_bad = !is_mended && textOf(concat([what.body])).includes("poison");
    return Promise.resolve(
      is_bad && !is_mended ? answered(422, { answer: "poison" }) : answered(200),
    );
  };
  const world = await openSending({ post });
  try {
    await world.put({ key: "prom", kind: "remote_write", url: "https://prom.example/write" });
    await world.send([
      ...Array.from({ length: 63 }, (_, i) => (
        { tag: `a${i}`, ts: "2026-06-01T11:59:00Z", value: i }
      )),
      { tag: "poison", ts: "2026-06-01T11:59:00Z", value: 1 },
    ]);
    await world.turn();
    const { state } = await world.shown();
    deepEqual([state.waiting_rows, state.set_aside_rows, state.days[0].rows], [0, 1, 63]);
    ok(bodies < 20, `${bodies}`);
    const path = "/platform/v1/destinations/prom/set-aside";
    const [aside] = await (await world.service.fetch(`${path}?project_id=p1`)).json();
    deepEqual([aside.tag, aside.rows, aside.reason], ["poison", 1, "poison"]);
    is_mended = true;
    const retried = await world.service.fetch(`${path}/retry?project_id=p1`, { method: "POST" });
    deepEqual(await retried.json(), { rows: 1 });
    await world.turn();
    equal((await world.shown()).state.set_aside_rows, 0);
  } finally {
    await world.close();
  }
});

Deno.test("where all of a piece is refused, it is not asked for row by row", async () => {
  let bodies = 0;
  const post = ({ body }: { readonly body: Uint8Array }) => {
    bodies++;
    const is_bad = textOf(concat([body])).includes("series");
    return Promise.resolve(is_bad ? answered(400, { answer: "it is there" }) : answered(200));
  };
  const world = await openSending({ post });
  try {
    await world.put({ key: "prom", kind: "remote_write", url: "https://prom.example/write" });
    const ts = "2026-06-01T11:59:00Z";
    await world.send(Array.from({ length: 2_000 }, (_, value) => (
      { tag: `series${value}`, ts, value }
    )));
    await world.turn();
    const { state } = await world.shown();
    deepEqual([state.waiting_rows, state.set_aside_rows], [0, 2_000]);
    ok(bodies < 500, `${bodies}`);
  } finally {
    await world.close();
  }
});

Deno.test("after a kill, what is sent again is still what was asked for, alone", async () => {
  let is_mended = false;
  const post = ({ body }: { readonly body: Uint8Array }) => {
    const is_bad = !is_mended && textOf(concat([body])).includes("poison");
    return Promise.resolve(is_bad ? answered(422, { answer: "poison" }) : answered(200));
  };
  const world = await openSending({ post });
  const { services } = world.service;
  try {
    await world.put({ key: "prom", kind: "remote_write", url: "https://prom.example/write" });
    const ts = "2026-06-01T11:59:00Z";
    const tags = [...Array.from({ length: 20 }, (_, i) => `a${i}`), "poison"];
    await world.send(tags.map((tag, value) => ({ tag, ts, value })));
    await world.turn();
    is_mended = true;
    const path = "/platform/v1/destinations/prom/set-aside/retry?project_id=p1";
    await (await world.service.fetch(path, { method: "POST" })).json();
    // What a start after a kill -9 knows: what is on disk.
    const begun = await Destinations.open(services);
    const [prom] = begun.list(1);
    const asked = () => services.database.read((it) => readAskedAgain(it, prom.destination_no));
    equal((await asked()).length, 2);
    await begun.turn(prom);
    const { days, asides, waiting_rows } = await begun.stateOf(prom);
    deepEqual([days[0].rows, asides, waiting_rows], [21, [], 0]);
    deepEqual(await asked(), []);
    await begun.close();
  } finally {
    await world.close();
  }
});
