// Tag names of one body, each numbered once; looked up by their bytes without making a string.
import { type Meter, unmetered } from "../../base/budget.ts";
import { type Span, strictTextOf } from "../../base/bytes.ts";
import { textBytes } from "../../base/heap.ts";
import { limits } from "../../base/limits.ts";

/** Bytes of a name's places in the lists below, and of those of its spelling. */
const name_bytes = 64;
const spelled_bytes = 256;

/** The distinct tag names of a body in the order they came. */
export class TagIndex {
  readonly names: string[] = [];
  readonly #codes = new Map<string, number>();
  #spelled: Uint8Array[] = [];
  #spelled_codes: number[] = [];
  #slots = new Int32Array(1024).fill(-1);
  readonly #meter: Meter;

  constructor(meter: Meter = unmetered) {
    this.#meter = meter;
  }

  /** The number of a name; the caller has checked it with `tagFlaw`. */
  codeOf(name: string): number {
    let code = this.#codes.get(name);
    if (code === undefined) {
      this.#meter.take(name_bytes + textBytes(name));
      code = this.names.push(name) - 1;
      this.#codes.set(name, code);
    }
    return code;
  }

  /** The number of the name whose UTF-8 is a run of `bytes`, or why that is no name. */
  codeAt(bytes: Uint8Array, span: Span): number | string {
    const { start, end } = span;
    const hash = hashOf(bytes, start, end);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] >= 0; slot = (slot + 1) & mask) {
      if (same(this.#spelled[this.#slots[slot]], bytes, span)) {
        return this.#spelled_codes[this.#slots[slot]];
      }
    }
    const name = strictTextOf(bytes.subarray(start, end));
    const flaw = name === undefined ? "is not UTF-8" : tagFlaw(name);
    if (flaw !== undefined) return flaw;
    const code = this.codeOf(name as string);
    this.#meter.take(spelled_bytes + end - start);
    this.#slots[slot] = this.#spelled.push(bytes.slice(start, end)) - 1;
    this.#spelled_codes.push(code);
    if (this.#spelled.length * 2 > this.#slots.length) this.#grow();
    return code;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 4).fill(-1);
    this.#spelled.forEach((name, i) => {
      let slot = hashOf(name, 0, name.length) & (slots.length - 1);
      while (slots[slot] >= 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = i;
    });
    this.#slots = slots;
  }
}

/** Why `name` can't name a tag, or undefined: the end of a sentence that begins with `tag`. */
export function tagFlaw(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > limits.tag_length) return `is longer than ${limits.tag_length} characters`;
  // deno-lint-ignore no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return "holds a control character";
  return name.isWellFormed() ? undefined : "holds half of a surrogate pair";
}

/** FNV-1a, folded so that its low bits are good. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash ^ (hash >>> 15);
}

function same(
  name: Uint8Array,
  bytes: Uint8Array,
  { start, end }: Span,
): boolean {
  if (name.length !== end - start) return false;
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[start + i]) return false;
  return true;
}
