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
import { four_digits } from "../../wire/bytes/text_store.ts";
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

/** What `refOf` gives for each number, in words of four characters: its mark and twelve digits. */
function refsOf(nos: BigInt64Array): Vector {
  const width = refOf(0).length;
  const bytes = new Uint8Array(nos.length * width);
  const offsets = new Int32Array(nos.length + 1);
  const view = new DataView(bytes.buffer);
  const mark = new DataView(utf8(refOf(0)).buffer).getUint32(0);
  for (let row = 0, at = 0; row < nos.length; row++) {
    const no = Number(nos[row]);
    const high = Math.floor(no / 1e4);
    const highest = Math.floor(high / 1e4);
    view.setUint32(at, mark);
    view.setUint32(at + 4, four_digits[highest]);
    view.setUint32(at + 8, four_digits[high - highest * 1e4]);
    view.setUint32(at + 12, four_digits[no - high * 1e4]);
    offsets[row + 1] = at += width;
  }
  return { kind: "text", words: { bytes, offsets } };
}
