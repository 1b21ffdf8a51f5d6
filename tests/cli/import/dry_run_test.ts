// Dry runs, mapping files, repeated times, spreadsheets, and going on at a service.
import assert from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import { utf8 } from "../../../src/base/bytes.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { importFile } from "../../../src/engine/ingest/import.ts";
import { body_limits } from "../../../src/wire/bytes/limits.ts";
import { openImport } from "../../../src/wire/import/import_file.ts";
import { markKeeper } from "../../../src/cli/import/place.ts";
import { fakeEffects } from "../../help/effects.ts";
import { testService } from "../../help/service.ts";
import { declareSite, type Run, withFolder } from "./folder.ts";
import { sheetOf } from "./sheet.ts";

const german = "Datum;Uhrzeit;WR1 P (kW);Status\n" +
  "01.05.2026;10:00;1.234,50;Ein\n01.05.2026;10:05;2,25;Aus\n";

async function countOf({ run, printed }: Run): Promise<number> {
  printed.out = "";
  assert.equal(await run("query", "SELECT count(*) AS n FROM sample", "--json"), 0, printed.err);
  return JSON.parse(printed.out).n;
}

Deno.test("import --dry-run: shows columns, zone, range, interval, rows", async () => {
  await withFolder(async (folder) => {
    const { run, write, printed } = folder;
    const file = await write("a.csv", german);
    assert.equal(await run("import", "--dry-run", file, "--project", "plant"), 0, printed.err);
    for (
      const line of [
        "4 values of 2 tags, 0 rejected. Nothing was stored",
        'cells     ";" between them, decimals behind ","',
        "time      Datum + Uhrzeit as dmy (21.11.2026 05:00:00), America/Denver, the project's",
        "mostly every 300 s",
        "range     2026-05-01T16:00:00Z to 2026-05-01T16:05:00Z",
        "column    WR1 P (kW)  number, kW, a new tag",
        "column    Status  text, a new tag",
        'line 2  2026-05-01T16:00:00Z  WR1 P (kW) = 1234.5, Status = "Ein"',
      ]
    ) assert(printed.out.includes(line), `${line}\n${printed.out}`);
    assert.equal(await countOf(folder), 0);
    printed.out = printed.err = "";
    assert.equal(await run("import", "--dry-run", file), 1);
    assert.match(printed.err, /zone of times.*is not known: say --timezone/);
    assert.equal(await run("import", file), 1);
    assert.match(printed.err, /--project/);
  });
});

Deno.test("import --map: a dry run proposes a mapping, an import follows it", async () => {
  await withFolder(async (folder) => {
    const { run, write, printed } = folder;
    const file = await write("a.csv", german);
    const map = `${file}.toml`;
    const to = ["--project", "plant", "--map", map];
    assert.equal(await run("import", file, ...to), 1);
    assert.match(printed.err, /there is no mapping file .*: a dry run makes one/);
    assert.equal(await run("import", "--dry-run", file, ...to), 0, printed.err);
    assert.match(printed.out, /proposed in .*a\.csv\.toml/);
    const proposed = await Deno.readTextFile(map);
    assert.match(proposed, /time_column = \[ "Datum", "Uhrzeit" \]/);
    assert.match(proposed, /decimal = ","/);
    const edited = proposed.replace('"WR1 P (kW)" = "WR1 P (kW)"', '"WR1 P (kW)" = "inv1.p"')
      .replace('Status = "Status"', "Status = false");
    await Deno.writeTextFile(map, edited);
    assert.equal(await run("import", file, ...to), 0, printed.err);
    printed.out = "";
    const sql =
      "SELECT sensor_tag, sum(value) AS total FROM sample JOIN tag USING (tag_no) GROUP BY 1";
    assert.equal(await run("query", sql, "--json"), 0);
    assert.deepEqual(JSON.parse(printed.out), { sensor_tag: "inv1.p", total: 1236.75 });
    printed.err = "";
    await Deno.writeTextFile(map, "timezon = 'UTC'\n");
    assert.equal(await run("import", file, ...to), 1);
    assert.match(printed.err, /timezon: there is no such key; meant timezone\?/);
    printed.err = "";
    await Deno.writeTextFile(map, "decimal = ';'\n");
    assert.equal(await run("import", file, ...to), 1);
    assert.match(printed.err, /decimal: /);
    printed.err = "";
    await Deno.writeTextFile(map, "decimal = \n");
    assert.equal(await run("import", file, ...to), 1);
    assert.match(printed.err, /line 1/);
  });
});

