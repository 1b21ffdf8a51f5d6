// What is found out of a table by its content: columns, keys, zones, units, and what is refused.
import assert from "node:assert/strict";
import { utf8 } from "../../../src/base/bytes.ts";
import type { SampleBatch } from "../../../src/model/samples/sample.ts";
import { openImport } from "../../../src/wire/import/import_file.ts";
import type { TableOptions } from "../../../src/wire/import/options.ts";

type Read = {
  readonly tags: readonly string[];
  /** `tag ts value` of each sample. */
  readonly samples: readonly string[];
  readonly rejected: readonly string[];
  readonly units: Readonly<Record<string, string>>;
};

async function read(text: string | Uint8Array, options: TableOptions = {}): Promise<Read> {
  const bytes = typeof text === "string" ? utf8(text) : text;
  const table = { home_timezone: "Europe/Berlin", ...options };
  const file = await openImport(async function* (offset) {
    yield await Promise.resolve(bytes.subarray(offset));
  }, { lane: "signal", table });
  const samples: string[] = [];
  const rejected: string[] = [];
  for await (const { decoded } of file.pieces()) {
    for (const batch of decoded.batches as readonly SampleBatch[]) {
      for (let i = 0; i < batch.rows; i++) {
        const value = batch.value_str.get(i) ??
          (Number.isNaN(batch.value[i]) ? batch.value_int[i] : batch.value[i]);
        const ts = new Date(Number(batch.ts[i]) / 1000).toISOString().slice(0, 16);
        samples.push(`${batch.tags[batch.tag[i]]} ${ts} ${value}`);
      }
    }
    for (const { line, reason } of decoded.rejected) rejected.push(`${line} ${reason}`);
  }
  const tags = [...new Set(samples.map((it) => it.split(" 20")[0]))];
  return { tags, samples, rejected, units: Object.fromEntries(file.units) };
}

