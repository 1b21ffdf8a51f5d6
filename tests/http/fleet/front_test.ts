// What the front of a node asks the processes of shards and other nodes, and what it tells them.
import { deepEqual, equal } from "node:assert/strict";
import type { Holding } from "../../../src/engine/fleet/holding.ts";
import type { FleetNode, ShardWay } from "../../../src/engine/fleet/node.ts";
import { Front } from "../../../src/http/fleet/front.ts";
import { packedAside } from "../../../src/http/fleet/guard.ts";
import type { Settings } from "../../../src/model/setting.ts";
import type { FleetCatalog } from "../../../src/store/fleet/fleet_catalog.ts";
import { fakeEffects } from "../../help/effects.ts";

type Node = {
  readonly wayTo: (no: number) => ShardWay;
  readonly shardsOf?: (name: string) => readonly number[];
  /** Answers what the node asks. */
  readonly request: (asked: Request) => Promise<Response>;
  readonly settings?: Partial<Settings>;
};

/** The front of a node that holds the shards 1 and 2. */
function frontOf({ wayTo, shardsOf = () => [], request, settings }: Node): Front {
  const { effects, clock } = fakeEffects();
  const node = {
    ...{ wayTo, name: "a", catalogue_ms: 0, held: [1, 2] },
    directory: { shardsOf: (_: string, name: string) => shardsOf(name) },
    isAway: () => false,
    changed: (wait_ms: number) => Promise.resolve(clock.advance(wait_ms)),
  };
  return new Front({
    node: node as unknown as FleetNode,
    catalog: {} as FleetCatalog,
    effects: { ...effects, request },
    settings: {
      ...{ fleet_secret: "0123456789abcdef", trusted_proxies: "none", metrics: "open" },
      ...{ public_url: "none", tls_cert: "none", cors_origins: "none" },
      ...settings,
    },
    ...{ version: "1", log: { error: () => {} } },
  });
}

/** The way to a shard of this node, at the port 1000 + `no`; `begin` hears of each request. */
function here(no: number, begin = () => () => {}): ShardWay {
  return { kind: "here", holding: { left_ms: 1, begin } as unknown as Holding, port: 1000 + no };
}

/** The client's address that a shard is told, of a request with such a header. */
async function toldOf(forwarded: string | undefined, trusted_proxies: string) {
  const told: (string | null)[] = [];
  const front = frontOf({
    wayTo: (no) => here(no),
    request: ({ headers }) => {
      told.push(headers.get("x-forwarded-for"));
      return Promise.resolve(new Response("[]"));
    },
    settings: { trusted_proxies },
  });
  const headers: HeadersInit = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const remoteAddr = { transport: "tcp" as const, hostname: "10.0.0.2", port: 1 };
  const request = new Request("http://node/admin/v1/tokens", { headers });
  const answer = await front.fetch(request, { remoteAddr });
  equal(answer.status, 200, await answer.text());
  return told.join();
}

Deno.test("a shard is told the one address of a client that the node believes", async () => {
  equal(await toldOf(undefined, "none"), "10.0.0.2");
  equal(await toldOf("127.0.0.1", "none"), "10.0.0.2", "anybody can say that");
  equal(await toldOf("127.0.0.1, 203.0.113.9", "10.0.0.0/8"), "203.0.113.9");
  equal(await toldOf("nonsense", "10.0.0.0/8"), "unknown", "which is not this machine");
});

Deno.test("what no node believes does not go round for ever", async () => {
  let rounds = 0;
  const watch = { gone: new AbortController().signal, end: () => {} };
  const fronts: Front[] = ["the secret of one", "another one's secret"].map((fleet_secret, i) =>
    frontOf({
      settings: { fleet_secret },
      wayTo: () => ({ kind: "there", address: `http://${i}`, ...watch }),
      request: (asked) => {
        if (++rounds > 9) throw new Error("it goes round");
        return fronts[1 - i].fetch(asked);
      },
    })
  );
  const answer = await fronts[0].fetch(new Request("http://node/admin/v1/tokens"));
  deepEqual([answer.status, rounds], [503, 2]);
});

/** A front whose second shard answers so, and how many requests run in its shards. */
function frontOfTwo(second: () => Promise<Response>) {
  const open = { count: 0 };
  const begin = () => {
    open.count++;
    return () => void open.count--;
  };
  const front = frontOf({
    wayTo: (no) => here(no, begin),
    request: ({ url }) =>
      new URL(url).port === "1001" ? Promise.resolve(new Response("up 1\n")) : second(),
  });
  return { open, front };
}

Deno.test("where one of several shards is away, nothing of the others stays open", async () => {
  const { open, front } = frontOfTwo(() => Promise.reject(new Error("refused")));
  const answer = await front.fetch(new Request("http://node/metrics"));
  deepEqual([answer.status, answer.headers.get("retry-after"), open.count], [503, "2", 0]);
});

Deno.test("an answer that one of several shards breaks off is none", async () => {
  const { open, front } = frontOfTwo(() => {
    const body = ReadableStream.from((async function* () {
      yield new TextEncoder().encode("up ");
      throw new Error("it is another node's");
    })());
    return Promise.resolve(new Response(body));
  });
  const answer = await front.fetch(new Request("http://node/metrics"));
  deepEqual([answer.status, open.count], [503, 0]);
});

