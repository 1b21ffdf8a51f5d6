// Modbus as bytes: what one request reads, and requests and answers framed for TCP or as RTU.
import { concat } from "../../base/bytes.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { isBits, type ModbusTable, type Transport } from "../../model/sources/register.ts";

/** What is read: `count` registers or bits from `address` (of the protocol, from 0) on. */
export type ReadRequest = {
  readonly unit: number;
  readonly table: ModbusTable;
  readonly address: number;
  readonly count: number;
};

/** A message that came: whose, and its function with what follows. */
export type ModbusFrame = {
  /** Of TCP; undefined on RTU, which numbers nothing. */
  readonly transaction?: number;
  readonly unit: number;
  readonly pdu: Uint8Array;
};

/** The function that reads each table. */
export const functions: Readonly<Record<ModbusTable, number>> = {
  coil: 1,
  discrete: 2,
  holding: 3,
  input: 4,
};

/** The longest message after the unit, and all that can come for one request. */
const most_pdu_bytes = 253;
const head_bytes = 7;

/** What is asked of a unit, and what of its answers can be an answer to it. */
export type ModbusQuestion = {
  readonly unit: number;
  /** The unit, then function and what follows. */
  readonly message: Uint8Array;
  readonly answerIn: (pdu: Uint8Array) => ModbusAnswer;
};

/** The question that reads registers or bits. */
export function readQuestion(request: ReadRequest): ModbusQuestion {
  const { unit, table, address, count } = request;
  const message = messageOf([unit, functions[table], address, count]);
  return { unit, message, answerIn: (pdu) => readAnswer(request, pdu) };
}

/** A message of a unit, a function and two words. */
function messageOf([unit, of, a, b]: readonly [number, number, number, number]) {
  const message = new Uint8Array([unit, of, 0, 0, 0, 0]);
  const view = new DataView(message.buffer);
  view.setUint16(2, a);
  view.setUint16(4, b);
  return message;
}

/** A message (the unit, then function and what follows) with its frame. */
export function framed(
  message: Uint8Array,
  { transport, transaction }: { readonly transport: Transport; readonly transaction: number },
): Uint8Array {
  if (transport === "rtu") {
    const sum = crc16(message);
    return concat([message, new Uint8Array([sum & 0xff, sum >> 8])]);
  }
  const head = new Uint8Array(head_bytes - 1);
  const view = new DataView(head.buffer);
  view.setUint16(0, transaction);
  view.setUint16(4, message.length);
  return concat([head, message]);
}

/** What bytes that came are: a frame and its length, too few, or nothing that is Modbus. */
type Taken =
  | { readonly frame: ModbusFrame; readonly length: number }
  | { readonly flaw: string }
  | undefined;

/** Frames out of bytes in any pieces. On RTU a frame's end follows from what was asked. */
export class FrameReader {
  readonly #transport: Transport;
  #bytes: Uint8Array<ArrayBufferLike> = new Uint8Array(0);

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Forgets what came so far: nobody asked for it. */
  clear(): void {
    this.#bytes = new Uint8Array(0);
  }

