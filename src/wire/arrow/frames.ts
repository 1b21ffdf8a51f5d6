// Cuts an Arrow IPC stream into its messages and checks each one's header before it is decoded.
import type { Meter } from "../../base/budget.ts";
import { Fault } from "../../base/fault.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { body_limits } from "../bytes/limits.ts";
import { FlatTable } from "./flatbuffer.ts";

const continuation = 0xffffffff;
const prefix_bytes = 8;
/** What files begin with that are sent by mistake, and what they are. */
const file_marks = { ARROW1: "an Arrow file", PAR1: "a Parquet file" } as const;

/**
 * Each message of the stream as one piece, the end-of-stream marker last. A stream that is cut
 * short, goes on after its marker, or whose headers point outside of their message is a `Fault`
 * (invalid): the decoder behind this trusts every length that it reads. A message is counted
 * before there is memory for it: a batch until the next message is asked for, a dictionary until
 * another takes its place.
 */
export async function* arrowMessages(
  body: AsyncIterable<Uint8Array>,
  meter: Meter,
): AsyncGenerator<Uint8Array, void> {
  const source = new Source(body);
  const dictionaries = new Map<number, number>();
  try {
    for (;;) {
      const prefix = viewOf(await source.read(prefix_bytes));
      if (prefix.getUint32(0, true) !== continuation) throw strange(prefix);
      const header_bytes = prefix.getInt32(4, true);
      const marker = new Uint8Array(prefix.buffer);
      if (header_bytes === 0) {
        if (await source.more()) throw broken("bytes after its end-of-stream marker");
        yield marker;
        return;
      }
      const fits = header_bytes > 0 && header_bytes <= body_limits.arrow_header_bytes;
      if (!fits || header_bytes % 8 !== 0) throw broken("a header of no valid length");
      const header = await source.read(header_bytes);
      const { body_bytes, held_bytes, dictionary } = checkHeader(header);
      meter.take(held_bytes);
      const message = new Uint8Array(prefix_bytes + header_bytes + body_bytes);
      message.set(marker);
      message.set(header, prefix_bytes);
      await source.fill(message.subarray(prefix_bytes + header_bytes));
      yield message;
      if (dictionary === undefined) meter.give(held_bytes);
      else {
        meter.give(dictionaries.get(dictionary) ?? 0);
        dictionaries.set(dictionary, held_bytes);
      }
    }
  } finally {
    await source.close();
  }
}

/** Reads exact numbers of bytes from pieces of any size. */
class Source {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#pieces = body[Symbol.asyncIterator]();
  }

  /** The next `count` bytes, in memory of their own. */
  async read(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    await this.fill(bytes);
    return bytes;
  }

  /** Puts the next bytes into all of `bytes`. */
  async fill(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      if (this.#rest.length === 0 && !await this.more()) {
        throw new Fault("invalid", "the Arrow stream is cut short: no end-of-stream marker");
      }
      const part = this.#rest.subarray(0, bytes.length - at);
      bytes.set(part, at);
      at += part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
  }

  /** Whether there are bytes left. */
  async more(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next();
      if (next.done) return false;
      this.#rest = next.value;
    }
    return true;
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

/** Kinds of header: of `Message.fbs`, which the numbers of the slots below follow too. */
const schema_header = 1;
const dictionary_header = 2;
const batch_header = 3;

/** What a message's header tells. */
type Message = {
  readonly body_bytes: number;
  /** What is held of it, at most, while it is decoded. */
  readonly held_bytes: number;
  /** The dictionary that it holds, by its number. */
  readonly dictionary?: number;
};

/** What is held of a dictionary's entry beside its text: where it lies, and what it means. */
const entry_bytes = 16;

/** Checks a message's header. */
function checkHeader(header: Uint8Array): Message {
  try {
    const root = new FlatTable(viewOf(header), viewOf(header).getUint32(0, true));
    const body_bytes = root.long(3);
    need(body_bytes >= 0 && body_bytes <= body_limits.inflated_body_bytes);
    root.vector(4, 4);
    const kind = root.byte(1);
    const inner = root.table(2);
    need(inner !== undefined);
    const held_bytes = header.length + body_bytes;
    if (kind === schema_header) {
      checkSchema(inner, header.length);
      // Each field may have a text of the header's length.
      return { body_bytes, held_bytes: held_bytes + body_limits.arrow_fields * header.length };
    }
    if (kind === batch_header) {
      checkBatch(inner, body_bytes);
      return { body_bytes, held_bytes };
    }
    if (kind !== dictionary_header) {
      throw broken("a message that is neither schema, dictionary nor batch");
    }
    const batch = inner.table(1);
    need(batch !== undefined);
    checkBatch(batch, body_bytes);
    if (inner.byte(2) !== 0) throw broken("dictionary deltas: send whole dictionaries");
    const entries_bytes = entry_bytes * batch.long(0);
    return {
      body_bytes,
      held_bytes: held_bytes + entries_bytes,
      dictionary: inner.long(0),
    };
  } catch (error) {
    if (error instanceof RangeError) throw broken("a header that points outside of its message");
    throw error;
  }
}

