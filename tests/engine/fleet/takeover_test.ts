// How a node takes a shard over: who had it is fenced, whatever failed meanwhile.
import { equal } from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { systemEffects } from "../../../src/base/effects.ts";
import type { Message, OtherSelf } from "../../../src/base/effects_self.ts";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import { type CatalogPlace, catalogPlace } from "../../../src/model/fleet/place.ts";
import { home_shard, shardName } from "../../../src/model/fleet/shard.ts";
import { FleetCatalog } from "../../../src/store/fleet/fleet_catalog.ts";
import { skip } from "../../help/lake.ts";
import { startPostgres } from "../../help/postgres.ts";
import { inTurns, nodeOf } from "./node_help.ts";
import { aTurn, until } from "../../help/until.ts";

/** An empty folder, and a fleet of two shards that no node ever joined. */
type World = { readonly place: CatalogPlace; readonly data_dir: string; readonly sql: Sql };

const kindAt = ({ node }: ReturnType<typeof nodeOf>) => node.wayTo(home_shard).kind;
const hasFile = (path: string) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
};

/** A catalogue that takes, but whose answer is lost, so often. */
class Forgetful extends FleetCatalog {
  left = 1;

  override async take(...asked: Parameters<FleetCatalog["take"]>) {
    const taken = await super.take(...asked);
    if (this.left-- > 0) throw new Error("the answer is lost");
    return taken;
  }
}

/** A process of a shard that speaks all the time, and ends only when it is killed. */
function stubbornShard(): OtherSelf {
  const said: Message[] = [{ json: { port: 1234 } }];
  const over = Promise.withResolvers<undefined>();
  return {
    pid: 1,
    send: () => Promise.resolve(),
    receive: () =>
      Promise.race([over.promise, aTurn().then(() => said.shift() ?? { json: { ask_ms: 1 } })]),
    end() {
      over.resolve(undefined);
      return Promise.resolve(137);
    },
  };
}

