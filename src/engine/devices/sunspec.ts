// Finds SunSpec's models in a device, and the points that a source asks for.
import { meant } from "../../base/did_you_mean.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { modelName } from "../../model/sources/sunspec.ts";
import { valueIn } from "../../wire/sources/register.ts";
import {
  end_model,
  type FoundModel,
  type PlacedPoint,
  placePoints,
  sunspec_bases,
  sunspecValue,
} from "../../wire/sources/sunspec.ts";
import { isBehindGateway, ModbusRefusal } from "./modbus_client.ts";

/** Reads holding registers of one unit. */
type ReadAt = (address: number, count: number) => Promise<Uint8Array>;

/** The models of a device in their order, with each one's points. */
export type SunSpecDevice = {
  readonly base: number;
  readonly models: readonly (FoundModel & { readonly points: readonly PlacedPoint[] })[];
  /** What is not known of it, or not as it should be, in words. */
  readonly notes: readonly string[];
};

/** "SunS" in two registers. */
const mark = 0x53756e53;

/** Walks the models of a device; undefined where it has no SunSpec at any of the bases. */
export async function findSunSpec(
  read: ReadAt,
  { base }: { readonly base?: number },
): Promise<SunSpecDevice | undefined> {
  for (const address of base === undefined ? sunspec_bases : [base]) {
    if (await readWord(read, address) === mark) return await walk(read, address);
  }
}

/** Two registers as one number; undefined where the device refuses them. */
async function readWord(read: ReadAt, address: number): Promise<number | undefined> {
  try {
    return Number(valueIn(await read(address, 2), { type: "uint32", words: "big" }));
  } catch (error) {
    if (error instanceof ModbusRefusal && !isBehindGateway(error)) return undefined;
    throw error;
  }
}

async function walk(read: ReadAt, base: number): Promise<SunSpecDevice> {
  const models: SunSpecDevice["models"][number][] = [];
  const notes: string[] = [];
  const seen = new Map<number, number>();
  let address = base + 2;
  for (;;) {
    const word = await readWord(read, address);
    if (word === undefined) {
      notes.push(`the chain of models breaks off at register ${address}`);
      break;
    }
    const [id, length] = [word >>> 16, word & 0xffff];
    if (id === end_model) break;
    if (models.length === source_limits.models || address + 2 + length > 0xffff) {
      notes.push(
        `the chain of models does not end: model ${id} at register ${address} has ` +
          `${length} registers`,
      );
      break;
    }
    const model = { id, address, length };
    const twin = (seen.get(id) ?? 0) + 1;
    seen.set(id, twin);
    if (modelName(id) === undefined) {
      notes.push(`model ${id} (${length} registers at ${address}) is none of SunSpec's: skipped`);
    }
    const points = await placePoints({ model, twin }, (point) => countAt(read, point));
    models.push({ ...model, points });
    address += 2 + length;
  }
  return { base, models, notes };
}

/** How many copies of a group a point says there are. */
async function countAt(read: ReadAt, { point, address }: PlacedPoint): Promise<number> {
  const value = sunspecValue(point, await read(address, point.size));
  return typeof value === "number" ? value : 0;
}

/** The point of a path such as `103.W`; or why there is none, with what is near. */
export function pointAt(
  { models }: SunSpecDevice,
  path: string,
): PlacedPoint | { readonly missing: string } {
  const all = models.flatMap(({ points }) => points);
  const found = all.find((it) => it.path === path);
  if (found !== undefined) return found;
  const [model] = path.split(/[.:]/);
  const ids = models.map(({ id }) => `${id}`);
  if (!ids.includes(model)) {
    return { missing: `it has no SunSpec model ${model}, only ${ids.join(", ") || "none"}` };
  }
  const near = meant(path, all.map((it) => it.path));
  return { missing: `its SunSpec model ${model} has no point ${path}${near}` };
}
