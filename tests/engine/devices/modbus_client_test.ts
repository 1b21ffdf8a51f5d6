// The Modbus client: whole answers out of any pieces, and what it does with all others.
import assert from "node:assert/strict";
import { LineFault, systemConnect } from "../../../src/base/effects_line.ts";
import { SourceFault } from "../../../src/engine/devices/driver.ts";
import {
  ModbusClient,
  type ModbusPlace,
  ModbusRefusal,
  UnitFault,
} from "../../../src/engine/devices/modbus_client.ts";
import { fakeEffects } from "../../help/effects.ts";
import {
  checksum,
  connectTo,
  type FakeDevices,
  fakeDevices,
  listenFor,
  replyTo,
} from "../../help/modbus.ts";
import { turns, until } from "../../help/until.ts";

const place: ModbusPlace = {
  host: "plc",
  port: 502,
  transport: "tcp",
  timeout_ms: 1000,
  delay_ms: 0,
  most_registers: 125,
};
const request = { unit: 1, table: "holding", address: 10, count: 2 } as const;
const registers = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [i, i]));
const right = new Uint8Array([0, 10, 0, 11]);

async function clientOf(devices: FakeDevices, more: Partial<{ transport: "rtu" }> = {}) {
  const { effects: alone, clock } = fakeEffects();
  const effects = { ...alone, connect: connectTo({ "plc:502": devices }) };
  const { signal } = new AbortController();
  return { client: await ModbusClient.open({ ...place, ...more }, { effects, signal }), clock };
}

/** Waits for a question that nobody answers, whose time the clock lets pass. */
async function silent(asked: Promise<unknown>, clock: { advance(by_ms: number): void }) {
  let failure: unknown;
  asked.catch((error) => failure = error);
  for (let i = 0; i < 20 && failure === undefined; i++) {
    await turns(5);
    clock.advance(200);
  }
  await until(() => failure !== undefined);
  assert.ok(failure instanceof UnitFault, String(failure));
  assert.equal(failure.kind, "timeouts");
}

Deno.test("an answer in pieces is put together", async () => {
  const mangle = (reply: Uint8Array) => Array.from(reply, (byte) => new Uint8Array([byte]));
  const { client } = await clientOf(fakeDevices({ 1: registers }, { mangle }));
  assert.deepEqual(await client.read(request), right);
});

Deno.test("answers with another transaction's number are dropped", async () => {
  const mangle = (reply: Uint8Array) => {
    const foreign = Uint8Array.from(reply);
    foreign[1] += 7;
    foreign[10] = 99;
    // Both in one piece.
    return [new Uint8Array([...foreign, ...reply])];
  };
  const { client } = await clientOf(fakeDevices({ 1: registers }, { mangle }));
  assert.deepEqual(await client.read(request), right);
  assert.deepEqual(await client.read(request), right);
});

Deno.test("an answer that comes too late is not taken for the next one's", async () => {
  for (const transport of ["tcp", "rtu"] as const) {
    const held: Uint8Array[] = [];
    const devices = fakeDevices({ 1: registers }, { transport });
    const { client, clock } = await clientOf(devices, transport === "rtu" ? { transport } : {});
    devices.mangle = (reply) => {
      held.push(reply);
      return [];
    };
    await silent(client.read(request), clock);
    devices.mangle = (reply) => [held[0], reply];
    if (transport === "tcp") {
      const other = await client.read({ ...request, address: 20 });
      assert.deepEqual(other, new Uint8Array([0, 20, 0, 21]));
    } else {
      // Nothing but its length tells it there.
      const other = await client.read({ ...request, address: 20, count: 3 });
      assert.deepEqual(other, new Uint8Array([0, 20, 0, 21, 0, 22]));
    }
  }
});

Deno.test("a refusal names what was asked for, in words", async () => {
  const { client } = await clientOf(fakeDevices({ 1: registers }));
  await assert.rejects(client.read({ ...request, address: 40_070, count: 1 }), (error: Error) => {
    assert.ok(error instanceof ModbusRefusal);
    assert.equal(error.exception, 2);
    assert.equal(error.message, "asked for holding 40070, the device has no such register");
    return true;
  });
  assert.deepEqual(await client.read(request), right);
});

Deno.test("another unit's answer is told, with the id that it has", async () => {
  const mangle = (reply: Uint8Array) => [reply.with(6, 3)];
  const { client } = await clientOf(fakeDevices({ 1: registers }, { mangle }));
  await assert.rejects(client.read(request), /unit 1 was asked and unit 3 answered/);
});

Deno.test("an answer of the other framing ends the connection, with what to change", async () => {
  const devices = fakeDevices({ 1: registers });
  devices.mangle = (reply) => {
    const body = [...reply.subarray(6)];
    return [new Uint8Array([...body, ...checksum(body)])];
  };
  const { client } = await clientOf(devices);
  await assert.rejects(client.read(request), (error: Error) => {
    return error instanceof SourceFault && !(error instanceof UnitFault) &&
      /transport = "rtu"/.test(error.message);
  });
});

Deno.test("a connection that is cut in the middle of an answer is broken", async () => {
  const mangle = (reply: Uint8Array) => [reply.subarray(0, 8), new Uint8Array(0)];
  const { client } = await clientOf(fakeDevices({ 1: registers }, { mangle }));
  await assert.rejects(client.read(request), (error: Error) => {
    return error instanceof LineFault && error.kind === "broken" &&
      /another master/.test(error.message);
  });
});

Deno.test("bits are read by their own functions", async () => {
  const devices = fakeDevices({ 1: { 3: 1, 4: 0, 5: 1 } });
  const { client } = await clientOf(devices);
  const bits = await client.read({ unit: 1, table: "discrete", address: 3, count: 3 });
  assert.deepEqual(bits, new Uint8Array([0b101]));
  assert.equal(devices.asked[0].code, 2);
});

Deno.test("over a real socket: read, refused port, no answer, end by a signal", async () => {
  const { effects: alone } = fakeEffects();
  const effects = { ...alone, connect: systemConnect };
  const devices = fakeDevices({ 1: registers });
  const server = listenFor(devices);
  const stop = new AbortController();
  const { signal } = stop;
  const here = { ...place, host: "127.0.0.1", port: server.port };
  const client = await ModbusClient.open(here, { effects, signal });
  assert.deepEqual(await client.read(request), right);
  assert.equal((await client.read({ ...request, count: 125 })).length, 250);
  devices.mangle = () => [];
  const waiting = client.read(request);
  await until(() => devices.asked.length === 3);
  stop.abort();
  await assert.rejects(waiting);
  await assert.rejects(client.read(request), LineFault);
  server.close();
  const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = free.addr as Deno.NetAddr;
  free.close();
  await assert.rejects(
    ModbusClient.open({ ...here, port }, { effects, signal: new AbortController().signal }),
    (error: Error) => error instanceof LineFault && error.kind === "refused",
  );
});

Deno.test("what a test's server answers is what Modbus says", () => {
  const units = { 0x11: { 0x6b: 0x022b, 0x6c: 0, 0x6d: 0x64 } };
  const devices = fakeDevices(units, { transport: "rtu" });
  const reply = replyTo(devices, Uint8Array.fromHex("1103006b00037687"));
  assert.equal(reply?.toHex(), "110306022b00000064c8ba");
});
