// `import`: every format, verdicts, going on after a stop, and a running service as the target.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { openService, version } from "../../../src/app.ts";
import { utf8 } from "../../../src/base/bytes.ts";
import { body_limits } from "../../../src/wire/bytes/limits.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { markKeeper } from "../../../src/cli/import/place.ts";
import { type ImportAnswer, importFile } from "../../../src/engine/ingest/import.ts";
import { newestSample } from "../../../src/store/samples/sample.ts";
import { chopRows, type ImportMark, openImport } from "../../../src/wire/import/import_file.ts";
import { decodeSamples } from "../../../src/wire/decode.ts";
import type { Source } from "../../../src/wire/import/options.ts";
import { ndjsonOf } from "../../../src/wire/samples/json.ts";
import { fakeEffects } from "../../help/effects.ts";
import { type TestService, testService } from "../../help/service.ts";
import { declareSite, site, withFolder } from "./folder.ts";

function sourceOf(text: string): Source {
  const bytes = utf8(text);
  return async function* (offset) {
    for (let at = offset; at < bytes.length; at += 65_536) {
      yield await Promise.resolve(bytes.subarray(at, at + 65_536));
    }
  };
}

Deno.test("import: rows of every format are taken, and again are duplicates", async () => {
  await withFolder(async ({ run, write, printed }) => {
    const files = [
      await write("a.ndjson", '{"tag":"A","ts":"2026-05-01T00:00:00Z","value":1}\n'),
      await write("b.json", '[{"tag":"B","ts":"2026-05-01T00:00:00Z","value":2}]'),
      await write("c.csv", "tag,ts,value\nC,2026-05-01T00:00:00Z,3\n"),
      await write("d.csv", "time,D,E\n2026-05-01 00:00,4,5\n"),
    ];
    assert.equal(await run("import", ...files, "--project", "plant"), 0);
    assert.deepEqual(printed.out.match(/\((\w+)\): \d+ accepted, \d+ duplicates/g), [
      "(ndjson): 1 accepted, 0 duplicates",
      "(json): 1 accepted, 0 duplicates",
      "(csv): 1 accepted, 0 duplicates",
      "(wide): 2 accepted, 0 duplicates",
    ]);
    printed.out = "";
    assert.equal(await run("import", files[3], "--project", "plant"), 0);
    assert.match(printed.out, /0 accepted, 2 duplicates, 0 rejected/);
  });
});

Deno.test("import: the report says how many stored values were corrected", () =>
  withFolder(async ({ run, write, printed }) => {
    const outOf = async (text: string) => {
      printed.out = "";
      const file = await write("a.csv", `time,P,Q\n${text}`);
      assert.equal(await run("import", file, "--project", "plant", "--timezone", "UTC"), 0);
      return printed.out;
    };
    assert.doesNotMatch(await outOf("2026-05-01 00:00,1,\n2026-05-01 00:01,2,5\n"), /corrected/);
    const out = await outOf("2026-05-01 00:00,1,4\n2026-05-01 00:01,3,6\n");
    assert.match(out, /3 accepted, 1 duplicates, 0 rejected\n {2}2 stored values corrected\n/);
  }));

Deno.test("import: a packed file is its content", async () => {
  await withFolder(async ({ run, write, printed }) => {
    const rows = "tag,ts,value\nC,2026-05-01T00:00:00Z,3\nC,2026-05-01T00:01:00Z,4\n";
    const file = await write("c.csv.gz", gzipSync(rows));
    assert.equal(await run("import", file, "--project", "plant"), 0, printed.err);
    assert.match(printed.out, /\(csv\): 2 accepted/);
  });
});

/** A logger's table of two rows: a mean and a sample, `step` minutes apart. */
function toa5(step: number): string {
  const last = `2026-05-01 ${String(Math.floor(step / 30)).padStart(2, "0")}:` +
    `${String(2 * step % 60).padStart(2, "0")}:00`;
  const first = `2026-05-01 00:${String(step).padStart(2, "0")}:00`;
  return [
    '"TOA5","Station","CR1000","1","2","3","4","Table"',
    '"TIMESTAMP","RECORD","P_Avg","T"',
    '"TS","RN","kW","Deg C"',
    '"","","Avg","Smp"',
    `"${first}",0,10,20`,
    `"${last}",1,11,21`,
  ].join("\n") + "\n";
}

