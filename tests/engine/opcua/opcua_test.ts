// OPC UA without a server: what values become, how history is asked for, when a silent one is left.
import assert from "node:assert/strict";
import { parse } from "smol-toml";
import { keepRunning, SourceFault, type SourceTools } from "../../../src/engine/devices/driver.ts";
import { ServerLink } from "../../../src/engine/opcua/opcua.ts";
import {
  type HistoryQuestion,
  type OpcuaSession,
  type Publication,
  readHistory,
} from "../../../src/engine/opcua/opcua_session.ts";
import { type SourceRow, SourceState } from "../../../src/engine/devices/state.ts";
import { opcua } from "../../../src/model/sources/kinds/opcua.ts";
import { source_limits } from "../../../src/model/sources/limits.ts";
import {
  isOverflown,
  serverInstant,
  serverSample,
  type ServerValue,
  withoutHistorian,
} from "../../../src/wire/sources/opcua.ts";
import { fakeEffects } from "../../help/effects.ts";
import { valueOf } from "../../help/opcua.ts";
import { readSource } from "../../help/source.ts";
import { no_alarms } from "../../help/sources.ts";

const double = 11;
const now_us = Date.UTC(2026, 5, 1, 12) * 1000;

const plain = { scale: 1, offset: 0, now_us };
const typed = (dataType: number, value: unknown, more: object = {}) =>
  serverSample({ ...valueOf(0, now_us), value: { dataType, arrayType: 0, value, ...more } }, plain);

Deno.test("whole numbers of 64 bits stay whole, up to the largest that can be kept", () => {
  assert.equal(typed(8, [0xffff_ffff, 0xffff_ffff]).sample.value, -1n);
  assert.equal(typed(9, [0x7fff_ffff, 0xffff_ffff]).sample.value, 2n ** 63n - 1n);
  const beyond = typed(9, [0x8000_0000, 0]);
  assert.equal(beyond.sample.value, undefined);
  assert.match(beyond.flaw!, /beyond the largest/);
});

Deno.test("statuses are kept whole; of a bad one the value says nothing", () => {
  const status = (value: number) =>
    serverSample(valueOf(7, now_us, { statusCode: { value } }), plain);
  assert.deepEqual(status(0).sample, { ts_us: now_us, value: 7 });
  assert.deepEqual(status(0x4094_0480).sample.status_code, 0x4094_0480);
  assert.equal(status(0x4094_0480).sample.value, 7);
  assert.deepEqual(status(0x808c_0000).sample, { ts_us: now_us, status_code: 0x808c_0000 });
  assert.ok(isOverflown(0x0480));
  assert.ok(!isOverflown(0x0400));
  assert.equal(withoutHistorian(0x0402), 0);
  assert.equal(withoutHistorian(0x4094_0000), 0x4094_0000);
});

Deno.test("a value has its source's time, else its server's, else the present", () => {
  const at = (more: object) =>
    serverSample(valueOf(1, now_us + 7, more), { ...plain, now_us: 5 }).sample.ts_us;
  const server = { serverTimestamp: new Date(now_us / 1000), serverPicoseconds: 9e6 };
  assert.equal(at(server), now_us + 7);
  assert.equal(at({ ...server, sourceTimestamp: null }), now_us + 9);
  assert.equal(at({ sourceTimestamp: null }), 5);
});

Deno.test("numbers are scaled, elements taken out of arrays, texts left as they are", () => {
  const target = { ...plain, scale: 0.1, offset: -5, element: 1 };
  const of = (value: unknown, dataType = double, arrayType = 1) =>
    serverSample({ ...valueOf(0, 0), value: { dataType, arrayType, value } }, target);
  assert.equal(of([1, 100]).sample.value, 5);
  assert.equal(of([[0, 1], [0, 100]], 9).sample.value, 5);
  assert.match(of([1]).flaw!, /has 1 elements, so none at 1/);
  assert.match(of(3, double, 0).flaw!, /is no array/);
  assert.equal(of(["a", "b"], 12).sample.value, "b");
});