Deno.test("a key of several projects is that of whose token is in the address, too", async () => {
  const asked: (readonly [port: string, path: string, token: string | null])[] = [];
  const front = frontOf({
    wayTo: (no) => here(no),
    shardsOf: (name) => name === "k" ? [1, 2] : name === "id" ? [2] : [],
    request: ({ url, headers }) => {
      const { port, pathname } = new URL(url);
      asked.push([port, pathname, headers.get("authorization")]);
      const projects = [{ project_id: "id", key: "k" }];
      const may = pathname !== "/platform/v1/meta/projects";
      return Promise.resolve(may ? Response.json({ projects }) : new Response("", { status: 403 }));
    },
  });
  await front.fetch(new Request("http://node/write?db=k&u=any&p=wk_t", { method: "POST" }));
  deepEqual(asked, [
    ["1000", "/platform/v1/meta/projects", "Bearer wk_t"],
    ["1000", "/ingest/v1/projects", "Bearer wk_t"],
    ["1002", "/write", null],
  ]);
});

Deno.test("nothing long is read for who may not send it", async () => {
  const front = frontOf({
    wayTo: (no) => here(no),
    request: () => Promise.resolve(new Response(null, { status: 401 })),
  });
  let pulls = 0;
  const body = new ReadableStream({ pull: () => void pulls++ }, { highWaterMark: 0 });
  const request = new Request("http://node/admin/v1/gateways/sites", { method: "POST", body });
  deepEqual([(await front.fetch(request)).status, pulls], [401, 0]);
});

Deno.test("what the runtime has unpacked on the way does not say that it is packed", async () => {
  const packed = new Response("rows").body!.pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(packed).bytes();
  const headers = { "content-encoding": "gzip", "content-type": "text/csv" };
  const shard = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(bytes, { headers }),
  );
  const front = frontOf({
    wayTo: (no) => ({ ...here(no), port: shard.addr.port } as ShardWay),
    request: (asked) => fetch(asked),
  });
  const asked = { "accept-encoding": "gzip" };
  const answer = await front.fetch(new Request("http://node/admin/v1/tokens", { headers: asked }));
  const said = ["content-encoding", "content-length"].map((name) => answer.headers.get(name));
  deepEqual([...said, await answer.text()], [null, null, "rows"]);
  await shard.shutdown();
});

Deno.test("an answer comes as its shard has packed it, over two connections", async () => {
  const packed = new Response("rows ".repeat(99)).body!.pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(packed).bytes();
  const heard: (string | null)[] = [];
  const shard = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    heard.push(request.headers.get("accept-encoding"));
    const headers = { "content-encoding": "gzip", "content-type": "text/csv" };
    return packedAside(() => Promise.resolve(new Response(bytes, { headers })))(request);
  });
  const front = frontOf({
    wayTo: (no) => ({ ...here(no), port: shard.addr.port } as ShardWay),
    request: (asked) => fetch(asked),
  });
  const ask = (headers: HeadersInit) =>
    front.fetch(new Request("http://node/admin/v1/tokens", { headers }));
  const answer = await ask({ "accept-encoding": "zstd, gzip" });
  equal(answer.headers.get("content-encoding"), "gzip");
  equal(answer.headers.has("x-fleet-packing"), false);
  deepEqual(await answer.bytes(), bytes);
  await (await ask({})).body?.cancel();
  deepEqual(heard, ["zstd, gzip", "identity"]);
  await shard.shutdown();
});

Deno.test("what a node answers itself has the headers of any answer", async () => {
  const site = "https://plant.example";
  const front = frontOf({
    wayTo: () => ({ kind: "coming" }),
    request: () => Promise.reject(new Error("nobody is asked")),
    settings: { cors_origins: site },
  });
  for (const [path, status] of [["/healthz", 200], ["/admin/v1/tokens", 503]] as const) {
    const answer = await front.fetch(
      new Request(`http://node${path}`, { headers: { origin: site } }),
    );
    equal(answer.status, status);
    equal(answer.headers.get("access-control-allow-origin"), site);
    equal(answer.headers.get("cache-control"), "no-store");
  }
  const wrong = await front.fetch(new Request("http://node/healthz", { headers: { host: "a b" } }));
  equal(wrong.status, 400);
});

Deno.test("a method that can't be passed on is said to be none", async () => {
  const front = frontOf({
    wayTo: (no) => here(no),
    request: () => Promise.reject(new Error("nobody is asked")),
  });
  for (const path of ["/platform/v1/meta/projects", "/admin/v1/status"]) {
    const request = new Request(`http://node${path}`);
    // A server is asked so, and no client here can.
    Object.defineProperty(request, "method", { value: "TRACE" });
    equal((await front.fetch(request)).status, 501, path);
  }
});

Deno.test("a body that breaks off is no failure of the node", async () => {
  const front = frontOf({
    wayTo: (no) => here(no),
    request: () => Promise.reject(new Error("nobody is asked")),
  });
  const body = new ReadableStream({ pull: (it) => it.error(new Error("the client is gone")) });
  const request = new Request("http://node/platform/v1/query", { method: "POST", body });
  equal((await front.fetch(request)).status, 400);
});
