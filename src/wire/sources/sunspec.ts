// SunSpec in registers: where the points of a model lie in a device, and what is read of them.
import type { RegisterType } from "../../model/sources/register.ts";
import { groupOf, type SunSpecGroup, type SunSpecPoint } from "../../model/sources/sunspec.ts";
import { bytesOf, type RegisterValue, valueIn } from "./register.ts";

/** Where SunSpec's own words may begin, in the order in which they are tried. */
export const sunspec_bases = [40_000, 50_000, 0] as const;

/** Behind the last model. */
export const end_model = 0xffff;

/** A model that a device has: where its id stands, and its length without id and length. */
export type FoundModel = {
  readonly id: number;
  readonly address: number;
  readonly length: number;
};

/** A point where it lies in a device. */
export type PlacedPoint = {
  /** As a source names it: `103.W`, `160.module:2.DCA`. */
  readonly path: string;
  readonly point: SunSpecPoint;
  readonly address: number;
  /** Where its power of ten stands; a number where that is fixed. */
  readonly scale: { readonly address: number } | number | null;
};

/** How often a group stands in a device where a point of that name says it. */
export type CountOf = (place: PlacedPoint) => Promise<number>;

/**
 * The points of a model that a device has, in the order of their registers; none where the model
 * is unknown. What stands behind the model's length is not there: older devices have fewer. Where
 * the number of a group's copies stands in a register, `countOf` reads it.
 */
export async function placePoints(
  { model, twin }: { readonly model: FoundModel; readonly twin: number },
  countOf: CountOf,
): Promise<readonly PlacedPoint[]> {
  const group = groupOf(model.id);
  if (group === undefined) return [];
  const end = model.address + 2 + model.length;
  const placed: PlacedPoint[] = [];
  const name = twin === 1 ? `${model.id}` : `${model.id}:${twin}`;
  await place(group, { path: name, at: model.address, scales: [] });
  return placed.filter(({ point, address }) => address + point.size <= end);

  /** Places a group and gives the address behind it. */
  async function place(
    { points, groups }: SunSpecGroup,
    { path, at, scales }: {
      readonly path: string;
      readonly at: number;
      /** Points of the groups around it, the nearest first. */
      readonly scales: readonly ReadonlyMap<string, PlacedPoint>[];
    },
  ): Promise<number> {
    let address = at;
    const own = new Map<string, PlacedPoint>();
    const known = [own, ...scales];
    const find = (name: string) => known.map((it) => it.get(name)).find((it) => it !== undefined);
    const addresses = new Map<string, number>();
    for (const point of points) {
      addresses.set(point.name, address);
      address += point.size;
    }
    for (const point of points) {
      const { scale } = point;
      const of = typeof scale === "string"
        ? addresses.get(scale) ?? find(scale)?.address ?? null
        : scale;
      const item: PlacedPoint = {
        ...{ path: `${path}.${point.name}`, point, address: addresses.get(point.name)! },
        scale: typeof scale === "string" && of !== null ? { address: of } : of,
      };
      own.set(point.name, item);
      placed.push(item);
    }
    for (const inner of groups) {
      const most = Math.floor((end - address) / Math.max(1, leastSize(inner)));
      const counter = typeof inner.count === "string" ? find(inner.count) : undefined;
      const said = typeof inner.count === "number"
        ? inner.count || most
        : counter && counter.address < end
        ? await countOf(counter)
        : 0;
      const count = Math.min(said, most);
      for (let i = 1; i <= count && address < end; i++) {
        const copy = inner.count === 1 ? inner.name : `${inner.name}:${i}`;
        address = await place(inner, { path: `${path}.${copy}`, at: address, scales: known });
      }
    }
    return address;
  }
}

/** Registers of a group without those inside it that are counted elsewhere. */
function leastSize({ points, groups }: SunSpecGroup): number {
  const inner = groups.map((it) => typeof it.count === "number" ? it.count * leastSize(it) : 0);
  return [...points.map(({ size }) => size), ...inner].reduce((sum, size) => sum + size, 0);
}

/** How SunSpec's types lie in registers. */
const plain_types: Readonly<Record<string, RegisterType>> = {
  int16: "int16",
  uint16: "uint16",
  count: "uint16",
  acc16: "uint16",
  enum16: "uint16",
  bitfield16: "uint16",
  sunssf: "int16",
  int32: "int32",
  uint32: "uint32",
  acc32: "uint32",
  enum32: "uint32",
  bitfield32: "uint32",
  int64: "int64",
  uint64: "uint64",
  acc64: "uint64",
  float32: "float32",
  float64: "float64",
  string: "string",
};

/** What a device writes where it has no value, but for texts and floats. */
const absent: Readonly<Record<string, number | bigint>> = {
  int16: -0x8000,
  uint16: 0xffff,
  count: 0xffff,
  acc16: 0,
  enum16: 0xffff,
  bitfield16: 0xffff,
  sunssf: -0x8000,
  int32: -0x80000000,
  uint32: 0xffffffff,
  acc32: 0,
  enum32: 0xffffffff,
  bitfield32: 0xffffffff,
  int64: -0x8000000000000000n,
  uint64: 0xffffffffffffffffn,
  acc64: 0n,
};

/** Whether a point's value is a code or bits, which are kept as whole numbers. */
export function isCode({ type }: Pick<SunSpecPoint, "type">): boolean {
  return /^(enum|bitfield)/.test(type);
}

/**
 * A point's raw value in its registers; undefined where the device has none. Addresses and pads
 * have no value here.
 */
export function sunspecValue(
  { type }: Pick<SunSpecPoint, "type">,
  bytes: Uint8Array,
): RegisterValue | undefined {
  const plain = plain_types[type];
  if (plain === undefined) return undefined;
  const value = valueIn(bytes, { type: plain, words: "big" });
  if (value === absent[type] || value === "") return undefined;
  return typeof value === "number" && Number.isNaN(value) ? undefined : value;
}

/** The registers that hold a raw value of a point; undefined where they can't, or mean none. */
export function sunspecBytes(
  { type }: Pick<SunSpecPoint, "type">,
  raw: number,
): Uint8Array | undefined {
  const plain = plain_types[type];
  const bytes = plain && bytesOf(raw, { type: plain, words: "big" });
  return bytes && sunspecValue({ type }, bytes) === undefined ? undefined : bytes;
}

/** The largest power of ten, to either side, that a scale factor may be. */
const most_scale = 10;

/** A raw value times its power of ten; undefined where that is not there. */
export function scaled(value: number | bigint, power: number | undefined): number | undefined {
  if (power === undefined || Math.abs(power) > most_scale) return undefined;
  // Divided where it can be: a tenth is no number that a double holds.
  return power < 0 ? Number(value) / 10 ** -power : Number(value) * 10 ** power;
}