const steps: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async "what one node could not fence, the next one fences"({ sql, ...world }) {
    // A node that opened it, and was not seen again.
    await sql`
      UPDATE wattkeeper_fleet.shard
      SET node = 'x', run = 'x', epoch = 1, until = now() - interval '1 s', home = 'x',
        is_open = true`;
    const fenced = `${world.data_dir}/fenced`;
    const failing = nodeOf("a", { ...world, fleet_fence: "false" });
    await failing.until(() => failing.node.shards.length > 0);
    for (let seen_ms = 0; seen_ms < fleet_limits.lease_ms; seen_ms += fleet_limits.beat_ms) {
      failing.clock.advance(fleet_limits.beat_ms);
      await failing.node.refresh();
    }
    const rowAt = ({ node }: typeof failing) => node.shards[home_shard];
    await failing.until(() => rowAt(failing)?.tried.join() === "a");
    const command = `sh -c 'printf "%s %s" "$1" "$3" > "$2/../fenced"' fence`;
    await Deno.mkdir(`${world.data_dir}/${shardName(home_shard)}`);
    const next = nodeOf("b", { ...world, fleet_fence: command });
    await inTurns([failing, next], () => kindAt(next) === "here");
    equal(await Deno.readTextFile(fenced), `${shardName(home_shard)} x`);
    equal(failing.state.started, 0);
    for (const it of [failing, next]) await it.end();
  },
  async "a node that leaves while it fences opens nothing any more"({ sql, ...world }) {
    await sql`UPDATE wattkeeper_fleet.shard SET home = 'x', is_open = true`;
    const [begun, gate, over] = ["begun", "gate", "over"].map((it) => `${world.data_dir}/${it}`);
    await new Deno.Command("mkfifo", { args: [gate] }).output();
    const fleet_fence =
      `sh -c ': > "${begun}"; cat "${gate}" > "${over}.log"; : > "${over}"' fence`;
    const leaving = nodeOf("a", { ...world, fleet_fence });
    await leaving.until(() => hasFile(begun));
    await leaving.node.close();
    await Deno.writeTextFile(gate, "go on");
    await leaving.until(() => hasFile(over));
    for (let turns = 0; turns < 100; turns++) await leaving.node.refresh();
    equal(leaving.state.started, 0);
    const [{ node, home, is_open }] = await sql`SELECT * FROM wattkeeper_fleet.shard WHERE no = 0`;
    equal(`${node} ${home} ${is_open}`, "null x true", "the next one fences");
    await leaving.end();
  },
  async "what had to be killed as it was given back, the next one fences"({ sql, ...world }) {
    await Deno.mkdir(`${world.data_dir}/${shardName(home_shard)}`);
    const leaving = nodeOf("a", { ...world, fleet_fence: "true", startShard: stubbornShard });
    await leaving.until(() => kindAt(leaving) === "here");
    const closing = { is_over: false };
    const closed = leaving.node.close().then(() => closing.is_over = true);
    await until(() => closing.is_over, { meanwhile: () => leaving.clock.advance(500) });
    await closed;
    const [{ node, is_open }] = await sql`SELECT * FROM wattkeeper_fleet.shard WHERE no = 0`;
    equal(`${node} ${is_open}`, "null true");
    await leaving.end();
  },
  async "a new fleet begins where nothing fences"(world) {
    const only = nodeOf("a", { ...world, fleet_fence: "none" });
    await only.until(() => kindAt(only) === "here");
    await only.node.refresh();
    equal(only.node.shards[home_shard].is_made, true, "that is known before anything is stored");
    await only.end();
  },
  async "what a node gives away so that another has as many, it does not take again"(
    { sql, ...world },
  ) {
    await sql`UPDATE wattkeeper_fleet.shard SET is_used = true`;
    for (const no of [0, 1, 2, 3]) {
      await sql`
        INSERT INTO wattkeeper_fleet.shard (no, is_used) VALUES (${no}, true)
        ON CONFLICT DO NOTHING`;
      await Deno.mkdir(`${world.data_dir}/${shardName(no)}`);
      await Deno.writeTextFile(`${world.data_dir}/${shardName(no)}/wattkeeper.duckdb`, "");
    }
    const first = nodeOf("a", world);
    await first.until(() => first.node.held_count === 4 && kindAt(first) === "here");
    const second = nodeOf("b", world);
    await second.until(() => second.node.shards.length > 0);
    await inTurns(
      [first, second],
      () => first.node.held_count === 2 && second.node.held_count === 2,
    );
    await second.until(() => kindAt(second) === "here");
    equal([first.state.started, second.state.started].join(), "1,1", "of the home's process");
    for (const it of [first, second]) await it.end();
  },
  async "what was taken by a question whose answer is lost is given back, and taken again"(world) {
    const catalog = new Forgetful(world.place, { effects: systemEffects() });
    const node = nodeOf("a", { ...world, catalog });
    while (node.node.loop.failures === 0) await aTurn();
    node.clock.advance(fleet_limits.beat_ms);
    await node.until(() => kindAt(node) === "here");
    await node.node.refresh();
    equal(node.node.shards[home_shard].epoch, 2);
    await node.end();
  },
};

Deno.test("a shard is taken over", async (t) => {
  const folder = await Deno.makeTempDir({ dir: "/tmp" });
  await using server = await startPostgres(`${folder}/postgres`);
  if (server === undefined) return skip("there is no PostgreSQL, or no root to start it");
  const place = catalogPlace(`postgres:${server.place}`)!;
  const { host, user: username, database } = place;
  const sql = postgres({ host, username, database, max: 1, onnotice: () => {} });
  for (const [i, [name, step]] of Object.entries(steps).entries()) {
    await sql`DROP SCHEMA IF EXISTS wattkeeper_fleet CASCADE`;
    const catalog = new FleetCatalog(place, { effects: systemEffects() });
    await catalog.make(2);
    await catalog.close();
    const data_dir = `${folder}/${i}`;
    await Deno.mkdir(data_dir);
    await t.step(name, () => step({ place, data_dir, sql }));
  }
  await sql.end();
});
