// Changed parameters, meanings and places: which history follows, of which tags and which sites.
import assert from "node:assert/strict";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { openSites, plain, refused, words } from "../../help/site.ts";
import { queryRows, runQuery } from "../../help/query.ts";

const rated = { rated_dc_w: 1200, rated_ac_w: 1000 };

/** A modelled site: an inverter under a meter, its weather, and a setpoint. */
const modelled: SiteInput = {
  ...plain,
  device_models: [{ key: "M", pv: rated, status: "sunspec", events: "sunspec" }],
  devices: [
    { key: "G", type: "meter", grid: { losses: 0.01 } },
    { key: "I", type: "inverter", block: "B", parent: "G", device_model: "M", event_tag: "i.e" },
    { key: "W", type: "met" },
  ],
  sensors: [
    ...plain.sensors!,
    { tag: "g.p", device: "G", measure: "active_power" },
    { tag: "g.limit", device: "G", measure: "active_power_setpoint" },
    { tag: "w.poa", device: "W", measure: "poa_front" },
    { tag: "w.rh", device: "W", measure: "rh" },
  ],
};

/** The modelled site with samples of all its tags, and what a change of its file marks. */
async function openModelled() {
  const sites = await openSites();
  await sites.apply(modelled);
  const names = ["i.p", "g.p", "g.limit", "w.poa", "w.rh", "i.e"];
  for (const name of names) await sites.sample(name);
  await sites.sample("i.p", "model");
  return {
    ...sites,
    /** Applies the file with changes; the tags that go stale, the model lane's with a star. */
    async staleAfter(more: Partial<SiteInput>) {
      sites.stale.length = 0;
      const report = await sites.apply({ ...modelled, ...more });
      const marked = sites.stale.map((tag_no) => sites.catalog.tag(tag_no)!)
        .map(({ sensor_tag, lane }) => sensor_tag + (lane === "model" ? "*" : ""));
      return { report, marked: marked.toSorted() };
    },
  };
}

const all = ["g.limit", "g.p", "i.p", "i.p*", "w.poa"];

/** The modelled site's devices, one of them changed. */
function devicesWith(key: string, more: object): Partial<SiteInput> {
  const devices = modelled.devices!.map((it) => it.key === key ? { ...it, ...more } : it);
  return { devices };
}

Deno.test("what expected power hangs on makes the whole site's models stale", async () => {
  const { staleAfter, database } = await openModelled();
  const changes: Partial<SiteInput>[] = [
    devicesWith("I", { pv: { losses: 0.05 } }),
    devicesWith("I", { parent: undefined }),
    devicesWith("G", { grid: { limit_w: 900 } }),
    devicesWith("I", { block: undefined }),
    { device_models: [{ ...modelled.device_models![0], pv: { ...rated, gamma: -0.004 } }] },
    { devices: [...modelled.devices!, { key: "J", type: "inverter", device_model: "M" }] },
  ];
  for (const change of changes) {
    const { report, marked } = await staleAfter(change);
    assert.deepEqual(marked, all, JSON.stringify(change));
    assert.ok(report.changes.some((it) => it.history));
    assert.deepEqual((await staleAfter({})).marked, all);
  }
  await database.close();
});

Deno.test("a name, a meaning of codes and a new weather sensor make no models stale", async () => {
  const { staleAfter, database } = await openModelled();
  assert.deepEqual((await staleAfter(devicesWith("I", { name: "Inverter" }))).marked, []);
  await staleAfter({});
  const device_models = [{ ...modelled.device_models![0], status: { 7: "suspended" as const } }];
  const { report, marked } = await staleAfter({ device_models });
  assert.deepEqual(marked, []);
  assert.deepEqual(report.changes.map(({ fields, history }) => ({ fields, history })), [
    { fields: ["status"], history: true },
  ]);
  const ghi = { tag: "w.ghi", device: "W", measure: "ghi" as const };
  assert.deepEqual((await staleAfter({ sensors: [...modelled.sensors!, ghi] })).marked, []);
  assert.deepEqual((await staleAfter({})).marked, [...all, "w.ghi"].toSorted());
  await database.close();
});

