// What operators ask of a fleet: of all shards at once, or of one of them.
import { deepEqual, equal, match } from "node:assert/strict";
import type { FleetNode } from "../../../src/engine/fleet/node.ts";
import { Gathering } from "../../../src/http/fleet/gathering.ts";
import { onItsWay } from "../../../src/http/fleet/guard.ts";
import type { OperatorNoun } from "../../../src/http/fleet/meaning.ts";
import { Operating } from "../../../src/http/fleet/operating.ts";
import type { Passage, Passed } from "../../../src/http/fleet/passage.ts";
import { fakeEffects } from "../../help/effects.ts";

/** What a shard answers to a method with a path and its query. */
type Shard = (asked: string, body: string) => unknown;

/** A fleet of a home and two shards that answer so; undefined is not found, "away" is away. */
function operatingOf(shard: (no: number) => Shard) {
  const asked: string[] = [];
  const send = async (no: number, { request, body }: Passed) => {
    const { pathname, search } = new URL(request.url);
    const what = `${request.method} ${pathname}${search}`;
    if (pathname === "/admin/v1/organizations") return Response.json({});
    asked.push(`${no} ${what}`);
    const said = shard(no)(what, await new Response(body).text());
    if (said === "away") throw onItsWay();
    return Response.json(said ?? {}, { status: said === undefined ? 404 : 200 });
  };
  const passage = { send } as unknown as Passage;
  const shards = [0, 1, 2, 3].map((no) => ({ no, is_used: no < 3 }));
  const gathering = new Gathering({ shards } as unknown as FleetNode, passage);
  const operating = new Operating(gathering, passage, fakeEffects().effects);
  return {
    asked,
    async ask(noun: OperatorNoun, what: string, body: BodyInit | null = null) {
      const [method, path] = what.split(" ");
      const request = new Request(`http://node${path}`, { method, body });
      const answer = await operating.answer(noun, { request, peer: null });
      return { status: answer.status, said: await answer.json() };
    },
  };
}

Deno.test("deliveries of all shards are one list, and each is found by its id again", async () => {
  const deliveries = [
    [{ id: "1", created_at: "2026-06-01T12:00:03Z" }],
    [
      { id: "9", created_at: "2026-06-01T12:00:04Z" },
      { id: "8", created_at: "2026-06-01T12:00:01Z" },
    ],
    [{ id: "1", created_at: "2026-06-01T12:00:02Z" }],
  ];
  const { ask, asked } = operatingOf((no) => (what) => {
    if (what.startsWith("GET /admin/v1/deliveries?")) return { deliveries: deliveries[no] };
    return what === "GET /admin/v1/deliveries/8" && no === 1 ? deliveries[1][1] : undefined;
  });
  const idsOf = async (query: string) => {
    const { said } = await ask("deliveries", `GET /admin/v1/deliveries${query}`);
    return said.deliveries.map(({ id }: { id: string }) => id);
  };
  deepEqual(await idsOf(""), ["1-9", "0-1", "2-1", "1-8"]);
  match(asked[0], /offset=0&limit=100$/);
  deepEqual(await idsOf("?limit=2&offset=1"), ["0-1", "2-1"]);
  match(asked.at(-1)!, /limit=3&offset=0$/);
  deepEqual(await idsOf("?shard=1"), ["1-9", "1-8"]);
  equal((await ask("deliveries", "GET /admin/v1/deliveries/1-8")).said.id, "1-8");
  for (const id of ["0-8", "7-8", "8"]) {
    equal((await ask("deliveries", `GET /admin/v1/deliveries/${id}`)).status, 404, id);
  }
  for (const query of ["limit=-1", "limit=1e2", "limit=", "offset=1&offset=2"]) {
    asked.length = 0;
    await ask("deliveries", `GET /admin/v1/deliveries?${query}`);
    deepEqual(asked, [`0 GET /admin/v1/deliveries?${query}`], "the home says what is wrong");
  }
});

