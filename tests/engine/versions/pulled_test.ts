// Site files from a centre: pulled, tried, kept, rolled back where reading stops, told in words.
import assert from "node:assert/strict";
import { connectTo, fakeDevices, inverterWords, sunspecRegisters } from "../../help/modbus.ts";
import { modbusSource } from "../../help/sources.ts";
import { fileWith, openPublishing } from "../../help/versions.ts";

const registers = sunspecRegisters([[1, new Array(66).fill(0)], [
  103,
  inverterWords({ w: 5_000, wh: 1_000 }),
]]);

const devices = () => connectTo({ "plc:502": fakeDevices({ 1: registers, 2: registers }) });

const good = modbusSource(2);
const slower = modbusSource(2, { every_s: 2 });
/** Nothing answers there. */
const broken = modbusSource(2, { host: "elsewhere" });

Deno.test("an empty gateway gets its plant from the centre, which reads no source", async () => {
  const world = await openPublishing(devices());
  try {
    const done = await world.publish([good]);
    assert.deepEqual([done.version, done.result], [1, "published"]);
    await world.meet();
    await world.pass(5);
    assert.equal((await world.here())?.state, "in_force");
    // The first value of a tag settles its encoding.
    assert.equal((await world.here())?.changed_here, false);
    await world.meet();
    assert.deepEqual(
      { ...await world.there(), changed_at: "" },
      {
        ...{ site: "s", project_key: "p", version: 1, state: "in_force", reason: null },
        ...{ in_force: 1, held_by: null, changed_at: "" },
      },
    );
    assert.equal(world.centre.services.catalog.sources.length, 0);
    const [source] = world.gateway.services.catalog.sources;
    assert.equal(world.gateway.services.sources.stateOf(source)?.connected, true);
    // The same file by hand: the centre leaves the sources out, and says so.
    const answer = await world.centre.fetch("/admin/v1/sites/s", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fileWith([good])),
    });
    const { changes, warnings } = await answer.json();
    assert.deepEqual(changes, []);
    assert.match(warnings[0], /a gateway reads the sources of s: they are left out here/);
    const made = await world.centre.fetch("/platform/v1/sources/x?project_id=p", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...good, key: "x" }),
    });
    assert.equal(made.status, 409);
    assert.match((await made.json()).detail, /a gateway reads the sources of the site s/);
  } finally {
    await world.close();
  }
});

Deno.test("a version that breaks reading is rolled back, told, and not tried again", async () => {
  const world = await openPublishing(devices(), { upstream_trial_s: 20 });
  try {
    await world.publish([good]);
    await world.meet();
    await world.passUntil("in_force");
    await world.pass(5);
    await world.publish([broken]);
    await world.meet();
    const trying = await world.here();
    assert.deepEqual([trying?.state, trying?.in_force], ["trying", 1]);
    assert.match(`${trying?.missing}`, /the source field/);
    await world.pass(10);
    assert.equal((await world.here())?.state, "trying");
    await world.passUntil("rolled_back");
    const back = await world.here();
    assert.deepEqual([back?.version, back?.state, back?.in_force], [2, "rolled_back", 1]);
    assert.match(`${back?.reason}`, /within 20 s the source field .*refused/);
    await world.meet();
    assert.deepEqual((await world.there())?.reason, back?.reason);
    await world.pass(5);
    const [source] = world.gateway.services.catalog.sources;
    assert.equal(world.gateway.services.sources.stateOf(source)?.connected, true);
    await world.meet();
    assert.equal((await world.here())?.state, "rolled_back");
    assert.equal((await world.publish([broken])).result, "unchanged");
    // The next one is tried, and stays.
    assert.equal((await world.publish([slower])).version, 3);
    await world.meet();
    await world.passUntil("in_force");
    assert.equal((await world.here())?.changed_here, false);
  } finally {
    await world.close();
  }
});

Deno.test("a version waits for sources that are not read yet, but not for ever", async () => {
  let is_up = false;
  const field = devices();
  const world = await openPublishing(
    (place) => field(is_up ? place : { ...place, host: "elsewhere" }),
    { upstream_trial_s: 20 },
  );
  const state = async () => {
    const { version, state } = (await world.here())!;
    return `${version} ${state}`;
  };
  try {
    for (const source of [good, slower]) {
      await world.publish([source]);
      await world.meet();
    }
    assert.equal(await state(), "2 pulled");
    await world.pass(40);
    assert.equal(await state(), "2 in_force");
    await world.publish([broken]);
    await world.meet();
    assert.equal(await state(), "3 pulled");
    is_up = true;
    await world.passUntil("trying");
    await world.passUntil("rolled_back");
    assert.equal((await world.here())?.in_force, 2);
  } finally {
    await world.close();
  }
});