/** What is left of a schema's bounds: its parts may lie in one place, or run in circles. */
type SchemaLeft = { fields: number; metadata_bytes: number };

/** Checks a schema: what it makes of its header may not be many times its size. */
function checkSchema(schema: FlatTable, header_bytes: number): void {
  const left = { fields: body_limits.arrow_fields, metadata_bytes: header_bytes };
  checkMetadata(schema, 2, left);
  checkFields(schema, { slot: 1, depth: 0, left });
}

/** Checks a list of fields and theirs. */
function checkFields(
  table: FlatTable,
  { slot, depth, left }: {
    readonly slot: number;
    readonly depth: number;
    readonly left: SchemaLeft;
  },
): void {
  need(depth <= 8);
  const { at, length } = table.vector(slot, 4);
  for (let i = 0; i < length; i++) {
    if (--left.fields < 0) throw broken(`more than ${body_limits.arrow_fields} fields`);
    const field = table.tableAt(at + 4 * i);
    checkMetadata(field, 6, left);
    checkFields(field, { slot: 5, depth: depth + 1, left });
  }
}

/** Checks pairs of a key and its value. */
function checkMetadata(table: FlatTable, slot: number, left: SchemaLeft): void {
  const { at, length } = table.vector(slot, 4);
  for (let i = 0; i < length; i++) {
    const pair = table.tableAt(at + 4 * i);
    left.metadata_bytes -= 4 + pair.vector(0, 1).length + pair.vector(1, 1).length;
    need(left.metadata_bytes >= 0);
  }
}

/** Checks a record batch: rows and nulls of each node, the place of each buffer in the body. */
function checkBatch(batch: FlatTable, body_bytes: number): void {
  checkRows(batch.long(0));
  if (batch.table(3) !== undefined) throw broken("compressed buffers: send it uncompressed");
  const nodes = batch.vector(1, 16);
  for (let i = 0; i < nodes.length; i++) {
    const rows = batch.longAt(nodes.at + 16 * i);
    checkRows(rows);
    const nulls = batch.longAt(nodes.at + 16 * i + 8);
    need(nulls >= 0 && nulls <= rows);
  }
  const buffers = batch.vector(2, 16);
  for (let i = 0; i < buffers.length; i++) {
    const offset = batch.longAt(buffers.at + 16 * i);
    const length = batch.longAt(buffers.at + 16 * i + 8);
    need(offset >= 0 && length >= 0 && offset + length <= body_bytes && offset % 8 === 0);
  }
  const counts = batch.vector(4, 8);
  for (let i = 0; i < counts.length; i++) {
    const count = batch.longAt(counts.at + 8 * i);
    need(count >= 0 && count <= buffers.length);
  }
}

function checkRows(rows: number): void {
  need(rows >= 0);
  if (rows > sample_limits.rows) {
    throw new Fault("too_large", `one body takes at most ${sample_limits.rows} rows: send several`);
  }
}

function viewOf(bytes: Uint8Array): DataView<ArrayBuffer> {
  return new DataView(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}

function need(holds: unknown): asserts holds {
  if (!holds) throw broken("a header that contradicts its message");
}

/** What begins otherwise than a message: the first bytes of a file name its form. */
function strange(prefix: DataView): Fault {
  const begin = new TextDecoder().decode(prefix);
  const found = Object.entries(file_marks).find(([mark]) => begin.startsWith(mark));
  if (found === undefined) return broken("no continuation marker");
  return new Fault(
    "invalid",
    `the body is ${found[1]}: send an Arrow stream, such as pyarrow.ipc.new_stream writes`,
  );
}

function broken(what: string): Fault {
  return new Fault("invalid", `the body is not a readable Arrow IPC stream: it has ${what}`);
}
