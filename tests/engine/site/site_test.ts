// Applying site files: what changes, what stays, what is refused, and which history goes stale.
import assert from "node:assert/strict";
import { applySite } from "../../../src/engine/site/site.ts";
import type { SiteInput } from "../../../src/model/site/file.ts";
import type { Grant } from "../../../src/model/access/token.ts";
import { follow_nothing, openSites, plain, refused, words } from "../../help/site.ts";
import { queryRows } from "../../help/query.ts";

Deno.test("a first apply creates everything, a second one changes nothing", async () => {
  const { apply, tryOut, catalog, database } = await openSites();
  const report = await apply(plain);
  assert.deepEqual(words(report), [
    "create organization o",
    "create project p",
    "create site s",
    "create block B",
    "create device I",
    "create tag i.alarm",
    "create tag i.p",
    "create sensor i.p > I active_power",
    "create sensor i.p > I energy",
  ]);
  assert.deepEqual((await apply(plain)).changes, []);
  assert.deepEqual((await tryOut(plain)).changes, []);
  const [power, energy] = catalog.sensors;
  assert.deepEqual([power.direct, energy.direct], [true, false]);
  assert.equal(power.block_id, catalog.blocks[0].id);
  assert.match(power.hierarchy_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  const tag = catalog.findTag(1, "signal", "i.p")!;
  assert.deepEqual([tag.device_key, tag.device_name, tag.carry_s], ["I", "I", 900]);
  await database.close();
});

Deno.test("a dry run tells the changes and makes none", async () => {
  const { tryOut, catalog, database, show } = await openSites();
  assert.equal((await tryOut(plain)).changes.length, 9);
  assert.deepEqual([catalog.sites.length, await show()], [0, undefined]);
  await catalog.reload();
  assert.equal(catalog.sites.length, 0);
  await database.close();
});

Deno.test("identifiers and numbers stay through every change", async () => {
  const { apply, catalog, database } = await openSites();
  await apply(plain);
  const before = [catalog.sensors, catalog.devices, catalog.blocks, catalog.sites].flat();
  const ids = (rows: readonly object[]) =>
    rows.map((row) =>
      (row as { hierarchy_id?: string; id?: string }).hierarchy_id ??
        (row as { id: string }).id
    );
  const report = await apply({
    ...plain,
    project: { ...plain.project, name: "Q", portfolio: "F" },
    devices: [{ ...plain.devices![0], name: "Inverter" }, { key: "J", type: "inverter" }],
    sensors: plain.sensors!.map((sensor) => ({ ...sensor, scale: 1, block: "B" })).reverse(),
  });
  assert.deepEqual(words(report), [
    "update project p name,portfolio",
    "update device I name",
    "create device J",
    "update tag i.p device_name",
    "update sensor i.p > I energy scale",
    "update sensor i.p > I active_power scale",
  ]);
  const after = [catalog.sensors, catalog.devices.filter((it) => it.key === "I"), catalog.blocks];
  assert.deepEqual(ids([...after, catalog.sites].flat()), ids(before));
  await database.close();
});

Deno.test("what measures the same is numbered in a row, but shown by device", async () => {
  const { apply, show, catalog, database } = await openSites();
  const of = (...keys: readonly string[]): SiteInput => ({
    ...plain,
    devices: keys.map((key) => ({ key, type: "inverter" })),
    tags: [],
    sensors: keys.flatMap((device) =>
      (["active_power", "dc_voltage"] as const).map((measure) => ({
        tag: `${device}.${measure}`,
        device,
        measure,
      }))
    ),
  });
  await apply(of("I", "J"));
  await apply(of("A", "I", "J", "K"));
  const kinds = ["active_power", "dc_voltage"];
  const wanted = [["I", "J"], ["A", "K"]].flatMap((keys) =>
    kinds.flatMap((measure) => keys.map((key) => `${key}.${measure}`))
  );
  const tags = catalog.sensors.toSorted((a, b) => a.sensor_no - b.sensor_no)
    .map(({ tag_no }) => catalog.tag(tag_no)!);
  assert.deepEqual(tags.map(({ sensor_tag }) => sensor_tag), wanted);
  assert.deepEqual(tags.map(({ tag_no }) => tag_no), tags.map((_, i) => tags[0].tag_no + i));
  // A file that is shown has what is of a device together.
  assert.deepEqual(
    (await show())?.sensors?.map(({ tag }) => tag),
    ["A", "I", "J", "K"].flatMap((key) => kinds.map((measure) => `${key}.${measure}`)),
  );
  await database.close();
});

Deno.test("what is missing in the file is removed, if it holds no data", async () => {
  const { apply, catalog, database } = await openSites();
  await apply(plain);
  const report = await apply({ ...plain, blocks: [], devices: [], tags: [], sensors: [] });
  assert.deepEqual(words(report), [
    "remove block B",
    "remove device I",
    "remove tag i.alarm",
    "remove tag i.p",
    "remove sensor i.p > I active_power",
    "remove sensor i.p > I energy",
  ]);
  assert.deepEqual([catalog.devices, catalog.sensors], [[], []]);
  assert.deepEqual(catalog.tags.map((tag) => tag.declared), [false, false]);
  assert.deepEqual((await apply(plain)).changes.length, 6);
  await database.close();
});

Deno.test("what holds data can't be removed or get another key, and nothing changes", async () => {
  const { apply, tryOut, sample, catalog, database } = await openSites();
  await apply(plain);
  await sample("i.p");
  const [power] = plain.sensors!;
  const sensor = 'sensors["i.p > I active_power"]';
  const rekeyed = {
    ...plain,
    devices: [{ key: "I2", type: "inverter" as const, block: "B" }],
    sensors: [{ ...power, device: "I2" }],
  };
  await refused(apply({ ...plain, sensors: [] }), "conflict", sensor);
  await refused(tryOut({ ...plain, sensors: [] }), "conflict", sensor);
  await refused(apply({ ...plain, sensors: [] }), "conflict", 'tags["i.p"]');
  await refused(apply(rekeyed), "conflict", sensor);
  const renamed = {
    ...plain,
    blocks: [{ key: "B2" }],
    devices: [{ ...plain.devices![0], block: "B2" }],
  };
  await refused(apply(renamed), "conflict", 'blocks["B"]');
  await sample("i.alarm", "model");
  await refused(apply({ ...plain, tags: [] }), "conflict", 'tags["i.alarm"]');
  assert.equal(catalog.sensors.length, 2);
  assert.deepEqual((await apply(plain)).changes, []);
  await database.close();
});

Deno.test("a tag that was taken up keeps its number, and its history follows", async () => {
  const { apply, sample, catalog, stale, database } = await openSites();
  await apply({ ...plain, tags: [], sensors: [] });
  const tag_no = await sample("i.p");
  const model_no = await sample("i.p", "model");
  await sample("other");
  const report = await apply({ ...plain, tags: [] });
  assert.deepEqual(words(report)[0], "update tag i.p device_key,device_name,declared");
  assert.deepEqual(report.changes.map((change) => change.history), [false, true, true]);
  assert.equal(catalog.findTag(1, "signal", "i.p")?.tag_no, tag_no);
  assert.equal(catalog.findTag(1, "signal", "i.p")?.encoding, "float");
  assert.deepEqual(stale, [tag_no, model_no]);
  const rows = await database.read((connection) =>
    queryRows(connection, "SELECT tag_no, day FROM stale ORDER BY tag_no")
  );
  assert.deepEqual(rows, [{ tag_no, day: 0 }, { tag_no: model_no, day: 0 }]);
  await database.close();
});

Deno.test("a new scale, capacity, zone or place makes history stale, a name none", async () => {
  const { apply, sample, stale, database } = await openSites();
  await apply(plain);
  const tag_no = await sample("i.p");
  const raw_no = await sample("raw");
  const staleAfter = async (more: object) => {
    stale.length = 0;
    await apply({ ...plain, ...more });
    return stale.toSorted();
  };
  const [power, energy] = plain.sensors!;
  assert.deepEqual(await staleAfter({ sensors: [{ ...power, capacity: 6000 }, energy] }), [tag_no]);
  assert.deepEqual(await staleAfter({}), [tag_no]);
  assert.deepEqual(await staleAfter({ site: { ...plain.site, name: "T" } }), []);
  assert.deepEqual(await staleAfter({ tags: [{ name: "i.p", carry_s: 60 }] }), [tag_no]);
  assert.deepEqual(await staleAfter({ site: { ...plain.site, latitude: 41 } }), [tag_no]);
  const project = { ...plain.project, timezone: "Asia/Kolkata" };
  const zone_stale = await staleAfter({ project });
  assert.ok(zone_stale.includes(tag_no) && zone_stale.includes(raw_no));
  await database.close();
});

Deno.test("an encoding changes only while a tag holds no samples", async () => {
  const { apply, sample, database } = await openSites();
  const encoded = (encoding?: "float" | "integer") => ({
    ...plain,
    tags: [{ name: "i.p", encoding }],
  });
  await apply(encoded("float"));
  await apply(encoded("integer"));
  await apply(encoded("float"));
  await sample("i.p");
  await refused(apply(encoded("integer")), "conflict", 'tags["i.p"].encoding');
  assert.deepEqual((await apply(encoded())).changes, []);
  await database.close();
});

Deno.test("a site, its devices and its tags never move", async () => {
  const { apply, database, catalog } = await openSites();
  await apply(plain);
  await refused(
    apply({ ...plain, organization: { key: "x", name: "X" } }),
    "conflict",
    "organization.key",
  );
  await refused(
    apply({ ...plain, project: { ...plain.project, key: "x" } }),
    "conflict",
    "project.key",
  );
  const second = { ...plain, site: { ...plain.site, key: "s2" } };
  await refused(apply({ ...second, tags: [], sensors: [] }), "conflict", "devices[0].key");
  await refused(apply({ ...second, devices: [], sensors: [] }), "conflict", "tags[0].name");
  const sensors = [{ tag: "i.p", component: "met" as const, measure: "ghi" as const }];
  await refused(apply({ ...second, devices: [], tags: [], sensors }), "conflict", "sensors[0].tag");
  await apply({ ...second, blocks: [{ key: "B" }], devices: [], tags: [], sensors: [] });
  assert.deepEqual(catalog.projects.length, 1);
  assert.deepEqual((await apply(plain)).changes, []);
  await database.close();
});

Deno.test("a grant applies sites only where it reaches, and creates nothing beyond", async () => {
  const { apply, catalog, database, effects, roll } = await openSites();
  await apply(plain);
  const { id, organization_id } = catalog.projects[0];
  const grant = { token_id: "t", name: "t", scopes: ["admin"], organization_id, project_ids: null };
  const as = (more: Partial<Grant>, file: SiteInput) =>
    applySite({ database, catalog, roll, effects, follow: follow_nothing }, file, {
      dry_run: true,
      grant: { ...grant as unknown as Grant, ...more },
    });
  const project = { ...plain.project, key: "p2" };
  const other = {
    ...plain,
    project,
    site: { ...plain.site, key: "s2" },
    devices: [],
    tags: [],
    sensors: [],
  };
  const foreign = { ...other, organization: { key: "o2", name: "O2" } };
  assert.deepEqual((await as({}, plain)).changes, []);
  assert.equal((await as({}, other)).changes.length, 3);
  assert.deepEqual((await as({ project_ids: [id] }, plain)).changes, []);
  await refused(as({ project_ids: [id] }, other), "forbidden", "");
  await refused(as({}, foreign), "forbidden", "");
  await refused(as({ organization_id: "another" }, plain), "forbidden", "");
  await refused(as({}, { ...foreign, site: plain.site }), "forbidden", "");
  assert.equal((await as({ organization_id: null }, foreign)).changes.length, 4);
  await database.close();
});
