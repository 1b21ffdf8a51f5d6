// Samples in CSV, compressed and oversized bodies, and any rows through every text format.
import assert from "node:assert/strict";
import { gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { giveWay } from "../../../src/base/effects.ts";
import { sample_limits } from "../../../src/model/samples/limits.ts";
import { body_limits } from "../../../src/wire/bytes/limits.ts";
import type { ForecastBatch } from "../../../src/model/samples/sample.ts";
import { decodeSamples } from "../../../src/wire/decode.ts";
import {
  arrow,
  csv,
  decode,
  faultOf,
  json,
  ndjson,
  reasonOf,
  rowsOf,
  ts,
  ts_us,
  utf8,
} from "./decode_help.ts";

Deno.test("CSV is read with quotes, blanks, line ends within quotes and a mark", async () => {
  const body = "\ufefftag, ts ,value,value_str,quality,status_code\r\n" +
    `"a,b",${ts},1.5,,good,\r\n` +
    `\r\n` +
    `c,${ts},,"say ""hi""\nthere",,0\r\n` +
    `d,${ts},TRUE,,,\n` +
    `e,${ts},,"",,\n` +
    `f,${ts},,,bad,`;
  for (const piece of [1, 11, 65_536]) {
    assert.deepEqual(
      rowsOf(await decode(body, csv, { piece })).map((row) => Object.values(row)),
      [
        [2, "a,b", ts_us, 1.5, 0, null],
        [4, "c", ts_us, 'say "hi"\nthere', 0, 0],
        [6, "d", ts_us, 1n, null, null],
        [7, "e", ts_us, "", null, null],
        [8, "f", ts_us, null, 2, null],
      ],
    );
  }
});

Deno.test("a bad CSV row is rejected, a bad CSV body is refused", async () => {
  const rows: Readonly<Record<string, RegExp>> = {
    [`a,${ts}`]: /has 2 fields, the header 3/,
    [`a,${ts},1,2`]: /has 4 fields, the header 3; put a cell with commas in quotes, and write/,
    [`a,${ts},abc`]: /not a number/,
    [`a,${ts},NaN`]: /not a number/,
    [`a,${ts},1e999`]: /range of a double/,
    [`a,${ts},`]: /has no value/,
    [`,${ts},1`]: /has no tag/,
    [`"a"b,${ts},1`]: /behind a closing quote/,
    [`a"b,${ts},x"`]: /not a number/,
  };
  for (const [row, reason] of Object.entries(rows)) {
    const { reason: given, line } = await reasonOf(`tag,ts,value\n${row}\nx,${ts},1\n`, csv);
    assert.match(given, reason);
    assert.equal(line, 2);
  }
  for (
    const body of [
      "",
      "tag,value\na,1\n",
      "tag,ts,vlaue\n",
      "tag,ts,sensor_tag\n",
      `tag,ts,value\na,${ts}`,
      `tag,ts,value\n"a,${ts},1\n`,
      `tag,ts,value\n"a${"x".repeat(body_limits.ingest_line_bytes)}`,
    ]
  ) assert.equal((await faultOf(body, csv)).code, "invalid", body.slice(0, 30));
});

Deno.test("forecast rows need their issue and a float", async () => {
  const row = { tag: "a", ts: "2026-11-22T05:00:00Z", issued_at: ts, value: 2.5 };
  const decoded = await decode(JSON.stringify(row), ndjson, { lane: "forecast" });
  const batch = decoded.batches[0] as ForecastBatch;
  assert.equal(batch.lane, "forecast");
  assert.deepEqual([Number(batch.issued_at[0]), batch.value[0]], [ts_us, 2.5]);
  for (const wrong of [{ issued_at: undefined }, { value: "x" }, { quality: "good" }]) {
    const body = JSON.stringify({ ...row, ...wrong });
    assert.equal((await decode(body, ndjson, { lane: "forecast" })).rejected_count, 1);
  }
});

Deno.test("compressed bodies are undone, and refused when cut short or unknown", async () => {
  const body = Array.from({ length: 500 }, (_, i) => `{"tag":"a${i}","ts":"${ts}","value":${i}}`)
    .join("\n");
  for (
    const [encoding, bytes] of [
      ["gzip", gzipSync(body)],
      ["zstd", zstdCompressSync(body)],
      ["zstd", new Uint8Array([...zstdCompressSync(body), ...zstdCompressSync("")])],
    ] as const
  ) {
    assert.equal((await decode(bytes, ndjson, { encoding })).batches[0].rows, 500);
    for (const end of [1, 3, 5, 9, bytes.length >> 1, bytes.length - 1]) {
      assert.equal((await faultOf(bytes.subarray(0, end), ndjson, { encoding })).code, "invalid");
    }
    assert.equal((await faultOf(utf8.encode(body), ndjson, { encoding })).code, "invalid");
  }
  const fault = await faultOf("", ndjson, { encoding: "br" });
  assert.equal(fault.code, "unsupported_media");
  assert.match(fault.message, /identity, gzip, zstd/);
});

Deno.test("every frame of a zstd body is read, wherever its bytes are cut", async () => {
  const rows = Array.from({ length: 9 }, (_, i) => `{"tag":"a","ts":"${ts}","value":${i}}\n`);
  const skippable = Uint8Array.of(0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);
  const frames = rows.flatMap((row, i) => [zstdCompressSync(row), ...i % 3 ? [] : [skippable]]);
  const bytes = new Uint8Array(frames.flatMap((frame) => [...frame]));
  for (const size of [1, 7, 64, bytes.length]) {
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
    };
    const options = { media_type: ndjson, encoding: "zstd" };
    assert.equal((await decodeSamples(pieces(), options)).batches[0].rows, 9, `pieces of ${size}`);
  }
  const many = new Uint8Array(
    Array.from({ length: body_limits.zstd_frames + 1 }, () => [...zstdCompressSync("")]).flat(),
  );
  assert.equal((await faultOf(many, ndjson, { encoding: "zstd" })).code, "too_large");
});

