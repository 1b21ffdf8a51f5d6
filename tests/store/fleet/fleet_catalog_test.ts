// The fleet's catalogue at a real PostgreSQL.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import { type CatalogPlace, catalogPlace } from "../../../src/model/fleet/place.ts";
import type { Notice } from "../../../src/model/fleet/shard.ts";
import { FleetCatalog } from "../../../src/store/fleet/fleet_catalog.ts";
import postgres from "postgres";
import { skip } from "../../help/lake.ts";
import { type Postgres, startPostgres } from "../../help/postgres.ts";

const told: Notice = {
  ...{ organizations: [], sites: [], tokens: [], users: [] },
  projects: [{
    ...{ project_no: 1, id: "p", organization_id: "o", key: "k", name: "N", portfolio: null },
    timezone: "UTC",
  }],
};

const signing_key = {
  ...{ kid: "k", created_at: 1, signs_from: 1, signs_until: null, expires_at: null },
};

/** What the steps work with. */
class World {
  readonly place: CatalogPlace;
  readonly catalog: FleetCatalog;
  readonly a = beating("a");
  readonly b = beating("b");

  constructor(readonly postgres: Postgres) {
    this.place = catalogPlace(`postgres:${postgres.place}`)!;
    this.catalog = new FleetCatalog(this.place, { effects: systemEffects() });
  }

  async marksOf(...nos: number[]) {
    return (await this.catalog.look()).shards.filter(({ no }) => nos.includes(no));
  }

  /** Lets a lease end: a test does not wait for it. */
  async end(no: number): Promise<void> {
    await this.ask((sql) =>
      sql`UPDATE wattkeeper_fleet.shard SET until = now() - interval '1 s' WHERE no = ${no}`
    );
  }

  async ask<T>(question: (sql: postgres.Sql) => PromiseLike<T>): Promise<T> {
    const { host, user: username, database } = this.place;
    const sql = postgres({ host, username, database, max: 1 });
    return await Promise.resolve(question(sql)).finally(() => sql.end());
  }
}

function beating(name: string, run = name, known = new Map<number, number>()) {
  return { name, run, known, address: `http://${name}`, version: "1", data_version: 3 };
}

