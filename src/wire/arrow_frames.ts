// Cuts an Arrow IPC stream into its messages and checks each one's header before it is decoded.
import { concat } from "../base/bytes.ts";
import { Fault } from "../base/fault.ts";
import { limits } from "../base/limits.ts";

const continuation = 0xffffffff;
const prefix_bytes = 8;

/**
 * Each message of the stream as one piece, the end-of-stream marker last. A stream that is cut
 * short, goes on after its marker, or whose headers point outside of their message is a `Fault`
 * (invalid): the decoder behind this trusts every length that it reads.
 */
export async function* arrowMessages(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const source = new Source(body);
  try {
    for (;;) {
      const prefix = viewOf(await source.read(prefix_bytes));
      if (prefix.getUint32(0, true) !== continuation) throw broken("no continuation marker");
      const header_bytes = prefix.getInt32(4, true);
      const marker = new Uint8Array(prefix.buffer);
      if (header_bytes === 0) {
        if (await source.more()) throw broken("bytes after its end-of-stream marker");
        yield marker;
        return;
      }
      if (header_bytes < 0 || header_bytes % 8 !== 0) throw broken("a header of no valid length");
      const header = await source.read(header_bytes);
      const body_bytes = checkHeader(header);
      yield concat([marker, header, await source.read(body_bytes)]);
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
    const parts: Uint8Array[] = [];
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0 && !await this.more()) {
        throw new Fault("invalid", "the Arrow stream is cut short: no end-of-stream marker");
      }
      const part = this.#rest.subarray(0, left);
      parts.push(part);
      left -= part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return concat(parts);
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

/** Checks a message's header and gives the length of its body. */
function checkHeader(header: Uint8Array): number {
  try {
    const root = new Table(viewOf(header), viewOf(header).getUint32(0, true));
    const body_bytes = root.long(3);
    need(body_bytes >= 0 && body_bytes <= limits.inflated_body_bytes);
    root.vector(4, 4);
    const kind = root.byte(1);
    const inner = root.table(2);
    need(inner !== undefined);
    if (kind === schema_header) checkFields(inner, 1, { left: header.length, depth: 0 });
    else if (kind === batch_header) checkBatch(inner, body_bytes);
    else if (kind === dictionary_header) {
      const batch = inner.table(1);
      need(batch !== undefined);
      checkBatch(batch, body_bytes);
    } else throw broken("a message that is neither schema, dictionary nor batch");
    return body_bytes;
  } catch (error) {
    if (error instanceof RangeError) throw broken("a header that points outside of its message");
    throw error;
  }
}

/** Checks a list of fields and theirs; `left` bounds their number, for they may run in circles. */
function checkFields(
  table: Table,
  slot: number,
  budget: { left: number; readonly depth: number },
): void {
  need(budget.depth <= 8);
  const { at, length } = table.vector(slot, 4);
  table.vector(slot + 1, 4);
  for (let i = 0; i < length; i++) {
    need(--budget.left > 0);
    const field = table.tableAt(at + 4 * i);
    const inner = { left: budget.left, depth: budget.depth + 1 };
    checkFields(field, 5, inner);
    budget.left = inner.left;
  }
}

/** Checks a record batch: rows and nulls of each node, the place of each buffer in the body. */
function checkBatch(batch: Table, body_bytes: number): void {
  checkRows(batch.long(0));
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
  if (rows > limits.ingest_rows) {
    throw new Fault("too_large", `one body takes at most ${limits.ingest_rows} rows: send several`);
  }
}

/** A FlatBuffers table; reading outside of the header throws a RangeError. */
class Table {
  readonly #view: DataView;
  readonly #at: number;
  readonly #slots: number;

  constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
    this.#slots = at - view.getInt32(at, true);
    view.getUint16(this.#slots, true);
  }

  byte(slot: number): number {
    const at = this.#place(slot);
    return at === 0 ? 0 : this.#view.getUint8(at);
  }

  long(slot: number): number {
    const at = this.#place(slot);
    return at === 0 ? 0 : this.longAt(at);
  }

  longAt(at: number): number {
    return Number(this.#view.getBigInt64(at, true));
  }

  table(slot: number): Table | undefined {
    const at = this.#place(slot);
    return at === 0 ? undefined : this.tableAt(at);
  }

  tableAt(at: number): Table {
    return new Table(this.#view, at + this.#view.getUint32(at, true));
  }

  /** Where a vector's items of `item_bytes` start, and how many there are. */
  vector(slot: number, item_bytes: number): { readonly at: number; readonly length: number } {
    const place = this.#place(slot);
    if (place === 0) return { at: 0, length: 0 };
    const at = place + this.#view.getUint32(place, true);
    const length = this.#view.getUint32(at, true);
    need(at + 4 + length * item_bytes <= this.#view.byteLength);
    return { at: at + 4, length };
  }

  #place(slot: number): number {
    const entry = 4 + 2 * slot;
    if (entry >= this.#view.getUint16(this.#slots, true)) return 0;
    const offset = this.#view.getUint16(this.#slots + entry, true);
    return offset === 0 ? 0 : this.#at + offset;
  }
}

function viewOf(bytes: Uint8Array): DataView<ArrayBuffer> {
  return new DataView(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}

function need(holds: unknown): asserts holds {
  if (!holds) throw broken("a header that contradicts its message");
}

function broken(what: string): Fault {
  return new Fault("invalid", `the body is not a readable Arrow IPC stream: it has ${what}`);
}
