// Tests the list of alarms as a table: CSV, Arrow, Parquet, NDJSON, and some columns alone.
import { deepEqual, equal, match } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { tableFromIPC } from "apache-arrow";
import { parquetReadObjects } from "hyparquet";
import { zstdDecompressSync } from "node:zlib";
import { eventOf } from "../../help/alarm.ts";
import { openAlarms } from "./alarm_help.ts";

/** What people and sources write: what CSV must quote, and what a spreadsheet must not run. */
const texts = [
  `a "b", c`,
  "two\r\nlines",
  '=HYPERLINK("http://evil.test","x")',
  "+1",
  "-1+2",
  "@SUM(A1)",
  "\t=1",
  "Überhitzung 🔥",
  "'plain",
] as const;

/** The texts as cells of CSV, by RFC 4180, each harmless to a spreadsheet. */
const cells = [
  `"a ""b"", c"`,
  '"two\r\nlines"',
  `"'=HYPERLINK(""http://evil.test"",""x"")"`,
  "'+1",
  "'-1+2",
  "'@SUM(A1)",
  "'\t=1",
  "Überhitzung 🔥",
  "'plain",
] as const;

async function openTexts() {
  const world = await openAlarms();
  for (const [i, text] of texts.entries()) {
    await world.raise({ occurrence_id: `o${i}`, rule_name: text, rule_description: text });
  }
  await world.raise({ occurrence_id: "none", rule_name: "N", rule_description: null });
  const read = async (query: string, init: RequestInit = {}) => {
    const path = `/platform/v1/alarms?project_id=${world.project.id}&${query}`;
    return await world.fetch(path, init);
  };
  return { ...world, read };
}

Deno.test("a list of alarms in CSV has every text quoted, and none as a formula", async () => {
  const { read, close } = await openTexts();
  const answer = await read("format=csv&columns=occurrence_id,rule_description,raised_value");
  equal(answer.status, 200);
  match(answer.headers.get("content-type")!, /^text\/csv/);
  match(answer.headers.get("content-disposition")!, /filename="alarms\.csv"/);
  const lines = cells.map((cell, i) => `o${i},${cell},81.5\r\n`);
  equal(
    await answer.text(),
    ["occurrence_id,rule_description,raised_value\r\n", ...lines, "none,,81.5\r\n"].join(""),
  );
  await close();
});

Deno.test("in Arrow, Parquet and NDJSON every text is as it was written", async () => {
  const { read, close } = await openTexts();
  const wanted = [...texts, null];
  const arrow = tableFromIPC(await (await read("format=arrow")).bytes());
  deepEqual(arrow.toArray().map(({ rule_description }) => rule_description), wanted);
  equal(arrow.schema.fields.find(({ name }) => name === "params")?.nullable, true);
  const file = await (await read("format=parquet")).arrayBuffer();
  const rows = await parquetReadObjects({
    file,
    compressors: { ZSTD: (page) => zstdDecompressSync(page) },
  });
  deepEqual(rows.map(({ rule_description }) => rule_description), wanted);
  deepEqual(rows[0].raised_at, new Date("2026-06-01T12:00:00Z"));
  const lines = (await (await read("format=ndjson")).text()).trim().split("\n");
  const objects = lines.map((line) => JSON.parse(line));
  const whole = await (await read("")).json();
  deepEqual(objects, whole.map((row: object) => ({ params: null, ...row })));
  await close();
});

Deno.test("a list that names no format is JSON, whatever it accepts", async () => {
  const { read, close } = await openTexts();
  const plain = await (await read("")).text();
  equal(await (await read("", { headers: { accept: "text/csv" } })).text(), plain);
  equal(await (await read("format=json")).text(), plain);
  const some = await (await read("columns=occurrence_id,events&limit=1")).json();
  deepEqual(Object.keys(some[0]), ["occurrence_id", "events"]);
  equal(some[0].events[0].kind, "lifecycle");
  for (const query of ["format=xlsx", "columns=nothing"]) {
    const refused = await read(query);
    equal(refused.status, 400, query);
    await refused.body?.cancel();
  }
  await close();
});

Deno.test("a table is bounded as the list is, and its pages follow one another", async () => {
  const { read, raise, fetch, close } = await openTexts();
  await raise({ occurrence_id: "last" }, [eventOf("raised"), eventOf("commented")]);
  const seen: string[] = [];
  let answer = await read("format=csv&columns=occurrence_id&limit=4");
  for (;;) {
    const rows = (await answer.text()).trim().split("\r\n").slice(1);
    seen.push(...rows);
    const next = /^<([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1];
    if (!next) break;
    answer = await fetch(next);
  }
  deepEqual(seen, [...texts.map((_, i) => `o${i}`), "none", "last"]);
  const many = await read("format=csv&limit=10001");
  equal(many.status, 400);
  equal(Buffer.from(await many.bytes()).includes("limit"), true);
  await close();
});
