// Tests GET /platform/v1/meta/devices and /meta/people: what a screen names a plant by.
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { testService } from "../../help/service.ts";

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "Europe/Madrid" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
  blocks: [{ key: "b1", name: "Block 1" }],
  devices: [
    { key: "plant", name: "Plant", type: "system" },
    {
      ...{ key: "inv", name: "Inverter 1", type: "inverter", parent: "plant", block: "b1" },
      pv: { rated_dc_w: 1_200_000, rated_ac_w: 900_000, tilt: 20, azimuth: 180 },
    },
    { key: "rack", name: "Rack", type: "bess_rack" },
    { key: "bare", name: "Bare", type: "tracker" },
  ],
  sensors: [
    { tag: "inv.e", device: "inv", measure: "energy", accumulation: "counter" },
    { tag: "inv.p", device: "inv", measure: "active_power", capacity: 1_000_000 },
    { tag: "rack.soc", device: "rack", measure: "soc", capacity: 2_000_000 },
    { tag: "sky", component: "met", measure: "ghi" },
  ],
};

async function opened(declared: object = site) {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const put = async (body: object) => {
    const response = await service.fetch("/admin/v1/sites/s", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    equal(response.status, 200, await response.text());
  };
  await put(declared);
  const { projects: [project] } = service.services.catalog;
  const get = (path: string, headers: HeadersInit = {}) =>
    service.fetch(`/platform/v1/meta/${path}?project_id=${project.id}`, { headers });
  return { ...service, put, get, project };
}

Deno.test("how modules stand is told where it is asked for", async () => {
  const tracker = { max_angle: 55, backtrack: false };
  const turning = { rated_dc_w: 1_200_000, rated_ac_w: 900_000, tracker };
  const { get, services: { catalog }, fetch, close } = await opened({
    ...site,
    devices: [...site.devices, { key: "turn", name: "T", type: "inverter", pv: turning }],
  });
  const { projects: [{ id }] } = catalog;
  const path = `/platform/v1/meta/devices?project_id=${id}&include=mount`;
  const { devices } = await (await fetch(path)).json();
  const mounts = Object.fromEntries(
    devices.map(({ key, mount }: { key: string; mount: object | null }) => [key, mount]),
  );
  deepEqual(mounts, {
    bare: null,
    inv: { kind: "fixed", tilt: 20, azimuth: 180 },
    plant: null,
    rack: null,
    turn: {
      kind: "tracker",
      axis_tilt: 0,
      axis_azimuth: 180,
      max_angle: 55,
      backtrack: false,
      ground_cover: 0.35,
    },
  });
  const { devices: plain } = await (await get("devices")).json();
  ok(!("mount" in plain[0]));
  await close();
});

Deno.test("each device has its place, its ratings and its sensors", async () => {
  const { get, services: { catalog }, close } = await opened();
  const { devices, sensors, blocks } = await (await get("devices")).json();
  const [{ id: site_id }] = catalog.sites;
  const idOf = (key: string) => catalog.devices.find((it) => it.key === key)!.id;
  const rowOf = (measure: string) =>
    catalog.sensors.find((it) => it.measure === measure)!.hierarchy_id;
  const [{ id: block_id }] = catalog.blocks;
  deepEqual(devices.map((it: { key: string }) => it.key), ["bare", "inv", "plant", "rack"]);
  const { sensors: own, ...inverter } = devices[1];
  deepEqual(inverter, {
    device_id: idOf("inv"),
    key: "inv",
    name: "Inverter 1",
    type: "inverter",
    site_id,
    parent_id: idOf("plant"),
    block_id,
    rated_w: 1_000_000,
    rated_dc_w: 1_200_000,
    capacity_wh: null,
    hierarchy_id: rowOf("active_power"),
  });
  deepEqual(own[1], {
    hierarchy_id: rowOf("active_power"),
    site_id,
    sensor_tag: "inv.p",
    component: "inverter",
    component_measure: "active_power",
    unit: "W",
    source_unit: null,
    tag_class: null,
    value_encoding: null,
    sentinel_tag: "default",
  });
  const [bare, , , rack] = devices;
  deepEqual([rack.rated_w, rack.capacity_wh, rack.hierarchy_id], [null, 2_000_000, null]);
  deepEqual([bare.rated_w, bare.sensors, bare.parent_id], [null, [], null]);
  deepEqual(sensors.map((it: { sensor_tag: string }) => it.sensor_tag), ["sky"]);
  deepEqual(blocks, [{ block_id, site_id, key: "b1", name: "Block 1" }]);
  await close();
});

Deno.test("the same devices are told by their ETag, and changed ones have another", async () => {
  const { get, put, close } = await opened();
  const first = await get("devices");
  const etag = first.headers.get("etag")!;
  ok(/^"[\w-]{22}"$/.test(etag), etag);
  const body = await first.text();
  for (const known of [etag, `"other", W/${etag}`, "*"]) {
    const same = await get("devices", { "if-none-match": known });
    deepEqual([same.status, same.headers.get("etag"), await same.text()], [304, etag, ""]);
  }
  const packed = await get("devices", { "accept-encoding": "gzip", "if-none-match": etag });
  equal(packed.status, 200, "another representation has another strong ETag");
  equal(packed.headers.get("etag"), `${etag.slice(0, -1)}-gzip"`);
  const inflated = packed.body!.pipeThrough(new DecompressionStream("gzip"));
  equal(await new Response(inflated).text(), body);
  const [, ...others] = site.devices;
  await put({ ...site, devices: [{ ...site.devices[0], name: "Renamed" }, ...others] });
  const changed = await get("devices", { "if-none-match": etag });
  equal(changed.status, 200);
  notEqual(changed.headers.get("etag"), etag);
  ok((await changed.text()).includes("Renamed"));
  await close();
});

Deno.test("five thousand devices come whole", async () => {
  const keys = Array.from({ length: 5_000 }, (_, i) => `d${i}`);
  const { get, close } = await opened({
    ...site,
    devices: keys.map((key) => ({ key, type: "inverter" })),
    sensors: keys.map((key) => ({ tag: `${key}.i`, device: key, measure: "dc_current" })),
  });
  const { devices } = await (await get("devices")).json();
  equal(devices.length, 5_000);
  equal(devices[17].sensors.length, 1);
  await close();
});

Deno.test("people are those of the organization who can act, by name", async () => {
  const { get, services: { users, access }, project, fetch, close } = await opened();
  const make = (first_name: string, organization: string) =>
    users.create({
      ...{ first_name, last_name: "Ruiz", organization },
      email: `${first_name}@plant.test`,
    });
  const [zoe, anna, gone] = [await make("Zoe", "o"), await make("Anna", "o"), await make("B", "o")];
  await users.disable(gone.id);
  deepEqual(await (await get("people")).json(), {
    people: [{ id: anna.id, name: "Anna Ruiz" }, { id: zoe.id, name: "Zoe Ruiz" }],
  });
  const { token } = await access.create({
    ...{ name: "reader", organization_id: null, project_ids: null, expires_at: null },
    scopes: ["read"],
  });
  const refused = await fetch(`/platform/v1/meta/people?project_id=${project.id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  equal(refused.status, 403);
  await refused.body?.cancel();
  await close();
});