const steps: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async "it is made once, with its shards"(world) {
    const { catalog } = world;
    equal(await catalog.isMade(), false);
    const made = await catalog.make(4);
    equal(made.shards, 4);
    deepEqual(await catalog.make(8), made, "it is the same fleet");
    equal(await catalog.isMade(), true);
    const { shards } = await catalog.look();
    deepEqual(shards.map(({ is_used }) => is_used), [true, false, false, false]);
  },
  async "a node takes what nobody holds, and another does not take that"(world) {
    const { a, b, catalog } = world;
    equal((await catalog.beat(a)).is_named, true);
    await catalog.beat(b);
    const before = await world.marksOf(0, 1);
    deepEqual(await catalog.take(a, before), [{ no: 0, epoch: 1 }, { no: 1, epoch: 1 }]);
    deepEqual(await catalog.take(b, before), []);
    deepEqual(await catalog.take(b, await world.marksOf(0, 1)), []);
    const { mine, shards } = await catalog.beat(a);
    deepEqual(mine, [{ no: 0, epoch: 1 }, { no: 1, epoch: 1 }]);
    deepEqual(shards.slice(0, 3).map(({ node, is_held }) => [node, is_held]), [
      ["a", true],
      ["a", true],
      [null, false],
    ]);
  },
  async "a lease that is renewed between a look and a take is kept"(world) {
    const { a, b, catalog } = world;
    await world.end(1);
    const seen = await world.marksOf(1);
    await catalog.beat(a);
    await world.end(1);
    deepEqual(await catalog.take(b, seen), []);
    deepEqual(await catalog.take(b, await world.marksOf(1)), [{ no: 1, epoch: 2 }]);
    deepEqual((await catalog.beat(a)).mine, [{ no: 0, epoch: 1 }]);
  },
  async "what a former holder tells or gives back changes nothing"(world) {
    const { catalog } = world;
    await catalog.tell({ no: 1, epoch: 1 }, told);
    await catalog.release([{ no: 1, epoch: 1 }], { is_shut: true });
    equal(
      await catalog.opening({ no: 1, epoch: 1 }, { home: "a", is_made: true, data_version: 3 }),
      false,
    );
    const { shards, news } = await catalog.look();
    deepEqual([shards[1].node, shards[1].is_held, news], ["b", true, []]);
  },
  async "who opened a shard is known until the shard is given back shut"(world) {
    const { a, b, catalog } = world;
    const find = async () => {
      const [{ node, home, is_open }] = await world.marksOf(1);
      return { node, home, is_open };
    };
    equal(
      await catalog.opening({ no: 1, epoch: 2 }, { home: "b", is_made: true, data_version: 3 }),
      true,
    );
    await world.end(1);
    equal(
      await catalog.opening({ no: 1, epoch: 2 }, { home: "b", is_made: true, data_version: 3 }),
      false,
    );
    await catalog.take(a, await world.marksOf(1));
    await catalog.release([{ no: 1, epoch: 3 }], { is_shut: false });
    deepEqual(await find(), { node: null, home: "b", is_open: true });
    equal(
      await catalog.opening({ no: 1, epoch: 3 }, { home: "a", is_made: true, data_version: 3 }),
      false,
    );
    await catalog.take(b, await world.marksOf(1));
    await catalog.release([{ no: 1, epoch: 4 }], { is_shut: true });
    deepEqual(await find(), { node: null, home: "b", is_open: false });
    deepEqual(await catalog.take(b, await world.marksOf(1)), [{ no: 1, epoch: 5 }]);
  },
  async "what a holder tells is news once, and again when it changes"(world) {
    const { a, catalog } = world;
    await catalog.tell({ no: 1, epoch: 5 }, told);
    const first = await catalog.beat(a);
    deepEqual(first.news, [{ no: 1, told_no: 1, told }]);
    deepEqual((await catalog.beat({ ...a, known: new Map([[1, 1]]) })).news, []);
    await catalog.tell({ no: 1, epoch: 5 }, { ...told, projects: [] });
    equal((await catalog.beat({ ...a, known: new Map([[1, 1]]) })).news[0].told_no, 2);
  },
  async "what webhooks are signed with lies there sealed, and needs the fleet's secret"(world) {
    const { a, catalog, place } = world;
    const webhooks = { subscriptions: [], keys: [{ ...signing_key, seed: "the secret half" }] };
    const said = { known: new Map([[1, 2]]) };
    await catalog.tell({ no: 1, epoch: 5 }, { ...told, webhooks });
    deepEqual((await catalog.beat({ ...a, ...said })).news[0].told, { ...told, webhooks });
    const kept = await world.ask((sql) => sql`SELECT told::text FROM wattkeeper_fleet.shard`);
    equal(JSON.stringify(kept).includes("the secret half"), false);
    const other = new FleetCatalog(place, { effects: systemEffects(), secret: "another" });
    deepEqual((await other.look()).news[0].told, told);
    await other.close();
  },
  async "a token that ended is told until the home tells it"({ a, catalog }) {
    const ended = { id: "t", revoked_at: 1_780_000_000_123_456 };
    await catalog.endToken(ended);
    await catalog.endToken({ ...ended, revoked_at: 1 });
    const endedNow = async () => [...(await catalog.beat(a)).ended];
    deepEqual(await endedNow(), [ended]);
    const [home] = (await catalog.beat(a)).mine.filter(({ no }) => no === 0);
    const token = {
      ...{ id: "t", name: "t", digest: "d", organization_id: null, project_ids: null },
      ...{ scopes: [], user_id: null, created_at: 1, expires_at: null, revoked_at: null },
    };
    await catalog.tell(home, { ...told, tokens: [token] });
    deepEqual(await endedNow(), [ended], "the home does not know it yet");
    await catalog.tell(home, { ...told, tokens: [{ ...token, revoked_at: 2 }] });
    deepEqual(await endedNow(), []);
    const lost = { id: "lost", revoked_at: 3 };
    await catalog.endToken(lost);
    await catalog.tell(home, told);
    await catalog.tell({ no: 1, epoch: 5 }, { ...told, ended: [lost] });
    deepEqual(await endedNow(), [lost], "the home has not heard of it");
    await catalog.tell(home, { ...told, ended: [lost] });
    deepEqual(await endedNow(), [], "the home never had it");
  },
  async "a shard is wanted no more where it could not run, and is where it was not tried"(world) {
    const { catalog } = world;
    const [held] = await world.marksOf(1);
    const trouble = { why: "the disk is full", tried: ["b"] };
    const wantedNow = async () => (await world.marksOf(1))[0].wanted;
    await catalog.want(1, "a");
    await catalog.keepTrouble(held, trouble);
    equal(await wantedNow(), "a");
    await catalog.keepTrouble(held, { ...trouble, tried: ["b", "a"] });
    equal(await wantedNow(), null);
    await catalog.keepTrouble(held, { why: null, tried: [] });
    equal(await wantedNow(), null);
  },
  async "a name belongs to one process until it has been away"(world) {
    const { a, catalog } = world;
    const twin = beating("a", "another");
    deepEqual([(await catalog.beat(twin)).is_named, (await catalog.beat(twin)).mine], [false, []]);
    await catalog.leave(a);
    equal((await catalog.beat(twin)).is_named, true);
    deepEqual((await catalog.beat(twin)).mine, [], "what the one before held is not its own");
  },
  async "a project has one shard, whoever proposes another"(world) {
    const { catalog } = world;
    const project = { organization: "o", project: "p" };
    equal(await catalog.place(project, 2), 2);
    equal(await catalog.place(project, 3), 2);
    equal(await catalog.place({ ...project, project: "q" }, 2), 2);
    deepEqual([...await catalog.placed()], [[2, 2]]);
    equal((await catalog.look()).shards[2].is_used, true);
  },
  async "an outline counts until it is withdrawn, or its shard is opened"(world) {
    const { a, catalog, catalog: { outlines } } = world;
    const held = { no: 3, epoch: 1 };
    await catalog.beat(a);
    deepEqual(await catalog.take(a, await world.marksOf(3)), [held]);
    equal(await outlines.find(3), undefined);
    const first_no = (await outlines.keep(held, { after_no: 0, outline: null }))!;
    equal(await outlines.keep(held, { after_no: first_no + 1, outline: "AAAA" }), undefined);
    const kept_no = await outlines.keep(held, { after_no: first_no, outline: "AAAA" });
    equal(kept_no, first_no + 1);
    deepEqual(await outlines.read(3), { outline_no: kept_no, outline: "AAAA" });
    equal((await world.marksOf(3))[0].is_outlined, true);
    // What comes late, of a process that was killed, does nothing.
    equal(await outlines.keep(held, { after_no: first_no, outline: "BBBB" }), undefined);
    equal(await outlines.keep({ no: 3, epoch: 0 }, { after_no: 0, outline: null }), undefined);
    // Who takes the shard and can't open it leaves the outline as it is.
    await world.end(3);
    await catalog.take(a, await world.marksOf(3));
    equal(await outlines.find(3), kept_no);
    await catalog.opening({ no: 3, epoch: 2 }, { home: "a", is_made: true, data_version: 3 });
    equal(await outlines.find(3), undefined);
    deepEqual(
      await outlines.keep({ no: 3, epoch: 2 }, { after_no: kept_no!, outline: "CC==" }),
      undefined,
    );
    const next_no = (await outlines.keep({ no: 3, epoch: 2 }, { after_no: 0, outline: null }))!;
    await outlines.keep({ no: 3, epoch: 2 }, { after_no: next_no, outline: "CC==" });
    equal(await outlines.find(3), next_no + 1);
    // A node of an older version takes the shard without a word of it.
    await world.ask((sql) => sql`UPDATE wattkeeper_fleet.shard SET epoch = 3 WHERE no = 3`);
    equal(await outlines.find(3), undefined);
    await world.end(3);
    await catalog.take(a, await world.marksOf(3));
    equal(await outlines.find(3), undefined);
  },
  async "nodes of another secret are named to who starts, and those of no secret known are not"(
    world,
  ) {
    const other = new FleetCatalog(world.place, { effects: systemEffects(), secret: "another" });
    await world.catalog.beat(world.a);
    await world.catalog.beat(world.b);
    await world.ask((sql) =>
      sql`UPDATE wattkeeper_fleet.node SET secret_mark = NULL WHERE name = 'b'`
    );
    const [c, d] = [beating("c"), beating("d")];
    deepEqual(await other.join(c), ["a"]);
    deepEqual((await world.catalog.look()).nodes.map(({ name }) => name), ["a", "b"]);
    deepEqual(await other.join(beating("a", "third")), []);
    deepEqual(await world.catalog.join(c), []);
    equal((await world.catalog.beat(c)).is_named, true);
    await world.catalog.leave(c);
    await world.ask((sql) =>
      sql`UPDATE wattkeeper_fleet.node SET until = now() - interval '1 s' WHERE name = 'a'`
    );
    // Of two that join at once one is first, and hears of no other.
    const found = await Promise.all([other.join(c), world.catalog.join(d)]);
    equal(found.flat().length, 1);
    await other.close();
  },
  async "one that refuses says what, and where it was asked for"(world) {
    const nowhere = new FleetCatalog({ ...world.place, database: "nowhere" }, {
      effects: systemEffects(),
    });
    await rejects(nowhere.look(), /refuses: database "nowhere" does not exist; .*fleet_catalog/);
  },
  async "one that hangs is said to, and works once it answers again"(world) {
    const { catalog, postgres, place } = world;
    await postgres.hang();
    const impatient = new FleetCatalog(place, {
      effects: { ...systemEffects(), sleep: () => Promise.resolve() },
    });
    await rejects(impatient.look(), /catalogue does not answer: it takes longer/);
    await postgres.start();
    equal((await catalog.look()).shards.length, 4);
  },
};

Deno.test("a catalogue keeps leases, places and what shards tell", async (t) => {
  const folder = await Deno.makeTempDir({ dir: "/tmp" });
  await using postgres = await startPostgres(`${folder}/postgres`);
  if (postgres === undefined) return skip("there is no PostgreSQL, or no root to start it");
  const world = new World(postgres);
  for (const [name, step] of Object.entries(steps)) await t.step(name, () => step(world));
  await world.catalog.close();
});