  /** Adds bytes that came. */
  push(bytes: Uint8Array): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : concat([this.#bytes, bytes]);
  }

  /** The next whole frame; undefined where more bytes are needed. Throws a `FrameFlaw`. */
  next(): ModbusFrame | undefined {
    const taken = this.#transport === "tcp" ? takeTcp(this.#bytes) : takeRtu(this.#bytes);
    if (taken === undefined) return undefined;
    if ("flaw" in taken) throw new FrameFlaw(taken.flaw);
    this.#bytes = this.#bytes.subarray(taken.length);
    return taken.frame;
  }
}

/** What came is no frame: nothing behind it can be told apart any more. */
export class FrameFlaw extends Error {}

function takeTcp(bytes: Uint8Array): Taken {
  if (bytes.length < head_bytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = view.getUint16(4);
  if (view.getUint16(2) !== 0 || size < 3 || size > most_pdu_bytes + 1) {
    return { flaw: 'the answer is not framed for TCP: try transport = "rtu"' };
  }
  const length = head_bytes - 1 + size;
  if (bytes.length < length) return undefined;
  const pdu = bytes.slice(head_bytes, length);
  return { frame: { transaction: view.getUint16(0), unit: bytes[6], pdu }, length };
}

function takeRtu(bytes: Uint8Array): Taken {
  if (bytes.length < 5) return undefined;
  const is_written = write_functions.includes(bytes[1]);
  // An exception has one byte; what was read begins with the number of its bytes.
  const body = (bytes[1] & 0x80) !== 0 ? 1 : is_written ? 4 : 1 + bytes[2];
  const length = 2 + body + 2;
  const flaw = 'the answer is not framed as RTU: its checksum is wrong; try transport = "tcp"';
  const is_known = is_written || (bytes[1] & 0x7f) <= 4 ||
    write_functions.includes(bytes[1] & 0x7f);
  if (body > most_pdu_bytes - 1 || !is_known) return { flaw };
  if (bytes.length < length) return undefined;
  const sum = crc16(bytes.subarray(0, length - 2));
  if (bytes[length - 2] !== (sum & 0xff) || bytes[length - 1] !== sum >> 8) return { flaw };
  return { frame: { unit: bytes[0], pdu: bytes.slice(1, length - 2) }, length };
}

/** What an answer says: the bytes that were read (none: written), a refusal's code, or a flaw. */
export type ModbusAnswer =
  | { readonly data: Uint8Array }
  | { readonly exception: number }
  | { readonly flaw: string };

/** Reads the answer to a request; who sent it was looked at before. */
function readAnswer({ table, count }: ReadRequest, pdu: Uint8Array): ModbusAnswer {
  const asked = functions[table];
  if (pdu[0] === (asked | 0x80) && pdu.length === 2) return { exception: pdu[1] };
  if (pdu[0] !== asked) return { flaw: `it answers function ${pdu[0]}, asked was ${asked}` };
  const bytes = isBits(table) ? (count + 7) >> 3 : 2 * count;
  const data = pdu.subarray(2);
  if (pdu[1] !== bytes || data.length !== bytes) {
    return { flaw: `it sent ${data.length} bytes, ${bytes} were asked for` };
  }
  return { data };
}

/** What is written: registers, or one bit, from an address on. */
export type WriteRequest = {
  readonly unit: number;
  readonly table: "holding" | "coil";
  readonly address: number;
  /** Two a register; of a bit, one that is 0 or 1. */
  readonly bytes: Uint8Array;
};

/** The functions that write a bit, a register and several. */
const write_functions: readonly number[] = [5, 6, 16];

/** The question that writes: one register by its own function, several by theirs. */
export function writeQuestion({ unit, table, address, bytes }: WriteRequest): ModbusQuestion {
  const of = table === "coil" ? 5 : bytes.length === 2 ? 6 : 16;
  const word = of === 5
    ? 0xff00 * bytes[0]
    : of === 6
    ? bytes[0] << 8 | bytes[1]
    : bytes.length / 2;
  const head = messageOf([unit, of, address, word]);
  const message = of === 16 ? concat([head, new Uint8Array([bytes.length]), bytes]) : head;
  return { unit, message, answerIn: (pdu) => writeAnswer(head.subarray(1), pdu) };
}

/** An answer says again where; a device may say what it has then, in place of what it was told. */
function writeAnswer(head: Uint8Array, pdu: Uint8Array): ModbusAnswer {
  if (pdu[0] === (head[0] | 0x80) && pdu.length === 2) return { exception: pdu[1] };
  const place = head.subarray(0, 3);
  const is_same = pdu.length === head.length && place.every((byte, i) => byte === pdu[i]);
  return is_same ? { data: new Uint8Array(0) } : { flaw: "it does not say again where it wrote" };
}

/** What a device means by the code of a refusal. */
export const exceptions: Readonly<Record<number, string>> = {
  1: "does not know this function",
  2: "has no such register",
  3: "does not take this number of registers",
  4: "has failed, or none has this unit id",
  5: "works on it",
  6: "is busy",
  8: "has a fault in its memory",
  10: "can't be reached by its gateway",
  11: "gives its gateway no answer",
};

/** The checksum of RTU; its low byte goes first. */
function crc16(bytes: Uint8Array): number {
  let sum = 0xffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 1 ? (sum >> 1) ^ 0xa001 : sum >> 1;
  }
  return sum;
}

/** A run of registers or bits of one table. */
export type Run = {
  readonly table: ModbusTable;
  readonly address: number;
  readonly count: number;
};

/** How much is joined: over gaps, without, or each by itself. */
export type Joining = "gaps" | "neighbours" | "single";

/**
 * The requests that read all of `wanted`, each of which is within one of them. None is longer than
 * `most`, but where a wanted run is.
 */
export function blocksOf(
  wanted: readonly Run[],
  { joining, most }: { readonly joining: Joining; readonly most: number },
): readonly Run[] {
  const blocks: Run[] = [];
  const sorted = wanted.toSorted((a, b) =>
    a.table === b.table ? a.address - b.address : a.table < b.table ? -1 : 1
  );
  for (const run of sorted) {
    const last = blocks.at(-1);
    if (last && last.table === run.table && isJoined(last, run, { joining, most })) {
      const end = Math.max(last.address + last.count, run.address + run.count);
      blocks[blocks.length - 1] = { ...last, count: end - last.address };
    } else blocks.push(run);
  }
  return blocks;
}

function isJoined(
  last: Run,
  run: Run,
  { joining, most }: { readonly joining: Joining; readonly most: number },
): boolean {
  const end = last.address + last.count;
  if (run.address + run.count <= end) return true;
  if (joining === "single") return false;
  const room = isBits(run.table) ? source_limits.request_bits : most;
  const gap = joining === "gaps" ? source_limits.gap_registers : 0;
  return run.address - end <= gap && run.address + run.count - last.address <= room;
}

/** What was read in one turn, by table and address. */
export class Registers {
  readonly #blocks: { readonly run: Run; readonly bytes: Uint8Array; readonly ts_us: number }[] =
    [];

  put(run: Run, bytes: Uint8Array, ts_us: number): void {
    this.#blocks.push({ run, bytes, ts_us });
  }

  /** The bytes of a run and when they came; undefined where they were not read. */
  get({ table, address, count }: Run): { bytes: Uint8Array; ts_us: number } | undefined {
    for (const { run, bytes, ts_us } of this.#blocks) {
      const from = address - run.address;
      if (run.table !== table || from < 0 || from + count > run.count) continue;
      if (!isBits(table)) return { bytes: bytes.subarray(2 * from, 2 * (from + count)), ts_us };
      return { bytes: new Uint8Array([bytes[from >> 3] >> (from & 7) & 1]), ts_us };
    }
  }
}
