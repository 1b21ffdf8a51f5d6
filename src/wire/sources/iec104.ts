// IEC 60870-5-104 on a line of bytes: frames (APDU), and the points and commands in them (ASDU).
import { concat } from "../../base/bytes.ts";

/** What the functions of an unnumbered frame are, by the bits that it has on the line. */
export const link_functions = {
  start: 0x07,
  started: 0x0b,
  stop: 0x13,
  stopped: 0x23,
  test: 0x43,
  tested: 0x83,
} as const;

export type LinkFunction = keyof typeof link_functions;

/** A frame: numbered with a message, an acknowledgement alone, or one of the link itself. */
export type Apdu =
  | {
    readonly kind: "message";
    readonly sent: number;
    readonly received: number;
    readonly asdu: Uint8Array;
  }
  | { readonly kind: "acknowledged"; readonly received: number }
  | { readonly kind: "link"; readonly name: LinkFunction };

/** Frames are numbered from 0 up to one less than this. */
export const frame_numbers = 1 << 15;

const start_byte = 0x68;
const control_bytes = 4;
const most_bytes = 253;
/** Type, number of objects, cause, originator, common address. */
const head_bytes = 6;
const address_bytes = 3;

/** The bytes of a frame. */
export function apduBytes(apdu: Apdu): Uint8Array<ArrayBuffer> {
  const control = new Uint8Array(control_bytes);
  const view = new DataView(control.buffer);
  if (apdu.kind === "link") control[0] = link_functions[apdu.name];
  else {
    view.setUint16(0, apdu.kind === "message" ? apdu.sent << 1 : 1, true);
    view.setUint16(2, apdu.received << 1, true);
  }
  const asdu = apdu.kind === "message" ? apdu.asdu : new Uint8Array();
  return concat([new Uint8Array([start_byte, control_bytes + asdu.length]), control, asdu]);
}

/** Frames out of bytes that come in any pieces. */
export class ApduReader {
  #bytes: Uint8Array<ArrayBufferLike> = new Uint8Array();

  /** Takes bytes; gives the frames that are whole, or what is wrong with them. */
  take(bytes: Uint8Array): { readonly apdus: readonly Apdu[]; readonly flaw?: string } {
    const all = this.#bytes.length === 0 ? bytes : concat([this.#bytes, bytes]);
    const apdus: Apdu[] = [];
    let at = 0;
    while (at + 2 <= all.length) {
      const length = all[at + 1];
      if (all[at] !== start_byte || length < control_bytes || length > most_bytes) {
        return { apdus, flaw: "what comes is no IEC 60870-5-104: is it the right port?" };
      }
      if (at + 2 + length > all.length) break;
      const apdu = apduOf(all.subarray(at + 2, at + 2 + length));
      if (apdu === undefined) return { apdus, flaw: "a frame of the link is unknown" };
      apdus.push(apdu);
      at += 2 + length;
    }
    this.#bytes = all.slice(at);
    return { apdus };
  }
}

function apduOf(bytes: Uint8Array): Apdu | undefined {
  const view = viewOf(bytes);
  const received = view.getUint16(2, true) >> 1;
  if ((bytes[0] & 1) === 0) {
    const sent = view.getUint16(0, true) >> 1;
    return { kind: "message", sent, received, asdu: bytes.slice(control_bytes) };
  }
  if ((bytes[0] & 3) === 1) return { kind: "acknowledged", received };
  const named = Object.entries(link_functions).find(([, bits]) => bits === bytes[0]);
  return named && { kind: "link", name: named[0] as LinkFunction };
}

/** Why a message was sent, by its number in the standard (IEC 60870-5-101, 7.2.3). */
export const causes = {
  spontaneous: 3,
  initialized: 4,
  requested: 5,
  activation: 6,
  confirmed: 7,
  ended: 10,
  interrogated: 20,
  counted: 37,
  unknown_type: 44,
  unknown_cause: 45,
  unknown_station: 46,
  unknown_object: 47,
} as const;

/** The types of commands that are sent, and of the messages that are told apart by their type. */
export const message_types = {
  initialized: 70,
  interrogate: 100,
  count: 101,
  read: 102,
  clock: 103,
} as const;

