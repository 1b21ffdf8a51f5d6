// SunSpec's models: their points and groups, and whether a path such as 103.W leads to a point.
import texts from "./sunspec_models.json" with { type: "json" };
import { meant } from "../../base/did_you_mean.ts";

/** A point of a model, as SunSpec describes it. */
export type SunSpecPoint = {
  readonly name: string;
  readonly type: string;
  /** Registers. */
  readonly size: number;
  /** The point that holds its power of ten, or that power itself; null: none. */
  readonly scale: string | number | null;
  readonly unit: string | null;
  /** Names by code, or by number of a bit. */
  readonly codes: ReadonlyMap<number, string>;
};

/** Points of a model that stand together. */
export type SunSpecGroup = {
  readonly name: string;
  /** How often it stands there: 0 as often as there is room, a name: as that point says. */
  readonly count: number | string;
  readonly points: readonly SunSpecPoint[];
  readonly groups: readonly SunSpecGroup[];
};

/** The name of a model, or undefined where SunSpec has none of this id. */
export function modelName(id: number): string | undefined {
  return (texts as Readonly<Record<string, string>>)[id]?.split("\n", 1)[0];
}

/** Every model's id. */
export const model_ids: readonly number[] = Object.keys(texts).map(Number);

const groups = new Map<number, SunSpecGroup>();

/** The points of a model; undefined where SunSpec has none of this id. */
export function groupOf(id: number): SunSpecGroup | undefined {
  const text = (texts as Readonly<Record<string, string>>)[id];
  if (text === undefined) return undefined;
  let group = groups.get(id);
  if (group === undefined) {
    const [name, ...lines] = text.split("\n");
    group = readGroup({ name, count: 1 }, lines[Symbol.iterator]());
    groups.set(id, group);
  }
  return group;
}

function readGroup(
  head: Pick<SunSpecGroup, "name" | "count">,
  lines: Iterator<string>,
): SunSpecGroup {
  const [points, inner]: [SunSpecPoint[], SunSpecGroup[]] = [[], []];
  for (;;) {
    const { value: line, done } = lines.next();
    if (done || line === "}") return { ...head, points, groups: inner };
    const parts = line.split(" ");
    if (parts[0] === "{") {
      const count = /^\d+$/.test(parts[2]) ? Number(parts[2]) : parts[2];
      inner.push(readGroup({ name: parts[1], count }, lines));
    } else points.push(pointOf(parts));
  }
}

function pointOf([name, type, size, scale = "", unit = "", codes = ""]: readonly string[]) {
  const pairs = codes === "" ? [] : codes.split(",").map((pair): [number, string] => {
    const at = pair.lastIndexOf("=");
    return [Number(pair.slice(at + 1)), pair.slice(0, at)];
  });
  return {
    name,
    type,
    size: Number(size),
    scale: scale === "" ? null : /^-?\d+$/.test(scale) ? Number(scale) : scale,
    unit: unit || null,
    codes: new Map(pairs),
  };
}

/** What is wrong with a path; undefined where a device may have such a point. */
export function pathFlaw(path: string): string | undefined {
  const [model, ...parts] = path.split(".");
  const [id, twin] = model.split(":");
  const group = groupOf(Number(id));
  if (group === undefined) return `SunSpec has no model ${id}`;
  if (isIn(group, parts)) return undefined;
  const all = pathsIn(group, model);
  // A point in a group is often named without it.
  const inner = all.filter((it) => it.endsWith(`.${parts.at(-1)}`));
  const near = inner.length > 0 ? `; meant ${inner[0]}?` : meant(path, all) || beginning(path, all);
  const what = twin === undefined ? "" : ` (${id})`;
  return `SunSpec's model ${model}${what} (${group.name}) has no point ${parts.join(".")}${near}`;
}

/** Whether the words of a path, without its model, lead to a point. */
function isIn({ points, groups }: SunSpecGroup, [word, ...others]: readonly string[]): boolean {
  if (others.length === 0) return points.some(({ name }) => name === word);
  const [name, copy] = word.split(":");
  const group = groups.find((it) => it.name === name);
  if (group === undefined || (copy === undefined) !== (group.count === 1)) return false;
  const most = typeof group.count === "number" && group.count > 0 ? group.count : Infinity;
  return Number(copy ?? 1) >= 1 && Number(copy ?? 1) <= most && isIn(group, others);
}

/** The paths of all points, of groups that stand there several times those of the first. */
function pathsIn({ points, groups }: SunSpecGroup, path: string): readonly string[] {
  return [
    ...points.map(({ name }) => `${path}.${name}`),
    ...groups.flatMap((it) => pathsIn(it, `${path}.${it.name}${it.count === 1 ? "" : ":1"}`)),
  ];
}

/** The longest of the paths that a path begins with, as the end of a message. */
function beginning(path: string, all: readonly string[]): string {
  const [found] = all.filter((it) => path.toLowerCase().startsWith(it.toLowerCase()))
    .toSorted((a, b) => b.length - a.length);
  return found === undefined ? "" : `; meant ${found}?`;
}
