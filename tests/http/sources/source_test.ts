// Sources over the API: made, changed, listed with how they do, and removed.
import assert from "node:assert/strict";
import { connectTo, fakeDevices, inverterWords, sunspecRegisters } from "../../help/modbus.ts";
import { modbusSource, readingService } from "../../help/sources.ts";

const path = "/platform/v1/sources";
const registers = sunspecRegisters([[103, inverterWords({ w: 812, wh: 5 })]]);

async function opened() {
  const devices = fakeDevices({ 1: registers });
  const service = await readingService(connectTo({ "plc:502": devices }), []);
  const send = async (method: string, key: string, body?: object, token?: string) => {
    const answer = await service.fetch(`${path}/${key}?project_id=p`, {
      method,
      headers: {
        ...(body ? { "content-type": "application/json" } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return { ...service, devices, send };
}

Deno.test("a source that is put is read at once, shown with its state, and removed", async () => {
  const { send, sources, close, passUntil, latest, pass, devices, services } = await opened();
  const { key: _key, ...body } = modbusSource(1);
  const made = await send("PUT", "field", body);
  assert.deepEqual([made.status, made.body.result], [201, "created"]);
  assert.equal(made.body.origin, "api");
  await passUntil(() => latest("I1.w") !== undefined, "a sample");
  assert.deepEqual((await send("PUT", "field", body)).body.result, "unchanged");
  const [{ state, definition, author }] = await sources();
  assert.equal(author, "test");
  assert.deepEqual(definition, modbusSource(1));
  assert.equal(state.connected, true);
  assert.deepEqual(state.devices.map((it: { name: string }) => it.name), ["I1"]);
  assert.equal(services.sources.totals.devices_connected, 1);
  assert.equal((await send("DELETE", "field")).status, 200);
  await pass(1000, 3);
  devices.asked.length = 0;
  await pass(1000, 3);
  assert.equal(devices.asked.length, 0);
  assert.deepEqual(await sources(), []);
  assert.equal((await send("DELETE", "field")).status, 404);
  await close();
});

Deno.test("a source over the API is checked like a file's, and keeps off those", async () => {
  const { send, apply, fetch, close } = await opened();
  const wrong = await send("PUT", "field", { ...modbusSource(1), host: "a b" });
  assert.equal(wrong.status, 400);
  assert.equal(wrong.body.errors[0].path, "host");
  const unknown = await send(
    "PUT",
    "field",
    modbusSource(1, {
      units: [{ unit: 1, map: "m", device: "I99" }],
    }),
  );
  assert.equal(unknown.body.errors[0].path, "units[0].device");
  assert.equal((await send("PUT", "other", modbusSource(1))).body.errors[0].path, "key");
  await apply([modbusSource(1)]);
  const declared = await send("PUT", "field", modbusSource(1, { every_s: 3 }));
  assert.equal(declared.status, 409);
  assert.match(declared.body.detail, /the site file of s declares the source field/);
  const twice = await send("PUT", "second", modbusSource(1, { key: "second" }));
  assert.match(twice.body.errors[0].message, /already brought by the source field/);
  const other = modbusSource(1, { key: "second", units: [{ unit: 2, map: "m", device: "I2" }] });
  assert.equal((await send("PUT", "second", other)).status, 201);
  // The file may not take it over, and does not remove it.
  await apply([modbusSource(1)]);
  const shown = await (await fetch("/admin/v1/sites/s")).json();
  assert.deepEqual(shown.sources, [modbusSource(1)]);
  await assert.rejects(apply([other]), /409/);
  await close();
});

Deno.test("readers see sources, and only an administrator changes them", async () => {
  const { send, services, fetch, close } = await opened();
  const { token } = await services.access.create({
    name: "reader",
    ...{ organization_id: null, project_ids: null, scopes: ["read"], expires_at: null },
  });
  assert.equal((await send("PUT", "field", modbusSource(1), token)).status, 403);
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${path}?project_id=p`, { headers })).status, 200);
  const metrics = await (await fetch("/metrics")).text();
  assert.match(metrics, /wattkeeper_sources\{of="devices_lost"\} 0/);
  await close();
});
