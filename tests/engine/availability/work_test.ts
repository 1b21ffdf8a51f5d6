// Work orders as evidence of availability: what is in progress on inverters, from when until when.
import { deepEqual, equal } from "node:assert/strict";
import { testService } from "../../help/service.ts";

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 40, longitude: 0 },
  devices: [
    { key: "T", type: "transformer" },
    { key: "A", type: "inverter", parent: "T" },
    { key: "B", type: "inverter", parent: "T" },
    { key: "M", type: "met" },
  ],
  sensors: [
    { tag: "a.p", device: "A", measure: "active_power", capacity: 1000 },
    { tag: "b.p", device: "B", measure: "active_power", capacity: 1000 },
  ],
};

type Json = Record<string, unknown>;

/** A plant of two inverters that produced on 1 June from 06:00 to noon, when the clock stands. */
async function open() {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const { catalog } = service.services;
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { "content-type": "application/json" };
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await service.fetch(path, init);
    const text = await response.text();
    equal(response.ok, true, text);
    return JSON.parse(text);
  };
  await call("PUT", "/admin/v1/sites/s", site);
  const [{ id: project_id }] = catalog.projects;
  const at = (path: string) => `/platform/v1/${path}?project_id=${project_id}`;
  const idOf = (key: string) => catalog.devices.find((device) => device.key === key)!.id;
  const { id: issue_id } = await call("POST", at("issues"), { name: "x" });
  const world = {
    ...service,
    ...{ call, at, project_id, issue_id, idOf },
    /** Both inverters produce from an instant on; the clock goes on with them. */
    produce: async (from: string, to: string) => {
      const rows: object[] = [];
      for (let ms = Date.parse(from); ms < Date.parse(to); ms += 300_000) {
        const ts = new Date(ms).toISOString();
        rows.push(...["a.p", "b.p"].map((tag) => ({ tag, ts, value: 500 })));
      }
      service.clock.now_us = Date.parse(to) * 1000;
      await call("POST", `/ingest/v1/signals?project_id=${project_id}`, rows);
      await service.settle();
    },
    order: (keys: readonly string[], work_type: string) =>
      call("POST", at("work-orders"), {
        ...{ issue_id, title: "w", work_type },
        devices: keys.map((key) => ({ device_id: idOf(key) })),
      }),
    change: async (order: Json, body: Json) => {
      await call("PATCH", at(`work-orders/${order.id}`), body);
      await service.settle();
    },
    /** Lets the quarter-hour be over. */
    rest: async () => {
      service.clock.advance(90_000);
      await service.settle();
    },
    /** What work is about on a device on a day, in words. */
    worked: async (key: string, day = "2026-06-01") => {
      const query = `&dt_start=${day}&dt_end=${day}&format=json`;
      const spans: Json[] = await call("GET", at("availability/timeline") + query);
      return spans.filter((span) => span.device_id === idOf(key) && span.evidence === "work_order")
        .map(({ from, to, state, detail }) =>
          `${String(from).slice(11, 16)}..${String(to).slice(11, 16)} ${state} ${detail}`
        );
    },
  };
  await world.produce("2026-06-01T06:00:00Z", "2026-06-01T12:00:00Z");
  return world;
}

Deno.test("work in progress is the state of its inverter, and stays what it was", async () => {
  const { order, change, produce, rest, worked, close } = await open();
  const made = await order(["A"], "preventive");
  deepEqual(await worked("A"), []);
  await change(made, { status: "in_progress" });
  await produce("2026-06-01T12:00:00Z", "2026-06-01T13:00:00Z");
  const said = "scheduled_maintenance preventive, work order 1";
  await change(made, { status: "on_hold" });
  await produce("2026-06-01T13:00:00Z", "2026-06-01T13:30:00Z");
  await change(made, { status: "in_progress" });
  await produce("2026-06-01T13:30:00Z", "2026-06-01T14:00:00Z");
  await change(made, { status: "completed" });
  await rest();
  deepEqual(await worked("A"), [`12:00..13:00 ${said}`, `13:30..14:00 ${said}`]);
  deepEqual(await worked("B"), []);
  await close();
});

Deno.test("a change is worked out at once, without waiting for samples", async () => {
  const { order, change, settle, clock, worked, close } = await open();
  const made = await order(["A"], "preventive");
  await change(made, { status: "in_progress" });
  clock.advance(32 * 60_000);
  await settle();
  deepEqual(await worked("A"), ["12:00..12:30 scheduled_maintenance preventive, work order 1"]);
  clock.advance(3 * 60_000);
  await change(made, { status: "cancelled" });
  clock.advance(30 * 60_000);
  await settle();
  deepEqual(await worked("A"), ["12:00..12:35 scheduled_maintenance preventive, work order 1"]);
  await close();
});

