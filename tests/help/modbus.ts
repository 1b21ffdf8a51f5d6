// Simulated Modbus devices: an own small server, in memory or on a socket, that can misbehave.
import { type Connect, LineFault } from "../../src/base/effects_line.ts";

/** What a unit answers a request for some of its registers; a number is an exception's code. */
export type Answering = (
  request: {
    readonly unit: number;
    readonly code: number;
    readonly address: number;
    readonly count: number;
    /** Words, or bits, that are written there; none where it is read. */
    readonly written?: readonly number[];
  },
) => readonly number[] | number | "silent";

/** Makes an answer's bytes into what goes over the line: none, pieces, or others. */
export type Mangle = (reply: Uint8Array, request: Uint8Array) => readonly Uint8Array[];

/** Devices behind one address. */
export type FakeDevices = {
  readonly transport?: "tcp" | "rtu";
  answer: Answering;
  mangle?: Mangle;
  /** Requests that came, in order. */
  readonly asked: { unit: number; code: number; address: number; count: number }[];
};

/** Units with registers: `units[1][40000]` is holding register 40000 of unit 1. */
export function fakeDevices(
  units: Readonly<Record<number, Record<number, number>>>,
  more: Partial<Pick<FakeDevices, "transport" | "mangle">> = {},
): FakeDevices {
  return {
    ...more,
    asked: [],
    answer({ unit, address, count, written = [] }) {
      const registers = units[unit];
      if (registers === undefined) return "silent";
      written.forEach((word, i) => registers[address + i] = word);
      const words = Array.from({ length: count }, (_, i) => registers[address + i]);
      return words.includes(undefined as unknown as number) ? 2 : words;
    },
  };
}

/** The bytes that devices send for what came; undefined where nobody answers. */
export function replyTo(devices: FakeDevices, request: Uint8Array): Uint8Array | undefined {
  const rtu = devices.transport === "rtu";
  const at = rtu ? 0 : 6;
  const view = new DataView(request.buffer, request.byteOffset, request.length);
  const [unit, code] = [request[at], request[at + 1]];
  const address = view.getUint16(at + 2);
  const written = writtenIn(request.subarray(at), code);
  const count = written?.length ?? view.getUint16(at + 4);
  devices.asked.push({ unit, code, address, count });
  const words = devices.answer({ unit, code, address, count, ...(written ? { written } : {}) });
  if (words === "silent") return undefined;
  const body = typeof words === "number"
    ? [unit, code | 0x80, words]
    : written !== undefined
    ? [...request.subarray(at, at + 6)]
    : [unit, code, ...(code <= 2 ? bitBytes(words) : wordBytes(words))];
  if (rtu) return new Uint8Array([...body, ...checksum(body)]);
  return new Uint8Array([request[0], request[1], 0, 0, 0, body.length, ...body]);
}

/** What a message writes; undefined for one that reads. */
function writtenIn(message: Uint8Array, code: number): readonly number[] | undefined {
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  if (code === 5) return [message[4] === 0xff ? 1 : 0];
  if (code === 6) return [view.getUint16(4)];
  if (code !== 16) return undefined;
  return Array.from({ length: view.getUint16(4) }, (_, i) => view.getUint16(7 + 2 * i));
}

function wordBytes(words: readonly number[]): number[] {
  return [2 * words.length, ...words.flatMap((word) => [(word >> 8) & 0xff, word & 0xff])];
}

function bitBytes(bits: readonly number[]): number[] {
  const bytes = new Array(Math.ceil(bits.length / 8)).fill(0);
  bits.forEach((bit, i) => bytes[i >> 3] |= (bit & 1) << (i & 7));
  return [bytes.length, ...bytes];
}

/** The checksum as the serial line's document has it, bit by bit. */
export function checksum(bytes: readonly number[]): number[] {
  let sum = 0xffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let i = 0; i < 8; i++) sum = sum % 2 === 1 ? Math.floor(sum / 2) ^ 0xa001 : sum / 2;
  }
  return [sum % 256, Math.floor(sum / 256)];
}

/** Lines to devices by `host:port`; any other address refuses. */
export function connectTo(places: Readonly<Record<string, FakeDevices>>): Connect {
  return ({ host, port, signal }) => {
    const devices = places[`${host}:${port}`];
    if (devices === undefined) {
      const message = `nothing listens at port ${port}: the connection is refused`;
      return Promise.reject(new LineFault("refused", message));
    }
    const coming: (Uint8Array | undefined)[] = [];
    let bell = Promise.withResolvers<void>();
    let is_open = true;
    const put = (bytes: Uint8Array | undefined) => {
      coming.push(bytes);
      bell.resolve();
    };
    const close = () => {
      is_open = false;
      bell.resolve();
    };
    signal.addEventListener("abort", close);
    const guard = () => {
      if (!is_open) throw new LineFault("broken", "the connection is closed");
    };
    return Promise.resolve({
      send(bytes) {
        guard();
        const reply = replyTo(devices, bytes);
        if (reply) { for (const part of devices.mangle?.(reply, bytes) ?? [reply]) put(part); }
        return Promise.resolve();
      },
      async receive() {
        while (is_open && coming.length === 0) {
          bell = Promise.withResolvers();
          await bell.promise;
        }
        guard();
        const [first] = coming.splice(0, 1);
        // An empty piece cuts the connection.
        return first?.length === 0 ? undefined : first;
      },
      close,
    });
  };
}

/** The same devices on a socket of this machine; gives its port. */
export function listenFor(devices: FakeDevices): { port: number; close: () => void } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const sockets = new Set<Deno.Conn>();
  (async () => {
    for await (const socket of listener) {
      sockets.add(socket);
      serve(socket, devices).catch(() => {}).finally(() => {
        if (sockets.delete(socket)) socket.close();
      });
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    close() {
      listener.close();
      for (const socket of sockets) socket.close();
      sockets.clear();
    },
  };
}

async function serve(socket: Deno.Conn, devices: FakeDevices): Promise<void> {
  const bytes = new Uint8Array(4096);
  for (;;) {
    const count = await socket.read(bytes);
    if (count === null) return;
    const request = bytes.slice(0, count);
    const reply = replyTo(devices, request);
    if (reply === undefined) continue;
    for (const part of devices.mangle?.(reply, request) ?? [reply]) {
      if (part.length === 0) return;
      await socket.write(part);
    }
  }
}

/** Registers of a device with SunSpec: each model's id and its words behind the length. */
export function sunspecRegisters(
  models: readonly (readonly [id: number, words: readonly number[]])[],
  base = 40_000,
): Record<number, number> {
  const words = [
    ...[0x5375, 0x6e53],
    ...models.flatMap(([id, own]) => [id, own.length, ...own]),
    ...[0xffff, 0],
  ];
  return Object.fromEntries(words.map((word, i) => [base + i, word]));
}

/** An inverter's model 103 (50 registers): power, energy, frequency and state, the rest absent. */
export function inverterWords(
  { w, w_sf = 0, wh, st = 4 }: { w: number; w_sf?: number; wh: number; st?: number },
): number[] {
  const words = new Array(50).fill(0xffff);
  const put = (at: number, value: number) => words[at] = value & 0xffff;
  put(12, w);
  put(13, w_sf);
  put(14, 4998);
  put(15, -2);
  words[22] = wh >>> 16;
  words[23] = wh & 0xffff;
  put(24, 0);
  put(36, st);
  words[38] = 0;
  words[39] = 0b1001;
  return words;
}
