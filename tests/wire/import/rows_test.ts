// Wide historian files: how their layout is found out, and which rows and cells they give.
import assert from "node:assert/strict";
import { utf8 } from "../../../src/base/bytes.ts";
import { isValid } from "../../../src/model/data/chunk.ts";
import type { SampleBatch } from "../../../src/model/samples/sample.ts";
import { openImport } from "../../../src/wire/import/import_file.ts";
import type { Source, TableOptions } from "../../../src/wire/import/options.ts";

function sourceOf(text: string | Uint8Array, piece = 1000): Source {
  const bytes = typeof text === "string" ? utf8(text) : text;
  return async function* (offset) {
    for (let at = offset; at < bytes.length; at += piece) {
      yield bytes.subarray(at, Math.min(bytes.length, at + piece));
      await Promise.resolve();
    }
  };
}

type Cell = string | number | bigint;

/** What a file gives: `tag ts value` for each sample, and `line tag reason` for each rejection. */
async function read(text: string | Uint8Array, options: TableOptions = {}) {
  const table = { home_timezone: "UTC", ...options };
  const file = await openImport(sourceOf(text), { format: "wide", lane: "signal", table });
  const samples: [string, string, Cell][] = [];
  const rejected: [number, string | null, string][] = [];
  for await (const { decoded } of file.pieces()) {
    for (const batch of decoded.batches as readonly SampleBatch[]) {
      for (let i = 0; i < batch.rows; i++) samples.push(sampleAt(batch, i));
    }
    for (const { line, tag, reason } of decoded.rejected) rejected.push([line, tag, reason]);
  }
  return { layout: file.layout!, samples, rejected };
}

function sampleAt(batch: SampleBatch, i: number): [string, string, Cell] {
  const ts = new Date(Number(batch.ts[i]) / 1000).toISOString().replace(".000", "");
  const integer = isValid(batch.int_valid, i) ? batch.value_int[i] : undefined;
  return [batch.tags[batch.tag[i]], ts, batch.value_str.get(i) ?? integer ?? batch.value[i]];
}

Deno.test("table: a comma file with a time column gives one sample for each cell", async () => {
  const { samples, rejected } = await read(
    "Timestamp,INV1.P,INV1.STATE\r\n2026-11-21 05:00,1.5,run\r\n2026-11-21 05:01,,stop\r\n",
  );
  assert.deepEqual(samples, [
    ["INV1.P", "2026-11-21T05:00:00Z", 1.5],
    ["INV1.STATE", "2026-11-21T05:00:00Z", "run"],
    ["INV1.STATE", "2026-11-21T05:01:00Z", "stop"],
  ]);
  assert.deepEqual(rejected, []);
});

Deno.test("table: semicolons, decimal commas, quotes, a byte order mark", async () => {
  const { samples, layout } = await read(
    '\ufeff"Zeit time";"P ""kW"""\n"21.11.2026 05:00:00";"1,5"\n22.11.2026 05:00:00;-2,25\n',
    { prefix: "DE/" },
  );
  assert.equal(layout.delimiter, ";");
  assert.deepEqual(samples, [
    ['DE/P "kW"', "2026-11-21T05:00:00Z", 1.5],
    ['DE/P "kW"', "2026-11-22T05:00:00Z", -2.25],
  ]);
});

Deno.test("table: a quoted delimiter, true and false, and Windows text are read", async () => {
  const bytes = utf8(
    't;T (xC);ON;NOTE\n2026-11-21 05:00;1;TRUE;"a;b"\n2026-11-21 05:01;2;false;c\n',
  );
  bytes[bytes.indexOf(0x78)] = 0xb0;
  const { samples } = await read(bytes);
  assert.deepEqual(samples.map(([tag, , value]) => [tag, value]), [
    ["T (°C)", 1],
    ["ON", 1n],
    ["NOTE", "a;b"],
    ["T (°C)", 2],
    ["ON", 0n],
    ["NOTE", "c"],
  ]);
});

Deno.test("table: rows are skipped above the header, a row of units below it", async () => {
  const { samples, rejected, layout } = await read(
    "Plant export\nby someone\ntime\tP\n\tkW\n2026-11-21 05:00\t7\n",
    { skip_rows: 2 },
  );
  assert.deepEqual(samples, [["P", "2026-11-21T05:00:00Z", 7]]);
  assert.deepEqual(rejected, []);
  assert.equal(layout.first_line, 5);
});

Deno.test("table: a date and a time of day in two columns are one time", async () => {
  const { samples } = await read("Date,Time,P\n21.11.2026,05:00:00,7\n21.11.2026,05:01:00,8\n");
  assert.deepEqual(samples.map(([, ts]) => ts), ["2026-11-21T05:00:00Z", "2026-11-21T05:01:00Z"]);
  const named = await read("D,P,H\n2026-11-21,7,05:00\n", { time_columns: ["D", "H"] });
  assert.deepEqual(named.samples, [["P", "2026-11-21T05:00:00Z", 7]]);
});

const toa5 = [
  '"TOA5","Station","CR1000","1","2","3","4","Table"',
  '"TIMESTAMP","RECORD","P_Avg","T_Avg"',
  '"TS","RN","W","Deg C"',
  '"","","Avg","Avg"',
  '"2015-11-11 00:00:00",0,-2.5,"NAN"',
  '"2015-11-11 00:01:00",1,-999,3.5',
  '"2015-11-11 00:02:00",2,"INF",-999.0',
].join("\n");

