// Texts of loggers that are no tables: marks of quality, rows that are damaged, times from a start.
import assert from "node:assert/strict";
import { utf8 } from "../../../src/base/bytes.ts";
import { quality_names, type SampleBatch } from "../../../src/model/samples/sample.ts";
import { openImport } from "../../../src/wire/import/import_file.ts";

/** `tag ts value quality` of each sample, and `line reason` of each rejection. */
async function read(text: string, { written_at, piece = 64 }: {
  readonly written_at?: string;
  readonly piece?: number;
} = {}) {
  const bytes = utf8(text);
  const file = await openImport(async function* (offset) {
    for (let at = offset; at < bytes.length; at += piece) {
      yield await Promise.resolve(bytes.subarray(at, at + piece));
    }
  }, { lane: "signal", written_at, table: {} });
  const samples: string[] = [];
  const rejected: string[] = [];
  for await (const { decoded } of file.pieces()) {
    for (const batch of decoded.batches as readonly SampleBatch[]) {
      for (let i = 0; i < batch.rows; i++) {
        const ts = new Date(Number(batch.ts[i]) / 1000).toISOString().slice(0, 16);
        const value = batch.value_str.get(i) ??
          (Number.isNaN(batch.value[i]) ? batch.value_int[i] : batch.value[i]);
        const quality = quality_names[batch.quality[i]] ?? "";
        samples.push(`${batch.tags[batch.tag[i]]} ${ts} ${value} ${quality}`.trim());
      }
    }
    for (const { line, reason } of decoded.rejected) rejected.push(`${line} ${reason}`);
  }
  return { samples, rejected };
}

const none = " -9999.9 1".repeat(18);
const day = ` Bondville
   40.05  -88.37  213 m version 1
 2026 152  6  1  0  0  0.000  98.20    -1.2 0   -0.5 2${none}
 2026 152  6  1  0  1  0.017  98.38  1367.9 1 -9999.9 1${none}
 2026 152  6  1  0  2
`;

Deno.test("SURFRAD: marks are qualities, a missing value none, a short row rejected", async () => {
  for (const piece of [7, 64, 10_000]) {
    const { samples, rejected } = await read(day, { piece });
    assert.deepEqual(samples, [
      ...["zen 2026-06-01T00:00 98.2", "dw_solar 2026-06-01T00:00 -1.2 good"],
      ...["uw_solar 2026-06-01T00:00 -0.5 uncertain", "zen 2026-06-01T00:01 98.38"],
      "dw_solar 2026-06-01T00:01 1367.9 bad",
    ]);
    assert.deepEqual(rejected, ["5 6 cells, the header has 42"]);
  }
});

const log = `Wechselricher Logdaten\r
Wechselrichter Nr:\t255\r
Name:\tpiko\r
akt. Zeit:\t   1000\r
\r
Logdaten U[V], I[mA], P[W], E[kWh], F[Hz], R[kOhm], Ain T[digit], Zeit[sec]\r
Zeit\tDC1 U\tDC1 P\ttotal E\tEreignis\r
        100\t   466\t    21\r
       1000\t   467\t    22\t12\t80001200h\r
later\t1\t2\r
`;

Deno.test("KOSTAL: times count from the start, rows without what is seldom are whole", async () => {
  const { samples, rejected } = await read(log, { written_at: "2026-06-01T10:00:00Z" });
  assert.deepEqual(samples, [
    ...["DC1 U 2026-06-01T09:45 466", "DC1 P 2026-06-01T09:45 21"],
    ...["DC1 U 2026-06-01T10:00 467", "DC1 P 2026-06-01T10:00 22"],
    ...["total E 2026-06-01T10:00 12", "Ereignis 2026-06-01T10:00 0x80001200"],
  ]);
  assert.deepEqual(rejected.map((it) => it.slice(0, 30)), ["10 the time is not of the form"]);
});

const refused: readonly (readonly [text: string, written_at: string | undefined, says: RegExp])[] =
  [
    [log, undefined, /1000 had passed.*say when that was, such as --written-at 2026-/],
    [log, "2026-06-01 10:00", /--written-at has no offset/],
    [
      log.replace("1000\r", "1780300800\r"),
      "2026-06-01T10:00:00Z",
      /of 1970: leave out --written-at/,
    ],
    [log.replace("akt. Zeit", "Alter"), "2026-06-01T10:00:00Z", /no line .* its own time/],
    ["time,P\n2026-06-01T10:00Z,1\n", "2026-06-01T10:00:00Z", /leave out --written-at/],
  ];

Deno.test("KOSTAL: what the times count from is said once and where it is needed", async () => {
  for (const [text, written_at, says] of refused) {
    await assert.rejects(read(text, { written_at }), says);
  }
});
