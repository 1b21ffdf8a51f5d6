// Bodies that grow when they are read: each is counted by what it takes, and refused in time.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { gzipSync, zstdCompressSync } from "node:zlib";
import {
  type Data,
  Dictionary,
  Field,
  Int8,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { type Account, Budget, type Meter } from "../../../src/base/budget.ts";
import { concat, utf8 } from "../../../src/base/bytes.ts";
import { limits } from "../../../src/base/limits.ts";
import { sample_limits } from "../../../src/model/samples/limits.ts";
import { decodeSamples, type IngestLane } from "../../../src/wire/decode.ts";
import { decodeAlarms } from "../../../src/wire/alarms/decode.ts";
import { decodeLines } from "../../../src/wire/samples/decode_line.ts";
import { TagIndex } from "../../../src/wire/samples/tag_index.ts";
import { arrow, csv, json, ndjson, ts } from "./decode_help.ts";

const mb = 1024 * 1024;
const long = "x".repeat(sample_limits.text_value_length);

/** Gives pieces without end, and notes whether their reader has let go of them. */
class Source {
  bytes = 0;
  ended = false;

  async *of(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    try {
      for (const piece of pieces) {
        this.bytes += piece.length;
        yield piece;
      }
    } finally {
      this.ended = true;
    }
  }
}

/** At most 64 MB of text that `make` writes piece by piece. */
function* written(make: (i: number) => string): Generator<Uint8Array, void> {
  for (let [i, bytes] = [0, 0]; bytes < 64 * mb; i++) {
    const piece = utf8(make(i));
    bytes += piece.length;
    yield piece;
  }
}

function* cut(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

type Decode = (body: AsyncIterable<Uint8Array>, meter: Meter) => Promise<unknown>;
type Bomb = { readonly body: () => Iterable<Uint8Array>; readonly decode: Decode };

const samples = (media_type: string, lane?: IngestLane): Decode => (body, meter) =>
  decodeSamples(body, { media_type, encoding: null, lane, meter });
const packed = (encoding: string): Decode => (body, meter) =>
  decodeSamples(body, { media_type: ndjson, encoding, meter });
const alarms: Decode = (body, meter) =>
  decodeAlarms(body, { media_type: ndjson, encoding: null, now_us: 2e15, meter });
const lines: Decode = (body, meter) => decodeLines(body, { precision: "ns", now_us: 0, meter });

const row = (value: string) => `{"tag":"t","ts":"${ts}",${value}}\n`;
const event = (detail: string) =>
  `{"event_id":"e","occurrence_id":"o","type":"t","created_at":"${ts}","detail":${detail}}\n`;

/** Rows of 20 000 times the same text, of which the stream has one. */
function dictionaryBody(): Uint8Array {
  const rows = 20_000;
  const words = (text: string): Data =>
    makeData({
      type: new Dictionary(new Utf8(), new Int8()),
      data: new Int8Array(rows),
      dictionary: vectorFromArray([text], new Utf8()),
      length: rows,
    });
  const instants = new BigInt64Array(rows);
  const children = [
    words("t"),
    makeData({ type: new TimestampMicrosecond("UTC"), data: instants, length: rows }),
    words(long),
  ];
  const fields = ["tag", "ts", "value_str"].map((name, i) =>
    new Field(name, children[i].type, true)
  );
  const data = makeData({ type: new Struct(fields), length: rows, children });
  const batch = new RecordBatch(new Schema(fields), data);
  return RecordBatchStreamWriter.writeAll([batch]).toUint8Array(true);
}

/** The stream's first batch message says that its body has 100 MB, and does not send them. */
function declaredBody(): Uint8Array {
  const bytes = dictionaryBody().slice();
  const view = new DataView(bytes.buffer);
  let at = 0;
  // The schema's message has no body.
  at += 8 + view.getInt32(4, true);
  const header = at + 8;
  const root = header + view.getUint32(header, true);
  const slots = root - view.getInt32(root, true);
  view.setBigInt64(root + view.getUint16(slots + 4 + 2 * 3, true), BigInt(100 * mb), true);
  return bytes.subarray(0, header + view.getInt32(at + 4, true));
}

const member = gzipSync(row(`"value_str":"${long}"`).repeat(1000), { level: 9 });

const bombs: Readonly<Record<string, Bomb>> = {
  "long texts in NDJSON": {
    body: () => written(() => row(`"value_str":"${long}"`)),
    decode: samples(ndjson),
  },
  "texts of which one character takes two bytes": {
    body: () => written(() => row(`"value_str":"€${long.slice(0, 8000)}"`)),
    decode: samples(ndjson),
  },
  "short texts": { body: () => written(() => row('"value_str":"a"')), decode: samples(ndjson) },
  "escaped texts": {
    body: () => written(() => row(`"value_str":"\\n${long.slice(0, 8000)}"`)),
    decode: samples(ndjson),
  },
  "rows without texts": {
    body: () => written(() => row('"value":1')),
    decode: samples(ndjson),
  },
  "rows of a forecast": {
    body: () => written(() => row(`"issued_at":"${ts}","value":1`)),
    decode: samples(ndjson, "forecast"),
  },
  "names of tags": {
    body: () => written((i) => row('"value":1').replace('"t"', `"t${i}"`)),
    decode: samples(ndjson),
  },
  "texts in CSV": {
    body: () => written((i) => i === 0 ? "tag,ts,value_str\n" : `t,${ts},${long}\n`),
    decode: samples(csv),
  },
  "texts in a JSON array": {
    body: () => written((i) => (i === 0 ? "[" : ",") + row(`"value_str":"${long}"`)),
    decode: samples(json),
  },
  "gzip members one behind the other": {
    body: () => Array.from({ length: 8 }, () => member),
    decode: packed("gzip"),
  },
  "a zstd frame": {
    body: () => cut(zstdCompressSync(row(`"value_str":"${long}"`).repeat(8000))),
    decode: packed("zstd"),
  },
  "a line whose series stands in the name of each field's tag": {
    body: () => {
      const series = `m,k=${"v".repeat(480)}`;
      const fields = Array.from({ length: 9000 }, (_, i) => `${i.toString(36)}=1`).join(",");
      return written((i) => `${series}${i} ${fields} 1\n`);
    },
    decode: lines,
  },
  "texts in line protocol": {
    body: () => written((i) => `m f="${long.slice(0, 8000)}" ${i}000\n`),
    decode: lines,
  },
  "an Arrow dictionary of one long text": {
    body: () => cut(dictionaryBody()),
    decode: samples(arrow),
  },
  "an Arrow batch that says to be long": {
    body: () => cut(declaredBody()),
    decode: samples(arrow),
  },
  "details of alarms' events": {
    body: () => written(() => event(`[${Array(20_000).fill("{}").join(",")}]`)),
    decode: alarms,
  },
  "many alarms' events": { body: () => written(() => event("null")), decode: alarms },
};

for (const [name, { body, decode }] of Object.entries(bombs)) {
  Deno.test(`refused before it takes more than it may: ${name}`, async () => {
    const budget = new Budget(8 * mb);
    const account = budget.open("a");
    const source = new Source();
    await rejects(decode(source.of(body()), account), { code: "too_large", message: /4194304/ });
    deepEqual(budget.refused, { too_large: 1, too_many: 0, unavailable: 0 });
    equal(source.ended, true);
    equal(source.bytes < 40 * mb, true);
    account.close();
    equal(budget.reserved_bytes, 0);
  });
}

/** What is counted of a body that is read whole. */
async function countedOf(body: Iterable<Uint8Array>, decode: Decode): Promise<number> {
  const budget = new Budget(512 * mb);
  const account: Account = budget.open("a");
  await decode(new Source().of(body), account);
  const counted = budget.reserved_bytes;
  account.close();
  return counted;
}

Deno.test("a zstd window is counted as it fills, and one over 8 MiB refused at once", async () => {
  // RFC 8878: magic, descriptor, window descriptor (2^(10 + exponent)), an empty last raw block.
  const frame = (exponent: number) =>
    Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, exponent << 3, 1, 0, 0);
  equal(await countedOf([frame(13)], packed("zstd")), 0);
  await rejects(countedOf([frame(14)], packed("zstd")), { code: "too_large", message: /window/ });
  // Blank lines are not kept, the window of 2 MiB is.
  const blank = zstdCompressSync("\n".repeat(3 * mb));
  equal(await countedOf(cut(blank), packed("zstd")), 2 * mb - limits.held_step_bytes);
});

Deno.test("an Arrow batch is counted until the next one, its rows until the end", async () => {
  const bytes = dictionaryBody();
  const counted = await countedOf(cut(bytes), samples(arrow));
  const of_rows = 20_000 * (long.length + 24 + 48) + 32_768 * 38;
  equal(Math.abs(counted - of_rows) < mb, true);
});

Deno.test("an Arrow schema is read only within bounds, whatever its header says", async () => {
  const schemaOf = (count: number, metadata: string) => {
    const fields = Array.from({ length: count }, (_, i) => new Field(`f${i}`, new Utf8(), true));
    const schema = new Schema(fields, new Map([["m", metadata]]));
    const children = fields.map(() => vectorFromArray([""], new Utf8()).data[0]);
    const data = makeData({ type: new Struct(fields), length: 1, children });
    return RecordBatchStreamWriter.writeAll([new RecordBatch(schema, data)]).toUint8Array(true);
  };
  const read = (bytes: Uint8Array) => countedOf(cut(bytes), samples(arrow));
  await rejects(read(schemaOf(64, "")), { code: "invalid", message: /unknown field f0/ });
  await rejects(read(schemaOf(65, "")), { code: "invalid", message: /more than 64 fields/ });
  const long_header = { code: "invalid", message: /header of no valid length/ };
  await rejects(read(schemaOf(1, long.repeat(9))), long_header);
});

Deno.test("a part of a line that a sender leaves unfinished is counted", async () => {
  const unfinished = utf8(`{"occurrence_id":"${"x".repeat(mb - 100)}`);
  const broken = rejects(countedOf(cut(unfinished), alarms), { code: "invalid" });
  await broken;
  const account = new Budget(mb).open("a");
  const source = new Source().of(cut(concat([unfinished, unfinished])));
  await rejects(
    decodeAlarms(source, { media_type: ndjson, encoding: null, now_us: 0, meter: account }),
    {
      code: "too_large",
    },
  );
});

Deno.test("a body takes no more than its rows need where the one before had as many", async () => {
  const tags = new TagIndex();
  const taken = async (rows: number) => {
    let bytes = 0;
    const meter = { take: (more: number) => void (bytes += more), give() {} };
    const text = Array.from({ length: rows }, (_, i) => `a v=${i}.5 ${1e9 + i}\n`).join("");
    const options = { precision: "s", now_us: 1e15, meter, tags } as const;
    const { batches: [batch] } = await decodeLines(new Source().of([utf8(text)]), options);
    equal(batch.rows, rows);
    return bytes / rows;
  };
  await taken(17_000);
  ok(await taken(17_000) < 27, "a row takes 25 bytes");
  ok(await taken(2_000) * 2_000 < 27 * 17_000, "a smaller one takes what that took at most");
  ok(await taken(1_000) < 27, "and one of few rows what it needs");
  await taken(100_000);
  ok(await taken(2_000) * 2_000 < 1024 * 1024, "never more than a megabyte before it has rows");
});
