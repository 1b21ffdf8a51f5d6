// Texts where a number belongs: rejected row by row, with the reason, in every format.
import { deepEqual, equal, match } from "node:assert/strict";
import { Table, tableToIPC, TimestampMillisecond, Utf8, vectorFromArray } from "apache-arrow";
import type { IngestAnswer } from "../../../src/model/samples/sample.ts";
import { openSite, series } from "../../help/raw.ts";

const devices = [{ key: "A", type: "inverter" }] as const;
const power = { device: "A", measure: "active_power", scale: 1000 } as const;
/** A tag with a sensor, one that is declared a float, a code's, and one that nobody declared. */
const site = {
  devices: [...devices],
  tags: [{ name: "f", encoding: "float" as const }],
  sensors: [
    { tag: "p", ...power },
    { tag: "m,id=1.p", ...power },
    { tag: "code", device: "A", measure: "operating_status" as const },
  ],
};
const at = (minute: number) => `2026-06-01T06:0${minute}:00Z`;
const of_power = "value is a text, and the tag measures active_power";
const quotes = ": send the number without quotes";
const separators = ": write it with a decimal point and no other separator";

/** Line and reason of what was rejected; every other row was accepted. */
function refusals({ rejected, rejected_count }: IngestAnswer): [number, string][] {
  equal(rejected.length, rejected_count);
  return rejected.map(({ line, reason }) => [line, reason]);
}

const values = ["812.5", "123.456,00", "1 234", "off", 7] as const;
const wanted: [number, string][] = [
  [1, of_power + quotes],
  [2, of_power + separators],
  [3, of_power + separators],
  [4, of_power],
];

Deno.test("JSON: a text on a tag of a measure is rejected, numbers around it are not", async () => {
  const open = await openSite(site);
  const rows = series("p", 1, values);
  const ndjson = await open.send(rows);
  deepEqual([ndjson.accepted, refusals(ndjson)], [1, wanted]);
  const array = `[${rows.replaceAll("\n", ",")}]`;
  const json = await open.send(array, { type: "application/json" });
  deepEqual([json.duplicates, refusals(json)], [1, wanted]);
  const named = await open.send(rows.replaceAll('"value":"', '"value_str":"'));
  deepEqual(refusals(named), wanted);
  await open.settle();
  const [chart] = await open.performance("inverter", "active_power", "OneHour");
  equal(chart.sensor_value, 7000);
  await open.close();
});

Deno.test("the sensors of codes, and tags that nobody declared, take texts", async () => {
  const open = await openSite(site);
  const rows = ["code", "new"].map((tag) => series(tag, 1, ["run", "812.5"])).join("\n");
  deepEqual(refusals(await open.send(rows)), []);
  const declared = await open.send(series("f", 1, ["812.5"]));
  deepEqual(refusals(declared), [[1, `value is a text, and the tag holds floats${quotes}`]]);
  const model = await open.send(series("p", 1, ["812.5"]), { lane: "model" });
  deepEqual(refusals(model), [[1, of_power + quotes]]);
  await open.close();
});

Deno.test("CSV: a cell that is no number is rejected, a number in quotes is not", async () => {
  const open = await openSite(site);
  const body = [
    "tag,ts,value,quality",
    `p,${at(0)},"812.5",good`,
    `p,${at(1)},"123.456,00",good`,
    `p,${at(2)},off,good`,
    `p,${at(3)},5,GOOD`,
    `p,${at(4)},5,192`,
  ].join("\n");
  const answer = await open.send(body, { type: "text/csv" });
  deepEqual(refusals(answer), [
    [3, `value is not a number${separators}`],
    [4, "value is not a number"],
    [5, "quality must be good, uncertain or bad"],
    [6, "quality must be good, uncertain or bad"],
  ]);
  const texts = `tag,ts,value_str\np,${at(5)},812.5\n`;
  const packed = await open.send(texts, { type: "text/csv" });
  deepEqual(refusals(packed), [[2, of_power + quotes]]);
  await open.close();
});

Deno.test("line protocol and Arrow: a text on a tag of a measure is rejected", async () => {
  const open = await openSite(site);
  const ns = (minute: number) => `${Date.parse(at(minute))}000000`;
  const lines = `m,id=1 p="812.5" ${ns(0)}\nm,id=1 p=812.5 ${ns(1)}\n`;
  const line = await open.send(lines, { path: "line", type: "text/plain" });
  deepEqual([line.accepted, refusals(line)], [1, [[1, of_power + quotes]]]);
  const table = new Table({
    tag: vectorFromArray(values.slice(0, 4).map(() => "p"), new Utf8()),
    ts: vectorFromArray(
      values.slice(0, 4).map((_, i) => Date.parse(at(i))),
      new TimestampMillisecond("UTC"),
    ),
    value: vectorFromArray(values.slice(0, 4).map(String), new Utf8()),
  });
  const bytes = new Uint8Array(tableToIPC(table, "stream"));
  const arrow = await open.send(bytes, { type: "application/vnd.apache.arrow.stream" });
  deepEqual(refusals(arrow), wanted);
  await open.close();
});

for (const quality of ["GOOD", "Gut", "192", ""]) {
  Deno.test(`a quality ${JSON.stringify(quality)} is a rejected row, not a sample`, async () => {
    const open = await openSite(site);
    const row = { tag: "p", ts: at(0), value: 1 };
    const answer = await open.send(
      [{ ...row, quality }, { ...row, ts: at(1), quality: "uncertain" }]
        .map((it) => JSON.stringify(it)).join("\n"),
    );
    deepEqual(refusals(answer), [[1, "quality must be good, uncertain or bad"]]);
    await open.close();
  });
}

Deno.test("texts from before a tag was mapped do not keep its numbers out", async () => {
  const open = await openSite({});
  deepEqual(refusals(await open.send(series("p", 1, ["812.5", "off"]))), []);
  equal((await open.apply(site)).status, 200);
  const answer = await open.send(series("p", 1, ["1", "2", 500, 700]));
  deepEqual(refusals(answer).map(([line]) => line), [1, 2]);
  await open.settle();
  const [row] = await open.performance("inverter", "active_power", "OneHour");
  equal(row.sensor_value, 600_000);
  const shown = await (await open.fetch("/admin/v1/sites/s")).text();
  const again = await open.apply(JSON.parse(shown));
  equal(again.status, 200, again.text);
  await open.close();
});

Deno.test("a site file can't declare texts for a measure of numbers", async () => {
  const open = await openSite({});
  const tags = [{ name: "p", encoding: "string" as const }];
  const refused = await open.apply({ ...site, tags });
  equal(refused.status, 400);
  match(refused.text, /tags\[0\]\.encoding.*measures active_power: give float or integer/);
  const codes = [{ name: "code", encoding: "string" as const }];
  equal((await open.apply({ ...site, tags: codes })).status, 200);
  await open.close();
});