const understood: readonly (readonly [name: string, text: string, samples: readonly string[]])[] = [
  [
    "a time of day in the column before a number",
    "Datum;Uhrzeit;P\n01.06.2026;10:00;1,5\n01.06.2026;10:15;2\n",
    ["P 2026-06-01T08:00 1.5", "P 2026-06-01T08:15 2"],
  ],
  [
    "a date and whole hours up to 24",
    "Date,Hour,P\n2026-06-01,1,1\n2026-06-01,24,2\n",
    ["P 2026-05-31T23:00 1", "P 2026-06-01T22:00 2"],
  ],
  [
    "a date with a midnight before the time of day",
    "Date,Time,P\n2026-06-01 00:00:00,10:00:00,1\n2026-06-01 00:00:00,10:15:00,2\n",
    ["P 2026-06-01T08:00 1", "P 2026-06-01T08:15 2"],
  ],
  [
    "year, month, day, hour and minute",
    "Year,Month,Day,Hour,Minute,GHI\n2026,6,1,10,0,5\n2026,6,1,10,30,6\n",
    ["GHI 2026-06-01T08:00 5", "GHI 2026-06-01T08:30 6"],
  ],
  [
    "a mark of summer time in a column",
    "time,DST,P\n2026-10-25 02:30,1,1\n2026-10-25 02:30,0,2\n",
    ["P 2026-10-25T00:30 1", "P 2026-10-25T01:30 2"],
  ],
  [
    "letters of a zone behind each time",
    "time,P\n25.10.2026 02:30 CEST,1\n25.10.2026 02:30 CET,2\n",
    ["P 2026-10-25T00:30 1", "P 2026-10-25T01:30 2"],
  ],
  [
    "a zone in the name of the time",
    "Time (UTC),P\n2026-06-01 10:00,1\n2026-06-01 10:15,2\n",
    ["P 2026-06-01T10:00 1", "P 2026-06-01T10:15 2"],
  ],
  [
    "two devices at each time in a column without a telling name",
    "time,what,P\n2026-06-01 10:00,A,1\n2026-06-01 10:00,B,2\n2026-06-01 10:15,A,3\n" +
    "2026-06-01 10:15,B,4\n",
    [
      ...["A.P 2026-06-01T08:00 1", "B.P 2026-06-01T08:00 2"],
      ...["A.P 2026-06-01T08:15 3", "B.P 2026-06-01T08:15 4"],
    ],
  ],
  [
    "a device and a signal in columns of their own",
    "timestamp,device,parameter,value\n2026-06-01 10:00,A,P,1\n2026-06-01 10:00,A,U,230\n",
    ["A.P 2026-06-01T08:00 1", "A.U 2026-06-01T08:00 230"],
  ],
  [
    "devices that share the doubled hour, each with a clock of its own",
    "time,device,value\n" +
    ["01", "02", "02", "03"].flatMap((hour, i) =>
      ["A", "B"].map((device) => `2026-10-25 ${hour}:00,${device},${i}\n`)
    ).join(""),
    ["2026-10-24T23", "2026-10-25T00", "2026-10-25T01", "2026-10-25T02"].flatMap((hour, i) => [
      `A ${hour}:00 ${i}`,
      `B ${hour}:00 ${i}`,
    ]),
  ],
  [
    "units behind the numbers",
    "time,P,SoC\n2026-06-01 10:00,1.5 kW,80 %\n2026-06-01 10:15,2.5 kW,81 %\n",
    [
      ...["P 2026-06-01T08:00 1.5", "SoC 2026-06-01T08:00 80"],
      ...["P 2026-06-01T08:15 2.5", "SoC 2026-06-01T08:15 81"],
    ],
  ],
  [
    "a name twice",
    "time,P,P\n2026-06-01 10:00,1,2\n",
    ["P 2026-06-01T08:00 1", "P (2) 2026-06-01T08:00 2"],
  ],
  [
    "a line feed in a name",
    'time,"P\n(kW)"\n2026-06-01 10:00,1\n',
    ["P (kW) 2026-06-01T08:00 1"],
  ],
  [
    "line ends of old",
    "time,P\r2026-06-01 10:00,1\r2026-06-01 10:15,2\r",
    ["P 2026-06-01T08:00 1", "P 2026-06-01T08:15 2"],
  ],
  [
    "the names again in the middle, as in files put together",
    "time,P\n2026-06-01 10:00,1\ntime,P\n2026-06-01 10:15,2\n",
    ["P 2026-06-01T08:00 1", "P 2026-06-01T08:15 2"],
  ],
  [
    "a short year before month and day, by rows that run over midnight",
    "t,P\n" + ["26/05/01 18:00", "26/05/01 22:00", "26/05/02 02:00", "26/05/02 06:00"]
      .map((it) => `${it},1\n`).join(""),
    ["01T16", "01T20", "02T00", "02T04"].map((it) => `P 2026-05-${it}:00 1`),
  ],
  [
    "a short year behind day and month, by rows that run over midnight",
    "t;P\n01.05.26 18:00;1\n01.05.26 22:00;1\n02.05.26 02:00;1\n02.05.26 06:00;1\n",
    ["01T16", "01T20", "02T00", "02T04"].map((it) => `P 2026-05-${it}:00 1`),
  ],
  [
    "winter and summer time of the project in the header",
    "Zeit (MEZ/MESZ);P\n2026-06-01 10:00;1\n2026-12-01 10:00;2\n",
    ["P 2026-06-01T08:00 1", "P 2026-12-01T09:00 2"],
  ],
  [
    "a zone above the names",
    "# Timezone: UTC\n# Site: X\ntime;P\n2026-06-01 10:00;1\n2026-06-01 10:15;2\n",
    ["P 2026-06-01T10:00 1", "P 2026-06-01T10:15 2"],
  ],
  [
    "the half of the day in a column of its own",
    "Date,Time,AM/PM,P\n05/13/2026,11:45,AM,1\n05/13/2026,12:00,PM,2\n05/13/2026,01:00,PM,3\n",
    ["P 2026-05-13T09:45 1", "P 2026-05-13T10:00 2", "P 2026-05-13T11:00 3"],
  ],
  [
    "the newest row first",
    "time,P\n2026-06-01 10:15,2\n2026-06-01 10:00,1\n",
    ["P 2026-06-01T08:15 2", "P 2026-06-01T08:00 1"],
  ],
  [
    "rows of tags whose times have no offset",
    "tag,ts,value\nA,2026-06-01 10:00:00,1\nB,2026-06-01 10:00:00,2\nA,2026-06-01 10:01:00,3\n",
    ["A 2026-06-01T08:00 1", "B 2026-06-01T08:00 2", "A 2026-06-01T08:01 3"],
  ],
  [
    "numbers of the rows in front, as pandas writes them",
    ",time,P\n0,2026-06-01 10:00,1\n1,2026-06-01 10:15,2\n2,2026-06-01 10:30,3\n",
    ["P 2026-06-01T08:00 1", "P 2026-06-01T08:15 2", "P 2026-06-01T08:30 3"],
  ],
  [
    "a column whose name stands a row above the others",
    "Date,,Irradiance\ntime,P,\n2026-06-01 10:00,1,2\n2026-06-01 10:15,3,4\n",
    [
      ...["P 2026-06-01T08:00 1", "Irradiance 2026-06-01T08:00 2"],
      ...["P 2026-06-01T08:15 3", "Irradiance 2026-06-01T08:15 4"],
    ],
  ],
  [
    "a preamble with a date in it",
    "Report of plant North\nCreated: 01.07.2026 08:00\n\ntime;P;Q\n01.06.2026 10:00;1;2\n" +
    "01.06.2026 10:15;3;4\n",
    [
      ...["P 2026-06-01T08:00 1", "Q 2026-06-01T08:00 2"],
      ...["P 2026-06-01T08:15 3", "Q 2026-06-01T08:15 4"],
    ],
  ],
];

