// Trips and faults as evidence of outages: over a whole service, and by the turns of their lives.
import { deepEqual, equal } from "node:assert/strict";
import { activeSpans, type Occurrence } from "../../../src/model/alarms/alarm.ts";
import { clear, reraise } from "../../../src/model/alarms/life.ts";
import { draftOf, eventOf, noon_us, second_us } from "../../help/alarm.ts";
import { testService } from "../../help/service.ts";
import { queryRows } from "../../help/query.ts";

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 40, longitude: 0 },
  devices: [
    { key: "T", type: "transformer" },
    { key: "A", type: "inverter", parent: "T" },
    { key: "B", type: "inverter" },
  ],
  tags: [{ name: "a.state" }],
  rules: [{
    ...{ key: "fault", name: "State is fault", kind: "threshold", tag: "a.state" },
    ...{ operator: ">", threshold: 0.5, alarm_class: "fault", off_delay_s: 60 },
  }],
  sensors: [
    { tag: "a.state", device: "A", measure: "operating_status" },
    { tag: "a.p", device: "A", measure: "active_power", capacity: 1000 },
    { tag: "b.p", device: "B", measure: "active_power", capacity: 1000 },
    { tag: "t.oil", device: "T", component: "transformer", measure: "temp" },
  ],
};

const alarm = {
  occurrence_id: "a1",
  source: "scada",
  rule_name: "DC overvoltage",
  kind: "threshold",
  severity: "high",
  alarm_class: "trip",
  status: "open",
  resolution_policy: "auto",
  raised_at: "2026-06-01T09:07:00Z",
  updated_at: "2026-06-01T09:07:00Z",
  raised_value: 1,
  source_tag: "a.p",
};

/** A plant of two inverters that produced on 1 June from 06:00 to noon, when the clock stands. */
async function open() {
  const service = await testService({ at: "2026-06-01T12:01:30Z" });
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { "content-type": "application/json" };
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await service.fetch(path, init);
    const text = await response.text();
    equal(response.ok, true, text);
    return text === "" ? null : JSON.parse(text);
  };
  await call("PUT", "/admin/v1/sites/s", site);
  const { catalog } = service.services;
  const [{ id: project_id }] = catalog.projects;
  const samples: object[] = [];
  for (
    let at = Date.parse("2026-06-01T06:00:00Z");
    at * 1000 < service.clock.now_us;
    at += 300_000
  ) {
    const ts = new Date(at).toISOString();
    samples.push(...["a.p", "b.p"].map((tag) => ({ tag, ts, value: 500 })));
  }
  const store = (rows: readonly object[]) =>
    call("POST", `/ingest/v1/signals?project_id=${project_id}`, rows).then(service.settle);
  await store(samples);
  return {
    ...service,
    call,
    project_id,
    store,
    send: async (...rows: readonly object[]) => {
      const answer = await call("POST", `/ingest/v1/alarms?project_id=${project_id}`, rows);
      equal(answer.rejected_count, 0, JSON.stringify(answer));
      await service.settle();
    },
    /** The outages of a device on 1 June, in words. */
    outages: async (key: string) => {
      const id = catalog.devices.find((device) => device.key === key)!.id;
      const days = "dt_start=2026-06-01&dt_end=2026-06-01&state=forced_outage&format=json";
      const path = `/platform/v1/availability/timeline?project_id=${project_id}&${days}`;
      const spans: Record<string, string>[] = await call("GET", path);
      return spans.filter((span) => span.device_id === id).map((span) =>
        `${span.from.slice(11, 16)}..${span.to.slice(11, 16)} ${span.evidence} ${span.detail}`
      );
    },
  };
}

Deno.test("a trip makes an outage of its inverter until it is cleared, and no longer", async () => {
  const { send, outages, close } = await open();
  deepEqual(await outages("A"), []);
  await send(alarm);
  deepEqual(await outages("A"), ["09:07..12:00 alarm DC overvoltage"]);
  deepEqual(await outages("B"), []);
  const cleared = { ...alarm, cleared_at: "2026-06-01T10:00:00Z" };
  await send({ ...cleared, updated_at: "2026-06-01T10:00:00Z" });
  deepEqual(await outages("A"), ["09:07..10:00 alarm DC overvoltage"]);
  await send({
    ...{ ...cleared, cleared_at: "2026-06-01T09:10:00Z", rule_name: "DC voltage" },
    updated_at: "2026-06-01T10:00:01Z",
  });
  deepEqual(await outages("A"), ["09:07..09:10 alarm DC voltage"]);
  await send({ ...cleared, alarm_class: "pcs", updated_at: "2026-06-01T11:00:00Z" });
  deepEqual(await outages("A"), []);
  await close();
});

Deno.test("a rule's fault is an outage, by the times of its samples", async () => {
  const { store, outages, close } = await open();
  const state = (clock: string, value: number) => (
    { tag: "a.state", ts: `2026-06-01T${clock}Z`, value }
  );
  await store([state("09:00:00", 0), state("09:10:30", 1), state("09:20:00", 1)]);
  deepEqual(await outages("A"), ["09:10..12:00 alarm State is fault"]);
  await store([state("09:30:00", 0), state("09:31:00", 0)]);
  deepEqual(await outages("A"), ["09:10..09:31 alarm State is fault"]);
  // What comes late is an alarm that was raised and cleared.
  await store([state("08:00:00", 1), state("08:05:00", 0)]);
  deepEqual(await outages("A"), [
    "08:00..08:06 alarm State is fault",
    "09:10..09:31 alarm State is fault",
  ]);
  await close();
});