Deno.test("work is told by the wall clock, wherever stamps are", async () => {
  const { order, change, clock, call, at, issue_id, worked, close } = await open();
  clock.step(86_400_000);
  await call("PATCH", at(`issues/${issue_id}`), { priority: "low" });
  clock.step(-86_400_000);
  const made = await order(["A"], "preventive");
  await change(made, { status: "in_progress" });
  clock.advance(30 * 60_000);
  await change(made, { status: "cancelled" });
  clock.advance(90_000);
  await change(made, { title: "x" });
  deepEqual(await worked("A"), ["12:00..12:30 scheduled_maintenance preventive, work order 1"]);
  await close();
});

Deno.test("the type of work says which state it is", async () => {
  const { order, change, produce, rest, worked, close } = await open();
  const planned = ["preventive", "predictive", "inspection", "cleaning", "vegetation", "upgrade"];
  const asked = ["corrective", "emergency", "warranty"];
  const wanted: string[] = [];
  let at = Date.parse("2026-06-01T12:00:00Z");
  const clock = () => new Date(at).toISOString();
  for (const [n, type] of [...planned, ...asked, "repowering"].entries()) {
    const made = await order(["A"], type);
    await change(made, { status: "in_progress" });
    const from = clock();
    at += 15 * 60_000;
    await produce(from, clock());
    await change(made, { status: "completed" });
    const state = asked.includes(type) ? "planned_corrective_action" : "scheduled_maintenance";
    const span = `${from.slice(11, 16)}..${clock().slice(11, 16)}`;
    wanted.push(`${span} ${state} ${type}, work order ${n + 1}`);
  }
  await rest();
  deepEqual(await worked("A"), wanted);
  await close();
});

Deno.test("work on what inverters hang on is theirs, line by line", async () => {
  const { order, change, produce, worked, idOf, close } = await open();
  const made = await order(["T", "A", "M"], "corrective");
  const lines = (statuses: Readonly<Record<string, string>>) => ({
    devices: Object.entries(statuses).map(([key, status]) => ({ device_id: idOf(key), status })),
  });
  await change(made, { status: "in_progress" });
  await produce("2026-06-01T12:00:00Z", "2026-06-01T13:00:00Z");
  await change(made, lines({ T: "completed", A: "in_progress", M: "pending" }));
  await produce("2026-06-01T13:00:00Z", "2026-06-01T14:00:00Z");
  await change(made, lines({ T: "completed", A: "skipped", M: "pending" }));
  await produce("2026-06-01T14:00:00Z", "2026-06-01T15:00:00Z");
  const said = "planned_corrective_action corrective, work order 1";
  deepEqual(await worked("A"), [`12:00..14:00 ${said}`]);
  deepEqual(await worked("B"), [`12:00..13:00 ${said}`]);
  await close();
});

Deno.test("work goes over midnight, an override wins, a deleted work order was there", async () => {
  const { order, change, produce, worked, call, at, settle, services, idOf, close } = await open();
  const made = await order(["A"], "emergency");
  await change(made, { status: "in_progress" });
  await produce("2026-06-01T12:00:00Z", "2026-06-02T08:00:00Z");
  await call("DELETE", at(`work-orders/${made.id}`));
  await produce("2026-06-02T08:00:00Z", "2026-06-02T10:00:00Z");
  const said = "planned_corrective_action emergency, work order 1";
  const [first] = await worked("A");
  equal(first.slice(0, 5), "12:00");
  const [next] = await worked("A", "2026-06-02");
  equal(next.slice(7), `08:00 ${said}`);
  const sensor = services.catalog.sensors.find(({ device_id }) => device_id === idOf("A"))!;
  await call("POST", at("availability/overrides"), {
    hierarchy_ids: [sensor.hierarchy_id],
    state: "full_capability",
    from: "2026-06-01T13:00:00Z",
    to: "2026-06-02T07:00:00Z",
    reason: "It ran all the same",
  });
  await settle();
  deepEqual(await worked("A"), [`12:00..13:00 ${said}`]);
  deepEqual(await worked("A", "2026-06-02"), [`07:00..08:00 ${said}`]);
  await close();
});
