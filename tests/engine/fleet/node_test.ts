// A node: what it holds, when it is certain, what it loses, and what it never opens.
import { deepEqual, equal } from "node:assert/strict";
import postgres from "postgres";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import { home_shard } from "../../../src/model/fleet/shard.ts";
import { skip } from "../../help/lake.ts";
import { startPostgres } from "../../help/postgres.ts";
import { inTurns, makeFleet, nodeOf } from "./node_help.ts";

Deno.test("a node holds what it is certain of, and nothing that another took", async () => {
  const folder = await Deno.makeTempDir({ dir: "/tmp" });
  await using server = await startPostgres(`${folder}/postgres`);
  if (server === undefined) return skip("there is no PostgreSQL, or no root to start it");
  const data_dir = `${folder}/volume`;
  const place = await makeFleet(server.place, { data_dir, shards: 2 });
  const a = nodeOf("a", { place, data_dir });
  const kindAt = ({ node }: typeof a) => node.wayTo(home_shard).kind;
  await a.until(() => kindAt(a) === "here");
  equal(a.state.started, 1, "a shard without anything needs no process");
  equal(a.node.held_count, 2);

  a.clock.advance(fleet_limits.lease_ms - fleet_limits.margin_ms);
  equal(kindAt(a), "coming", "it is not certain any more");
  await a.until(() => kindAt(a) === "here");

  const b = nodeOf("b", { place, data_dir });
  await b.until(() => kindAt(b) === "there");
  const elsewhere = nodeOf("c", { place, data_dir: `${folder}/elsewhere` });
  await elsewhere.until(() => kindAt(elsewhere) === "there");

  const { host, user: username, database } = place;
  const sql = postgres({ host, username, database, max: 1, onnotice: () => {} });
  /** Ends the lease by the catalogue's clock, and lets a node see no sign of it for as long. */
  const endLease = async ({ clock, until, node }: typeof a) => {
    await sql`UPDATE wattkeeper_fleet.shard SET until = now() - interval '1 s' WHERE no = 0`;
    await node.refresh();
    for (let waited_ms = 0; waited_ms < fleet_limits.lease_ms; waited_ms += fleet_limits.beat_ms) {
      clock.advance(fleet_limits.beat_ms);
      await node.refresh();
    }
    await until(() => true);
  };
  await endLease(b);
  await b.until(() => kindAt(b) === "here");
  equal(a.state.ended, 0);
  await a.until(() => kindAt(a) === "there");
  equal(a.state.ended > 0, true, "what it lost is killed");

  // A node whose folder lacks the data gives the shard back, and begins none anew.
  await sql`UPDATE wattkeeper_fleet.shard SET wanted = 'c' WHERE no = 0`;
  await b.until(() => kindAt(b) !== "here");
  await elsewhere.until(() => (elsewhere.node.shards[home_shard]?.epoch ?? 0) > 2);
  await sql`UPDATE wattkeeper_fleet.shard SET wanted = NULL`;
  b.clock.advance(fleet_limits.again_ms);
  await b.until(() => kindAt(b) === "here");
  equal(elsewhere.state.started, 0);
  await sql.end();
  await b.node.close();
  await a.until(() => kindAt(a) === "here");

  for (const it of [a, b, elsewhere]) await it.end();
});

Deno.test("nodes share evenly; an older one takes nothing that a newer one opened", async () => {
  const folder = await Deno.makeTempDir({ dir: "/tmp" });
  await using server = await startPostgres(`${folder}/postgres`);
  if (server === undefined) return skip("there is no PostgreSQL, or no root to start it");
  const data_dir = `${folder}/volume`;
  const place = await makeFleet(server.place, { data_dir, shards: 5 });
  const a = nodeOf("a", { place, data_dir, data_version: 2 });
  await a.until(() => a.node.wayTo(home_shard).kind === "here");
  equal(a.node.held_count, 5);
  const older = nodeOf("b", { place, data_dir, data_version: 1 });
  await inTurns([a, older], () => a.node.held_count === 3 && older.node.held_count === 2);
  const c = nodeOf("c", { place, data_dir, data_version: 1 });
  await inTurns([a, older, c], () => a.node.held_count === 2 && c.node.held_count === 1);
  await a.node.close();
  await inTurns([older, c], () => older.node.held_count + c.node.held_count === 4);
  const { node, data_version } = c.node.shards[home_shard];
  deepEqual([node, data_version, older.state.started + c.state.started], [null, 2, 0]);
  for (const it of [a, older, c]) await it.end();
});