for (const step of [1, 5, 15]) {
  Deno.test(`import: TOA5 of ${step} min is stored at the intervals' starts`, async () => {
    await withFolder(async ({ run, write, printed }) => {
      const to = ["--project", "plant", "--timezone", "UTC"];
      const file = await write("t.dat", toa5(step));
      assert.equal(await run("import", file, ...to), 0, printed.err);
      const note = `times end intervals of ${60 * step} s: stored at their starts, ` +
        "but for instantaneous samples (Smp)\n";
      assert(printed.out.includes(note), printed.out);
      printed.out = "";
      const sql = "SELECT sensor_tag, (ts // 60000000) % 1440 AS minute " +
        "FROM sample JOIN tag USING (tag_no) ORDER BY sensor_tag, ts";
      assert.equal(await run("query", sql, "--json"), 0, printed.err);
      const rows = printed.out.trim().split("\n").map((line) => JSON.parse(line));
      assert.deepEqual(rows.map((it) => `${it.sensor_tag} ${it.minute}`), [
        "P_Avg 0",
        `P_Avg ${step}`,
        `T ${step}`,
        `T ${2 * step}`,
      ]);
      printed.out = "";
      assert.equal(await run("import", file, ...to, "--label", "start"), 0, printed.err);
      assert.match(printed.out, /times are stored as they stand in the file/);
    });
  });
}

Deno.test("import: a table whose site file moves its intervals too is refused", async () => {
  await withFolder(async ({ run, write, printed }) => {
    const rain = { tag: "P_Avg", component: "met", measure: "precipitation" };
    const sensors = [{ ...rain, accumulation: "interval", interval_s: 60, interval_at: "end" }];
    const file = await write("rain.json", JSON.stringify({ ...site, sensors }));
    assert.equal(await run("site", "apply", file), 0, printed.err);
    const table = await write("t.dat", toa5(1));
    const args = ["import", table, "--project", "plant", "--timezone", "UTC"];
    assert.equal(await run(...args), 1);
    assert.match(printed.err, /P_Avg would move .* twice: .*interval_at = "end"/);
    assert.equal(await run(...args, "--label", "start"), 0, printed.err);
  });
});

Deno.test("import: what is rejected is summed up by reason, and the exit code is 1", async () => {
  await withFolder(async ({ run, write, printed }) => {
    const wide = await write(
      "w.csv",
      "time,P\n2026-05-01 00:00,x\n2026-05-01 00:01,y\n2027-01-01 00:00,1\n",
    );
    assert.equal(await run("import", wide, "--project", "plant"), 1);
    assert.match(printed.out, /0 accepted, 0 duplicates, 3 rejected/);
    assert.match(printed.out, /2 × not a number: line 2 P, line 3 P\n/);
    assert.match(printed.out, /1 × .*(ahead|future).*: line 4 P\n/);
  });
});

const refused: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
  ["Parquet", "PAR1xxxx\n", /Parquet, an archive or the like/],
  ["a damaged gzip file", new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0]), /gzip file is damaged/],
  ["a page of the web", "<!DOCTYPE html>\n<html>\n", /page of the web .* not signed in/],
  [
    "a spreadsheet of old",
    new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0, 0]),
    /\.xls\): save it as XLSX/,
  ],
  ["a page of text", "hello\nworld\n", /one column only/],
  ["an Arrow stream cut short", new Uint8Array([255, 255, 255, 255, 9, 0, 0, 0, 1]), /Arrow/],
];

for (const [name, content, message] of refused) {
  Deno.test(`import: ${name} is refused with a reason`, async () => {
    await withFolder(async ({ run, write, printed }) => {
      assert.equal(await run("import", await write("x", content), "--project", "plant"), 1);
      assert.match(printed.err, message);
    });
  });
}

