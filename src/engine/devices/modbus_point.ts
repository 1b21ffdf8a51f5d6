// A point of a map where it lies in a unit: what is read of it, what that means, what is written.
import {
  type ModbusMap,
  type ModbusPoint,
  type ModbusUnit,
  tagName,
  widthOf,
} from "../../model/sources/kinds/modbus.ts";
import { isBits } from "../../model/sources/register.ts";
import type { Registers, Run } from "../../wire/sources/modbus.ts";
import { rawOf, wholeOf } from "../../wire/sources/raw.ts";
import { bytesOf, type RegisterValue, valueIn } from "../../wire/sources/register.ts";
import {
  isCode,
  type PlacedPoint,
  scaled,
  sunspecBytes,
  sunspecValue,
} from "../../wire/sources/sunspec.ts";
import type { WritablePoint } from "./modbus_write.ts";
import type { SourceRow } from "./state.ts";

/** A point where it lies in this unit. */
export type Item = {
  readonly point: ModbusPoint;
  readonly tag: string;
  /** One request reads all of each. */
  readonly runs: readonly Run[];
  /** Its value in what was read; undefined where it has none. */
  readonly valueOf: (registers: Registers) => SourceRow["value"];
  /** What is written of it, and the bytes of a raw value beside what was read. */
  readonly own: Run;
  readonly bytesOf: (raw: number, registers: Registers) => Uint8Array | undefined;
};

/** A point of registers that are numbered; `heard` gets the bytes of each value. */
export function registerItem(
  point: ModbusPoint,
  { map, unit, heard }: {
    readonly map: ModbusMap;
    readonly unit: ModbusUnit;
    readonly heard?: (bytes: Uint8Array) => void;
  },
): Item {
  const { table, type, words, nan } = point;
  const run = { table, address: point.register! - map.first_register, count: widthOf(point) };
  return {
    ...{ point, tag: tagName(point, unit), runs: [run], own: run },
    bytesOf(raw) {
      if (isBits(table)) return raw === 0 || raw === 1 ? Uint8Array.of(raw) : undefined;
      return bytesOf(type.includes("int") ? wholeOf(raw) : raw, { type, words });
    },
    valueOf(registers) {
      const { bytes } = registers.get(run)!;
      if (isBits(table)) return BigInt(bytes[0]);
      const raw = valueIn(bytes, { type, words });
      if (nan.includes(Number(raw)) || raw === "") return undefined;
      heard?.(bytes);
      if (Number.isNaN(raw)) return undefined;
      return valueAs(raw, point);
    },
  };
}

/** The same for who writes it: its values in its own unit. */
export function writableItem(
  { point, own, runs, valueOf, bytesOf }: Item,
  { unit }: Pick<ModbusUnit, "unit">,
): WritablePoint {
  return {
    ...{ unit, own, runs, table: own.table as WritablePoint["table"] },
    valueOf(registers) {
      const value = valueOf(registers);
      return value === undefined ? null : Number(value);
    },
    bytesOf(value, registers) {
      const raw = rawOf(value, point);
      const bytes = point.nan.includes(raw) ? undefined : bytesOf(raw, registers);
      return bytes ?? `the device can't hold ${value}`;
    },
  };
}

/** A point of SunSpec. */
export function sunspecItem(
  point: ModbusPoint,
  { placed, unit, most }: {
    readonly placed: PlacedPoint;
    readonly unit: ModbusUnit;
    readonly most: number;
  },
): Item {
  const { own, power } = runsOf(placed);
  return {
    ...{ point, tag: tagName(point, unit), own },
    runs: power ? together(own, power, most) : [own],
    bytesOf(raw, registers) {
      const exponent = powerOf(registers, placed, power);
      if (placed.scale !== null && exponent === undefined) return undefined;
      const unscaled = scaled(raw, -(exponent ?? 0))!;
      const is_float = placed.point.type.startsWith("float");
      return sunspecBytes(placed.point, is_float ? unscaled : wholeOf(unscaled));
    },
    valueOf(registers) {
      const value = sunspecValueIn(registers, placed, { own, power });
      if (value === undefined || typeof value === "string") return value;
      const is_code = isCode(placed.point);
      return valueAs(value, is_code ? { ...point, mask: point.mask ?? 0xffff_ffff } : point);
    },
  };
}

/** Where a point of SunSpec and, if it has one, its scale factor lie. */
export function runsOf(
  { point, scale, address }: PlacedPoint,
): { readonly own: Run; readonly power?: Run } {
  const own: Run = { table: "holding", address, count: point.size };
  if (scale === null || typeof scale === "number") return { own };
  return { own, power: { table: "holding", address: scale.address, count: 1 } };
}

/** A point's value with its scale factor in what was read; undefined where it has none. */
export function sunspecValueIn(
  registers: Registers,
  placed: PlacedPoint,
  { own, power } = runsOf(placed),
): RegisterValue | undefined {
  const { point, scale } = placed;
  const held = registers.get(own);
  const raw = held && sunspecValue(point, held.bytes);
  if (raw === undefined || typeof raw === "string" || scale === null) return raw;
  return scaled(raw, powerOf(registers, placed, power));
}

/** The power of ten of a point that has one; undefined where it is not there. */
function powerOf(
  registers: Registers,
  { scale }: PlacedPoint,
  power: Run | undefined,
): number | undefined {
  const factor = power && registers.get(power);
  const given = typeof scale === "number"
    ? scale
    : factor && sunspecValue({ type: "sunssf" }, factor.bytes);
  return typeof given === "number" ? given : undefined;
}

/** One run over a value and its scale factor, which belong together; two where they are too far. */
function together(own: Run, power: Run, most: number): readonly Run[] {
  const address = Math.min(own.address, power.address);
  const count = Math.max(own.address + own.count, power.address + power.count) - address;
  return count <= most ? [{ ...own, address, count }] : [own, power];
}

/** A raw value as a sample has it: bits stay whole, all else is a number. */
function valueAs(
  raw: RegisterValue,
  { mask, scale, offset }: Pick<ModbusPoint, "mask" | "scale" | "offset">,
): SourceRow["value"] {
  if (typeof raw === "string") return raw;
  if (mask !== undefined) {
    const shift = Math.log2((mask & -mask) >>> 0);
    return BigInt(((Number(raw) & mask) >>> 0) / 2 ** shift);
  }
  const is_plain = scale === 1 && offset === 0;
  if (is_plain && typeof raw === "bigint" && !Number.isSafeInteger(Number(raw))) return raw;
  // Divided where it can be: a tenth is no number that a double holds.
  const divisor = 1 / scale;
  return (Number.isInteger(divisor) ? Number(raw) / divisor : Number(raw) * scale) + offset;
}
