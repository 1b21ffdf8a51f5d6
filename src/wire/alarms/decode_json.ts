// Reads one JSON text (RFC 8259) as plain data and loses nothing of it: neither keys nor digits.
import { strictTextOf } from "../../base/bytes.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";

/** The data, why the text is refused, or `ended`: it ends inside its object. */
type Parsed = { readonly data: unknown } | { readonly flaw: string } | "ended";

/**
 * The data of the JSON in `bytes[start, end)`. Whole numbers beyond 2^53 come as bigints. Refused
 * are keys that stand twice in one object, of which a parser keeps one, and nesting beyond
 * `depth`.
 */
export function parseExact(
  bytes: Uint8Array,
  { start, end, depth = alarm_limits.depth }: {
    readonly start: number;
    readonly end: number;
    readonly depth?: number;
  },
): Parsed {
  const shape = shapeOf(bytes, start, end);
  if (shape.depth > depth) return { flaw: `is nested deeper than ${depth} objects and lists` };
  if (shape.open) return "ended";
  const text = strictTextOf(bytes.subarray(start, end));
  if (text === undefined) return { flaw: "is not UTF-8" };
  try {
    const data: unknown = shape.long_number ? parse(text, exactly) : JSON.parse(text);
    const twice = membersOf(data) !== shape.members;
    return twice ? { flaw: "has a key twice in one object" } : { data };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { flaw: `is not JSON: ${error.message}` };
  }
}

/** Plain data as JSON; bigints as decimal text. */
export function jsonOf(data: unknown): string {
  return JSON.stringify(data, (_, value) => typeof value === "bigint" ? String(value) : value);
}

/** What a look at the bytes of a JSON text tells, without knowing whether it is right. */
type Shape = {
  readonly depth: number;
  /** Members of all its objects: a colon outside of texts each. */
  readonly members: number;
  /** Whether a number in it may have more digits than a double keeps. */
  readonly long_number: boolean;
  /** Whether it ends inside an object, a list or a text. */
  readonly open: boolean;
};

function shapeOf(bytes: Uint8Array, start: number, end: number): Shape {
  let [depth, deepest, members, digits] = [0, 0, 0, 0];
  let [quoted, long_number] = [false, false];
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (quoted) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) quoted = false;
      continue;
    }
    digits = byte >= 0x30 && byte <= 0x39 ? digits + 1 : 0;
    if (digits === 16) long_number = true;
    if (byte === 0x22) quoted = true;
    else if (byte === 0x3a) members++;
    else if (byte === 0x7b || byte === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return { depth: deepest, members, long_number, open: quoted || depth > 0 };
}

function membersOf(data: unknown): number {
  if (data === null || typeof data !== "object") return 0;
  const values = Object.values(data);
  const own = Array.isArray(data) ? 0 : values.length;
  return values.reduce<number>((sum, value) => sum + membersOf(value), own);
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** `JSON.parse` with the source text of each value, which its type does not know of yet. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

function exactly(_: string, value: unknown, { source = "" }: { source?: string }): unknown {
  const rounded = typeof value === "number" && Number.isInteger(value) &&
    !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return rounded ? BigInt(source) : value;
}
