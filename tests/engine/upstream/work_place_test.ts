// Two plants with a gateway each in one project: each hears of its own work, and of nobody else's.
import assert from "node:assert/strict";
import type { WorkExchanged } from "../../../src/model/upstream/work.ts";
import type { TestService } from "../../help/service.ts";
import { type Forwarding, openForwarding } from "../../help/upstream.ts";
import { ask, done, down, issues, orders, type Said, type Shown, siteOf } from "./work_help.ts";

type Plants = { readonly north: Forwarding; readonly south: Forwarding };

/** A centre with the sites north (inverter n1) and south (s1), and a gateway at each. */
async function withPlants(work: (plants: Plants) => Promise<void>): Promise<void> {
  const north = await openForwarding({ name: "north" });
  const south = await openForwarding({ name: "south", centre: north.centre });
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

/** Tells the centre something as the gateway of a token does. */
async function exchange(
  { centre }: Forwarding,
  name: string,
  { sites, changes = [] }: { readonly sites: unknown; readonly changes?: readonly unknown[] },
): Promise<Response> {
  const { token } = await centre.services.access.create({
    ...{ name, organization_id: "o1", project_ids: ["centre-p1"], scopes: ["sync"] },
    expires_at: null,
  });
  return await centre.fetch("/ingest/v1/gateways/work?project_id=centre-p1", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ heard_no: 0, heard_id: null, sent_id: null, sites, changes }),
  });
}

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
    await done(ask(centre, path, at("s1"), "PATCH"));
    await pass(plants);
    north.line = north.direct;
    await pass(plants);
    await pass(plants);
    assert.equal((await ask(north.gateway, path)).status, 404);
    assert.equal((await ask(north.gateway, `${orders}/${order.id}`)).status, 404);
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
    const change = {
      ...{ kind: "issue", id: "c1", owner_id: fuse.id, at_us: 1, order_us: 1, person: null },
      ...{ made: null, told: [], fields: [{ field: "priority", before: "medium", after: "low" }] },
    };
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
    assert.deepEqual(refused.map(({ reason }) => reason), [
      "what it changes is not here",
      "what it changes is not here",
      "what it changes is not here",
    ]);
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
