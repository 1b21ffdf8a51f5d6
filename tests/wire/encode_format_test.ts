// Which format a request gets, and how a stream of rows ends when its source does not.
import assert from "node:assert/strict";
import type { Fault } from "../../src/base/fault.ts";
import type { Chunk } from "../../src/model/data/chunk.ts";
import {
  encode,
  type Format,
  format_names,
  mediaTypeOf,
  negotiate,
} from "../../src/wire/format.ts";
import { chunksOf, every_column, everyCell } from "./encode_help.ts";

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const accepted: readonly (readonly [accept: string | null, format: Format, media_type?: string])[] =
  [
    [null, "arrow"],
    ["", "arrow"],
    ["*/*", "arrow"],
    [browser, "arrow"],
    ["application/*", "arrow"],
    ["text/*", "csv"],
    ["application/vnd.apache.arrow.stream", "arrow"],
    ["application/vnd.apache.parquet", "parquet"],
    ["APPLICATION/JSON-SEQ", "ndjson"],
    ["application/x-ndjson", "ndjson", "application/x-ndjson"],
    ["application/json", "json"],
    ["application/json; charset=utf-8", "json"],
    ["text/csv;q=0.5, application/json;q=0.9", "json"],
    ["text/csv, application/json", "csv"],
    ["application/vnd.apache.arrow.stream;q=0, */*", "parquet"],
    ["application/json;q=0.1, */*;q=0.01", "json"],
    ["image/png, text/csv;q=0.001", "csv"],
  ];

for (const [accept, format, media_type] of accepted) {
  Deno.test(`Accept ${accept} is answered with ${format}`, () => {
    assert.equal(negotiate(accept, null), format);
    if (media_type) assert.equal(mediaTypeOf(format, accept), media_type);
  });
}

for (const accept of ["image/png", "*/*;q=0", "text/csv;q=0", "nonsense", "application/json;v=2"]) {
  Deno.test(`Accept ${accept} is not acceptable`, () => {
    assert.throws(() => negotiate(accept, null), (fault: Fault) => {
      assert.equal(fault.code, "not_acceptable");
      return /vnd\.apache\.arrow\.stream, .*text\/csv, application\/json$/.test(fault.message);
    });
  });
}

Deno.test("format= wins over Accept, whatever that says", () => {
  for (const name of format_names) assert.equal(negotiate("image/png", name), name);
  assert.equal(mediaTypeOf("csv", "image/png"), "text/csv");
});

Deno.test("an unknown format= names the nearest", () => {
  assert.throws(() => negotiate(null, "parket"), (fault: Fault) => {
    assert.equal(fault.code, "invalid");
    assert.deepEqual(fault.flaws.map(({ path }) => path), ["format"]);
    return fault.message ===
      "format must be one of arrow, parquet, ndjson, csv, json; did you mean parquet?";
  });
  assert.throws(() => negotiate(null, ""), { code: "invalid" });
});

for (const format of format_names) {
  Deno.test(`${format}: an error of the source breaks the stream off`, async () => {
    const failure = new Error("the query failed");
    const source = brokenSource(failure);
    await assert.rejects(async () => {
      for await (const _ of encode(answerFrom(source.chunks()), format));
    }, failure);
    assert.ok(source.released());
  });

  Deno.test(`${format}: a reader that stops releases the source`, async () => {
    const source = brokenSource(new Error("read too far"));
    const pieces = encode(answerFrom(source.chunks()), format);
    await pieces.next();
    await pieces.return();
    assert.ok(source.released());
  });
}

function answerFrom(chunks: AsyncIterable<Chunk>) {
  return { columns: every_column, metadata: {}, chunks };
}

/** A source of a few large chunks that fails at its end. */
function brokenSource(failure: Error) {
  const rows = 40_000;
  const [chunk] = chunksOf(every_column, everyCell(rows), [rows]);
  let released = false;
  async function* chunks() {
    try {
      for (let i = 0; i < 4; i++) yield await Promise.resolve(chunk);
      throw failure;
    } finally {
      released = true;
    }
  }
  return { chunks, released: () => released };
}