Deno.test("an event is sent again from the shard that knows it", async () => {
  const { ask } = operatingOf((no) => (_, body) =>
    no === 2 && body === "{}" ? { events: 1, deliveries: 3 } : undefined
  );
  const replay = "POST /admin/v1/deliveries/replay";
  deepEqual((await ask("deliveries", replay, "{}")).said, { events: 1, deliveries: 3 });
  const { ask: askNone } = operatingOf(() => () => undefined);
  equal((await askNone("deliveries", replay, "{}")).status, 404);
});

Deno.test("backups are listed with their shard, made in all or one, and removed", async () => {
  const done = (time: string) => ({ name: `asked-20260601T${time}Z.tar`, state: "done" });
  let is_running = false;
  const { ask, asked } = operatingOf((no) => (what) => {
    if (what === "POST /admin/v1/backups") return { name: `asked-20260601T13000${no}Z.tar` };
    if (what.startsWith("DELETE")) return done("120001");
    const running = { name: "asked-20260601T120009Z.tar", state: "running" };
    return { backups: [done(`12000${3 - no}`), ...(is_running && no === 1 ? [running] : [])] };
  });
  const list = await ask("backups", "GET /admin/v1/backups");
  const names = list.said.backups.map(({ name }: { name: string }) => name);
  deepEqual(names.map((it: string) => it.slice(0, 9)), ["shard-002", "shard-001", "shard-000"]);
  const made = await ask("backups", "POST /admin/v1/backups");
  equal(made.said.name, "shard-000-asked-20260601T130000Z.tar");
  equal(asked.filter((it) => it.includes("POST")).length, 3);
  equal(
    (await ask("backups", "POST /admin/v1/backups?shard=2")).said.name.slice(0, 9),
    "shard-002",
  );
  equal(asked.filter((it) => it.includes("POST")).length, 4);
  is_running = true;
  const refused = await ask("backups", "POST /admin/v1/backups").catch((error) => error);
  match(refused.message, /is being made: shard-001-asked/);
  const removed = await ask("backups", `DELETE /admin/v1/backups/${names[0]}`);
  equal(removed.said.name.slice(0, 9), "shard-002");
  equal(asked.at(-1), "2 DELETE /admin/v1/backups/asked-20260601T120001Z.tar");
  for (const name of ["x%5C..%5C..%5Ctokens%5Cid", "..%2f..%2ftokens%2fid", ".."]) {
    await ask("backups", `DELETE /admin/v1/backups/shard-002-${name}`);
    equal(asked.at(-1), `0 DELETE /admin/v1/backups/shard-002-${name}`, "a path is no name");
  }
});

Deno.test("what lies in one shard is asked of the one that is named", async () => {
  const { ask, asked } = operatingOf((no) => () => ({ no }));
  for (const what of ["POST /admin/v1/query", "POST /admin/v1/query?shard=3"]) {
    const refused = await ask("query", what).catch((error) => error);
    match(refused.message, /0, 1, 2/, what);
  }
  deepEqual((await ask("query", "POST /admin/v1/query?shard=2")).said, { no: 2 });
  deepEqual(asked, ["2 POST /admin/v1/query"]);
});

Deno.test("the state of a fleet says which shard is away, and adds up what is a sum", async () => {
  const metrics = (no: number) => ({
    ...{ stored_rows: { samples: 10 ** no }, disk_free_bytes: { "": 5 - no } },
    backup_time_seconds: no === 1 ? {} : { "": no },
  });
  const state = (no: number) => (
    { version: "1", not_ready: null, memory_mb: 100, broken_files: ["f"], metrics: metrics(no) }
  );
  const { ask, asked } = operatingOf((no) => () => no === 2 ? "away" : state(no));
  const { status, said } = await ask("status", "GET /admin/v1/status");
  equal(status, 200);
  deepEqual(said, {
    ...{ version: "1", not_ready: "shard 2 does not answer", memory_mb: 200 },
    broken_files: ["shard 0: f", "shard 1: f"],
    metrics: {
      ...{ stored_rows: { samples: 11 }, disk_free_bytes: { "": 4 }, backup_time_seconds: {} },
    },
  });
  asked.length = 0;
  await ask("status", "DELETE /admin/v1/status");
  deepEqual(asked, ["0 DELETE /admin/v1/status"], "which says that there is none");
});
