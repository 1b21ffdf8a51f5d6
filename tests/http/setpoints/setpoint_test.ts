// Values for setpoints over the API, sent to simulated devices: limits, outcomes, once each, log.
import assert from "node:assert/strict";
import { newId } from "../../../src/base/id.ts";
import { Setpoints } from "../../../src/engine/setpoints/setpoints.ts";
import { insertCommand } from "../../../src/store/setpoints/command.ts";
import type { Command } from "../../../src/model/setpoints/setpoint.ts";
import type { Settings } from "../../../src/model/setting.ts";
import { connectTo, type FakeDevices, fakeDevices } from "../../help/modbus.ts";
import { inverters, readingService, type SourceInput } from "../../help/sources.ts";

const path = "/platform/v1/setpoints";
const limits = { unit: "%", min: 0, max: 100, step: 0.5, most_change: 60, every_s: 5 };

function source(more: object = {}): SourceInput {
  return {
    key: "field",
    kind: "modbus",
    host: "plc",
    every_s: 1,
    timeout_ms: 1000,
    maps: [{
      key: "m",
      points: [
        { tag: "{device}.w", register: 0, type: "int32" },
        { tag: "{device}.limit", register: 10, scale: 0.1, setpoint: { ...limits, ...more } },
        {
          tag: "{device}.ramp",
          register: 20,
          type: "float32",
          words: "little",
          setpoint: { unit: "W", min: -1e4, max: 1e4, every_s: 1, confirm_ms: 1000 },
        },
        {
          tag: "{device}.run",
          table: "coil",
          register: 3,
          setpoint: { unit: "1", min: 0, max: 1, step: 1, every_s: 1 },
        },
      ],
    }],
    units: inverters(2).map(({ key }, i) => ({ unit: i + 1, map: "m", device: key })),
  };
}

const registers = () => ({ 0: 0, 1: 500, 10: 1000, 20: 0, 21: 0, 3: 0 });

