// Two plants with a gateway each in one project: each hears of its own work, and of nobody else's.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import type { WorkExchanged } from "../../../src/model/upstream/work.ts";
import { photosPath } from "../../../src/store/folder.ts";
import { queryRows } from "../../help/query.ts";
import type { TestService } from "../../help/service.ts";
import { type Forwarding, openForwarding } from "../../help/upstream.ts";
import {
  ask,
  changeOf,
  done,
  down,
  exchange,
  gatewayNamed,
  issues,
  orders,
  type Said,
  shared_issue,
  type Shown,
  siteOf,
} from "./work_help.ts";

type Plants = { readonly north: Forwarding; readonly south: Forwarding };

/** A centre with the sites north (inverter n1) and south (s1), and a gateway at each. */
async function withPlants(work: (plants: Plants) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const [own, theirs, centre_settings] = ["north", "south", "centre"].map((it) => (
    { data_dir: `${folder}/${it}` }
  ));
  const north = await openForwarding({ name: "north", settings: own, centre_settings });
  const south = await openForwarding({ name: "south", centre: north.centre, settings: theirs });
  try {
    const sites = [siteOf("north", ["n1"]), siteOf("south", ["s1"])];
    for (const [side, own] of [[north.centre, sites], [north.gateway, [sites[0]]]] as const) {
      for (const it of own) await done(ask(side, `/admin/v1/sites/${it.site.key}`, it, "PUT"));
    }
    await done(ask(south.gateway, "/admin/v1/sites/south", sites[1], "PUT"));
    await work({ north, south });
  } finally {
    await south.close();
    await north.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Time goes on, and both gateways look. */
async function pass({ north, south }: Plants): Promise<void> {
  north.advance(30_000);
  south.gateway.clock.advance(30_000);
  await north.turn();
  await south.turn();
}

async function namesAt(side: TestService): Promise<unknown[]> {
  const shown = await done<Shown[]>(ask(side, issues));
  return shown.map(({ name }) => name).sort();
}

const at = (device_id: string) => ({ devices: [{ device_id }] });

Deno.test("a gateway hears of what is at its sites, and of what is of no site", () =>
  withPlants(async (plants) => {
    const { north, south } = plants;
    const { centre } = north;
    const fan = await done(ask(centre, issues, { name: "Fan", ...at("n1") }));
    await done(ask(centre, orders, { issue_id: fan.id, title: "Change it" }));
    await done(ask(centre, issues, { name: "Fuse", ...at("s1") }));
    await done(ask(centre, issues, { name: "Contract" }));
    await done(
      ask(centre, issues, {
        name: "Both",
        devices: [at("n1"), at("s1")].flatMap((it) => it.devices),
      }),
    );
    await pass(plants);
    assert.deepEqual(await namesAt(north.gateway), ["Both", "Contract", "Fan"]);
    assert.deepEqual(await namesAt(south.gateway), ["Both", "Contract", "Fuse"]);
    assert.deepEqual(await done<Shown[]>(ask(south.gateway, orders)), []);
    // What is made at a plant without a device is the plant's.
    await done(ask(north.gateway, issues, { name: "Fence" }));
    await pass(plants);
    await pass(plants);
    assert.deepEqual(await namesAt(north.gateway), ["Both", "Contract", "Fan", "Fence"]);
    assert.deepEqual(await namesAt(south.gateway), ["Both", "Contract", "Fuse"]);
    assert.ok((await namesAt(centre)).includes("Fence"));
  }));

Deno.test("what moves to another plant is gone at the first, and whole at the other", () =>
  withPlants(async (plants) => {
    const { north, south } = plants;
    const { centre } = north;
    const issue = await done(ask(centre, issues, { name: "Fan", ...at("n1") }));
    const path = `${issues}/${issue.id}`;
    const order = await done(ask(centre, orders, {
      ...{ issue_id: issue.id, title: "Change it", devices: [] },
    }));
    await done(ask(centre, `${path}/comment`, { body: "Loud" }));
    await pass(plants);
    // While the line is down, somebody at the first plant goes on with it.
    north.line = down;
    await done(ask(north.gateway, `${path}/comment`, { body: "Seen" }));
    const grease = await done(
      ask(north.gateway, orders, { issue_id: issue.id, title: "Grease it", devices: [] }),
    );
    await done(ask(centre, path, at("s1"), "PATCH"));
    await pass(plants);
    north.line = north.direct;
    await pass(plants);
    await pass(plants);
    assert.equal((await ask(north.gateway, path)).status, 404);
    for (const { id } of [order, grease]) {
      assert.equal((await ask(north.gateway, `${orders}/${id}`)).status, 404);
      assert.equal((await ask(south.gateway, `${orders}/${id}`)).status, 200);
    }
    const saidAt = async (side: TestService) => {
      const told = await done<Said[]>(ask(side, `${path}/history`));
      return told.filter(({ kind }) => kind === "commented").map(({ detail }) =>
        (detail as Said).body
      );
    };
    assert.deepEqual(await saidAt(centre), ["Loud", "Seen"]);
    assert.deepEqual(await saidAt(south.gateway), ["Loud", "Seen"]);
    assert.equal((await done(ask(south.gateway, `${orders}/${order.id}`))).title, "Change it");
    // And back: each row of its history is there once.
    await done(ask(south.gateway, `${path}/comment`, { body: "Not ours" }));
    await pass(plants);
    await done(ask(centre, path, at("n1"), "PATCH"));
    await pass(plants);
    await pass(plants);
    assert.equal((await ask(south.gateway, path)).status, 404);
    assert.equal((await done(ask(north.gateway, path))).name, "Fan");
    assert.deepEqual((await saidAt(north.gateway)).sort(), ["Loud", "Not ours", "Seen"]);
    assert.equal((await done(ask(north.gateway, `${orders}/${order.id}`))).number, order.number);
    assert.equal((await done(ask(north.gateway, `${orders}/${grease.id}`))).title, "Grease it");
  }));

Deno.test("photos leave a plant with their issue, once the centre has those that were taken", () =>
  withPlants(async (plants) => {
    const { north, south } = plants;
    const issue = await done(ask(north.centre, issues, { name: "Fan", ...at("n1") }));
    const path = `${issues}/${issue.id}`;
    const add = (side: TestService, last: number) =>
      done<Said>(side.fetch(`${path}/photos?project_id=p1`, {
        method: "POST",
        headers: { "content-type": "image/jpeg" },
        body: Uint8Array.of(0xff, 0xd8, 0xff, last),
      }));
    const photos = [await add(north.centre, 1)];
    await pass(plants);
    north.line = down;
    photos.push(await add(north.gateway, 2));
    await done(ask(north.centre, path, at("s1"), "PATCH"));
    await pass(plants);
    north.line = north.direct;
    for (let i = 0; i < 3; i++) await pass(plants);
    for (const side of [north.centre, south.gateway]) {
      for (const [i, { photo_id }] of photos.entries()) {
        const answer = await side.fetch(`${path}/photos/${photo_id}?project_id=p1`);
        assert.equal((await answer.bytes()).at(-1), i + 1);
      }
    }
    const { database, settings } = north.gateway.services;
    const rows = await database.read((it) => queryRows(it, "SELECT id FROM photo"));
    const files = await Array.fromAsync(Deno.readDir(photosPath(settings)));
    assert.deepEqual([rows, files], [[], []]);
    // And back.
    await done(ask(north.centre, path, at("n1"), "PATCH"));
    for (let i = 0; i < 2; i++) await pass(plants);
    for (const { photo_id } of photos) {
      const answer = await north.gateway.fetch(`${path}/photos/${photo_id}?project_id=p1`);
      assert.equal(answer.status, 200);
    }
  }));

Deno.test("an issue that is merged into one of another plant leads there at once", () =>
  withPlants(async (plants) => {
    const { north: { centre, gateway } } = plants;
    const fan = await done(ask(centre, issues, { name: "Fan", ...at("n1") }));
    const fuse = await done(ask(centre, issues, { name: "Fuse", ...at("s1") }));
    await pass(plants);
    await done(ask(centre, `${issues}/${fuse.id}/merge`, { issue_ids: [fan.id] }));
    await pass(plants);
    assert.deepEqual(await namesAt(gateway), await namesAt(centre));
    const shown = await done(ask(gateway, `${issues}/${fan.id}`));
    assert.deepEqual([shown.status, shown.merged_into], ["merged", fuse.id]);
  }));

Deno.test("what is at a device that no site file has any more is not everybody's", () =>
  withPlants(async (plants) => {
    const { north, south } = plants;
    const { centre } = north;
    await done(ask(centre, "/admin/v1/sites/north", siteOf("north", ["n1", "n2"]), "PUT"));
    const gate = await done(ask(centre, issues, { name: "Gate", ...at("n2") }));
    await pass(plants);
    await done(ask(centre, "/admin/v1/sites/north", siteOf("north", ["n1"]), "PUT"));
    await done(ask(centre, `${issues}/${gate.id}`, { priority: "high" }, "PATCH"));
    await pass(plants);
    assert.deepEqual(await namesAt(south.gateway), []);
    assert.equal((await done(ask(north.gateway, `${issues}/${gate.id}`))).priority, "high");
  }));

Deno.test("what every gateway was told before there were places leaves the others, whole", () =>
  withPlants(async ({ north }) => {
    const { centre } = north;
    const fuse = await done(ask(centre, issues, { name: "Fuse", ...at("s1") }));
    const made = {
      ...{ ...shared_issue, name: "Fuse", priority: "medium" },
      devices: [
        { device_id: "south/s1", component: "inverter", effective_from: null, effective_to: null },
      ],
    };
    const body = JSON.stringify(changeOf(fuse.id, { made, order_us: 0 }));
    await centre.services.database.write(({ connection }) =>
      connection.script(
        "INSERT INTO work_change (change_no, id, project_no, kind, owner_id, body, order_us, " +
          `says, since_no, stored_at) VALUES (1, '${fuse.id}', 1, 'issue', '${fuse.id}', ` +
          `'${body}', 0, ` +
          "true, 1, 1)",
      )
    );
    // What it did while it had it is taken.
    const changes = [changeOf("c1", {
      owner_id: fuse.id,
      fields: [{ field: "priority", before: "medium", after: "low" }],
    })];
    const asked = { sites: ["north"], changes };
    const answer = await done<WorkExchanged>(exchange(north, "north", asked));
    assert.deepEqual(
      [answer.refused, answer.gone, answer.changes, answer.numbers],
      [[], [fuse.id], [], []],
    );
    assert.equal((await done(ask(centre, `${issues}/${fuse.id}`))).priority, "low");
    // A gateway of the plant itself is told, and nothing is gone there.
    const own = await done<WorkExchanged>(exchange(north, "south", { sites: ["south"] }));
    assert.deepEqual([own.gone, own.changes.length], [[], 2]);
  }));

Deno.test("more things that are gone than one answer has room for are told in several", () =>
  withPlants(async (plants) => {
    const { north } = plants;
    const { centre } = north;
    await exchange(north, "north", { sites: ["north"] });
    const most = upstream_limits.work_changes;
    const made = (i: number) =>
      changeOf(`g${i}`, { made: { ...shared_issue, devices: [] }, order_us: 1 });
    for (const from of [0, most]) {
      const changes = Array.from({ length: most }, (_, i) => made(from + i));
      const sites = ["north"];
      assert.deepEqual(
        (await done<WorkExchanged>(exchange(north, "north", { sites, changes }))).refused,
        [],
      );
    }
    await centre.services.work.write(async (changes) => {
      const issue_ids = Array.from({ length: most + 1 }, (_, i) => `g${i}`);
      await changes.load({ project_no: 1, issue_ids });
      const device = centre.services.catalog.devices.find(({ key }) => key === "s1")!;
      const moved = [{
        device_id: device.id,
        component: "x",
        effective_from: null,
        effective_to: null,
      }];
      for (const id of issue_ids) changes.changeIssue({ ...changes.issue(id)!, devices: moved });
    });
    const tell = await gatewayNamed("north", north);
    const gone: string[] = [];
    let heard: Partial<WorkExchanged> = { next_no: 0, next_id: null, is_more: true };
    let answers = 0;
    for (; heard.is_more && answers < 9; answers++) {
      const asked = { heard_no: heard.next_no, heard_id: heard.next_id, sites: ["north"] };
      heard = await done<WorkExchanged>(tell(asked));
      assert.ok(heard.gone!.length <= most && !heard.lacks);
      gone.push(...heard.gone!);
    }
    assert.deepEqual([gone.length, new Set(gone).size], [most + 1, most + 1]);
  }));

Deno.test("a site that a gateway gets brings its work along", () =>
  withPlants(async (plants) => {
    const { north } = plants;
    await done(ask(north.centre, issues, { name: "Fuse", ...at("s1") }));
    await done(ask(north.centre, issues, { name: "Fan", ...at("n1") }));
    await pass(plants);
    assert.deepEqual(await namesAt(north.gateway), ["Fan"]);
    await done(ask(north.gateway, "/admin/v1/sites/south", siteOf("south", ["s1"]), "PUT"));
    await pass(plants);
    assert.deepEqual(await namesAt(north.gateway), ["Fan", "Fuse"]);
    const told = await done<Said[]>(
      ask(
        north.gateway,
        `${issues}/${(await done<Shown[]>(ask(north.gateway, issues)))[0].id}/history`,
      ),
    );
    assert.equal(told.length, 1);
  }));

Deno.test("a gateway neither hears nor changes what is at a site of another one", () =>
  withPlants(async (plants) => {
    const { north } = plants;
    const { centre } = north;
    const fuse = await done(ask(centre, issues, { name: "Fuse", ...at("s1") }));
    const order = await done(ask(centre, orders, { issue_id: fuse.id, title: "Change it" }));
    await pass(plants);
    // The centre's people said which gateway reads the site.
    await centre.services.database.write(({ connection }) =>
      connection.script("INSERT INTO site_gateway VALUES (1, 'south', 'south')")
    );
    const change = changeOf("c1", {
      ...{ owner_id: fuse.id, fields: [{ field: "priority", before: "medium", after: "low" }] },
    });
    const changes = [
      change,
      { ...change, id: "c2", owner_id: "unknown" },
      {
        ...{ ...change, kind: "work_order", id: "c3", owner_id: order.id, told: undefined },
        fields: [{ field: "title", before: "", after: "Mine" }],
      },
    ];
    const answer = await exchange(north, "north", { sites: ["north", "south"], changes });
    const { numbers, gone, sites, refused, changes: told }: WorkExchanged = await done(
      Promise.resolve(answer),
    );
    assert.deepEqual([numbers, gone, sites, told], [[], [], ["north"], []]);
    const reasons = refused.map(({ reason }) => reason);
    assert.deepEqual(reasons, Array(3).fill("what it changes is not here"));
    assert.equal((await done(ask(centre, `${issues}/${fuse.id}`))).priority, "medium");
    const text = JSON.stringify(
      await (await exchange(north, "north", { sites: ["south"] })).json(),
    );
    assert.ok(!text.includes(fuse.id) && !text.includes("Fuse"), text);
    // Sites that are none.
    for (const sites of ["south", [1], ["a b"], Array(2_000).fill("x")]) {
      assert.equal((await exchange(north, "north", { sites })).status, 400);
    }
  }));

Deno.test("what is at a site that another gateway reads from now on leaves the first one", () =>
  withPlants(async (plants) => {
    const { north } = plants;
    const { centre, gateway } = north;
    await done(ask(gateway, "/admin/v1/sites/south", siteOf("south", ["s1"]), "PUT"));
    const fuse = await done(ask(centre, issues, { name: "Fuse", ...at("s1") }));
    await done(ask(centre, orders, { issue_id: fuse.id, title: "Change it", devices: [] }));
    await done(ask(centre, issues, { name: "Fan", ...at("n1") }));
    await done(ask(centre, issues, { name: "Contract" }));
    const gate = await done(ask(centre, issues, { name: "Gate", ...at("s1") }));
    await pass(plants);
    assert.deepEqual(await namesAt(gateway), ["Contract", "Fan", "Fuse", "Gate"]);
    // What somebody says there meanwhile is the plant's no longer, and stays where it was said.
    north.line = down;
    await done(ask(gateway, `${issues}/${gate.id}/comment`, { body: "Mine" }));
    await centre.services.database.write(({ connection }) =>
      connection.script("INSERT INTO site_gateway VALUES (1, 'south', 'south')")
    );
    // The line goes down once more while it is found out.
    let asked = 0;
    north.line = async (request) => {
      const is_asked = (await request.clone().text()).includes('"had"');
      return is_asked && asked++ === 0 ? await down() : await north.direct(request);
    };
    for (let i = 0; i < 4; i++) await pass(plants);
    assert.equal(asked, 2, "asked once more after the cut, and then no more");
    assert.deepEqual(await namesAt(gateway), ["Contract", "Fan", "Gate"]);
    assert.deepEqual(await done<Shown[]>(ask(gateway, orders)), []);
    const path = `/platform/v1/upstream/work?project_id=p1&id=${gate.id}`;
    const state = await done<Said>(gateway.fetch(path));
    assert.deepEqual([state.waiting, state.refused], [1, "what it changes is not here"]);
    assert.equal((await namesAt(centre)).length, 4);
    // And it may be given back.
    await centre.services.database.write(({ connection }) =>
      connection.script("DELETE FROM site_gateway")
    );
    for (let i = 0; i < 2; i++) await pass(plants);
    north.advance(upstream_limits.work_aside_ms);
    for (let i = 0; i < 2; i++) await pass(plants);
    assert.deepEqual(await namesAt(gateway), await namesAt(centre));
    const told = await done<Said[]>(ask(centre, `${issues}/${gate.id}/history`));
    assert.equal(told.filter(({ kind }) => kind === "commented").length, 1);
  }));
