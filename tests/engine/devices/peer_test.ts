// Real peers: a server of pymodbus is read, and every point compared with what pysunspec2 reads.
import assert from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import { ModbusClient } from "../../../src/engine/devices/modbus_client.ts";
import { lookAtUnit } from "../../../src/engine/devices/scan.ts";
import type { Transport } from "../../../src/model/sources/register.ts";
import { model_ids } from "../../../src/model/sources/sunspec.ts";
import { isCode, type PlacedPoint, placePoints } from "../../../src/wire/sources/sunspec.ts";
import { sunspecRegisters } from "../../help/modbus.ts";

const python = Deno.env.get("PYTHON") ?? "python3";
const script = new URL("peer.py", import.meta.url).pathname;

/** A server of pymodbus with some registers, and what pysunspec2 read; undefined without them. */
async function peer(registers: Readonly<Record<number, number>>, transport: Transport) {
  const piped = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(python, { args: [script], ...piped }).spawn();
  const errors = new Response(child.stderr).text();
  const writer = child.stdin.getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(text)).catch(() => {});
  await write(JSON.stringify({ registers, transport }) + "\n");
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) break;
    said += value;
  }
  const close = async () => {
    await write("end\n");
    await writer.close().catch(() => {});
    await reader.cancel();
    await child.status;
    await errors;
  };
  if (said.includes("\n")) {
    return { ...JSON.parse(said) as { port: number; found: Record<string, unknown> }, close };
  }
  await close();
  const why = await errors;
  assert.match(why, /No module named/, why);
  return undefined;
}

/** Numbers from a seed. */
function dice(seed: number) {
  return (most: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor(seed / 2 ** 32 * most);
  };
}

/** A model's words: any values, but powers of ten and counts that a device may have. */
async function anyWords(id: number, roll: (most: number) => number): Promise<number[]> {
  const two = () => Promise.resolve(2);
  const bare = { id, address: 0, length: 60_000 };
  const points = await placePoints({ model: bare, twin: 1 }, two);
  // A group that stands as often as there is room: twice is enough.
  const end = Math.max(
    ...points.filter(({ path }) => !/:([3-9]|\d\d+)\./.test(path))
      .map(({ address, point }) => address + point.size),
  );
  const words = Array.from({ length: end }, () => roll(8) === 0 ? 0xffff : roll(0x10000));
  for (const { point, address } of points) {
    if (address + point.size > end) continue;
    const put = (...own: number[]) => own.forEach((word, i) => words[address + i] = word & 0xffff);
    if (point.type === "sunssf") put(roll(7) - 3);
    if (/^(N|IVLen$)/.test(point.name) && point.size === 1 && point.type !== "sunssf") put(2);
    if (point.type === "int16" && roll(6) === 0) put(0x8000);
    if (point.type === "float32") put(0x42c8 + roll(8), roll(0x10000));
    if (point.type === "string") {
      put(...Array.from({ length: point.size }, () => 0x4130 + roll(9)));
    }
    if (/64$/.test(point.type)) put(0, roll(100), roll(0x10000), roll(0x10000));
  }
  return words.slice(2);
}

function skipped(): void {
  // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
  console.log(`SKIPPED: needs ${python} (or PYTHON=…) with pymodbus and pysunspec2`);
}

async function readAll(port: number, transport: Transport) {
  const effects = systemEffects();
  const { signal } = new AbortController();
  const place = {
    ...{ host: "127.0.0.1", port, transport, timeout_ms: 5000 },
    ...{ delay_ms: 0, most_registers: 125 },
  };
  const client = await ModbusClient.open(place, { effects, signal });
  const found = await lookAtUnit(client, 1);
  client.close();
  return found!;
}

Deno.test("each point of every model is as pysunspec2 reads it", async () => {
  const roll = dice(7);
  const models: [number, number[]][] = [];
  for (const id of model_ids) models.push([id, await anyWords(id, roll)]);
  const registers = sunspecRegisters(models);
  const served = await peer(registers, "tcp");
  if (served === undefined) return skipped();
  try {
    const { sunspec, values } = await readAll(served.port, "tcp");
    assert.deepEqual(sunspec!.models.map(({ id }) => id), model_ids);
    assert.deepEqual(sunspec!.notes, []);
    const points = new Map(
      sunspec!.models.flatMap((it) => it.points).map((it) => [it.path, it]),
    );
    let compared = 0;
    for (const [path, theirs] of Object.entries(served.found)) {
      const placed = points.get(path);
      assert.ok(placed, `${path} is not there`);
      if (/^(pad|ipaddr|ipv6addr|eui48)$/.test(placed.point.type)) continue;
      assert.ok(isSame(values.get(path), theirs, placed), `${path}: ${values.get(path)} ${theirs}`);
      compared++;
    }
    assert.ok(compared > 3000, `${compared} points`);
  } finally {
    await served.close();
  }
});

Deno.test("RTU over TCP is read from pymodbus", async () => {
  const registers = sunspecRegisters([[1, await anyWords(1, dice(1))]]);
  const served = await peer(registers, "rtu");
  if (served === undefined) return skipped();
  try {
    const { sunspec, values } = await readAll(served.port, "rtu");
    assert.deepEqual(sunspec!.models.map(({ id }) => id), [1]);
    assert.equal(typeof values.get("1.Mn"), "string");
  } finally {
    await served.close();
  }
});

/** Their computed value is a float; a text of theirs may keep its spaces. */
function isSame(ours: unknown, theirs: unknown, { point }: PlacedPoint): boolean {
  if (theirs === null || theirs === undefined) return ours === undefined;
  if (typeof theirs === "string") return ours === theirs.trim();
  if (isCode(point)) return Number(ours) === theirs;
  const far = Math.abs(Number(ours) - Number(theirs));
  return far <= 1e-9 * Math.max(1, Math.abs(Number(theirs)));
}