Deno.test("import: over 1 % of repeats with another value are refused", async () => {
  await withFolder(async (folder) => {
    const { run, write, printed } = folder;
    const rows = Array.from({ length: 49 }, (_, i) => `2026-05-01 00:${i + 10},${i}`);
    const file = await write("a.csv", `time,P\n${rows.join("\n")}\n2026-05-01 00:10,99\n`);
    assert.equal(await run("import", file, "--project", "plant"), 1);
    assert.match(
      printed.err,
      /1 of 50 values have the tag and the time of another one, and differ/,
    );
    assert.match(printed.err, /P at 2026-05-01T06:10:00.000Z in line 51/);
    assert.match(printed.err, /--time-column.*--key-column.*--repeats last/);
    assert.equal(await countOf(folder), 0);
    printed.out = "";
    assert.equal(await run("import", file, "--project", "plant", "--repeats", "last"), 0);
    assert.match(printed.out, /50 accepted/);
    assert.match(
      printed.out,
      /1 × another value for a tag and time .*last one is taken: line 51 P/,
    );
    printed.out = "";
    await run("query", "SELECT count(*) AS n, max(value) AS most FROM sample", "--json");
    assert.deepEqual(JSON.parse(printed.out), { n: 49, most: 99 });
  });
});

Deno.test("import: a few repeats with another value are named, no success", async () => {
  await withFolder(async ({ run, write, printed }) => {
    const rows = Array.from({ length: 300 }, (_, i) => `${1_777_000_000 + i},${i}`);
    const file = await write("a.csv", `time,P\n${rows.join("\n")}\n1777000007,99\n1777000008,8\n`);
    assert.equal(await run("import", file, "--project", "plant"), 1, printed.err);
    assert.match(printed.out, /301 accepted, 1 duplicates, 0 rejected/);
    assert.match(printed.out, /1 × another value .*: line 302 P/);
  });
});

Deno.test("import: a sheet's dates are dates; a wrong sheet is named", async () => {
  await withFolder(async ({ run, write, printed }) => {
    const sheet = sheetOf([["Time", "P"], [46_143.5, 1.5], [46_143.75, 2.5]]);
    const file = await write("a.xlsx", sheet);
    assert.equal(await run("import", "--dry-run", file, "--project", "plant"), 0, printed.err);
    assert.match(printed.out, /range {5}2026-05-01T18:00:00Z to 2026-05-02T00:00:00Z/);
    assert.equal(await run("import", file, "--project", "plant", "--sheet", "Date"), 1);
    assert.match(printed.err, /the file has no sheet Date; meant Data\?/);
    printed.err = "";
    const cut = await write("cut.xlsx", sheet.slice(0, 400));
    assert.equal(await run("import", cut, "--project", "plant"), 1);
    assert.match(printed.err, /no XLSX that can be read/);
  });
});

Deno.test("import: a sheet's number of three decimals is no thousand", async () => {
  await withFolder(async ({ run, write, printed }) => {
    const rows = [["Time", "U", "P"], [46_143.5, 226.589, "62,5"], [46_143.75, 230.125, "1,5"]];
    const file = await write("a.xlsx", sheetOf(rows));
    await run("import", file, "--project", "plant");
    assert(!printed.out.includes("U = 226589"), printed.out);
    await run("query", "SELECT count(*) AS n FROM sample WHERE value > 1000", "--json");
    assert.match(printed.out, /"n":0\b/);
    const alone = await write("b.xlsx", sheetOf([["Time", "U"], [46_143.5, 226.589]]));
    assert.equal(await run("import", alone, "--project", "plant"), 0, printed.err);
  });
});

Deno.test("import --dry-run: says what will be rejected for its tag or its time", async () => {
  await withFolder(async ({ run, write, printed }) => {
    const known = await write("a.csv", "time,P\n1777000000,1.5\n");
    assert.equal(await run("import", known, "--project", "plant"), 0, printed.err);
    const text = "time,P,Q\n1777000001,run,1\n4102444800,stop,2\n";
    const file = await write("b.csv", text);
    const rejected = /1 × value is a text, and the tag holds floats: line 2 P/;
    for (const flags of [["--dry-run"], []]) {
      printed.out = "";
      assert.equal(await run("import", file, "--project", "plant", ...flags), 1, printed.err);
      assert.match(printed.out, rejected);
      assert.match(printed.out, /2 × ts is more than 10 minutes in the future: line 3 P, line 3 Q/);
      assert.match(printed.out, /3 rejected/);
    }
  });
});

Deno.test("import: a number that loggers write for no value is named, and left out", async () => {
  await withFolder(async ({ run, write, printed }) => {
    const file = await write("a.csv", "time,P\n1777000000,-9999.0\n1777000001,2\n");
    assert.equal(await run("import", "--dry-run", file, "--project", "plant"), 0, printed.err);
    assert.match(printed.out, /1 × the value -9999, such as of P: .* say --no-value -9999/);
    const args = ["--project", "plant", "--no-value", "-9999"];
    printed.out = "";
    assert.equal(await run("import", file, ...args), 0, printed.err);
    assert.match(printed.out, /1 accepted, 0 duplicates, 0 rejected\n/);
    assert(!printed.out.includes("-9999"), printed.out);
  });
});

