// A shard whose process ends at once: it is not started without a pause, all are told why, and
// another node tries it once.
import { deepEqual, equal } from "node:assert/strict";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import { home_shard } from "../../../src/model/fleet/shard.ts";
import { skip } from "../../help/lake.ts";
import { startPostgres } from "../../help/postgres.ts";
import { dyingShard, inTurns, makeFleet, nodeOf } from "./node_help.ts";
import { aTurn } from "../../help/until.ts";

Deno.test("a shard that does not start waits, says why, and is tried at each node", async () => {
  const folder = await Deno.makeTempDir({ dir: "/tmp" });
  await using server = await startPostgres(`${folder}/postgres`);
  if (server === undefined) return skip("there is no PostgreSQL, or no root to start it");
  const data_dir = `${folder}/volume`;
  const place = await makeFleet(server.place, { data_dir, shards: 2 });
  const is_broken = { here: true, there: true };
  const dying = (where: keyof typeof is_broken) => () =>
    is_broken[where] ? dyingShard(`the disk ${where} is full`) : undefined;
  const a = nodeOf("a", { place, data_dir, startShard: dying("here") });
  const rowAt = ({ node }: typeof a) => node.shards[home_shard];
  await a.until(() => rowAt(a)?.why === "the disk here is full");
  for (let turns = 0; turns < 50; turns++) {
    await a.node.refresh();
    await aTurn();
  }
  equal(a.state.started, 1, "it waits");
  equal(a.node.isAway(home_shard), true);
  a.clock.advance(fleet_limits.restart_ms);
  await a.until(() => a.state.started === 2);
  deepEqual(rowAt(a).tried, [], "it goes on here for a while");

  a.clock.advance(fleet_limits.stuck_ms);
  await a.until(() => rowAt(a).tried.join() === "a");
  equal(rowAt(a).node, "a", "where nobody else is, it stays");
  const b = nodeOf("b", { place, data_dir, startShard: dying("there") });
  await inTurns([a, b], () => b.state.started === 1);
  b.clock.advance(fleet_limits.stuck_ms);
  await inTurns([a, b], () => rowAt(b).tried.join() === "a,b");
  const { epoch } = rowAt(b);
  const started = a.state.started;
  for (let turns = 0; turns < 20; turns++) {
    for (const { node, clock } of [a, b]) {
      clock.advance(fleet_limits.again_ms);
      await node.refresh();
    }
  }
  deepEqual([rowAt(b).node, rowAt(b).epoch, a.state.started], ["b", epoch, started], "it rests");

  is_broken.there = false;
  b.clock.advance(fleet_limits.restart_most_ms);
  await inTurns([a, b], () => b.node.wayTo(home_shard).kind === "here");
  equal(rowAt(b).why, "the disk there is full", "it may end as the one before");
  b.clock.advance(fleet_limits.steady_ms / 2);
  await b.node.refresh();
  b.clock.advance(fleet_limits.steady_ms / 2);
  await inTurns([a, b], () => rowAt(a).why === null);
  equal(rowAt(a).tried.join(), "a,b", "for an hour it goes to nobody who tried in vain");
  b.clock.advance(fleet_limits.forget_ms);
  await inTurns([a, b], () => rowAt(a).tried.length === 0);
  for (const it of [a, b]) await it.end();
});