for (const [name, text, samples] of understood) {
  Deno.test(`import table: ${name} is understood`, async () => {
    const found = await read(text);
    assert.deepEqual(found.rejected, []);
    assert.deepEqual(found.samples, samples);
  });
}

Deno.test("import table: units come from rows below names, names, cells", async () => {
  const { units } = await read("time,A,B [W/m²],C\n,kW,,\n2026-06-01 10:00,1,2,3 V\n");
  assert.deepEqual(units, { A: "kW", "B [W/m²]": "W/m²", C: "V" });
  const { units: none } = await read("time,G(i),P (2),T (°C)\n2026-06-01 10:00,1,2,3\n");
  assert.deepEqual(none, { "T (°C)": "°C" });
});

Deno.test("import table: a column of zones is a part of the time where that is said", async () => {
  const text = "Time,TZ,P\n2026-05-01 06:00,UTC,0\n2026-05-01 06:15,UTC,1\n";
  const { samples } = await read(text, { time_columns: ["Time+TZ"] });
  assert.deepEqual(samples, ["P 2026-05-01T06:00 0", "P 2026-05-01T06:15 1"]);
  const { tags } = await read(text, { timezone: "UTC" });
  assert.deepEqual(tags, ["P"]);
});

Deno.test("import table: texts that mean no value are none where that is said", async () => {
  const text = `time;P\n${rowsOf(1100, () => "offline")}2026-05-03 00:00;12.5\n`;
  const { samples } = await read(text, { no_values: ["offline"] });
  assert.deepEqual(samples, ["P 2026-05-02T22:00 12.5"]);
  const faulty = text.replaceAll("offline", "#DIV/0!");
  assert.deepEqual((await read(faulty)).samples, samples);
});

Deno.test("import table: states with numbers in them stay texts", async () => {
  const states = ["1: run", "2: stop", "307 ok", "v1.2"];
  const text = `time;S\n${rowsOf(4, (i) => states[i])}`;
  assert.equal((await read(text)).samples.length, 4);
});

Deno.test("import table: AM and PM belong to the time whatever columns are said", async () => {
  const text = "Date,Time,AM/PM,P\n05/13/2026,11:45,AM,1\n05/13/2026,12:00,PM,2\n";
  const { samples } = await read(text, { time_columns: ["Date+Time"] });
  assert.deepEqual(samples, ["P 2026-05-13T09:45 1", "P 2026-05-13T10:00 2"]);
});

