// Tests that what a question wants is enough: rows and columns that are left out change no answer.
import { deepEqual, ok } from "node:assert/strict";
import { wantsOf } from "../../../src/engine/query/worker.ts";
import { tableAnswer, type TableRow } from "../../../src/http/frame/row_table.ts";
import { planOf } from "../../../src/model/query/plan.ts";
import type { ViewShape, Wanted } from "../../../src/model/query/view.ts";
import { Sandbox } from "../../../src/store/query/sandbox.ts";
import { encode } from "../../../src/wire/format.ts";
import fc from "../../help/costly.ts";

const columns = [
  { name: "ts", kind: "instant", nullable: true, doc: "" },
  { name: "tag", kind: "text", nullable: true, doc: "" },
  { name: "value", kind: "float64", nullable: true, doc: "" },
] as const;

const shape = (name: string): ViewShape => ({ name, columns, times: ["ts"], words: ["tag"] });
const views = new Map(["signals", "alarms"].map((name) => [name, shape(name)]));

const at = (hour: number) => `2026-06-01T0${hour}:00:00.000000Z`;

/** Ties, nulls and empty texts among them. */
const rows: readonly TableRow[] = Array.from({ length: 48 }, (_, i) => ({
  ts: i % 11 === 10 ? null : at(i % 6),
  tag: ["a", "b", "", null][i % 4],
  value: i % 7 === 6 ? null : i,
}));

const time = fc.constantFrom(
  ...[1, 3, 5].map((hour) => `TIMESTAMPTZ '${at(hour)}'`),
  ...["'2026-06-01 02:00:00+00'", "DATE '2026-06-01'", "'2026-06-01'", "NULL::TIMESTAMPTZ"],
  ...["TIMESTAMP '2026-06-01 02:00:00' + INTERVAL 1 HOUR", "now()", "now() - INTERVAL 100 YEAR"],
);
const word = fc.constantFrom("'a'", "'b'", "''", "'c'", "NULL");
const compare = fc.constantFrom("<", "<=", ">", ">=", "=", "<>", "IS DISTINCT FROM");
const column = (name: string) => fc.constantFrom(name, `s.${name}`, `o.${name}`);

const condition = fc.oneof(
  fc.tuple(column("ts"), compare, time).map((all) => all.join(" ")),
  fc.tuple(time, compare, column("ts")).map((all) => all.join(" ")),
  fc.tuple(column("ts"), time, time).map(([name, a, b]) => `${name} BETWEEN ${a} AND ${b}`),
  fc.tuple(column("ts"), time, time).map(([name, a, b]) => `${name} NOT BETWEEN ${a} AND ${b}`),
  fc.tuple(column("ts"), time, time).map(([name, a, b]) => `${name} IN (${a}, ${b})`),
  fc.tuple(column("tag"), word, word).map(([name, a, b]) => `${name} IN (${a}, ${b})`),
  fc.tuple(column("tag"), word, word).map(([name, a, b]) => `${name} NOT IN (${a}, ${b})`),
  fc.tuple(column("tag"), compare, word).map((all) => all.join(" ")),
  column("tag").map((name) => `${name} IS NULL`),
  fc.constantFrom("value > 20", "s.value IS NULL", "true", "o.value < 30"),
);

const where = fc.array(fc.tuple(condition, fc.constantFrom("AND", "AND", "AND NOT", "OR")), {
  minLength: 1,
  maxLength: 3,
}).map((all) => all.map(([one, word], i) => i === 0 ? one : `${word} ${one}`).join(" "));

