// Events of the feed as answers show them: as JSON, from the columns that were read.
import { concat, textOf, utf8 } from "../../base/bytes.ts";
import { event_columns } from "../../model/alarms/shape.ts";
import { refOf } from "../../model/alarms/alarm.ts";
import {
  type Answer,
  type Chunk,
  isValid,
  validityOf,
  type Vector,
  wordAt,
  wordsOf,
} from "../../model/data/chunk.ts";
import { feed_columns } from "../../store/alarms/feed.ts";
import { encodeNdjson } from "../../wire/text.ts";

/** Chunks of `readFeedEvents` as an answer. */
export function feedAnswer(chunks: AsyncIterable<Chunk> | Iterable<Chunk>): Answer {
  return { columns: event_columns, chunks: shown(chunks), metadata: {} };
}

/**
 * The same with the address that a user has today, where `emailOf` knows it. Not by a join: what
 * comes out of one lies scattered, and took twice as long to read.
 */
export function withEmails(
  chunk: Chunk,
  emailOf: (user_id: string) => string | undefined,
): Chunk {
  const [ids, emails] = (["user_id", "user_email"] as const).map((name) =>
    columnOf(chunk, name) as Extract<Vector, { kind: "text" }>
  );
  if (ids.valid?.every((byte) => byte === 0)) return chunk;
  const known = new Map<string, string | undefined>();
  const texts = Array.from({ length: chunk.rows }, (_, row) => {
    const stored = isValid(emails.valid, row) ? wordAt(emails.words, row) : null;
    if (!isValid(ids.valid, row)) return stored;
    const id = wordAt(ids.words, row);
    if (!known.has(id)) known.set(id, emailOf(id));
    return known.get(id) ?? stored;
  });
  const words = wordsOf(texts.map((text) => text ?? ""));
  const shown: Vector = { kind: "text", words, valid: validityOf(texts) };
  return { ...chunk, vectors: chunk.vectors.map((it) => it === emails ? shown : it) };
}

/** An event's JSON, and its type. */
export type ShownEvent = { readonly type: string; readonly text: string };

/** The events of one chunk, each by itself. */
export async function shownEvents(chunk: Chunk): Promise<readonly ShownEvent[]> {
  const pieces = await Array.fromAsync(encodeNdjson(feedAnswer([chunk])));
  const texts = textOf(concat(pieces)).split("\n").slice(0, -1);
  const { words } = columnOf(chunk, "type") as Extract<Vector, { kind: "text" }>;
  return texts.map((text, row) => ({ type: wordAt(words, row), text }));
}

async function* shown(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
): AsyncGenerator<Chunk, void> {
  for await (const chunk of chunks) {
    const vectors = event_columns.map(({ name, kind }): Vector => {
      if (name === "svc_occurrence_ref") return refsOf(longsOf(chunk, "occurrence_no"));
      const vector = columnOf(chunk, name);
      return kind === "instant" ? { ...vector, kind } as Vector : vector;
    });
    yield { rows: chunk.rows, vectors };
  }
}

const places = new Map(Object.keys(feed_columns).map((name, place) => [name, place]));

function columnOf({ vectors }: Chunk, name: keyof typeof feed_columns): Vector {
  return vectors[places.get(name)!];
}

function longsOf(chunk: Chunk, name: keyof typeof feed_columns): BigInt64Array {
  return (columnOf(chunk, name) as Extract<Vector, { kind: "int64" }>).values;
}

/** What `refOf` gives for each number, written into copies of the first one. */
function refsOf(nos: BigInt64Array): Vector {
  const blank = utf8(refOf(0));
  const { length: width } = blank;
  const bytes = new Uint8Array(nos.length * width);
  for (let row = 0; row < nos.length; row++) {
    bytes.set(blank, row * width);
    const no = Number(nos[row]);
    const high = Math.floor(no / 1e6);
    putDigits(bytes, { end: (row + 1) * width, value: no - high * 1e6 });
    putDigits(bytes, { end: (row + 1) * width - 6, value: high });
  }
  const offsets = Int32Array.from({ length: nos.length + 1 }, (_, row) => row * width);
  return { kind: "text", words: { bytes, offsets } };
}

/** The digits of a whole number below 2^31, in front of a place. */
function putDigits(
  bytes: Uint8Array,
  { end, value }: { readonly end: number; readonly value: number },
): void {
  for (let rest = value | 0, at = end - 1; rest > 0; at--) {
    const tens = (rest / 10) | 0;
    bytes[at] = 0x30 + rest - tens * 10;
    rest = tens;
  }
}
