// The words of rows that stand for groups, as codes into dictionaries made once for an answer.
import { answer_limits } from "../../model/data/limits.ts";
import {
  instantVector,
  noneValid,
  setValid,
  type Vector,
  wordsOf,
} from "../../model/data/chunk.ts";
import type { Project } from "../../model/plant/plant.ts";
import { type Axis, startMinutes } from "../../model/time/bucket.ts";
import type { Group } from "./group.ts";

/**
 * Some rows of one chunk, at most `answer_limits.batch_rows`, and the group of each, listed when it
 * is asked for. Where they are of all groups in turn, without a gap, `turn` is the first group.
 */
export type PickedRows = {
  readonly rows: number;
  readonly groups: Int32Array;
  readonly turn?: number;
};

type MakeWords = (picked: PickedRows) => Vector;

const zeros = new Int32Array(answer_limits.batch_rows);

/** The same word, or none, in all rows; their codes are shared. */
export function constantColumn(text: string | null): MakeWords {
  const words = wordsOf([text ?? ""]);
  return ({ rows }) => ({
    kind: "text",
    words,
    codes: zeros.subarray(0, rows),
    valid: text === null ? noneValid(rows) : undefined,
  });
}

const group_words = [
  "project_id",
  "svc_block_id",
  "hierarchy_id",
  "sensor_tag",
  "portfolio",
] as const satisfies readonly (keyof Group)[];

/** A column of each word that a group has, by its name; made where it is asked for. */
export function groupColumns(groups: readonly Group[]): Readonly<Record<string, MakeWords>> {
  return Object.fromEntries(group_words.map((name) => {
    let make: MakeWords | undefined;
    return [name, (picked: PickedRows) => (make ??= groupColumn(groups, name))(picked)];
  }));
}

/** Each group's word, or none. */
function groupColumn(groups: readonly Group[], name: typeof group_words[number]): MakeWords {
  const texts = groups.map((group) => group[name]);
  const all = [...new Set(texts)];
  if (all.length === 1) return constantColumn(all[0]);
  const distinct = all.filter((text) => text !== null);
  const words = wordsOf(distinct);
  const code_of = new Map(distinct.map((text, code) => [text, code]));
  const codes = Int32Array.from(texts, (text) => text === null ? 0 : code_of.get(text)!);
  const nullable = texts.includes(null);
  let turns = new Int32Array();
  return (picked) => {
    const { rows, turn } = picked;
    const valid = nullable ? noneValid(rows) : undefined;
    if (valid) {
      const { groups } = picked;
      for (let i = 0; i < rows; i++) if (texts[groups[i]] !== null) setValid(valid, i);
    }
    if (turn !== undefined && turns.length < turn + rows) turns = inTurn(codes, rows);
    const codes_of_rows = turn === undefined
      ? codesAt(codes, picked.groups)
      : turns.subarray(turn, turn + rows);
    return { kind: "text", words, codes: codes_of_rows, valid };
  };
}

/** Codes again and again: what `rows` have that take all of them in turn is a part of this. */
function inTurn(codes: Int32Array, rows: number): Int32Array<ArrayBuffer> {
  const turns = new Int32Array(rows + codes.length);
  turns.set(codes.subarray(0, turns.length));
  for (let at = codes.length; at < turns.length; at *= 2) turns.copyWithin(at, 0, at);
  return turns;
}

/** Some rows, and the position on the axis of each one's bucket. */
type PlacedRows = PickedRows & { readonly positions: Int32Array };

/** When the bucket of each row starts; null where the zones of its group do not agree. */
export function instantColumn(
  axis: Axis,
  { groups, projects }: {
    readonly groups: readonly Group[];
    readonly projects: readonly Project[];
  },
): (placed: PlacedRows) => Vector {
  let starts: readonly Float64Array[] | undefined;
  return ({ rows, groups: of_row, positions }) => {
    starts ??= startsOf(axis, groups, projects);
    const us = new Float64Array(rows);
    for (let i = 0; i < rows; i++) us[i] = starts[of_row[i]][positions[i]] * 60_000_000;
    return instantVector(us);
  };
}

/** The starts of the buckets of each group, made once for each set of zones. */
function startsOf(axis: Axis, groups: readonly Group[], projects: readonly Project[]) {
  const timezones = new Map(projects.map(({ project_no, timezone }) => [project_no, timezone]));
  const known = new Map<string, Float64Array>();
  return groups.map(({ sensors }) => {
    const zones = new Set(sensors.map(({ project_no }) => timezones.get(project_no)!));
    const key = [...zones].toSorted().join();
    const found = known.get(key) ?? agreed([...zones].map((zone) => startMinutes(axis, zone)));
    known.set(key, found);
    return found;
  });
}

/** What all that have a start say; NaN where they differ. */
function agreed([first, ...others]: readonly Float64Array[]): Float64Array {
  return first.map((start, at) => {
    const said = [start, ...others.map((other) => other[at])].filter((it) => !Number.isNaN(it));
    return said.every((it) => it === said[0]) ? said[0] ?? NaN : NaN;
  });
}

/** The codes at some places. */
export function codesAt(codes: Int32Array, places: Int32Array): Int32Array<ArrayBuffer> {
  const out = new Int32Array(places.length);
  for (let i = 0, { length } = out; i < length; i++) out[i] = codes[places[i]];
  return out;
}