Deno.test("an outage by an alarm goes on with the day, and into the next", async () => {
  const { send, outages, clock, settle, services, close } = await open();
  await send(alarm);
  clock.advance(15 * 60_000);
  await settle();
  deepEqual(await outages("A"), ["09:07..12:15 alarm DC overvoltage"]);
  clock.now_us = Date.parse("2026-06-02T09:01:30Z") * 1000;
  await settle();
  const [row] = await services.database.read((it) =>
    queryRows<{ unavailable_s: number; daylight_s: number }>(
      it,
      "SELECT d.unavailable_s, d.daylight_s FROM inverter_day AS d JOIN sensor USING (sensor_no) " +
        "WHERE day = (SELECT max(day) FROM inverter_day) AND device_id = $device_id ORDER BY ALL",
      { device_id: services.catalog.devices.find(({ key }) => key === "A")!.id },
    )
  );
  equal(row.unavailable_s, row.daylight_s);
  await close();
});

Deno.test("a fault of what an inverter hangs on is its outage; an override wins", async () => {
  const { send, outages, call, services, settle, project_id, close } = await open();
  const fault = { ...alarm, alarm_class: "fault", source_tag: "t.oil", rule_name: "Oil hot" };
  await send({ ...fault, cleared_at: "2026-06-01T11:00:00Z" }, {
    ...{ ...alarm, occurrence_id: "a2", raised_at: "2026-06-01T10:30:00Z" },
    cleared_at: "2026-06-01T11:30:00Z",
  });
  const both = ["09:07..11:00 alarm Oil hot", "11:00..11:30 alarm DC overvoltage"];
  deepEqual(await outages("A"), both);
  deepEqual(await outages("B"), []);
  const { id } = services.catalog.devices.find(({ key }) => key === "A")!;
  const sensor = services.catalog.sensors.find(({ device_id, measure }) =>
    device_id === id && measure === "active_power"
  )!;
  await call("POST", `/platform/v1/availability/overrides?project_id=${project_id}`, {
    hierarchy_ids: [sensor.hierarchy_id],
    state: "full_capability",
    from: "2026-06-01T09:00:00Z",
    to: "2026-06-01T10:00:00Z",
    reason: "A test of the sensor",
  });
  await settle();
  deepEqual(await outages("A"), ["10:00..11:00 alarm Oil hot", both[1]]);
  await close();
});

Deno.test("from its recovery until it is raised again an alarm is no outage", async () => {
  const { services, settle, outages, close } = await open();
  const { alarms, catalog } = services;
  const device_id = catalog.devices.find(({ key }) => key === "A")!.id;
  const at = (clock: string) => Date.parse(`2026-06-01T${clock}:00Z`) * 1000;
  const project = { project_no: 1, site_no: 1 };
  await alarms.write((changes) => {
    const raised_at = at("08:00");
    const draft = draftOf({
      ...{ ...project, occurrence_id: "own", origin: "rule", rule_no: 1, device_id, raised_at },
      ...{ resolution_policy: "manual", alarm_class: "fault", source_tag: "a.p" },
    });
    changes.raise(draft, [eventOf("raised", { created_at: raised_at })]);
    return Promise.resolve();
  });
  const turn = (step: (alarm: Occurrence) => ReturnType<typeof clear>) =>
    alarms.write(async (changes) => {
      await changes.load({ nos: [1] });
      const { occurrence, events } = step(changes.get(1)!)!;
      changes.change(occurrence, events);
    }).then(settle);
  const values = { recovered_value: 0, last_value: 0 };
  await turn((it) => clear(it, { at_us: at("08:30"), ...values }));
  deepEqual(await outages("A"), ["08:00..08:30 alarm Temperature high"]);
  await turn((it) => reraise(it, { at_us: at("09:00"), source_ts: at("09:00"), value: 1 }));
  const first = "08:00..08:30 alarm Temperature high";
  deepEqual(await outages("A"), [first, "09:00..12:00 alarm Temperature high"]);
  await turn((it) => ({
    occurrence: { ...it, status: "resolved", updated_at: at("11:00") },
    events: [eventOf("resolved", { created_at: at("11:00"), kind: "operator" })],
  }));
  deepEqual(await outages("A"), [first, "09:00..11:00 alarm Temperature high"]);
  await close();
});

Deno.test("an alarm's active times follow its events", () => {
  const alarm = (said: Partial<Occurrence>) =>
    ({ ...draftOf({ occurrence_id: "x" }), ...said }) as Occurrence;
  const event = (type: string, s: number) => ({ type, created_at: noon_us + s * second_us });
  const spans = (said: Partial<Occurrence>, ...events: ReturnType<typeof event>[]) =>
    activeSpans(alarm(said), events).map(({ from_us, to_us }) =>
      [from_us, to_us].map((us) => (us - noon_us) / second_us).join("..")
    );
  const cleared_at = noon_us + 9 * second_us;
  deepEqual(spans({}), ["0..Infinity"]);
  deepEqual(spans({ cleared_at }), ["0..9"]);
  const turns = [event("raised", 0), event("cleared", 2), event("reraised", 5)];
  deepEqual(spans({}, ...turns), ["0..2", "5..Infinity"]);
  deepEqual(spans({ cleared_at }, ...turns, event("cleared", 9)), ["0..2", "5..9"]);
  const ended = { resolution_policy: "manual", status: "resolved" } as const;
  deepEqual(spans(ended, ...turns, event("resolved", 7)), ["0..2", "5..7"]);
  deepEqual(spans({ cleared_at: noon_us }, event("raised", 0)), []);
});