Deno.test("import: an unknown project, a missing file and a wrong flag are named", async () => {
  await withFolder(async ({ run, write, printed }) => {
    const file = await write("w.csv", "time,P\n2026-05-01 00:00,1\n");
    assert.equal(await run("import", file, "--project", "plnt"), 1);
    assert.match(printed.err, /no project plnt: meant plant\?/);
    assert.equal(await run("import", "/nowhere/x.csv", "--project", "plant"), 1);
    assert.match(printed.err, /there is no directory \/nowhere\//);
    assert.equal(await run("import", file, "--project", "plant", "--time-format", "ydm"), 2);
    assert.equal(await run("import", file, "--project", "plant", "--timezone", "Mars"), 1);
    assert.match(printed.err, /"Mars" is not an IANA time zone\. Say --timezone/);
    const wrong: readonly (readonly [string, string, RegExp])[] = [
      ["--time-column", "tine", /no column tine: meant time\?/],
      ["--key-column", "device", /no column device: it has time, P/],
      ["--delimiter", "", /"" can't be between cells: say one character .* with --delimiter/],
      ["--delimiter", "€", /can't be between cells/],
      ["--sheet", "Data", /the file is no spreadsheet.*leave out --sheet/],
      ["--time-format", "epoch_s", /no time is of the form epoch_s .* such as "2026-05-01 00:00"/],
      ["--lane", "forecast", /a table can't be of lane forecast/],
    ];
    for (const [flag, value, message] of wrong) {
      printed.err = "";
      assert.equal(await run("import", file, "--project", "plant", flag, value), 1, flag);
      assert.match(printed.err, message);
    }
  });
});

Deno.test("import: files are cut where rows end, never within quotes", async () => {
  const value = `"line one\nline two ""${"x".repeat(40)}"""`;
  const row = (i: number) => `"T ${i}",2026-05-01T00:00:00Z,${value}\n`;
  const text = "tag,ts,value_str\n" + Array.from({ length: 150_000 }, (_, i) => row(i)).join("");
  assert(text.length > body_limits.import_piece_bytes);
  const lines: number[] = [];
  let size = 0;
  for await (const { bytes, first_line, next } of chopRows(sourceOf(text)(0))) {
    size += bytes.length;
    assert.equal(next.offset, size);
    assert.equal(bytes.at(-1), 0x0a);
    lines.push(first_line);
  }
  assert.equal(size, text.length);
  assert.equal(lines[1] % 2, 0, "rows begin at even lines");
  const file = await openImport(sourceOf(text), { lane: "signal", table: { timezone: "UTC" } });
  let rows = 0;
  for await (const { decoded, line_base } of file.pieces()) {
    const [batch] = decoded.batches;
    assert.equal(decoded.rejected_count, 0);
    assert.equal(batch.line[0] + line_base, 2 * rows + 2);
    rows += batch.rows;
  }
  assert.equal(rows, 150_000);
});

Deno.test("import: one that was stopped goes on where its rows were stored", async () => {
  const count = body_limits.import_piece_rows + 10;
  const text = "time,P\n" +
    Array.from({ length: count }, (_, i) => `${1_700_000_000 + i},${i}\n`).join("");
  const file = await openImport(sourceOf(text), { lane: "signal", table: { timezone: "UTC" } });
  let stored = 0;
  const none = { corrected: 0, duplicates: 0, rejected_count: 0, rejected: [] };
  const add = (rows: number): Promise<ImportAnswer> => {
    stored += rows;
    return Promise.resolve({ accepted: rows, ...none });
  };
  const target = {
    add: (decoded: { batches: readonly { rows: number }[] }) => add(decoded.batches[0].rows),
    check: () => {},
    foresee: () => [],
    noteUnits: () => Promise.resolve(),
  };
  let mark: ImportMark | undefined;
  const stop = importFile(file, target, {
    onStored: (at) => {
      mark = JSON.parse(JSON.stringify(at));
      return Promise.reject(new Error("stopped"));
    },
  });
  await assert.rejects(stop, /stopped/);
  assert.equal(mark?.line, body_limits.import_piece_rows + 2);
  stored = 0;
  const rest = await importFile(file, target, { from: mark, onStored: () => Promise.resolve() });
  assert.equal(rest.accepted, 10);
  assert.equal(stored, 10);
});

Deno.test("import: a mark is of one file as it is and one way of reading it", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const path = `${dir}/x.csv`;
    await Deno.writeTextFile(path, "a");
    const keeper = await markKeeper(dir, { path, way: { prefix: "A" } });
    assert.equal(await keeper.read(), undefined);
    await keeper.keep({ offset: 7, line: 2, differing: 0, rejected: 0 });
    const again = await markKeeper(dir, { path, way: { prefix: "A" } });
    assert.deepEqual(await again.read(), { offset: 7, line: 2, differing: 0, rejected: 0 });
    const other = await markKeeper(dir, { path, way: { prefix: "B" } });
    assert.equal(await other.read(), undefined);
    await Deno.writeTextFile(path, "longer");
    assert.equal(await (await markKeeper(dir, { path, way: { prefix: "A" } })).read(), undefined);
    await keeper.forget();
    assert.equal(await again.read(), undefined);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

/** Asserts that a dry run against a service says which columns are no tags there yet. */
async function saysWhatIsNew({ fetch, services: { access }, token }: TestService): Promise<void> {
  const { token: sender } = await access.create({
    ...{ name: "sender", organization_id: null, project_ids: null, expires_at: null },
    scopes: ["ingest"],
  });
  const path = await Deno.makeTempFile();
  await Deno.writeTextFile(path, "time,P,Q\n2026-05-01 00:00,1.5,2\n");
  const dryRun = async (as: string) => {
    const { effects, printed } = fakeEffects();
    const request = (it: Request) => fetch(it.url, it);
    const to = ["--project", "plant", "--url", "http://localhost/", "--token", as];
    const world = { effects: { ...effects, request }, version, openService };
    assert.equal(await runCli(["import", "--dry-run", path, ...to], world), 0, printed.err);
    return printed;
  };
  const { out } = await dryRun(token);
  assert.match(out, /column {4}P {2}number, a known tag\n.*column {4}Q {2}number, a new tag\n/);
  const printed = await dryRun(sender);
  assert.match(printed.out, /column {4}Q {2}number\n/);
  assert.match(printed.err, /which columns are new tags can't be told: .*403.*scope read/i);
  await Deno.remove(path);
}

Deno.test("import: a running service takes the rows, verdicts carry the file's lines", async () => {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  try {
    await declareSite(service);
    const [project] = service.services.catalog.projects;
    const { effects, printed } = fakeEffects();
    const request = (it: Request) => service.fetch(it.url, it);
    const path = await Deno.makeTempFile();
    await Deno.writeTextFile(
      path,
      "time,P,S\n2026-05-01 00:00,1.5,on\n2026-05-01 00:01,x,off\n2026-07-01 00:00,2,\n",
    );
    const args = ["import", path, "--project", project.id, "--timezone", "UTC"];
    const code = await runCli(
      [...args, "--url", "http://localhost/", "--token", service.token],
      { effects: { ...effects, request }, version, openService },
    );
    await Deno.remove(path);
    assert.equal(code, 1, printed.err);
    assert.match(printed.out, /3 accepted, 0 duplicates, 2 rejected/);
    assert.match(printed.out, /not a number: line 3 P/);
    assert.match(printed.out, /: line 4 P/);
    const tags = service.services.catalog.tags.map((tag) => [tag.sensor_tag, tag.encoding]);
    assert.deepEqual(tags, [["P", "float"], ["S", "string"]]);
    await saysWhatIsNew(service);
  } finally {
    await service.close();
  }
});

Deno.test("import: a running service knows the project by its key, and its zone", async () => {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const path = await Deno.makeTempFile();
  try {
    await declareSite(service);
    const [{ key, timezone }] = service.services.catalog.projects;
    assert.notEqual(timezone, "UTC");
    const { token } = await service.services.access.create({
      ...{ name: "gateway", organization_id: null, project_ids: null, expires_at: null },
      scopes: ["ingest"],
    });
    const { effects, printed } = fakeEffects();
    const request = (it: Request) => service.fetch(it.url, it);
    await Deno.writeTextFile(path, "time,P\n2026-05-01 00:00,1.5\n");
    const importInto = (project: string) =>
      runCli(
        ["import", path, "--project", project, "--url", "http://localhost/", "--token", token],
        { effects: { ...effects, request }, version, openService },
      );
    assert.equal(await importInto(key), 0, printed.err);
    assert.match(printed.out, /1 accepted, 0 duplicates, 0 rejected/);
    assert.doesNotMatch(printed.out, /corrected/);
    await Deno.writeTextFile(path, "time,P\n2026-05-01 00:00,2.5\n");
    assert.equal(await importInto(key), 0, printed.err);
    assert.match(printed.out, /1 accepted, .*\n {2}1 stored value corrected\n/);
    const ts = await service.services.database.read(newestSample);
    const there = Temporal.PlainDateTime.from("2026-05-01T00:00").toZonedDateTime(timezone);
    assert.equal(ts! / 1000, there.epochMilliseconds);
    assert.notEqual(await importInto(`${key}x`), 0);
    assert.match(printed.err, new RegExp(`no project ${key}x: meant ${key}\\?`));
  } finally {
    await Deno.remove(path);
    await service.close();
  }
});

Deno.test("import: a printed batch is read back as it was", async () => {
  const substituted = '"quality":"uncertain","status_code":1083179008';
  const text = [
    `{"tag":"A","ts":"2026-05-01T00:00:00.123456Z","value":1.5,${substituted}}`,
    '{"tag":"B","ts":"2026-05-01T00:00:00Z","value_int":9007199254740993}',
    '{"tag":"C","ts":"2026-05-01T00:00:00Z","value_str":"a\\"b"}',
    '{"tag":"A","ts":"2026-05-01T00:01:00Z","quality":"bad"}',
    '{"tag":"\\"value\\":0","ts":"2026-05-01T00:02:00Z","value":0}',
  ].join("\n");
  const options = { media_type: "application/x-ndjson", encoding: null };
  const bodyOf = async function* (bytes: Uint8Array) {
    yield await Promise.resolve(bytes);
  };
  const once = await decodeSamples(bodyOf(utf8(text)), options);
  const twice = await decodeSamples(bodyOf(ndjsonOf(once.batches[0])), options);
  assert.equal(once.rejected_count, 0);
  assert.deepEqual(twice, once);
});
