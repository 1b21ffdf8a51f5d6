// Remote write of Prometheus: both of its messages decoded, a series as a tag; the first written.
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { type Meter, unmetered } from "../../base/budget.ts";
import { concat, type Span } from "../../base/bytes.ts";
import { giveWay } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { type Label, metric_label, tagOfLabels } from "../../model/samples/labels.ts";
import { quality_names } from "../../model/samples/sample.ts";
import { earliest_us, latest_us } from "../bytes/instant.ts";
import { body_limits } from "../bytes/limits.ts";
import { Rejections } from "../bytes/rejections.ts";
import type { Decoded } from "./row_builder.ts";
import { SampleBatchBuilder } from "./sample_builder.ts";
import { type BodyTags, tagFlaw, type TagIndex } from "./tag_index.ts";

/** 1: `prometheus.WriteRequest`. 2: `io.prometheus.write.v2.Request`, whose texts are numbered. */
export type RemoteWriteVersion = 1 | 2;

/**
 * Samples of a body that is one protobuf message. The line of a row is the number of its series,
 * from 1. A body that is no such message is a `Fault` (invalid).
 */
export async function decodeRemoteWrite(
  body: AsyncIterable<Uint8Array>,
  { version, meter = unmetered, tags }: {
    readonly version: RemoteWriteVersion;
    readonly meter?: Meter;
    readonly tags?: TagIndex;
  },
): Promise<Decoded> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    meter.take(piece.length);
    pieces.push(piece);
  }
  const builder = new SampleBatchBuilder("signal", { meter, tags });
  const rejections = new Rejections(meter);
  try {
    const reader = new MessageReader(concat(pieces), version, builder.tags);
    await reader.read((series, of) => take(series, of, { builder, rejections }));
  } catch (error) {
    if (error instanceof Fault || !(error instanceof Error)) throw error;
    throw new Fault("invalid", `the body is no message of remote write: ${error.message}`);
  }
  return {
    batches: builder.rows === 0 ? [] : [builder.build()],
    rejected: rejections.shown,
    rejected_count: rejections.count,
  };
}

/** A series of a message, beside the name of its tag. */
type Series = {
  /** Milliseconds since 1970. */
  readonly times: number[];
  readonly values: number[];
  histograms: number;
};

/** The number of its tag, or why it has none, and its own number from 1. */
type Place = { readonly tag: number | string; readonly line: number };

/** Takes a series' samples, or rejects them. */
function take(
  { times, values, histograms }: Series,
  { tag, line }: Place,
  { builder, rejections }: {
    readonly builder: SampleBatchBuilder;
    readonly rejections: Rejections;
  },
): void {
  const name = typeof tag === "string" ? null : builder.tags.names[tag];
  const reject = (reason: string) =>
    rejections.add({ line, tag: name, reason: typeof tag === "string" ? tag : reason });
  times.forEach((ms, i) => {
    const ts_us = ms * 1000;
    if (typeof tag === "string" || !(ts_us >= earliest_us && ts_us <= latest_us)) {
      return reject(`its timestamp, ${ms} ms, is not within the years 1970 to 2200`);
    }
    builder.start(tag, ts_us, line);
    if (Number.isFinite(values[i])) builder.float(values[i]);
    else builder.quality(bad);
  });
  for (let i = 0; i < histograms; i++) reject("is a native histogram: send classic ones");
}

const bad = quality_names.indexOf("bad");

type Named = { readonly name: string } | { readonly flaw: string };

/** The tag of a series as it is written, or why it has none. A label without a value is none. */
function seriesTag(labels: readonly Label[]): Named {
  const by_name = new Map(labels);
  if (by_name.has("")) return { flaw: "has a label without a name" };
  if (by_name.size < labels.length) return { flaw: "has a label twice" };
  if (!by_name.get(metric_label)) return { flaw: `has no label ${metric_label}` };
  const name = tagOfLabels(labels);
  const flaw = tagFlaw(name);
  return flaw === undefined ? { name } : { flaw: `tag ${flaw}` };
}

/** Wire types of protobuf, as the last bits of a field's key. */
const [varint, bits64, sized] = [0, 1, 2];
const key = (field: number, type: number) => field * 8 + type;

/** Where the fields lie that are read, by version; the others are skipped. */
const fields = {
  1: { series: key(1, sized), labels: key(1, sized), histograms: key(4, sized) },
  2: { series: key(5, sized), labels: key(1, sized), histograms: key(3, sized) },
} as const;
const symbols_key = key(4, sized);
const samples_key = key(2, sized);

/** Bytes of labels that are kept with the tag that they name, at most. */
const kept_labels_bytes = 4096;

