// Setpoints by the command line, sent to a device of pymodbus; the service is killed meanwhile.
import assert from "node:assert/strict";
import { sunspecRegisters } from "../../help/modbus.ts";
import { runProgram, type Server, startServer } from "../../help/process.ts";

const python = Deno.env.get("PYTHON") ?? "python3";
const script = new URL("device.py", import.meta.url).pathname;

type Said = {
  readonly port?: number;
  readonly mode?: string;
  readonly written?: readonly number[];
};

/** The device; undefined where there is no pymodbus. */
async function openDevice() {
  // Immediate Controls: 100.0 % at register 40007, in tenths.
  const words = new Array(24).fill(0);
  words[3] = 1000;
  words[21] = 0xffff;
  const registers = sunspecRegisters([[123, words]]);
  const piped = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(python, { args: [script], ...piped }).spawn();
  const errors = new Response(child.stderr).text();
  const writer = child.stdin.getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(`${text}\n`));
  const said: Said[] = [];
  const waiting = new Set<() => void>();
  const reading = (async () => {
    let rest = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      said.push(...lines.map((line) => JSON.parse(line) as Said));
      for (const wake of waiting) wake();
    }
  })();
  const until = async (isSo: (it: Said) => boolean): Promise<Said | undefined> => {
    for (;;) {
      const found = said.find(isSo);
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      const ended = await Promise.race([promise.then(() => false), reading.then(() => true)]);
      waiting.delete(resolve);
      if (ended) return undefined;
    }
  };
  await write(JSON.stringify({ words: Object.values(registers) })).catch(() => {});
  const begun = await until(({ port }) => port !== undefined);
  if (begun === undefined) {
    const why = await errors;
    assert.match(why, /No module named/, why);
    await child.status;
    await writer.close().catch(() => {});
    return undefined;
  }
  return {
    port: begun.port!,
    written: () => said.flatMap(({ written }) => written ? [written] : []),
    untilWritten: (count: number) =>
      until(() => said.filter(({ written }) => written).length >= count),
    async behave(mode: string) {
      await write(mode);
      await until((it) => it.mode === mode);
    },
    async close() {
      await write("free");
      await writer.close();
      await child.status;
      await reading;
      await errors;
    },
  };
}

const site = (port: number) =>
  `
version = 1
organization = { key = "o", name = "O" }
project = { key = "p", name = "P", timezone = "UTC" }
site = { key = "s", name = "S", latitude = 0, longitude = 0 }

[[devices]]
key = "I1"
type = "inverter"

[[sources]]
key = "field"
kind = "modbus"
host = "127.0.0.1"
port = ${port}
every_s = 1
timeout_ms = 500

[[sources.maps]]
key = "m"
points = [
  { tag = "{device}.limit", sunspec = "123.WMaxLimPct", setpoint = { unit = "%", min = 0, ` +
  `max = 100, step = 0.5, every_s = 1, confirm_ms = 1500 } },
]

[[sources.units]]
unit = 1
map = "m"
device = "I1"
`;

Deno.test("setpoints reach a device of pymodbus once each, whatever is killed", async () => {
  const device = await openDevice();
  if (device === undefined) {
    // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
    return console.log(`SKIPPED: needs ${python} (or PYTHON=…) with pymodbus`);
  }
  const data_dir = await Deno.makeTempDir();
  const path = `${data_dir}.toml`;
  await Deno.writeTextFile(path, site(device.port));
  const serve = () => startServer(data_dir, { env: { WATTKEEPER_SETPOINTS: "on" } });
  const run = (...args: readonly string[]) => runProgram([...args, "--data-dir", data_dir]);
  const send = (value: number, ...more: readonly string[]) =>
    run("setpoint", "send", "I1.limit", `${value}`, "--unit", "%", ...more);
  let server: Server = await serve();
  try {
    assert.equal((await run("site", "apply", path)).code, 0);
    await connected(server);
    const first = await send(60.5, "--key", "a", "--note", "by hand");
    assert.equal(first.out, "I1.limit = 60.5 %: confirmed (before 100, after 60.5)\n", first.err);
    assert.equal(first.code, 0);
    assert.equal((await send(60.5, "--key", "a", "--note", "by hand")).out, first.out);
    assert.deepEqual(device.written(), [[40_007, 605]]);
    await device.behave("refuse");
    const refused = await send(50);
    assert.equal(
      refused.out,
      "I1.limit = 50 %: refused (before 60.5, after 60.5): told holding 40007, " +
        "the device does not take this value\n",
    );
    assert.equal(refused.code, 1);
    await device.behave("clamp 800");
    assert.match((await send(40)).out, /refused \(before 60.5, after 80\): the device took it/);
    await device.behave("hang");
    const killed = send(30, "--key", "b");
    await device.untilWritten(4);
    await server.end("SIGKILL");
    assert.equal((await killed).code, 1);
    await device.behave("free");
    server = await serve();
    await connected(server);
    const again = await send(30, "--key", "b");
    assert.match(again.out, /unknown .*the service ended while it was under way; it is not sent/);
    assert.deepEqual(device.written().map(([, word]) => word), [605, 500, 400, 300]);
    const { out } = await run("setpoint", "log");
    assert.deepEqual(
      out.trim().split("\n").map((line) => /%: (\w+)/.exec(line)?.[1]),
      ["unknown", "refused", "refused", "confirmed"],
    );
    assert.match((await send(20)).out, /confirmed \(before 30, after 20\)/);
  } finally {
    await server.end("SIGTERM");
    await device.close();
    await Deno.remove(data_dir, { recursive: true });
    await Deno.remove(path);
  }
});

/** Waits until the device has answered once: what is sent before that is not sent at all. */
async function connected({ said }: Server): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (/the source field is read/.test(said())) return;
    await new Promise<void>((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the source was never read: ${said()}`);
}