Deno.test("import table: a row with a bad time below the names is rejected", async () => {
  const { samples, rejected } = await read("time,P\nnoon,1\n2026-06-01 10:00,2\n");
  assert.deepEqual(samples, ["P 2026-06-01T08:00 2"]);
  assert.equal(rejected.length, 1);
  assert.match(rejected[0], /^2 the time is not of the form iso/);
});

Deno.test("import table: tags are renamed and left out as a mapping says", async () => {
  const tags = new Map<string, string | false>([["P", "inv1.p"], ["Q", false]]);
  const text = "time,P,Q,S\n2026-06-01 10:00,1,2,3\n";
  const wide = await read(text, { tags, prefix: "x." });
  assert.deepEqual(wide.tags, ["inv1.p", "x.S"]);
  const long = "time,device,value\n2026-06-01 10:00,P,1\n2026-06-01 10:00,Q,2\n";
  assert.deepEqual((await read(long, { tags })).tags, ["inv1.p"]);
  await assert.rejects(read(text, { tags: new Map([["R", "a"]]) }), /no column R: it has time, P,/);
});

Deno.test("import table: another table behind the first is refused", async () => {
  const head = "#group,false,true,true\n#datatype,string,string,double\n#default,,,\n";
  const rows = ["00", "01", "02"].map((minute) => `,p,2026-06-01T10:${minute}:00Z,1\n`).join("");
  const one = `${head},_field,_time,_value\n${rows}\n`;
  const { samples, tags } = await read(one + one.replaceAll(",p,", ",q,"));
  assert.deepEqual([samples.length, ...tags], [6, "p", "q"]);
  const other = one.replace(",_field,_time,", ",_time,_field,").replaceAll(",p,2026", ",2026");
  for (const second of [one.replace("_field", "host"), other]) {
    await assert.rejects(read(one + second), /line \d+: another table with other columns begins/);
  }
});

/** Rows of every minute with a value each. */
function rowsOf(count: number, value: (i: number) => string): string {
  const begin_ms = Date.UTC(2026, 4, 1);
  return Array.from({ length: count }, (_, i) => {
    const time = new Date(begin_ms + i * 60_000).toISOString().slice(0, 16).replace("T", " ");
    return `${time};${value(i)}\n`;
  }).join("");
}