/** A server whose history has a value each second, up to `per` in an answer. */
function historian(
  { seconds, per = 1000, has_more = true, broken = [] }: {
    readonly seconds: number;
    readonly per?: number;
    readonly has_more?: boolean;
    readonly broken?: readonly string[];
  },
) {
  const asked: HistoryQuestion[] = [];
  const history = (question: HistoryQuestion) => {
    asked.push(question);
    if (question.nodes.some((node) => broken.includes(node))) {
      const fault = { kind: "protocol", message: "BadInternalError" } as const;
      return Promise.reject(new SourceFault(fault));
    }
    return Promise.resolve(question.nodes.map((_, i) => {
      const more = question.more?.[i];
      const first = more ? more[0] * 256 + more[1] : Math.ceil(question.from_us / 1e6);
      const count = Math.min(per, seconds - first);
      const values = Array.from({ length: count }, (_, k) => valueOf(first + k, (first + k) * 1e6));
      const next = first + count;
      return {
        ...{ is_refused: false, status: "Good", values },
        ...(next < seconds && has_more ? { more: Uint8Array.of(next >> 8, next & 255) } : {}),
      };
    }));
  };
  return { asked, history };
}

async function taken(server: ReturnType<typeof historian>, nodes: readonly string[]) {
  const found = new Map<string, number[]>();
  const refused: string[] = [];
  await readHistory(server, nodes.map((node) => ({ node, from_us: 10e6 })), {
    to_us: 1e12,
    take: (pieces) => {
      for (const { point: { node }, values } of pieces) {
        const own = found.get(node) ?? [];
        found.set(node, [...own, ...values.map(({ value }) => value!.value as number)]);
      }
      return Promise.resolve();
    },
    refused: ({ node }, reason) => refused.push(`${node}: ${reason}`),
  });
  return { found, refused };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

Deno.test("history is read in pieces, to its end, for some points at once", async () => {
  const server = historian({ seconds: 2_500 });
  const nodes = Array.from({ length: 25 }, (_, i) => `n${i}`);
  const { found } = await taken(server, nodes);
  for (const node of nodes) assert.deepEqual(found.get(node), range(10, 2_500));
  assert.ok(server.asked.every((it) => it.nodes.length <= source_limits.history_nodes));
  assert.equal(server.asked.length, 6);
});

Deno.test("history goes on behind a full piece, whatever the server says", async () => {
  const server = historian({ seconds: 2_500, has_more: false });
  const { found } = await taken(server, ["a", "b"]);
  assert.deepEqual([...new Set(found.get("b"))], range(10, 2_500));
});

Deno.test("a point whose history fails does not hide those of the others", async () => {
  const { found, refused } = await taken(historian({ seconds: 50, broken: ["b"] }), [
    "a",
    "b",
    "c",
  ]);
  assert.deepEqual([found.get("a"), found.get("c")], [range(10, 50), range(10, 50)]);
  assert.deepEqual(refused, ["b: the server fails to read it"]);
});

const entry = opcua.form.parse({
  ...{ key: "s", kind: "opcua", endpoint: "opc.tcp://scada:4841/x" },
  points: [{ tag: "a", node: "ns=2;s=A" }],
});

/** Keeps what comes in `rows`; a value of the tag a is stored already. */
function toolsOf(
  { effects, state, rows, stored_us }: Pick<SourceTools, "effects" | "state"> & {
    readonly rows: SourceRow[];
    readonly stored_us?: number;
  },
): SourceTools {
  const keep = (some: readonly SourceRow[]) => Promise.resolve(void rows.push(...some));
  return {
    ...{ effects, state, emit: keep, store: keep, alarms: no_alarms, certificates: "" },
    vet: () => Promise.resolve([]),
    newest: () => Promise.resolve(undefined),
    lastValues: () =>
      Promise.resolve(
        new Map(
          stored_us === undefined
            ? []
            : [["a", { ts_us: stored_us, received_us: stored_us }] as const],
        ),
      ),
    secret: () => Promise.reject(new Error("none")),
  };
}

const good = () => Promise.resolve("Good");
const first = (value: ServerValue) => ({ handle: 0, value });

/** What a server in a test's hand is. */
type ServerWish = {
  stored_us?: number;
  access?: number;
  alive_ms?: number;
  history?: OpcuaSession["history"];
};

const settle = async () => {
  for (let i = 0; i < 50; i++) await Promise.resolve();
};

/** A server in a test's hand, which a link reads by a clock in the test's hand. */
function fakeServer({ stored_us, access = 1, alive_ms = 5_000, history }: ServerWish = {}) {
  const { effects, clock } = fakeEffects();
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  const rows: SourceRow[] = [];
  let waiting: PromiseWithResolvers<Publication> | undefined;
  const sessions: { closed: boolean }[] = [];
  const session = (): OpcuaSession => {
    const own = { closed: false };
    sessions.push(own);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => {});
    return {
      namespaces: ["", "", "http://x"],
      read: (nodes, attribute) =>
        Promise.resolve(nodes.map(() => valueOf(attribute === "access" ? access : 0, now_us))),
      watch: (items) => Promise.resolve({ statuses: items.map(() => "Good"), alive_ms }),
      ...{ watchConditions: good, refreshConditions: good, write: good },
      next() {
        waiting = Promise.withResolvers();
        return Promise.race([waiting.promise, ended]);
      },
      history: history ?? historian({ seconds: 0 }).history,
      browse: () => Promise.resolve([]),
      close() {
        own.closed = true;
        reject(new SourceFault({ kind: "refused", message: "closed" }));
      },
    };
  };
  const tools = toolsOf({ effects, state, rows, stored_us });
  const open = (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
    const made = session();
    signal.addEventListener("abort", () => made.close());
    return Promise.resolve(made);
  };
  const link = new ServerLink(entry, { tools, open });
  const stop = new AbortController();
  const running = keepRunning(link, tools, stop.signal);
  return {
    ...{ state, rows, sessions, clock, settled: settle },
    async send(sequence: number, ...values: ServerValue[]) {
      await settle();
      waiting!.resolve({ sequence, events: [], values: values.map(first) });
      await settle();
    },
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 1000) {
        clock.advance(1000);
        await settle();
      }
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}