Deno.test("states are judged anew where what speaks for them changes, and only there", async () => {
  const { apply, database } = await openModelled();
  const [{ sensor_no }] = await database.read((connection) =>
    queryRows<{ sensor_no: number }>(connection, "SELECT min(sensor_no) AS sensor_no FROM sensor")
  );
  const marksAfter = async (more: Partial<SiteInput>) => {
    await database.write(({ connection }) => connection.script("DELETE FROM inverter_stale"));
    // What is rolled up ends with a move of the site.
    await database.write(({ connection }) =>
      runQuery(
        connection,
        "INSERT INTO daily (day, sensor_no) VALUES (100, $sensor_no), (101, $sensor_no)",
        { sensor_no },
      )
    );
    await apply({ ...modelled, ...more });
    return await database.read((connection) =>
      queryRows(connection, "SELECT DISTINCT site_no, day FROM inverter_stale ORDER BY day")
    );
  };
  const both = [{ site_no: 1, day: 100 }, { site_no: 1, day: 101 }];
  const [model] = modelled.device_models!;
  const rh = { tag: "w.rh2", device: "W", measure: "rh" as const };
  assert.deepEqual(await marksAfter({ device_models: [{ ...model, status: {} }] }), both);
  assert.deepEqual(await marksAfter({}), both);
  const silent = { ...devicesWith("I", { event_tag: undefined }), tags: [{ name: "i.e" }] };
  assert.deepEqual(await marksAfter(silent), both);
  assert.deepEqual(await marksAfter(devicesWith("I", { pv: { rated_ac_w: 990 } })), both);
  await marksAfter({});
  assert.deepEqual(await marksAfter(devicesWith("I", { name: "Inverter" })), []);
  assert.deepEqual(await marksAfter({ sensors: [...modelled.sensors!, rh] }), []);
  const [power, ...others] = modelled.sensors!;
  assert.deepEqual(await marksAfter({ sensors: [{ ...power, capacity: 6 }, ...others] }), both);
  await marksAfter({});
  const project = { ...plain.project, timezone: "Asia/Kolkata" };
  assert.deepEqual(await marksAfter({ project }), both);
  assert.deepEqual(await marksAfter({ project, site: { ...plain.site, latitude: 41 } }), both);
  await database.close();
});

Deno.test("a site of which nothing is expected has no models to go stale", async () => {
  const { apply, sample, stale, database } = await openSites();
  await apply(plain);
  await sample("i.p");
  await apply({ ...plain, devices: [{ key: "I", type: "inverter" }] });
  assert.deepEqual(stale, []);
  await apply({ ...plain, devices: [{ key: "I", type: "inverter", pv: rated }] });
  assert.equal(stale.length, 1);
  stale.length = 0;
  const { changes } = await apply({ ...plain, devices: [{ key: "I", type: "inverter" }] });
  assert.equal(stale.length, 1);
  assert.deepEqual(changes.map(({ fields, history }) => ({ fields, history })), [
    { fields: ["pv"], history: true },
  ]);
  await database.close();
});

Deno.test("an event tag is declared as an integer by the device that names it", async () => {
  const { apply, catalog, show, sample, database } = await openSites();
  const named = (event_tag?: string): SiteInput => ({
    ...plain,
    device_models: [{ key: "M", events: "sunspec" }],
    devices: [{ key: "I", type: "inverter", device_model: "M", event_tag }],
  });
  await apply(named("i.word"));
  const { encoding, declared, device_key } = catalog.findTag(1, "signal", "i.word")!;
  assert.deepEqual({ encoding, declared, device_key }, {
    encoding: "integer",
    declared: true,
    device_key: "I",
  });
  assert.deepEqual((await show())?.tags, [{ name: "i.alarm", class: "alarms" }]);
  assert.deepEqual(words(await apply(named())), ["update device I event_tag", "remove tag i.word"]);
  await sample("i.float");
  await refused(apply(named("i.float")), "conflict", 'tags["i.float"].encoding');
  await database.close();
});

Deno.test("defaults, the order of codes and what a model says too are no change", async () => {
  const { apply, database } = await openSites();
  const status = { 3: "forced_outage", 0: "suspended" } as const;
  const site = (pv: object, own: object): SiteInput => ({
    ...plain,
    device_models: [{ key: "M", pv: { ...rated, ...pv }, status }],
    devices: [{ key: "I", type: "inverter", device_model: "M", ...own }],
  });
  await apply(site({ gamma: -0.004 }, {}));
  const same = site({ gamma: -0.004, losses: 0.14 }, { pv: { gamma: -0.004, albedo: 0.2 } });
  assert.deepEqual((await apply(same)).changes, []);
  const own = site({ gamma: -0.004 }, { pv: { gamma: -0.0035 } });
  assert.deepEqual(words(await apply(own)), ["update device I pv"]);
  await database.close();
});