const refused: readonly (readonly [string, string, TableOptions, RegExp])[] = [
  [
    "a time of day without a date",
    "Uhrzeit;P\n10:00;1\n10:15;2\n",
    {},
    /"10:00" in the column Uhrzeit is of no known form.*--time-column/,
  ],
  [
    "a night of small numbers before the first of a thousand",
    `Datum;P [W]\n${rowsOf(1500, (i) => String(i % 999))}2026-05-03 00:00;1.000\n`,
    {},
    /line 1502, column P \[W\]: can't tell whether "1.000" is 1 or 1000: say --decimal/,
  ],
  [
    "a counter of which every value could be decimals or thousands",
    "Datum;E [kWh];P\n01.05.2026 00:00;12.345;0\n01.05.2026 00:15;12.352;5\n",
    {},
    /line 2, column E \[kWh\].*12.345 or 12345: say --decimal/,
  ],
  [
    "a column of three decimals beside columns with the other sign",
    "Datum;P;U\n01.05.2026 00:00;21,91;239.567\n01.05.2026 00:15;9,26;239.210\n",
    {},
    /line 2, column U.*239567: say --decimal.*--map/,
  ],
  [
    "a day whose first number may be the year",
    "t,P\n26/05/01 00:00,1\n26/05/01 00:15,2\n",
    {},
    /can't tell day, month and year apart.*--time-format ymd or --time-format dmy/,
  ],
  [
    "two offsets in the header that the project never has",
    "Time (EST/EDT),P\n2026-06-01 10:00,1\n",
    {},
    /EST\/EDT.*two offsets, -05:00 and -04:00.*--timezone/,
  ],
  [
    "a zone above the names that is not understood",
    "Site,Local Time Zone\nX,-7\nYear,Month,Day,Hour,Minute,GHI\n2026,6,1,0,30,4\n" +
    "2026,6,1,1,30,5\n2026,6,1,2,30,6\n",
    {},
    /above the names.*Local Time Zone.*--timezone/,
  ],
  [
    "a zone in a column",
    "Time,TZ,P\n2026-05-01 06:00,UTC,0\n2026-05-01 06:15,UTC,1\n",
    {},
    /the column TZ says the zone of each row, such as UTC.*--time-column Time\+TZ/,
  ],
  [
    "a time for each value",
    "Time 1;P;Time 2;Q\n2026-05-01 10:00;1;2026-05-01 10:07;2\n" +
    "2026-05-01 10:15;1;2026-05-01 10:22;2\n",
    {},
    /times of the values behind them, Time 1, Time 2: say with --time-column/,
  ],
  [
    "numbers below a thousand texts",
    `time;P\n${rowsOf(1100, () => "offline")}2026-05-03 00:00;12.5\n`,
    {},
    /line 1102, column P: 12.5 is a number.*such as "offline".*--no-value "offline"/,
  ],
  [
    "numbers in signs that are not understood",
    "time,P\n2026-06-01 10:00,(1.5)\n2026-06-01 10:15,(2.5)\n",
    {},
    /line 2, column P: cells such as "\(1.5\)" are numbers with signs.*--map/,
  ],
  [
    "numbers with their minus behind them",
    "time;P\n2026-06-01 10:00;62,50-\n2026-06-01 10:15;61,50-\n",
    {},
    /column P: cells such as "62,50-" are numbers/,
  ],
  [
    "a day in a row, its columns named by the clock",
    "Datum;00:00;00:15\n2026-06-01;1;2\n2026-06-02;3;4\n",
    {},
    /names of columns are times of day, such as 00:00.*--map/,
  ],
  [
    "units that change from row to row",
    "Time,Device,Value,Unit\n2026-06-01 10:00,A,900,W\n2026-06-01 10:15,A,1,kW\n",
    {},
    /line 3: the unit is kW, and it was W before.*--key-column/,
  ],
  [
    "a second table whose columns are in another order",
    "Time,A,B\n2026-06-01 10:00,1,2\nTime,B,A\n2026-06-01 10:15,4,3\n",
    {},
    /line 3: another table with other columns begins/,
  ],
  [
    "a row of values above the names that a text runs into",
    "Made by X 2 2026-06-01 09:45,7\ntime,P\n2026-06-01 10:00,1\n2026-06-01 10:15,2\n",
    {},
    /line 1 is above all times.*"Made by X 2 2026-06-01 09:45".*--skip-rows 1/,
  ],
  ["values without names", "2026-06-01 10:00,1\n2026-06-01 10:15,2\n", {}, /no header row/],
  ["numbers of two units", "time,P\n2026-06-01 10:00,1 kW\n2026-06-01 10:15,900 W\n", {}, /--map/],
  [
    "letters of a zone that the project is never in",
    "time,P\n2026-06-01 10:00 CST,1\n",
    {},
    /CST.*never in.*Europe\/Berlin.*--timezone -06:00/,
  ],
  [
    "no zone at all",
    "time,P\n2026-06-01 10:00,1\n",
    { home_timezone: undefined },
    /zone of times such as "2026-06-01 10:00" is not known: say --timezone/,
  ],
  [
    "a quote that is never closed",
    'time,P\n2026-06-01 10:00,1\n2026-06-01 10:15,"2\n',
    {},
    /line 3.*never closed/,
  ],
  [
    "one tag for two columns",
    "time,P,Q\n2026-06-01 10:00,1,2\n",
    { tags: new Map([["P", "a"], ["Q", "a"]]) },
    /two columns are to be the tag a/,
  ],
];

for (const [name, text, options, message] of refused) {
  Deno.test(`import table: ${name} is refused with what to say`, async () => {
    await assert.rejects(read(text, options), message);
  });
}