Deno.test("a trial goes on after a start, but not after ever more of them", async () => {
  const world = await openPublishing(devices(), { upstream_trial_s: 20 });
  try {
    await world.publish([good]);
    await world.meet();
    await world.passUntil("in_force");
    await world.pass(5);
    await world.publish([broken]);
    await world.meet();
    for (let starts = 2; starts <= 3; starts++) {
      const again = await world.reopen();
      assert.ok(await again.turn() > 0);
      assert.equal((await again.sites())[0].state, "trying");
    }
    const last = await world.reopen();
    assert.equal(await last.turn(), 0);
    const [{ state, reason }] = await last.sites();
    assert.equal(state, "rolled_back");
    assert.match(reason!, /the service has started 3 times while it was tried/);
  } finally {
    await world.close();
  }
});

Deno.test("what does not fit is refused with its flaws, and changes nothing", async () => {
  const world = await openPublishing(devices());
  try {
    await world.publish([good]);
    await world.meet();
    const own = { ...modbusSource(1, { host: "own" }), key: "own", units: [] };
    const entry = { ...own, maps: own.kind === "modbus" ? own.maps : [] };
    const mine = { ...entry, units: [{ unit: 3, map: "m", device: "I3" }] };
    const made = await world.gateway.fetch("/platform/v1/sources/own?project_id=p", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(mine),
    });
    assert.equal(made.status, 201, await made.text());
    await world.publish([good, mine as typeof good]);
    await world.meet();
    await world.passUntil("refused");
    const refused = await world.here();
    assert.deepEqual([refused?.version, refused?.state, refused?.in_force], [2, "refused", 1]);
    assert.match(`${refused?.reason}`, /sources\[1\]\.key is a source that was made by the API/);
    await world.meet();
    assert.equal((await world.there())?.state, "refused");
  } finally {
    await world.close();
  }
});

Deno.test("a person at the gateway holds, rolls back and tries again", async () => {
  const world = await openPublishing(devices());
  const ask = async (method: string, path: string) => {
    const answer = await world.gateway.fetch(`/admin/v1/upstream${path}`, { method });
    return { status: answer.status, body: await answer.json() };
  };
  try {
    await world.publish([good]);
    await world.meet();
    await world.passUntil("in_force");
    await world.pass(5);
    assert.equal((await ask("POST", "/hold")).status, 200);
    await world.publish([slower]);
    await world.meet();
    const held = await world.here();
    assert.deepEqual([held?.version, held?.state, held?.held_by], [2, "pulled", "test"]);
    assert.equal((await world.there())?.held_by, "test");
    assert.equal((await ask("DELETE", "/hold")).status, 200);
    await world.passUntil("in_force");
    assert.equal((await world.here())?.in_force, 2);
    assert.equal((await ask("POST", "/sites/s/rollback")).status, 200);
    const back = await world.here();
    assert.deepEqual([back?.state, back?.reason], ["rolled_back", "rolled back by hand: test"]);
    assert.equal(back?.in_force, 1);
    assert.equal((await ask("POST", "/sites/s/retry")).status, 200);
    await world.passUntil("in_force");
    assert.equal((await world.here())?.in_force, 2);
    const none = await ask("POST", "/sites/t/rollback");
    assert.equal(none.status, 404);
    assert.match(none.body.detail, /the centre publishes no site t/);
    assert.equal((await ask("POST", "/sites/s/retry")).status, 409);
    // A change here is seen, and warned of.
    const answer = await world.gateway.fetch("/admin/v1/sites/s", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fileWith([good])),
    });
    assert.match((await answer.json()).warnings[0], /`wattkeeper upstream hold` keeps it/);
    assert.equal((await world.here())?.changed_here, true);
  } finally {
    await world.close();
  }
});

Deno.test("content that is not what its digest says is not applied, and pulled again", async () => {
  const world = await openPublishing(devices());
  const direct = world.line;
  try {
    await world.publish([good]);
    world.line = async (request) => {
      const answer = await direct(request);
      if (!request.url.includes("/gateways/sites/1")) return answer;
      const { content } = await answer.json();
      return Response.json({ content: content.slice(0, -8) + "AAAAAAA=" });
    };
    await world.meet();
    assert.equal(await world.here(), undefined);
    world.line = direct;
    await world.meet();
    assert.equal((await world.here())?.state, "in_force");
  } finally {
    await world.close();
  }
});

Deno.test("a version that is of another site than it is offered for changes neither", async () => {
  const world = await openPublishing(devices());
  const { line } = world;
  try {
    world.line = async (request) => {
      const answer = await line(request);
      const body = await answer.text();
      const changed = body.replace('"site":"s"', '"site":"other"');
      return new Response(changed, { status: answer.status });
    };
    await world.publish([good]);
    await world.meet();
    const site = await world.here();
    assert.deepEqual([site?.site, site?.state], ["other", "refused"]);
    assert.match(`${site?.reason}`, /it was offered for other, and is of s/);
    assert.equal(world.gateway.services.catalog.sites.length, 0);
  } finally {
    await world.close();
  }
});
