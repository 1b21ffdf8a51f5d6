// Bucket labels as text: wall minutes to `YYYY-MM-DD HH:MM:SS`, straight into a dictionary.
import { utf8 } from "../../base/bytes.ts";
import { dayText } from "./calendar.ts";
import type { Words } from "../data/chunk.ts";
import { day_minutes } from "./zone.ts";

const label_length = "YYYY-MM-DD HH:MM:SS".length;

/**
 * The words of the distinct labels in ascending order, and the code of each label. Labels ascend,
 * but for passes that come again.
 */
export function labelWords(labels: Int32Array): {
  readonly words: Words;
  readonly codes: Int32Array;
} {
  const distinct = new Int32Array(labels.length);
  const codes = new Int32Array(labels.length);
  let count = 0;
  labels.forEach((label, i) => {
    const is_new = count === 0 || label > distinct[count - 1];
    if (is_new) distinct[count++] = label;
    codes[i] = is_new ? count - 1 : indexOf(distinct.subarray(0, count), label);
  });
  return { words: wordsOfLabels(distinct.subarray(0, count)), codes };
}

/** The place of a label in an ascending list that has it. */
function indexOf(sorted: Int32Array, label: number): number {
  let low = 0;
  for (let high = sorted.length - 1; low < high;) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < label) low = middle + 1;
    else high = middle;
  }
  return low;
}

function wordsOfLabels(labels: Int32Array): Words {
  const bytes = new Uint8Array(labels.length * label_length);
  let day = NaN;
  let date = utf8("");
  labels.forEach((label, i) => {
    const at = i * label_length;
    const label_day = Math.floor(label / day_minutes);
    if (label_day !== day) date = utf8(`${dayText(day = label_day)} 00:00:00`);
    bytes.set(date, at);
    putTwoDigits(bytes, at + "YYYY-MM-DD ".length, Math.floor((label - day * day_minutes) / 60));
    putTwoDigits(bytes, at + "YYYY-MM-DD HH:".length, (label - day * day_minutes) % 60);
  });
  return {
    bytes,
    offsets: Int32Array.from({ length: labels.length + 1 }, (_, i) => i * label_length),
  };
}

function putTwoDigits(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = "0".charCodeAt(0) + Math.floor(value / 10);
  bytes[at + 1] = "0".charCodeAt(0) + value % 10;
}