/** A time on the station's clock. */
export type StationTime = {
  /** Microseconds since 1970 on the clock; of a short time, since the full hour. */
  readonly wall_us: number;
  readonly is_short: boolean;
  /** Whether the clock shows summer time. */
  readonly is_summer: boolean;
  /** Whether the station itself does not trust it. */
  readonly is_invalid: boolean;
};

/** The value of a point; null where it says that there is none. */
export type PointValue = {
  readonly address: number;
  readonly value: number | null;
  /** What the station says of it. */
  readonly quality: PointQuality;
  /** Null where the message has none. */
  readonly at: StationTime | null;
};

/** What a station says of a value (the quality descriptor of the standard). */
export type PointQuality = {
  readonly is_overflown: boolean;
  readonly is_blocked: boolean;
  readonly is_substituted: boolean;
  readonly is_old: boolean;
  readonly is_invalid: boolean;
};

/** A message. `values` is undefined where its type has none that are read. */
export type Asdu = {
  readonly type: number;
  readonly cause: number;
  readonly is_negative: boolean;
  readonly is_test: boolean;
  /** The station's common address. */
  readonly station: number;
  /** That of its first object. */
  readonly address: number;
  readonly values: readonly PointValue[] | undefined;
  /** What stands behind the first address, where it is no value. */
  readonly element?: Uint8Array;
};

type Element = {
  readonly bytes: number;
  readonly read: (view: DataView, at: number) => Pick<PointValue, "value" | "quality">;
};

const single: Element = {
  bytes: 1,
  read: (view, at) => {
    const bits = view.getUint8(at);
    return { value: bits & 1, quality: qualityOf(bits & 0xf0) };
  },
};

const double: Element = {
  bytes: 1,
  read: (view, at) => {
    const bits = view.getUint8(at);
    return { value: bits & 3, quality: qualityOf(bits & 0xf0) };
  },
};

/** A position of -64 to 63; its top bit says that it is on its way. */
const step: Element = {
  bytes: 2,
  read: (view, at) => (
    { value: view.getInt8(at) << 25 >> 25, quality: qualityOf(view.getUint8(at + 1)) }
  ),
};

const bits32: Element = {
  bytes: 5,
  read: (view, at) => (
    { value: view.getUint32(at, true), quality: qualityOf(view.getUint8(at + 4)) }
  ),
};

const normalized: Element = {
  bytes: 3,
  read: (view, at) => (
    { value: view.getInt16(at, true) / 32_768, quality: qualityOf(view.getUint8(at + 2)) }
  ),
};

const bare_normalized: Element = {
  bytes: 2,
  read: (view, at) => ({ value: view.getInt16(at, true) / 32_768, quality: qualityOf(0) }),
};

const scaled: Element = {
  bytes: 3,
  read: (view, at) => (
    { value: view.getInt16(at, true), quality: qualityOf(view.getUint8(at + 2)) }
  ),
};

const short_float: Element = {
  bytes: 5,
  read(view, at) {
    const value = view.getFloat32(at, true);
    const quality = qualityOf(view.getUint8(at + 4));
    return { value: Number.isFinite(value) ? value : null, quality };
  },
};

/** A counter; of its last byte, the top bit says that the reading is invalid. */
const total: Element = {
  bytes: 5,
  read: (view, at) => (
    { value: view.getInt32(at, true), quality: qualityOf(view.getUint8(at + 4) & 0x80) }
  ),
};

const short_time_bytes = 3;
const long_time_bytes = 7;

/** Elements of the types that carry values, without a time; and the types that add a time. */
const elements: Readonly<Record<number, readonly [Element, time_bytes: number]>> = {
  1: [single, 0],
  2: [single, short_time_bytes],
  3: [double, 0],
  4: [double, short_time_bytes],
  5: [step, 0],
  6: [step, short_time_bytes],
  7: [bits32, 0],
  8: [bits32, short_time_bytes],
  9: [normalized, 0],
  10: [normalized, short_time_bytes],
  11: [scaled, 0],
  12: [scaled, short_time_bytes],
  13: [short_float, 0],
  14: [short_float, short_time_bytes],
  15: [total, 0],
  16: [total, short_time_bytes],
  21: [bare_normalized, 0],
  30: [single, long_time_bytes],
  31: [double, long_time_bytes],
  32: [step, long_time_bytes],
  33: [bits32, long_time_bytes],
  34: [normalized, long_time_bytes],
  35: [scaled, long_time_bytes],
  36: [short_float, long_time_bytes],
  37: [total, long_time_bytes],
};