Deno.test("a body beyond its bounds is refused, compressed or not", async () => {
  const blank = new Uint8Array(1 << 20).fill(0x20);
  const endless = async function* () {
    for (;;) yield blank;
  };
  const options = { media_type: ndjson, encoding: null };
  await assert.rejects(decodeSamples(endless(), options), { code: "too_large" });
  const frame = zstdCompressSync(new Uint8Array(1 << 24));
  const frames = Math.ceil(body_limits.inflated_body_bytes / (1 << 24)) + 1;
  const bomb = new Uint8Array(frames * frame.length);
  for (let i = 0; i < frames; i++) bomb.set(frame, i * frame.length);
  assert.equal((await faultOf(bomb, ndjson, { encoding: "zstd" })).code, "too_large");
});

Deno.test("unknown media types and charsets are refused by name", async () => {
  for (const type of ["", "text/html", "constructor", "text/csv; charset=latin1"]) {
    assert.equal((await faultOf("", type)).code, "unsupported_media", type);
  }
  const fault = await faultOf("", "application/xml");
  assert.match(fault.message, /application\/x-ndjson.*text\/csv.*arrow/);
});

Deno.test("an error of the body itself goes through and nothing is decoded", async () => {
  const gone = new Error("the client went away");
  for (const type of [ndjson, json, csv, arrow]) {
    for (const encoding of [null, "gzip"]) {
      const body = async function* () {
        yield encoding
          ? gzipSync("[").subarray(0, 15)
          : utf8.encode(type === csv ? "tag,ts\n" : "[");
        throw gone;
      };
      await assert.rejects(decodeSamples(body(), { media_type: type, encoding }), gone);
    }
  }
});