const joins = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"];
const from = fc.oneof(
  fc.constantFrom("signals", "signals s", "signals o", "signals AS s(value, tag, ts)"),
  fc.constantFrom(...joins.flatMap((join) => [
    `signals s ${join} alarms o ON s.value = o.value`,
    `signals s ${join} signals o ON s.value = o.value + 1`,
    `signals s ${join} alarms o USING (ts)`,
    `signals s ${join} alarms o USING (tag, ts)`,
  ])),
  fc.constantFrom(
    "signals s ASOF JOIN alarms o ON s.tag = o.tag AND s.ts >= o.ts",
    "signals s ASOF LEFT JOIN alarms o ON s.tag = o.tag AND s.ts < o.ts",
    "signals s POSITIONAL JOIN alarms o",
    "signals s NATURAL JOIN alarms o",
    "signals s, alarms o",
    "signals s, LATERAL (SELECT max(value) AS value, max(ts) AS ts FROM alarms WHERE ts < s.ts) o",
    "(SELECT * FROM signals WHERE ts > '2026-06-01 02:00:00+00' LIMIT 1000) s",
    "(SELECT ts, tag, value FROM signals UNION ALL SELECT ts, tag, -value FROM alarms) s",
    "(SELECT max(ts) AS ts, tag, sum(value) AS value FROM signals GROUP BY tag) s",
  ),
);
const chosen = fc.constantFrom(
  ...["*", "count(*)", "s", "s.*", "value", "tag, count(*)", "max(s.ts), count(o.value)"],
  ...["count(s.value), count(o.tag)", "sum(value) OVER (ORDER BY value)", "COLUMNS('t.*')"],
  ...["(SELECT count(*) FROM alarms a WHERE a.ts = s.ts)", "tag AS ts, value", "value AS tag"],
);
const question = fc.tuple(chosen, from, where).map(([chosen, from, where]) =>
  `SELECT ${chosen} FROM ${from} WHERE ${where}${/count|max/.test(chosen) ? " GROUP BY ALL" : ""}`
);

/** The rows that are within what is wanted; all instants are texts of one form. */
function within({ from, to, words }: Wanted): readonly TableRow[] {
  return rows.filter(({ ts, tag }) =>
    (from.ts === undefined || ts !== null && String(ts) >= from.ts) &&
    (to.ts === undefined || ts !== null && String(ts) <= to.ts) &&
    (words.tag === undefined || words.tag.includes(String(tag)) && tag !== null)
  );
}

async function fileOf(path: string, kept: readonly TableRow[], names: readonly string[]) {
  const shown = columns.filter(({ name }) => names.includes(name));
  const answer = tableAnswer({ columns: shown, batches: [kept] });
  const pieces = await Array.fromAsync(encode(answer, "parquet"));
  await Deno.writeFile(path, new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer()));
  return [{ path, columns: names, constants: {} }];
}

async function answerOf(sandbox: Sandbox, sql: string): Promise<readonly string[] | string> {
  try {
    const pieces = await Array.fromAsync(encode(await sandbox.answer(sql), "ndjson"));
    return (await new Blob(pieces as BlobPart[]).text()).split("\n").sort();
  } catch (error) {
    return (error as Error).message.split("\n")[0];
  }
}

Deno.test("what a question does not want makes no difference to its answer", async () => {
  const folder = await Deno.makeTempDir();
  const sandbox = await Sandbox.open({ timezone: "UTC", library_folder: "", folder });
  const all = columns.map(({ name }) => name);
  const full = await fileOf(`${folder}/all.parquet`, rows, all);
  let narrowed = 0;
  // The library keeps what it read of a file by its name.
  let made = 0;
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(question, async (sql) => {
      const shapes = [...views.values()];
      await sandbox.makeViews(shapes, [...views.keys()].map((view) => ({ view, files: full })));
      const expected = await answerOf(sandbox, sql);
      if (typeof expected === "string") return;
      answered++;
      const wants = await wantsOf(sandbox, planOf(await sandbox.parse(sql, views), views));
      const found = [];
      for (const want of wants) {
        const kept = within(want);
        if (kept.length < rows.length || want.columns.length < all.length) narrowed++;
        const files = await fileOf(`${folder}/${++made}.parquet`, kept, want.columns);
        found.push({ view: want.view, files });
      }
      await sandbox.makeViews(shapes, found);
      deepEqual(await answerOf(sandbox, sql), expected, `${sql} ${JSON.stringify(wants)}`);
    }),
    { numRuns: 400, seed: 1 },
  );
  ok(answered > 100 && narrowed > 80, `${answered} answered, ${narrowed} narrowed`);
  sandbox.close();
  await Deno.remove(folder, { recursive: true });
});