/** A message, or undefined where it is not one. */
export function readAsdu(bytes: Uint8Array): Asdu | undefined {
  if (bytes.length < head_bytes + address_bytes) return undefined;
  const view = viewOf(bytes);
  const head = {
    type: bytes[0],
    cause: bytes[2] & 0x3f,
    is_negative: (bytes[2] & 0x40) !== 0,
    is_test: (bytes[2] & 0x80) !== 0,
    station: view.getUint16(4, true),
    address: addressAt(view, head_bytes),
  };
  const found = elements[head.type];
  if (!found) {
    return { ...head, values: undefined, element: bytes.subarray(head_bytes + address_bytes) };
  }
  const [element, time_bytes] = found;
  const count = bytes[1] & 0x7f;
  const in_a_row = (bytes[1] & 0x80) !== 0;
  const size = element.bytes + time_bytes;
  const length = in_a_row ? address_bytes + count * size : count * (address_bytes + size);
  if (bytes.length !== head_bytes + length) return undefined;
  const values = Array.from({ length: count }, (_, i) => {
    const start = in_a_row ? head_bytes : head_bytes + i * (address_bytes + size);
    const at = start + address_bytes + (in_a_row ? i * size : 0);
    const address = addressAt(view, start) + (in_a_row ? i : 0);
    return {
      address,
      ...element.read(view, at),
      at: time_bytes === 0 ? null : timeAt(view, { at: at + element.bytes, time_bytes }),
    };
  });
  return { ...head, values };
}

/** The address of an object; on the line its low byte comes first. */
function addressAt(view: DataView, at: number): number {
  return view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
}

/** A time as CP56Time2a; years from 2000 on. */
export function timeBytes(
  { wall_us, is_summer }: Pick<StationTime, "wall_us" | "is_summer">,
): readonly number[] {
  const wall = new Date(wall_us / 1000);
  const ms = wall.getUTCSeconds() * 1000 + wall.getUTCMilliseconds();
  return [
    ...[ms & 0xff, ms >> 8, wall.getUTCMinutes()],
    wall.getUTCHours() | (is_summer ? 0x80 : 0),
    wall.getUTCDate() | ((wall.getUTCDay() || 7) << 5),
    ...[wall.getUTCMonth() + 1, wall.getUTCFullYear() - 2000],
  ];
}

/** CP24Time2a (three bytes: within the hour) or CP56Time2a (seven). */
function timeAt(
  view: DataView,
  { at, time_bytes }: { readonly at: number; readonly time_bytes: number },
): StationTime {
  const ms = view.getUint16(at, true);
  const minute = view.getUint8(at + 2);
  const is_short = time_bytes === short_time_bytes;
  const within_us = ((minute & 0x3f) * 60_000 + ms) * 1000;
  const is_invalid = (minute & 0x80) !== 0 || ms > 59_999 || (minute & 0x3f) > 59;
  if (is_short) return { wall_us: within_us, is_short, is_summer: false, is_invalid };
  const hour = view.getUint8(at + 3);
  const day = view.getUint8(at + 4) & 0x1f;
  const month = view.getUint8(at + 5) & 0x0f;
  const year = 2000 + (view.getUint8(at + 6) & 0x7f);
  const day_ms = Date.UTC(year, month - 1, day);
  const is_day = new Date(day_ms).getUTCDate() === day && month >= 1 && month <= 12;
  return {
    wall_us: (day_ms + (hour & 0x1f) * 3_600_000) * 1000 + within_us,
    is_short,
    is_summer: (hour & 0x80) !== 0,
    is_invalid: is_invalid || !is_day || (hour & 0x1f) > 23,
  };
}

function qualityOf(bits: number): PointQuality {
  return {
    is_overflown: (bits & 0x01) !== 0,
    is_blocked: (bits & 0x10) !== 0,
    is_substituted: (bits & 0x20) !== 0,
    is_old: (bits & 0x40) !== 0,
    is_invalid: (bits & 0x80) !== 0,
  };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
