// `rule test` and `rule list`, on a data directory and at a running service.
import { deepEqual, equal, match } from "node:assert/strict";
import { unreachable } from "../../../src/base/assert.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";
import { testService } from "../../help/service.ts";

const example = new URL("../../../data/example.site.toml", import.meta.url).pathname;
const minute = (i: number) => new Date(Date.UTC(2026, 5, 1, 10, i)).toISOString();
const rows = [
  ...[0, 17, 17, 0].map((value_int, i) => ({ tag: "inv1.alarm_word", ts: minute(i), value_int })),
  ...[10, 19, 25, 16, 14].map((value, i) => ({ tag: "met1.wind", ts: minute(i), value })),
].map((row) => JSON.stringify(row)).join("\n");

const days = ["--from", "2026-06-01", "--to", "2026-06-01"];

/** A data directory with the example site and some samples, and a way to run commands on it. */
async function opened() {
  const { effects, printed } = fakeEffects("2026-06-10T00:00:00Z");
  const folder = await Deno.makeTempDir();
  const openService = () => unreachable(undefined as never);
  const runWith = async (request: typeof effects.request, ...args: string[]) => {
    Object.assign(printed, { out: "", err: "" });
    const flags = ["--data-dir", `${folder}/data`, "--memory-mb", "256", "--threads", "1"];
    const context = { effects: { ...effects, request }, version: "0", openService };
    const code = await runCli([...flags, ...args], context);
    return { code, ...printed };
  };
  const run = (...args: string[]) => runWith(effects.request, ...args);
  await Deno.writeTextFile(`${folder}/rows.ndjson`, rows);
  equal((await run("site", "apply", example)).code, 0);
  const imported = await run("import", `${folder}/rows.ndjson`, "--project", "la-mancha");
  equal(imported.code, 0, imported.err);
  return { run, runWith, folder, close: () => Deno.remove(folder, { recursive: true }) };
}

Deno.test("rule test prints what the rules of a site file would have raised", async () => {
  const { run, close } = await opened();
  const { code, out, err } = await run("rule", "test", example, ...days);
  equal(code, 0, err);
  match(out, /^la-mancha-1, 2026-05-31 22:00:00Z to 2026-06-01 22:00:00Z: 9 samples evaluated\n/);
  match(
    out,
    /\ninverter-point: Inverter alarm point \(enum, 1 tag\)\n {2}1 alarm, active for 2 min\n/,
  );
  match(out, /\n {2}inv1\.alarm_word \(INV1\): 1 alarm, active for 2 min\n/);
  match(out, /\n {4}2026-06-01 10:01:00Z +2 min +17 +Insulation fault\n/);
  match(out, /\n {4}2026-06-01 10:01:00Z +8 min +19 +peak 25\n/);
  match(out, /\n7 rules: 4 alarms\n$/);
  const json = JSON.parse((await run("rule", "test", example, ...days, "--json")).out);
  equal(json.rules[5].tags[0].occurrences[0].recovered_value, 14);
  await close();
});

Deno.test("rule test takes rules by themselves, refuses wrong ones by their places", async () => {
  const { run, folder, close } = await opened();
  const path = `${folder}/rules.toml`;
  const rule = 'key = "k"\nname = "N"\nkind = "threshold"\noperator = ">"\n';
  const write = (text: string) => Deno.writeTextFile(path, `[[rules]]\n${rule}${text}`);
  await write('threshold = 12\ntag = "met1.wind"\nenabled = false\n');
  const range = ["--from", "2026-06-01T10:00:00Z", "--to", "2026-06-01T10:03:30Z"];
  const { out } = await run("rule", "test", path, ...range);
  match(out, /\n {2}met1\.wind \(MET1\): 1 alarm, active for 3 min, active at the end\n/);
  await write('threshold = "12 * 2"\ntag = "met1.wind"\n');
  const wrong = await run("rule", "test", path, ...range);
  equal(wrong.code, 1);
  match(wrong.err, /\n {2}rules\[0\]\.threshold: give a number/);
  await write('threshold = 12\ntag = "met1.win"\n');
  match((await run("rule", "test", path, ...range)).err, /rules\[0\]\.tag: .*meant met1\.wind\?/);
  await write("threshold = \n");
  equal((await run("rule", "test", path, ...range)).code, 1);
  const late = ["--from", "2026-07-01", "--to", "2026-07-02"];
  match(
    (await run("rule", "test", example, ...late)).err,
    /--from: is in the future: .*; rules are tried on what was stored/,
  );
  const odd = ["--from", "yesterday", "--to", "2026-06-01"];
  match(
    (await run("rule", "test", example, ...odd)).err,
    /--from: give a day as YYYY-MM-DD, or an/,
  );
  equal((await run("rule", "test", example)).code, 2);
  match((await run("rule", "test", example, ...days, "--site", "x")).err, /there is no site x/);
  await close();
});

Deno.test("a running service tries rules and lists them as the directory does", async () => {
  const { run, runWith, folder, close } = await opened();
  const service = await testService({ at: "2026-06-10T00:00:00Z" });
  const toml = { "content-type": "application/toml" };
  const body = await Deno.readTextFile(example);
  await service.fetch("/admin/v1/sites/la-mancha-1", { method: "PUT", headers: toml, body });
  const [{ id }] = service.services.catalog.projects;
  const ndjson = { "content-type": "application/x-ndjson" };
  const ingest = `/ingest/v1/signals?project_id=${id}`;
  await service.fetch(ingest, { method: "POST", headers: ndjson, body: rows });
  await Deno.writeTextFile(`${folder}/token`, `${service.token}\n`);
  const there = ["--url", "http://localhost/", "--token-file", `${folder}/token`];
  const ask = (...args: string[]) => runWith((it) => service.fetch(it.url, it), ...args, ...there);
  const asked = await ask("rule", "test", example, ...days);
  equal(asked.code, 0, asked.err);
  equal(asked.out, (await run("rule", "test", example, ...days)).out);
  const listed = await ask("rule", "list");
  equal(listed.out, (await run("rule", "list")).out);
  const lines = listed.out.split("\n");
  equal(lines.length, 9);
  match(lines[0], /^SITE +KEY +VERSION +KIND +SEVERITY +TAGS +ORIGIN +NAME$/);
  match(lines[1], /^la-mancha-1 +export-drop +1 +rate_of_change +low +1 +site file +Export drops/);
  const none = await run("rule", "list", "--url", "http://localhost/");
  deepEqual([none.code, /with --token or --token-file/.test(none.err)], [1, true]);
  match((await ask("rule", "list", "--site", "la-mancha")).err, /meant la-mancha-1\?/);
  await service.close();
  await close();
});
