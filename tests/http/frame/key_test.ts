// Keys beside ids over the real routes: in paths, parameters and bodies, with the same answers.
import { deepEqual, equal } from "node:assert/strict";
import { testService } from "../../help/service.ts";

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
  devices: [{ key: "I-1", type: "inverter" }, { key: "I-2", type: "inverter" }],
  sensors: [
    { tag: "i1.p", device: "I-1", measure: "active_power" },
    { tag: "i2.p", device: "I-2", measure: "active_power" },
  ],
};

async function opened() {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const send = async (method: string, path: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const sent = body && JSON.stringify(body);
    const answer = await service.fetch(path, { method, headers, body: sent });
    return { status: answer.status, data: await answer.json() };
  };
  equal((await send("PUT", "/admin/v1/sites/s", site)).status, 200);
  const [project] = service.services.catalog.projects;
  const device = service.services.catalog.devices.find(({ key }) => key === "I-1")!;
  const { data: anna } = await send("POST", "/admin/v1/users", {
    ...{ email: "anna@x.test", first_name: "Anna", last_name: "R", organization: "o" },
    scopes: ["read"],
  });
  return { ...service, send, project, device, anna };
}

Deno.test("reads by keys are those by ids", async () => {
  const { send, services, settle, project, device, anna, close } = await opened();
  const made = await send("POST", "/platform/v1/issues?project_id=p", {
    name: "x",
    assigned_to: "anna@x.test",
    devices: [{ device_id: "I-1" }, { device_id: device.id, component: "mppt" }],
  });
  equal(made.status, 201, JSON.stringify(made.data));
  const named = made.data.devices.map((it: { device_id: string }) => it.device_id);
  deepEqual(named, [device.id, device.id]);
  const rows = ["i1.p", "i2.p"].map((tag) => ({ tag, ts: "2026-06-01T11:00:00Z", value: 5 }));
  equal((await send("POST", "/ingest/v1/signals?project_id=p", rows)).data.accepted, 2);
  await settle();
  const range = "from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z&format=json";
  const pairs = [
    [`signals?${range}&device_id=I-1`, `signals?${range}&device_id=${device.id}`],
    ["issues?device_id=I-1", `issues?device_id=${device.id}`],
    ["issues?assigned_to=anna@x.test", `issues?assigned_to=${anna.id}`],
    ["issues/counts?assigned_to=ANNA@x.test", `issues/counts?assigned_to=${anna.id}`],
    ["rules?site=s", `rules?site=${services.catalog.sites[0].id}`],
  ];
  for (const [by_key, by_id] of pairs) {
    const ask = (path: string, id: string) => send("GET", `/platform/v1/${path}&project_id=${id}`);
    const answer = await ask(by_key, "p");
    deepEqual(answer, await ask(by_id, project.id), by_key);
    equal(answer.status, 200, by_key);
    const size = answer.data.length ?? Object.values<object[]>(answer.data)[0].length;
    if (!by_key.startsWith("rules")) equal(size > 0, true, by_key);
  }
  const none = await send("GET", "/platform/v1/issues?project_id=p&device_id=I-9");
  deepEqual(none.data, []);
  await close();
});

Deno.test("a site goes by its id, a user by the e-mail, whatever is asked of them", async () => {
  const { send, services, anna, close } = await opened();
  const [{ id }] = services.catalog.sites;
  const by_key = await send("GET", "/admin/v1/sites/s");
  deepEqual(await send("GET", `/admin/v1/sites/${id}`), by_key);
  const same = await send("PUT", `/admin/v1/sites/${id}`, site);
  deepEqual([same.status, same.data.changes], [200, []]);
  const person = { email: "anna@x.test", first_name: "Ann", last_name: "R", scopes: ["read"] };
  const changed = await send("PUT", "/admin/v1/users/Anna@x.test", person);
  deepEqual([changed.status, changed.data.id, changed.data.first_name], [200, anna.id, "Ann"]);
  equal((await send("DELETE", "/admin/v1/users/anna@x.test")).data.id, anna.id);
  const missing = await send("DELETE", "/admin/v1/users/ben@x.test");
  deepEqual([missing.status, missing.data.detail], [404, "there is no user of this address"]);
  await close();
});
