// "Did you mean …?": the known word nearest to a mistyped one.
import { limits } from "./limits.ts";

/**
 * The nearest of `known`: of such the first that begins with the word, or else the first. Within a
 * third of its length in edits, and never more than a few, as what is far from all would take long
 * to tell. Undefined where none is.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const sought = word.toLowerCase();
  if (sought.length > limits.nearest_length) return undefined;
  const letters = new Letters(sought);
  let best: string | undefined;
  let best_edits = Infinity;
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    if (other.length > limits.nearest_length) continue;
    const is_better = other.startsWith(sought) && !best?.toLowerCase().startsWith(sought);
    const most = Math.min(nearEdits(candidate), is_better ? best_edits : best_edits - 1);
    // Most are too far away by these two, which cost little.
    if (Math.abs(other.length - sought.length) > most) continue;
    if (letters.leastEdits(other) > most) continue;
    const edits = distance(sought, other, most);
    if (edits <= most) [best, best_edits] = [candidate, edits];
  }
  return best;
}

/**
 * The end of a message about a mistyped word: `; meant …?` with the nearest, or else with those
 * that have the word in them or are in it, or nothing.
 */
export function meant(word: string, known: Iterable<string>): string {
  const all = [...known];
  const near = nearest(word, all);
  if (near !== undefined) return near === word ? "" : `; meant ${near}?`;
  const part = word.toLowerCase();
  const around = part.length < 3 || part.length > limits.nearest_length
    ? []
    : all.filter((it) => it.toLowerCase().includes(part) || isWithin(it, part));
  if (around.length === 0) return "";
  const shown = around.slice(0, limits.nearest_shown).join(", ");
  return `; meant ${shown}${around.length > limits.nearest_shown ? " …" : ""}?`;
}

/** The same; where nothing is near, those that are known, if they are few. */
export function meantOrKnown(word: string, known: Iterable<string>): string {
  const all = [...known];
  const near = meant(word, all);
  if (near !== "" || all.length > limits.nearest_shown) return near;
  return all.length === 0 ? "; there is none yet" : `; known are ${all.join(", ")}`;
}

/** Whether a known word of some length is a part of another one, as `host` of `hostname`. */
function isWithin(known: string, word: string): boolean {
  return known.length > 3 && word.includes(known.toLowerCase());
}

/** How many edits may lie between a word and what was meant by it. */
function nearEdits({ length }: string): number {
  const share = Math.max(2, Math.floor(length / 3));
  return Math.min(length - 1, share, limits.nearest_edits);
}

/** How often each letter is in a word; a few letters share a count, which only bounds less. */
class Letters {
  readonly #length: number;
  readonly #counts = new Uint8Array(64);
  readonly #left = new Uint8Array(64);

  constructor(word: string) {
    this.#length = word.length;
    for (let i = 0; i < word.length; i++) this.#counts[word.charCodeAt(i) & 63]++;
  }

  /** What the letters that the words don't share cost, in whatever order the others are. */
  leastEdits(other: string): number {
    this.#left.set(this.#counts);
    let shared = 0;
    for (let i = 0; i < other.length; i++) {
      const letter = other.charCodeAt(i) & 63;
      if (this.#left[letter] === 0) continue;
      this.#left[letter]--;
      shared++;
    }
    return Math.max(this.#length, other.length) - shared;
  }
}

/** The two rows that `distance` works on. */
const rows = [0, 1].map(() => new Uint8Array(limits.nearest_length + 1));

/** Two words without the begin and the end that both have: the edits are between those. */
function unshared(a: string, b: string): [string, string] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < shorter - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)
  ) end++;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

/**
 * Edits from one word to the other: letters put in, left out or changed (Levenshtein). Where they
 * are more than `most` it gives just some number above it, and looks no further.
 */
function distance(whole_a: string, whole_b: string, most: number): number {
  const [a, b] = unshared(whole_a, whole_b);
  let [row, next] = rows;
  for (let j = 0; j <= b.length; j++) row[j] = j;
  for (let i = 1; i <= a.length; i++) {
    // What lies further than `most` off the diagonal costs more than that.
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    let least = next[from - 1] = from === 1 ? i : most + 1;
    if (to === i + most) row[to] = most + 1;
    for (let j = from; j <= to; j++) {
      const change = row[j - 1] + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      next[j] = Math.min(change, row[j] + 1, next[j - 1] + 1);
      if (next[j] < least) least = next[j];
    }
    if (least > most) return least;
    [row, next] = [next, row];
  }
  return row[b.length];
}