/** Reads the series of a message. Throws an `Error` where it is none. */
class MessageReader {
  readonly #bytes: Uint8Array;
  readonly #reader: BinaryReader;
  readonly #tags: BodyTags;
  readonly #version: RemoteWriteVersion;
  /** The texts that labels of version 2 are numbers of. */
  readonly #symbols: string[] = [];

  constructor(bytes: Uint8Array, version: RemoteWriteVersion, tags: BodyTags) {
    this.#bytes = bytes;
    this.#reader = new BinaryReader(bytes);
    this.#tags = tags;
    this.#version = version;
  }

  /** Gives each series. */
  async read(
    onSeries: (series: Series, of: Place) => void,
  ): Promise<void> {
    if (this.#version === 2) this.#readSymbols();
    const reader = this.#reader;
    let line = 0;
    let paused_at = 0;
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (key(field, type) === fields[this.#version === 1 ? 2 : 1].series) {
        throw new Error(`it is not of version ${this.#version}, as its content type says`);
      }
      if (key(field, type) !== fields[this.#version].series) {
        reader.skip(type, field);
        continue;
      }
      const series: Series = { times: [], values: [], histograms: 0 };
      onSeries(series, { tag: this.#readSeries(series), line: ++line });
      if (reader.pos - paused_at < body_limits.piece_bytes) continue;
      paused_at = reader.pos;
      await giveWay();
    }
  }

  /** Reads a series from its length on; the number of its tag, or why it has none. */
  #readSeries(series: Series): number | string {
    const reader = this.#reader;
    const known = fields[this.#version];
    const end = endOf(reader);
    const labels: Span[] = [];
    while (reader.pos < end) {
      const start = reader.pos;
      const [field, type] = reader.tag();
      const found = key(field, type);
      if (found === samples_key) {
        readSample(reader, series);
        continue;
      }
      reader.skip(type, field);
      if (found === known.labels) labels.push({ start, end: reader.pos });
      if (found === known.histograms) series.histograms++;
    }
    requireEnd(reader, end);
    requireFewLabels(labels.length);
    return this.#version === 1 ? this.#tagOfRun(labels) : this.#tagOf(this.#referred(labels));
  }

  /** The same of labels as version 1 has them: where they come in the same bytes, it is known. */
  #tagOfRun(labels: readonly Span[]): number | string {
    const [start, end] = [labels.at(0)?.start ?? 0, labels.at(-1)?.end ?? 0];
    const isRun = labels.every((label, i) => i === 0 || label.start === labels[i - 1].end);
    const isKept = isRun && end - start <= kept_labels_bytes;
    const known = isKept ? this.#tags.find(this.#bytes, { start, end }) : -1;
    if (known >= 0) return known;
    const tag = this.#tagOf(labels.map((label) => readLabel(readerAt(this.#bytes, label))));
    if (isKept && typeof tag === "number") this.#tags.spell(this.#bytes, { start, end }, tag);
    return tag;
  }

  #tagOf(labels: readonly Label[]): number | string {
    const named = seriesTag(labels);
    return "flaw" in named ? named.flaw : this.#tags.codeOf(named.name);
  }

  /** The symbols of a message may stand behind the series that use them. */
  #readSymbols(): void {
    const reader = new BinaryReader(this.#bytes);
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (key(field, type) === symbols_key) this.#symbols.push(reader.string(true));
      else reader.skip(type, field);
    }
  }

  /** The labels of version 2: packed numbers of symbols, of a name and its value in turn. */
  #referred(lists: readonly Span[]): Label[] {
    const texts = lists.flatMap((list) => {
      const reader = readerAt(this.#bytes, list);
      const end = endOf(reader);
      const found: (string | undefined)[] = [];
      while (reader.pos < end) {
        found.push(this.#symbols[reader.uint32()]);
        requireFewLabels(found.length / 2);
      }
      requireEnd(reader, end);
      return found;
    });
    requireFewLabels(texts.length / 2);
    return Array.from({ length: Math.ceil(texts.length / 2) }, (_, i) => {
      const [name, value] = texts.slice(2 * i, 2 * i + 2);
      if (name === undefined || value === undefined) throw new Error("a label has no text");
      return [name, value];
    });
  }
}

function requireFewLabels(count: number): void {
  if (count > body_limits.remote_labels) {
    throw new Error(`a series has over ${body_limits.remote_labels} labels`);
  }
}

/** A reader of the field at `start`, its key behind it. */
function readerAt(bytes: Uint8Array, { start, end }: Span): BinaryReader {
  const reader = new BinaryReader(bytes.subarray(0, end));
  reader.pos = start;
  reader.tag();
  return reader;
}

function readLabel(reader: BinaryReader): Label {
  let [name, value] = ["", ""];
  const end = endOf(reader);
  while (reader.pos < end) {
    const [field, type] = reader.tag();
    if (type === sized && field === 1) name = reader.string(true);
    else if (type === sized && field === 2) value = reader.string(true);
    else reader.skip(type, field);
  }
  requireEnd(reader, end);
  return [name, value];
}

function readSample(reader: BinaryReader, { times, values }: Series): void {
  let [value, ms] = [0, 0];
  const end = endOf(reader);
  while (reader.pos < end) {
    const [field, type] = reader.tag();
    if (type === bits64 && field === 1) value = reader.double();
    else if (type === varint && field === 2) ms = Number(reader.int64());
    else reader.skip(type, field);
  }
  requireEnd(reader, end);
  times.push(ms);
  values.push(value);
}

/** Where the message ends that begins at its length. */
function endOf(reader: BinaryReader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError("a message is cut short");
  return end;
}

function requireEnd(reader: BinaryReader, end: number): void {
  if (reader.pos !== end) throw new RangeError("a field is longer than its message");
}

/** A series of a message; a value that is undefined marks its end, as Prometheus does. */
export type WrittenSeries = {
  /** Sorted by name. */
  readonly labels: readonly Label[];
  readonly samples: readonly {
    readonly ts_ms: number;
    readonly value: number | undefined;
  }[];
};

/** The bytes of `prometheus.WriteRequest`. */
export function encodeRemoteWrite(series: readonly WrittenSeries[]): Uint8Array {
  const message = new BinaryWriter();
  for (const { labels, samples } of series) {
    message.uint32(key(1, sized)).fork();
    for (const [name, value] of labels) {
      message.uint32(key(1, sized)).fork();
      message.uint32(key(1, sized)).string(name);
      message.uint32(key(2, sized)).string(value);
      message.join();
    }
    for (const { ts_ms, value } of samples) {
      message.uint32(key(2, sized)).fork().uint32(key(1, bits64));
      if (value === undefined) message.raw(stale);
      else message.double(value);
      message.uint32(key(2, varint)).int64(ts_ms);
      message.join();
    }
    message.join();
  }
  return message.finish();
}

/** The NaN by which Prometheus marks that a series has no value any more. */
const stale = new Uint8Array([2, 0, 0, 0, 0, 0, 0xf0, 0x7f]);

/** What is looked back at: an offset of a copy has two bytes. */
const block_bytes = 65_536;
const table_bits = 14;
const least_match = 4;

/** A block of Snappy: https://github.com/google/snappy/blob/main/format_description.txt */
export function packSnappy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new SnappyWriter(bytes.length);
  out.length(bytes.length);
  for (let start = 0; start < bytes.length; start += block_bytes) {
    packBlock(bytes.subarray(start, start + block_bytes), out);
  }
  return out.done();
}

/** Runs that were seen before are copies; what lies between them is put as it is. */
function packBlock(block: Uint8Array, out: SnappyWriter): void {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const seen = new Int32Array(1 << table_bits).fill(-1);
  let put = 0;
  let at = 0;
  while (at + least_match <= block.length) {
    const word = view.getUint32(at, true);
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - table_bits);
    const from = seen[slot];
    seen[slot] = at;
    if (from < 0 || view.getUint32(from, true) !== word) {
      // What can't be packed is passed over ever faster.
      at += 1 + ((at - put) >> 5);
      continue;
    }
    let length = least_match;
    while (at + length < block.length && block[from + length] === block[at + length]) length++;
    out.literal(block.subarray(put, at));
    out.copy(at - from, length);
    at += length;
    put = at;
  }
  out.literal(block.subarray(put));
}

class SnappyWriter {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #at = 0;

  constructor(length: number) {
    // The most that a block can grow to, as the format's own implementation has it.
    this.#bytes = new Uint8Array(32 + length + Math.ceil(length / 6));
  }

  length(length: number): void {
    let left = length;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.#put(left % 0x80 | 0x80);
    this.#put(left);
  }

  literal(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const last = bytes.length - 1;
    if (last < 60) this.#put(last << 2);
    else if (last < 0x100) this.#put(60 << 2, last);
    else this.#put(61 << 2, last & 0xff, last >> 8);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Copies of up to 64 bytes, each with an offset of two. */
  copy(offset: number, length: number): void {
    for (let left = length; left > 0; left -= 64) {
      this.#put((Math.min(left, 64) - 1) << 2 | 2, offset & 0xff, offset >> 8);
    }
  }

  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#at);
  }

  #put(...bytes: readonly number[]): void {
    for (const byte of bytes) this.#bytes[this.#at++] = byte;
  }
}