Deno.test("import: a store that does not account for every row is found out", async () => {
  const file = await openImport(async function* () {
    yield await Promise.resolve(utf8("time,P\n1777000000,1\n1777000001,2\n"));
  }, { lane: "signal", table: {} });
  const none = { accepted: 0, corrected: 0, duplicates: 0, rejected_count: 0, rejected: [] };
  const target = (accepted: number) => ({
    add: () => Promise.resolve({ ...none, accepted }),
    check: () => {},
    foresee: () => [],
    noteUnits: () => Promise.resolve(),
  });
  const onStored = () => Promise.resolve();
  const check = { rows: 3, rejected_count: 0 };
  await assert.rejects(
    importFile(file, target(1), { onStored }),
    /of 2 rows only 1 were accounted/,
  );
  await assert.rejects(
    importFile(file, target(2), { onStored, check }),
    /the file changed while it was imported: it held 3 rows, 2 were read/,
  );
});

Deno.test("import: one that was cut twice says at its end what became of the whole", async () => {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const folder = await Deno.makeTempDir();
  try {
    await declareSite(service);
    const { effects, printed } = fakeEffects();
    let line: "whole" | "cut before" | "cut behind" = "whole";
    let left = 1;
    const request = async (it: Request) => {
      const cut = it.method === "POST" && --left < 0;
      if (cut && line === "cut before") throw new Error("unplugged");
      const answer = await service.fetch(it.url, it);
      if (cut && line === "cut behind") throw new Error("unplugged");
      return answer;
    };
    const count = 3 * body_limits.import_piece_rows;
    const rows = Array.from({ length: count }, (_, i) => `${1_770_000_000 + i},${i % 100}\n`);
    rows[7] = "1770000007,seven\n";
    rows[8] = "1770000009,-999\n";
    rows.splice(-3, 1, "1770374997,eight\n");
    const path = `${folder}/a.csv`;
    await Deno.writeTextFile(path, `time,P\n${rows.join("")}`);
    const env = () => ({ XDG_STATE_HOME: folder });
    const args = ["import", path, "--project", "plant", "--url", "http://localhost/"];
    const run = () =>
      runCli([...args, "--token", service.token], {
        effects: { ...effects, request, env },
        version,
        openService,
      });
    line = "cut before";
    assert.equal(await run(), 1);
    assert.match(printed.err, /unplugged/);
    assert.equal(printed.out, "");
    // The rows of this piece are stored, and nobody heard of it.
    [line, left] = ["cut behind", 0];
    assert.equal(await run(), 1);
    assert.match(printed.err, /continues at line 125002/);
    [line, left] = ["whole", 0];
    printed.err = "";
    assert.equal(await run(), 1, "what was rejected before the cuts is not forgotten");
    assert.match(printed.err, /continues at line 125002/);
    assert.match(printed.out, /249998 accepted, 125000 duplicates, 2 rejected/);
    assert.equal(249_998 + 125_000 + 2, count);
    assert.match(printed.out, /2 × not a number: line 9 P, line 374999 P/);
    assert.match(printed.out, /1 × another value for a tag and time .*: line 11 P/);
    assert.match(printed.out, /1 × the value -999, such as of P/);
    assert.deepEqual([...Deno.readDirSync(`${folder}/wattkeeper`)], []);
  } finally {
    await Deno.remove(folder, { recursive: true });
    await service.close();
  }
});

Deno.test("import: a mark without counts says from which line on it counts", async () => {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const folder = await Deno.makeTempDir();
  try {
    await declareSite(service);
    const [{ id }] = service.services.catalog.projects;
    const { effects, printed } = fakeEffects();
    const path = `${folder}/a.csv`;
    const before = "time,P\n1770000000,x\n1770000001,1\n";
    await Deno.writeTextFile(path, `${before}1770000002,2\n`);
    await Deno.mkdir(`${folder}/wattkeeper`);
    const url = "http://localhost/";
    const way = [[{}, "auto", "signal"], url, id];
    const keeper = await markKeeper(`${folder}/wattkeeper`, { path, way });
    await keeper.keep({ offset: before.length, line: 4, differing: 0, rejected: 1 });
    const code = await runCli(
      ["import", path, "--project", "plant", "--url", url, "--token", service.token],
      {
        effects: {
          ...effects,
          request: (it) => service.fetch(it.url, it),
          env: () => ({ XDG_STATE_HOME: folder }),
        },
        version,
        openService,
      },
    );
    assert.equal(code, 1, printed.err);
    assert.match(printed.out, /1 accepted, 0 duplicates, 0 rejected/);
    assert.match(printed.out, /counted from line 4 on; 1 rejected before/);
  } finally {
    await Deno.remove(folder, { recursive: true });
    await service.close();
  }
});