async function opened(settings: Partial<Settings> = { setpoints: "on" }, more: object = {}) {
  const devices = fakeDevices({ 1: registers(), 2: registers() });
  const service = await readingService(connectTo({ "plc:502": devices }), [source(more)], settings);
  await service.passUntil(() => service.latest("I2.w") !== undefined, "a sample");
  let keys = 0;
  const post = async (body: unknown, { token, project = "p" }: Asker = {}) => {
    const asking = service.fetch(`${path}?project_id=${project}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    let is_done = false;
    asking.finally(() => is_done = true);
    await service.passUntil(() => is_done, "an answer");
    const answer = await asking;
    return { status: answer.status, body: await answer.json() };
  };
  const send = (tag: string, value: unknown, rest: object = {}, asker: Asker = {}) =>
    post({ tag, value, unit: "%", key: `k${++keys}`, ...rest }, asker);
  const writes = () => devices.asked.filter(({ code }) => [5, 6, 16].includes(code));
  const log = async () => await (await service.fetch(`${path}/log?project_id=p`)).json();
  return { ...service, devices, post, send, writes, log };
}

type Asker = { readonly token?: string; readonly project?: string };

/** What a device answers in place of what it would. */
function instead(
  devices: FakeDevices,
  answer: (usual: FakeDevices["answer"]) => FakeDevices["answer"],
) {
  devices.answer = answer(devices.answer);
}

Deno.test("a value is sent once, read back and logged with what was before", async () => {
  const { send, writes, log, pass, latest, fetch, passUntil, close } = await opened();
  const { status, body } = await send("I2.limit", 60.5, { note: "grid operator" });
  assert.equal(status, 200, JSON.stringify(body));
  const { id: _id, asked_at, ended_at, ...rest } = body;
  assert.deepEqual(rest, {
    ...{ key: "k1", site: "s", source: "field", device: "I2", tag: "I2.limit", value: 60.5 },
    ...{ unit: "%", note: "grid operator", before: 100, after: 60.5, outcome: "confirmed" },
    ...{ reason: null, author: "test", user_id: null },
  });
  assert.ok(ended_at >= asked_at);
  assert.deepEqual(writes(), [{ unit: 2, code: 6, address: 10, count: 1 }]);
  await passUntil(() => latest("I2.limit")?.value === 60.5, "the sample of it");
  await pass(1000, 2);
  const float = await send("I1.ramp", -1234.5, { unit: "W" });
  assert.deepEqual([float.body.outcome, float.body.after], ["confirmed", -1234.5]);
  const bit = await send("I1.run", 1, { unit: "1" });
  assert.deepEqual([bit.body.outcome, bit.body.before, bit.body.after], ["confirmed", 0, 1]);
  assert.deepEqual(writes().map(({ code }) => code), [6, 16, 5]);
  const shown = await log();
  assert.deepEqual(shown.map((it: { tag: string }) => it.tag), ["I1.run", "I1.ramp", "I2.limit"]);
  assert.deepEqual(shown[2], body);
  const one = await fetch(`${path}/log?project_id=p&tag=I1.ramp&limit=1`);
  assert.equal((await one.json()).length, 1);
  const none = await fetch(`${path}/log?project_id=p&offset=${2 ** 40}`);
  assert.deepEqual(await none.json(), []);
  const [first] = await (await fetch(`${path}?project_id=p`)).json();
  assert.deepEqual(first, {
    ...{ site: "s", source: "field", device: "I1", tag: "I1.limit", can_be_sent: true },
    limits: { ...limits, confirm_ms: 5000 },
  });
  await close();
});

Deno.test("nothing is sent beyond the limits, in another unit, or if it is no number", async () => {
  const { send, post, writes, log, close } = await opened();
  const told = async (value: unknown, rest: object = {}) => {
    const { status, body } = await send("I1.limit", value, rest);
    assert.equal(status, 400, JSON.stringify(body));
    return body.errors.map(({ path, message }: { path: string; message: string }) =>
      `${path}: ${message}`
    ).join();
  };
  assert.equal(await told(100.5), "value: must be from 0 to 100 %, not 100.5");
  assert.equal(await told(-0.5), "value: must be from 0 to 100 %, not -0.5");
  assert.equal(await told(50.25), "value: must be 0 plus a whole multiple of 0.5 %, not 50.25");
  assert.equal(await told(50, { unit: "kW" }), "unit: is kW, and the setpoint is in %");
  for (const value of ["50", null, true, [50], {}, undefined]) {
    assert.match(await told(value), /^value/);
  }
  assert.match(await told(50, { key: "" }), /^key/);
  assert.match(await told(50, { extra: 1 }), /^extra/);
  assert.match(await told(50, { tag: "I1.limits" }), /^tag: is no setpoint .*meant I1.limit/);
  assert.match(
    await told(50, { tag: "I1.w" }),
    /^tag: is no setpoint .*: `wattkeeper setpoint list` shows/,
  );
  for (const value of ["NaN", "Infinity", "1e400", "-1e400", "0x10", "50,50"]) {
    const text = `{"tag":"I1.limit","unit":"%","key":"x","value":${value}}`;
    const { status } = await post(text);
    assert.equal(status, 400, value);
  }
  assert.equal(
    (await post('{"tag":"I1.limit","unit":"%","key":"x","value":1,"value":50}')).status,
    400,
  );
  assert.deepEqual([writes(), await log()], [[], []]);
  // The change is judged by what the device has.
  const { body } = await send("I1.limit", -0);
  assert.deepEqual([body.outcome, body.before, body.value], ["not_sent", 100, 0]);
  assert.equal(body.reason, "it would change from 100 to 0 %, by more than 60");
  assert.deepEqual(writes(), []);
  await close();
});

Deno.test("only scope operate on the project sends, and only where it is switched on", async () => {
  const { send, services, writes, fetch, close } = await opened();
  const organization_id = services.catalog.organizations[0].id;
  const token = async (
    scopes: readonly ("read" | "operate" | "ingest" | "manage")[],
    ids: string[] | null,
  ) =>
    (await services.access.create({
      ...{ name: "other", organization_id, project_ids: ids, scopes, expires_at: null },
    })).token;
  const [{ id }] = services.catalog.projects;
  for (
    const bad of [
      await token(["read", "ingest", "manage"], [id]),
      await token(["operate"], ["other"]),
    ]
  ) {
    const { status, body } = await send("I1.limit", 50, {}, { token: bad });
    assert.equal(status, 403, JSON.stringify(body));
  }
  assert.equal((await send("I1.limit", 50, {}, { project: "q" })).status, 403);
  assert.equal((await send("I1.limit", 50, {}, { token: "wk_no" })).status, 401);
  assert.deepEqual(writes(), []);
  const good = await send("I1.limit", 50, {}, { token: await token(["operate"], [id]) });
  assert.deepEqual([good.status, good.body.author], [200, "other"]);
  const reader = await token(["read"], [id]);
  const read = await fetch(`${path}/log?project_id=p`, {
    headers: { authorization: `Bearer ${reader}` },
  });
  assert.equal((await read.json()).length, 1);
  await close();
  const off = await opened({});
  const { status, body } = await off.send("I1.limit", 50);
  assert.equal(status, 501);
  assert.match(body.detail, /set setpoints = on/);
  const [{ can_be_sent }] = await (await off.fetch(`${path}?project_id=p`)).json();
  assert.deepEqual([can_be_sent, off.writes()], [false, []]);
  await off.close();
});

Deno.test("the same key never sends twice, and two at once go one after the other", async () => {
  const { post, send, writes, pass, close } = await opened();
  const body = { tag: "I1.limit", value: 50, unit: "%", key: "once" };
  const [a, b, c] = await Promise.all([
    post(body),
    post(body),
    post({ ...body, tag: "I1.run", value: 1, unit: "1", key: "another" }),
  ]);
  assert.equal(writes().length, 1);
  assert.deepEqual([a.status, b.status, c.status], [200, 200, 409]);
  assert.equal(a.body.id, b.body.id);
  assert.equal(a.body.outcome, "confirmed");
  assert.match(c.body.detail, /I1 has another command under way, to I1.limit/);
  const again = await post(body);
  assert.deepEqual(again.body, a.body);
  assert.equal((await post({ ...body, value: 40 })).status, 409);
  assert.equal(writes().length, 1);
  const soon = await send("I1.limit", 45);
  assert.equal(soon.status, 429);
  assert.match(soon.body.detail, /I1.limit takes one command in 5 s: wait \d s/);
  // Another device has its own pace.
  assert.equal((await send("I2.limit", 45)).body.outcome, "confirmed");
  await pass(1000, 5);
  assert.equal((await send("I1.limit", 45)).body.outcome, "confirmed");
  await close();
});

Deno.test("a device that refuses, has another value, hangs or is gone is told so", async () => {
  const { devices, send, writes, pass, close } = await opened(undefined, { most_change: 100 });
  const usual = devices.answer;
  instead(devices, (usual) => (it) => it.written ? 3 : usual(it));
  const refused = (await send("I1.limit", 50)).body;
  assert.deepEqual([refused.outcome, refused.before, refused.after], ["refused", 100, 100]);
  assert.equal(refused.reason, "told holding 10, the device does not take this value");
  await pass(1000, 6);
  devices.answer = (it) => usual(it.written ? { ...it, written: [800] } : it);
  const other = (await send("I1.limit", 50)).body;
  assert.deepEqual([other.outcome, other.after], ["refused", 80]);
  assert.equal(other.reason, "the device took it, and has 80 % after that");
  await pass(1000, 6);
  // It takes the value, and its answer is lost.
  devices.answer = (it) => {
    const answer = usual(it);
    return it.written ? "silent" : answer;
  };
  const late = (await send("I1.limit", 30)).body;
  assert.deepEqual([late.outcome, late.after], ["confirmed", 30]);
  await pass(1000, 6);
  // A gateway that heard no answer knows nothing: what is read back does.
  devices.answer = (it) => {
    const answer = usual(it);
    return it.written ? 11 : answer;
  };
  const unheard = (await send("I1.limit", 35)).body;
  assert.deepEqual([unheard.outcome, unheard.after], ["confirmed", 35]);
  await pass(1000, 6);
  devices.answer = (it) => it.written ? 4 : usual(it);
  const failed = (await send("I1.limit", 30)).body;
  assert.deepEqual([failed.outcome, failed.before, failed.after], ["unknown", 35, 35]);
  await pass(1000, 6);
  let is_hung = false;
  devices.answer = (it) => {
    is_hung ||= it.written !== undefined;
    return is_hung ? "silent" : usual(it);
  };
  const hung = (await send("I1.limit", 10)).body;
  assert.deepEqual([hung.outcome, hung.before, hung.after], ["unknown", 35, null]);
  assert.match(hung.reason, /gives no answer within 1 s.*could not be read back/);
  assert.equal(writes().length, 6);
  await pass(1000, 40);
  const gone = (await send("I1.limit", 20)).body;
  assert.equal(gone.outcome, "not_sent");
  assert.match(gone.reason, /not connected|could not be read before|connection has ended/);
  assert.equal(writes().length, 6);
  // Nothing is sent later by itself.
  devices.answer = usual;
  await pass(1000, 90);
  assert.equal(writes().length, 6);
  await close();
});

Deno.test("what was under way at the service's end is unknown, and never sent again", async () => {
  const { services, writes, log, send, pass, close } = await opened();
  const command: Command = {
    ...{ id: newId(services.effects), project_no: 1, site_no: 1, key: "old", source: "field" },
    ...{ device: "I1", tag: "I1.limit", value: 50, unit: "%", note: null, before: null },
    ...{ after: null, reason: null, author: "a", user_id: null },
    outcome: "under_way",
    ...{ asked_at: services.effects.now_us(), ended_at: null },
  };
  await services.database.write(({ connection }) => insertCommand(connection, command));
  await Setpoints.open(services);
  await pass(1000, 10);
  const [found] = await log();
  assert.deepEqual([found.outcome, found.after, writes().length], ["unknown", null, 0]);
  assert.match(found.reason, /the service ended while it was under way; it is not sent again/);
  const again = await send("I1.limit", 50, { key: "old" });
  assert.deepEqual([again.body.outcome, writes().length], ["unknown", 0]);
  assert.equal((await send("I1.limit", 50)).body.outcome, "confirmed");
  await close();
});

Deno.test("nothing is sent by a definition that is not read yet", async () => {
  const { services, writes, close } = await opened();
  const [source] = services.catalog.sources;
  const [{ limits }] = services.setpoints.of({ project_no: 1 });
  const send = (definition: string) =>
    services.sources.send({ ...source, definition }, { tag: "I1.limit", value: 50, limits });
  const { outcome, reason } = await send(source.definition.replace("plc", "plc2"));
  assert.deepEqual([outcome, writes()], ["not_sent", []]);
  assert.match(reason!, /not yet as it is declared now/);
  await close();
});

Deno.test("a setpoint that can't be written is refused where it is declared", async () => {
  const { fetch, close } = await opened();
  const flawsOf = async (point: object) => {
    const entry = source() as unknown as { maps: { points: object[] }[] };
    entry.maps[0].points[1] = { tag: "{device}.limit", register: 10, ...point };
    const answer = await fetch("/platform/v1/sources/other?project_id=p", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...entry, key: "other" }),
    });
    const { errors = [] } = await answer.json();
    return errors.map((it: { path: string; message: string }) => `${it.path}: ${it.message}`);
  };
  const setpoint = { unit: "%", min: 0, max: 10 };
  const at = "maps[0].points[1]";
  assert.deepEqual(await flawsOf({ setpoint, mask: 3 }), [
    `${at}.setpoint: can't be beside mask: a part of a register is not written`,
  ]);
  assert.deepEqual(await flawsOf({ setpoint, table: "input" }), [
    `${at}.setpoint: can't be: the table input is only read`,
  ]);
  assert.deepEqual(await flawsOf({ setpoint: { ...setpoint, min: 11 } }), [
    `${at}.setpoint.max: is less than min, 11`,
  ]);
  await close();
});