Deno.test("any rows survive NDJSON, a JSON array and CSV, however the bytes are cut", async () => {
  const row = fc.record({
    tag: fc.string({ minLength: 1, maxLength: 9, unit: "grapheme" })
      // deno-lint-ignore no-control-regex -- what a tag may not hold
      .filter((tag) => !/[\u0000-\u001f\u007f]/.test(tag) && tag.trim() === tag),
    ts: fc.integer({ min: 0, max: 7e15 }),
    value: fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.string({ maxLength: 9, unit: "grapheme" }).filter((text) => !text.includes("\0")),
    ),
    quality: fc.constantFrom(null, 0, 1, 2),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1 }), fc.integer({ min: 1, max: 99 }), async (
      rows,
      piece,
    ) => {
      const names = ["good", "uncertain", "bad"];
      const texts = rows.map(({ tag, ts, value, quality }) => {
        const fraction = String(ts % 1_000_000).padStart(6, "0");
        const second = new Date(Math.floor(ts / 1e6) * 1000).toISOString().slice(0, 19);
        return { tag, ts: `${second}.${fraction}Z`, value, quality };
      });
      const objects = texts.map(({ tag, ts, value, quality }) => {
        const name = typeof value === "bigint" ? "value_int" : "value";
        const number = typeof value === "string" ? JSON.stringify(value) : String(value);
        const named = quality === null ? "null" : `"${names[quality]}"`;
        return `{"tag":${JSON.stringify(tag)},"ts":"${ts}","${name}":${number},"quality":${named}}`;
      });
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const table = texts.map(({ tag, ts, value, quality }) =>
        [
          quoted(tag),
          ts,
          typeof value === "number" ? value : "",
          typeof value === "bigint" ? value : "",
          typeof value === "string" ? quoted(value) : "",
          quality === null ? "" : names[quality],
        ].join(",")
      );
      const header = "tag,ts,value,value_int,value_str,quality";
      const bodies = [
        [objects.join("\n"), ndjson],
        [`[${objects.join(",")}]`, json],
        [[header, ...table].join("\r\n") + "\r\n", csv],
      ];
      for (const [body, type] of bodies) {
        const decoded = await decode(body, type, { piece });
        assert.deepEqual(decoded.rejected, []);
        assert.deepEqual(
          rowsOf(decoded).map(({ tag, ts, value, quality }) => ({ tag, ts, value, quality })),
          rows.map((each) => ({ ...each })),
        );
      }
    }),
    { numRuns: 100 },
  );
});

Deno.test("a body that is small while it is packed leaves others their turn", async () => {
  const encoding = "gzip";
  const packed = gzipSync(new Uint8Array(16 * body_limits.piece_bytes).fill(0x20));
  let turns = 0;
  let decoded = false;
  const decoding = decode(packed, ndjson, { encoding }).finally(() => decoded = true);
  for (; !decoded; turns++) await giveWay();
  assert.equal((await decoding).rejected_count, 1);
  assert.ok(turns >= 10, `${turns} turns`);
});

Deno.test("a body that comes at once leaves others their turn", async () => {
  const lines = `{"tag":"a","ts":"${ts}","value":1.5}\n`.repeat(200_000);
  let turns = 0;
  let decoded = false;
  const decoding = decode(lines, ndjson).finally(() => decoded = true);
  for (; !decoded; turns++) await giveWay();
  assert.equal((await decoding).batches[0].rows, 200_000);
  assert.ok(turns >= 3, `${turns} turns`);
});

Deno.test("a body of which too many rows are rejected is refused", async () => {
  const rows = "1\n".repeat(sample_limits.rows + 1);
  assert.equal((await faultOf(rows, ndjson)).code, "too_large");
});

Deno.test("damaged text is rejected or refused, never a crash", async () => {
  const whole: readonly (readonly [string, string])[] = [
    [`{"tag":"a","ts":"${ts}","value":1.5,"quality":"good"}\n`.repeat(3), ndjson],
    [`[{"tag":"a","ts":"${ts}","value_int":12},{"tag":"b","ts":"${ts}","value":"x"}]`, json],
    [`tag,ts,value,value_str\n"a",${ts},1,\nb,${ts},,"x""y"\n`, csv],
  ];
  const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...whole), damage, async ([text, type], changes) => {
      const bytes = utf8.encode(text);
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
      try {
        const decoded = await decode(bytes, type);
        for (const row of rowsOf(decoded)) {
          assert.ok(row.tag.length > 0 && Number.isSafeInteger(row.ts));
          assert.ok(typeof row.value !== "number" || Number.isFinite(row.value));
        }
      } catch (error) {
        assert.equal((error as Error).name, "Fault", String(error));
      }
    }),
    { numRuns: 3000 },
  );
});

Deno.test("empty lines have a bound too", async () => {
  const blank = new Uint8Array(body_limits.ingest_lines + 1).fill(0x0a);
  assert.equal((await faultOf(blank, ndjson)).code, "too_large");
});