Deno.test("a server that is silent for too long gets a wholly new client", async () => {
  const server = fakeServer();
  await server.send(1, valueOf(5, now_us));
  for (let i = 0; i < 4; i++) {
    await server.pass(20_000);
    await server.send(2);
  }
  assert.equal(server.sessions.length, 1);
  assert.deepEqual(server.rows.map(({ value }) => value), [5]);
  await server.pass(60_000);
  assert.ok(server.sessions[0].closed);
  assert.equal(server.sessions.length, 2);
  assert.match(server.state.last_error!.message, /nothing came for \d+ s: connecting again/);
  await server.close();
});

Deno.test("a server that says less often that it is there is given that time", async () => {
  const server = fakeServer({ alive_ms: 60_000 });
  await server.send(1, valueOf(5, now_us));
  for (let i = 0; i < 3; i++) {
    await server.pass(60_000);
    await server.send(2);
  }
  assert.equal(server.sessions.length, 1);
  assert.match(server.state.notes.join(), /only every 60 s that it is there/);
  await server.pass(180_000);
  assert.equal(server.sessions.length, 2);
  await server.close();
});

Deno.test("what a server's history gets late is read a while later, once", async () => {
  const late: ServerValue[] = [];
  const history: OpcuaSession["history"] = ({ nodes }) =>
    Promise.resolve(nodes.map(() => ({ is_refused: false, status: "Good", values: [...late] })));
  const server = fakeServer({ stored_us: now_us - 60e6, access: 5, history });
  const values = () => server.rows.map(({ value }) => value);
  await server.send(1, valueOf(5, now_us));
  late.push(valueOf(4, now_us - 1e6));
  await server.pass(10_000);
  await server.send(2, valueOf(6, now_us + 10e6));
  assert.deepEqual(values(), [5, 6]);
  await server.pass(6_000);
  await server.send(3, valueOf(7, now_us + 16e6));
  assert.deepEqual(values(), [5, 6, 7, 4]);
  await server.pass(20_000);
  await server.send(4, valueOf(8, now_us + 36e6));
  assert.deepEqual(values(), [5, 6, 7, 4, 8]);
  await server.close();
});