Deno.test("table: TOA5 is recognised, with units, without record numbers", async () => {
  const { samples, layout, rejected } = await read(toa5, { timezone: "-07:00" });
  assert.deepEqual(samples, [
    ["P_Avg", "2015-11-11T06:59:00Z", -2.5],
    ["T_Avg", "2015-11-11T07:00:00Z", 3.5],
  ]);
  assert.deepEqual(layout.columns.map(({ tag, unit }) => [tag, unit]), [
    ["P_Avg", "W"],
    ["T_Avg", "Deg C"],
  ]);
  assert.deepEqual(rejected, []);
});

Deno.test("table: times at a row's end move back by the usual step", async () => {
  const firstAt = async (text: string, label?: "start" | "end") =>
    (await read(text, { label })).samples.map(([tag, ts]) => [tag, ts.slice(11, 19)]);
  const wide = "time,P\n2026-05-01 00:15,1\n2026-05-01 00:30,2\n";
  assert.deepEqual(await firstAt(wide), [["P", "00:15:00"], ["P", "00:30:00"]]);
  assert.deepEqual(await firstAt(wide, "end"), [["P", "00:00:00"], ["P", "00:15:00"]]);
  const table = toa5.replace('"Avg","Avg"', '"Avg","Smp"');
  assert.deepEqual(await firstAt(table), [["P_Avg", "23:59:00"], ["T_Avg", "00:01:00"]]);
  assert.deepEqual(await firstAt(table, "start"), [["P_Avg", "00:00:00"], ["T_Avg", "00:01:00"]]);
  assert.deepEqual(await firstAt(table, "end"), [["P_Avg", "23:59:00"], ["T_Avg", "00:00:00"]]);
});

Deno.test("table: what can't be taken is rejected, its neighbours kept", async () => {
  const { samples, rejected } = await read(
    [
      "time,A,B",
      "2026-03-08 01:59,1,2",
      "2026-03-08 02:30,1,2",
      "2026-03-08 03:00,abc,0x10",
      "noon,1,2",
      "2026-03-08 03:02,1",
      "2026-03-08 03:03,1,2,",
      "2026-03-08 03:04,1,2,3",
      "2026-03-08 03:05,1e400,No Data",
      "2026-03-08 03:06,miss,5",
      "2026-03-08 03:07,4",
    ].join("\n"),
    { timezone: "America/Denver", no_values: ["miss"] },
  );
  assert.deepEqual(samples.map(([tag, , value]) => [tag, value]), [
    ["A", 1],
    ["B", 2],
    ["A", 1],
    ["B", 2],
    ["B", 5],
  ]);
  assert.deepEqual(rejected, [
    [
      ...[3, null] as const,
      "the clock of America/Denver skips this time: if the file's clock does not, say its " +
      "--timezone as an offset, such as -07:00",
    ],
    [4, "A", "not a number"],
    [4, "B", "not a number"],
    [5, null, "the time is not of the form iso (2026-11-21 05:00:00.5)"],
    [6, null, "2 cells, the header has 3"],
    [8, null, "4 cells, the header has 3"],
    [9, "A", "the number is beyond the range of a double"],
    [11, null, "the file breaks off: 2 cells, the header has 3"],
  ]);
});

const senseless: readonly [string, string | Uint8Array, TableOptions, RegExp][] = [
  ["an empty file", "", {}, /no header row/],
  ["one column", "time\n2026-11-21 05:00\n", {}, /one column only/],
  ["a header alone", "time,P\n", {}, /no row of values/],
  ["no time in it", "a,b\nx,1\ny,2\n", {}, /no known form of time/],
  ["another form", "time,P\n2026-11-21 05:00,1\n", { time_form: "epoch_s" }, /of the form epoch_s/],
  [
    "a wrong time column",
    "time,P\n2026-11-21 05:00,1\n",
    { time_columns: ["tine"] },
    /meant time\?/,
  ],
  [
    "month or day",
    "time,P\n01/02/2026 05:00,1\n",
    {},
    /say --time-format mdy or --time-format dmy/,
  ],
];

for (const [name, text, options, message] of senseless) {
  Deno.test(`table: ${name} is refused with a reason`, async () => {
    await assert.rejects(read(text, options), message);
  });
}

Deno.test("table: reading goes on at any mark, within the autumn hour too", async () => {
  const rows = ["00:59", "01:00", "01:30", "01:59", "01:00", "01:30", "02:00"];
  const text = `time,P\n${rows.map((it, i) => `2026-11-01 ${it},${i}\n`).join("")}`;
  const open = (content: string) =>
    openImport(sourceOf(content, 7), { lane: "signal", table: { timezone: "America/Denver" } });
  const file = await open(text);
  const whole = (await read(text, { timezone: "America/Denver" })).samples;
  assert.equal(whole[4][1], "2026-11-01T08:00:00Z");
  for (let cut = 1; cut < rows.length; cut++) {
    const before = await open(text.split("\n").slice(0, cut + 1).join("\n") + "\n");
    let mark;
    for await (const piece of before.pieces()) mark = JSON.parse(JSON.stringify(piece.mark));
    const rest: [string, string, Cell][] = [];
    for await (const { decoded } of file.pieces(mark)) {
      const [batch] = decoded.batches as readonly SampleBatch[];
      for (let i = 0; i < batch.rows; i++) rest.push(sampleAt(batch, i));
    }
    assert.deepEqual(rest, whole.slice(cut));
  }
});
