// The words of rows that stand for groups, as codes into dictionaries made once for an answer.
import { answer_limits } from "../../model/data/limits.ts";
import { noneValid, setValid, type Vector, wordsOf } from "../../model/data/chunk.ts";
import type { Group } from "./group.ts";

/** Some rows of one chunk, at most `answer_limits.batch_rows`, and the group of each. */
export type PickedRows = { readonly rows: number; readonly groups: Int32Array };

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

/** A column of each word that a group has, by its name. */
export function groupColumns(groups: readonly Group[]): Readonly<Record<string, MakeWords>> {
  return Object.fromEntries(group_words.map((name) => {
    const texts = groups.map((group) => group[name]);
    const distinct = [...new Set(texts)];
    return [name, distinct.length === 1 ? constantColumn(distinct[0]) : groupColumn(texts)];
  }));
}

/** Each group's word, or none. */
function groupColumn(texts: readonly (string | null)[]): MakeWords {
  const distinct = [...new Set(texts)].filter((text) => text !== null);
  const words = wordsOf(distinct);
  const code_of = new Map(distinct.map((text, code) => [text, code]));
  const codes = Int32Array.from(texts, (text) => text === null ? 0 : code_of.get(text)!);
  const nullable = texts.includes(null);
  return ({ rows, groups }) => {
    const valid = nullable ? noneValid(rows) : undefined;
    if (valid) { for (let i = 0; i < rows; i++) if (texts[groups[i]] !== null) setValid(valid, i); }
    return { kind: "text", words, codes: codesAt(codes, groups.subarray(0, rows)), valid };
  };
}

/** The codes at some places. */
export function codesAt(codes: Int32Array, places: Int32Array): Int32Array<ArrayBuffer> {
  const out = new Int32Array(places.length);
  for (let i = 0; i < out.length; i++) out[i] = codes[places[i]];
  return out;
}