Deno.test("times that were set back hide nothing that comes after them", async () => {
  const ago_us = now_us - 3_600e6;
  // It keeps values by their time, the newest of which is an older one.
  const kept = [valueOf(1, ago_us + 1e6), valueOf(0, now_us)];
  const history: OpcuaSession["history"] = ({ nodes, from_us }) => {
    const values = kept.filter((it) => serverInstant(it)! >= from_us);
    return Promise.resolve(nodes.map(() => ({ is_refused: false, status: "Good", values })));
  };
  const server = fakeServer({ stored_us: ago_us, access: 5, history });
  await server.send(1, valueOf(4, ago_us + 4e6));
  kept.splice(1, 0, valueOf(3, ago_us + 3e6));
  await server.pass(16_000);
  await server.send(2, valueOf(5, ago_us + 20e6));
  assert.ok(server.rows.some(({ value }) => value === 3));
  // After a message that is missing, too.
  kept.splice(2, 0, valueOf(6, ago_us + 21e6));
  await server.send(4, valueOf(7, ago_us + 22e6));
  assert.ok(server.rows.some(({ value }) => value === 6));
  await server.close();
});

Deno.test("without history a newer value than the stored one shows what is lost", async () => {
  const server = fakeServer({ stored_us: now_us - 60e6 });
  await server.send(1, valueOf(5, now_us));
  assert.deepEqual(server.state.gaps.map(({ from_us, to_us }) => [from_us, to_us]), [
    [now_us - 60e6, now_us],
  ]);
  await server.send(2, valueOf(6, now_us + 1e6));
  assert.equal(server.state.gaps.length, 1);
  // A message is missing: its number was left out.
  await server.send(4, valueOf(9, now_us + 9e6));
  assert.deepEqual(server.state.gaps.slice(1).map(({ from_us, to_us }) => [from_us, to_us]), [
    [now_us + 1e6, now_us + 9e6],
  ]);
  await server.close();
});

Deno.test("a value that is as it was stored shows that nothing is lost", async () => {
  const server = fakeServer({ stored_us: now_us - 60e6 });
  await server.send(1, valueOf(5, now_us - 60e6));
  await server.send(2, valueOf(6, now_us));
  assert.deepEqual(server.state.gaps, []);
  await server.close();
});

Deno.test("the page about OPC UA shows a source that a site takes", () => {
  const shown = readSource("docs/opcua.md").text.matchAll(/```toml\n(\[\[sources\]\][^`]*)```/g)
    .map(([, text]) => opcua.form.parse((parse(text).sources as object[])[0])).toArray();
  assert.deepEqual(shown.flatMap(opcua.flawsOf), []);
  assert.equal(shown[0].points[2].element, 6);
  assert.equal(shown[1].alarms?.devices.length, 1);
});

Deno.test("what a source lacks is told at its place", () => {
  const paths = (more: object) =>
    opcua.flawsOf(opcua.form.parse({ ...entry, ...more })).map(({ path }) => path);
  assert.deepEqual(paths({ user: "ann" }), ["password_file"]);
  assert.deepEqual(paths({ key_file: "k" }), ["cert_file"]);
  assert.deepEqual(paths({ user: "a", password_file: "p", cert_file: "c", key_file: "k" }), [
    "cert_file",
  ]);
  assert.deepEqual(paths({ points: [{ tag: "{device}.p", node: "i=1", scale: 0 }] }), [
    ...["points[0].scale", "points[0].device"],
  ]);
  assert.deepEqual(paths({ points: [] }), ["points"]);
  assert.deepEqual(paths({ points: [], alarms: {} }), []);
  for (const endpoint of ["10.0.0.1:4840", "opc.tcp://", "opc.tcp://a:b", "http://a"]) {
    assert.ok(!opcua.form.safeParse({ ...entry, endpoint }).success, endpoint);
  }
  for (const node of ["INV1.P", "ns=x;s=A", "i=a", "ns=2;"]) {
    assert.ok(!opcua.form.safeParse({ ...entry, points: [{ tag: "t", node }] }).success, node);
  }
});
