// A node: what it holds, when it is certain, what it loses, and what it never opens.
import { equal } from "node:assert/strict";
import postgres from "postgres";
import { giveWay, systemEffects } from "../../../src/base/effects.ts";
import type { Message, OtherSelf } from "../../../src/base/effects_self.ts";
import { silent_log } from "../../../src/engine/core/log.ts";
import { FleetNode } from "../../../src/engine/fleet/node.ts";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import { type CatalogPlace, catalogPlace } from "../../../src/model/fleet/place.ts";
import { home_shard, shardName } from "../../../src/model/fleet/shard.ts";
import { type Settings, settings_table } from "../../../src/model/setting.ts";
import { FleetCatalog } from "../../../src/store/fleet/fleet_catalog.ts";
import { fakeEffects } from "../../help/effects.ts";
import { skip } from "../../help/lake.ts";
import { startPostgres } from "../../help/postgres.ts";

const defaults = Object.fromEntries(
  Object.entries(settings_table).map(([name, setting]) => [
    name,
    "default" in setting ? setting.default : 256,
  ]),
) as Settings;

/** A process of a shard that answers at once, and tells when it was killed. */
function fakeShard(killed: () => void): OtherSelf {
  const said: Message[] = [{ json: { port: 1234 } }];
  const over = Promise.withResolvers<undefined>();
  return {
    send: ({ ...message }) => {
      if ("json" in message && "stop" in Object(message.json)) over.resolve(undefined);
      return Promise.resolve();
    },
    receive: () => said.length > 0 ? Promise.resolve(said.shift()) : over.promise,
    end() {
      over.resolve(undefined);
      killed();
      return Promise.resolve(0);
    },
  };
}

/** A node with a clock of its own, on a folder that others may share. */
function nodeOf(name: string, { place, data_dir }: { place: CatalogPlace; data_dir: string }) {
  const { effects, clock } = fakeEffects();
  const state = { started: 0, ended: 0 };
  const catalog = new FleetCatalog(place, { effects: systemEffects() });
  const node = new FleetNode({
    settings: { ...defaults, data_dir, fleet_node: name, fleet_fence: "process" },
    effects: {
      ...effects,
      random: (count) => crypto.getRandomValues(new Uint8Array(count)),
      startSelf: () => {
        state.started++;
        return fakeShard(() => state.ended++);
      },
    },
    ...{ log: silent_log, version: "1", catalog, address: `http://${name}` },
  });
  const stop = new AbortController();
  const running = node.loop.run(stop.signal);
  return {
    ...{ node, clock, state, catalog },
    /** Looks, and waits until `isSo`. */
    async until(isSo: () => boolean): Promise<void> {
      for (let turns = 0; turns < 50 && !isSo(); turns++) {
        await node.refresh();
        await giveWay();
      }
      equal(isSo(), true, String(isSo));
    },
    async end(): Promise<void> {
      stop.abort();
      await running;
      await catalog.close();
    },
  };
}

Deno.test("a node holds what it is certain of, and nothing that another took", async () => {
  const folder = await Deno.makeTempDir({ dir: "/tmp" });
  await using server = await startPostgres(`${folder}/postgres`);
  if (server === undefined) return skip("there is no PostgreSQL, or no root to start it");
  const place = catalogPlace(`postgres:${server.place}`)!;
  const data_dir = `${folder}/volume`;
  // What a shard leaves in its folder.
  await Deno.mkdir(`${data_dir}/${shardName(home_shard)}`, { recursive: true });
  await Deno.writeTextFile(`${data_dir}/${shardName(home_shard)}/wattkeeper.duckdb`, "");
  const catalog = new FleetCatalog(place, { effects: systemEffects() });
  await catalog.make(2);
  await catalog.close();
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
  await b.until(() => kindAt(b) === "here");
  equal(elsewhere.state.started, 0);
  await sql.end();
  await b.node.close();
  await a.until(() => kindAt(a) === "here");
  for (const it of [a, b, elsewhere]) await it.end();
});
