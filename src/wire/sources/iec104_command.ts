// Commands of IEC 60870-5-104: what asks for values, sets a clock, switches, or sets a value.
import type { CommandKind } from "../../model/sources/kinds/iec104.ts";
import { causes, message_types, type StationTime, timeBytes } from "./iec104.ts";
import { wholeIn, wholeOf } from "./raw.ts";

/** What a command asks of a station. */
type Command = {
  readonly type: number;
  readonly station: number;
  /** Why it is sent: to make it happen, unless it says another cause. */
  readonly cause?: number;
  /** The address of its object, and what follows that. */
  readonly address?: number;
  readonly element: readonly number[];
};

/** The bytes of a command's message. */
function commandBytes(
  { type, station, cause = causes.activation, address = 0, element }: Command,
): Uint8Array<ArrayBuffer> {
  const head = [type, 1, cause, 0, station & 0xff, station >> 8];
  return new Uint8Array([
    ...[...head, address & 0xff, address >> 8 & 0xff, address >> 16],
    ...element,
  ]);
}

/** Asks a station for the value of one point. */
export function readCommand(station: number, address: number): Uint8Array {
  const { requested: cause } = causes;
  return commandBytes({ type: message_types.read, station, cause, address, element: [] });
}

/** Asks for all values of a station, or of all its counters. */
export function interrogation(what: "values" | "counters", station: number): Uint8Array {
  return what === "values"
    ? commandBytes({ type: message_types.interrogate, station, element: [20] })
    : commandBytes({ type: message_types.count, station, element: [5] });
}

/** Sets a station's clock; `wall_us` is what it is to show, in microseconds since 1970. */
export function clockCommand(
  station: number,
  { wall_us, is_summer }: Pick<StationTime, "wall_us" | "is_summer">,
): Uint8Array {
  return commandBytes({
    type: message_types.clock,
    station,
    element: timeBytes({ wall_us, is_summer }),
  });
}
/** The first and the last type of commands that change something. */
const first_type = 45;
const last_type = 64;

/** Whether a message's type is that of such a command, which its answers repeat. */
export function isCommandType(type: number): boolean {
  return type >= first_type && type <= last_type;
}

/** A kind of command: its types without and with a time, and how a raw value stands in it. */
type Kind = {
  readonly type: number;
  readonly timed_type: number;
  /** The value as it can be held; undefined for one that it can't hold. */
  readonly held: (raw: number) => number | undefined;
  /** The bytes of a held value with the bits of its qualifier. */
  readonly bytes: (held: number, qualifier: number) => readonly number[];
  /** Which bits of them are the value. */
  readonly value_bits: readonly number[];
};

/** In the byte of the qualifier: the command is only selected. */
const select_bit = 0x80;

/** A state from `least` on, with the bits of the qualifier above it in one byte. */
function switched(least: number): Pick<Kind, "held" | "bytes" | "value_bits"> {
  return {
    value_bits: [0x03],
    held(raw) {
      const bit = wholeIn(wholeOf(raw) - least, { bits: 1, is_signed: false });
      return bit === undefined ? undefined : bit + least;
    },
    bytes: (held, qualifier) => [held | (qualifier & 0x1f) << 2 | qualifier & select_bit],
  };
}

const int16 = { bits: 16, is_signed: true } as const;
const two_bytes = [0xff, 0xff];
const four_bytes = [...two_bytes, ...two_bytes];
const wholeBytes = (whole: number) => [whole & 0xff, whole >> 8 & 0xff];

const kinds: Readonly<Record<CommandKind, Kind>> = {
  single: { type: 45, timed_type: 58, ...switched(0) },
  double: { type: 46, timed_type: 59, ...switched(1) },
  normalized: {
    ...{ type: 48, timed_type: 61, value_bits: two_bytes },
    held(raw) {
      const whole = wholeIn(Math.round(raw * 32_768), int16);
      return whole === undefined ? undefined : whole / 32_768;
    },
    bytes: (held, qualifier) => [...wholeBytes(held * 32_768), qualifier],
  },
  scaled: {
    ...{ type: 49, timed_type: 62, value_bits: two_bytes },
    held: (raw) => wholeIn(wholeOf(raw), int16),
    bytes: (held, qualifier) => [...wholeBytes(held), qualifier],
  },
  short: {
    ...{ type: 50, timed_type: 63, value_bits: four_bytes },
    held(raw) {
      const held = Math.fround(raw);
      return Number.isFinite(held) ? held : undefined;
    },
    bytes(held, qualifier) {
      const view = new DataView(new ArrayBuffer(4));
      view.setFloat32(0, held, true);
      return [...new Uint8Array(view.buffer), qualifier];
    },
  },
  bits: {
    ...{ type: 51, timed_type: 64, value_bits: four_bytes },
    held: (raw) => wholeIn(wholeOf(raw), { bits: 32, is_signed: false }),
    bytes: (held) => [0, 8, 16, 24].map((shift) => held >>> shift & 0xff),
  },
};

/** Where a command goes, and how. */
export type CommandPlace = {
  readonly kind: CommandKind;
  readonly station: number;
  readonly address: number;
  readonly qualifier: number;
};

/** A command with its value: its type, and its bytes when it is selected or carried out. */
export type ReadyCommand = {
  readonly type: number;
  /** The raw value that it has. */
  readonly raw: number;
  readonly bytes: (step: "select" | "execute", at: CommandTime | undefined) => Uint8Array;
  /** Whether an answer to a command of its type and address repeats its value. */
  readonly isRepeatedIn: (element: Uint8Array) => boolean;
};

type CommandTime = Pick<StationTime, "wall_us" | "is_summer">;

/** The command of a raw value; undefined where its kind can't hold it. */
export function readyCommand(
  { kind, station, address, qualifier }: CommandPlace,
  { raw, is_timed }: { readonly raw: number; readonly is_timed: boolean },
): ReadyCommand | undefined {
  const { type: plain_type, timed_type, held, bytes, value_bits } = kinds[kind];
  const type = is_timed ? timed_type : plain_type;
  const own = held(raw);
  return own === undefined ? undefined : {
    ...{ type, raw: own },
    bytes(step, at) {
      const bits = step === "select" ? qualifier | select_bit : qualifier;
      const element = [...bytes(own, bits), ...at ? timeBytes(at) : []];
      return commandBytes({ type, station, address, element });
    },
    isRepeatedIn(element) {
      const told = bytes(own, qualifier);
      return value_bits.every((bits, i) => (element[i] & bits) === (told[i] & bits));
    },
  };
}
