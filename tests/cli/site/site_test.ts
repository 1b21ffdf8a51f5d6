// `site` and `token` on a data directory that no service holds.
import assert from "node:assert/strict";
import { unreachable } from "../../../src/base/assert.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { Folder } from "../../../src/store/folder.ts";
import { fakeEffects } from "../../help/effects.ts";

const example = new URL("../../../data/example.site.toml", import.meta.url).pathname;

/** Runs commands on one new data directory. */
async function opened() {
  const { effects, printed } = fakeEffects();
  const folder = await Deno.makeTempDir();
  const openService = () => unreachable(undefined as never);
  return {
    folder,
    async run(...args: string[]) {
      Object.assign(printed, { out: "", err: "" });
      const flags = ["--data-dir", `${folder}/data`, "--memory-mb", "256", "--threads", "1"];
      const code = await runCli([...flags, ...args], { effects, version: "0", openService });
      return { code, ...printed };
    },
    close: () => Deno.remove(folder, { recursive: true }),
  };
}

Deno.test("site apply tells its changes, makes them, then has none", async () => {
  const { run, folder, close } = await opened();
  const dry = await run("site", "apply", example, "--dry-run");
  assert.equal(dry.code, 0, dry.err);
  assert.match(dry.out, /^\+ organization example\n/);
  assert.match(dry.out, /\+ sensor inv1.p_ac_kw > INV1 energy\n/);
  assert.match(dry.out, /site la-mancha-1: 40 changes to make, none made\n$/);
  assert.match((await run("site", "apply", example)).out, /: 40 changes made\n$/);
  assert.equal((await run("site", "apply", example)).out, "site la-mancha-1: 0 changes made\n");
  const shown = await run("site", "show", "la-mancha-1");
  await Deno.writeTextFile(`${folder}/site.json`, shown.out);
  const again = await run("site", "apply", `${folder}/site.json`);
  assert.equal(again.out, "site la-mancha-1: 0 changes made\n");
  assert.equal((await run("site", "show", "unknown")).code, 1);
  await close();
});

Deno.test("site apply names the place of each flaw and of an unreadable file", async () => {
  const { run, folder, close } = await opened();
  const path = `${folder}/bad.toml`;
  const text = await Deno.readTextFile(example);
  await Deno.writeTextFile(path, text.replace('measure = "poa_front"', 'measure = "poa_fornt"'));
  const flawed = await run("site", "apply", path);
  assert.equal(flawed.code, 1);
  assert.match(flawed.err, /\[8\]\.measure: there is no such name as "\w+"; meant poa_front/);
  await Deno.writeTextFile(path, "version = = 1");
  assert.match((await run("site", "apply", path)).err, /line 1, column/);
  assert.match((await run("site", "apply", `${folder}/none.toml`)).err, /there is no file/);
  await close();
});

Deno.test("site schema prints the schema for editors", async () => {
  const { run, close } = await opened();
  assert.equal(JSON.parse((await run("site", "schema")).out).title, "Wattkeeper site file");
  await close();
});

Deno.test("token create prints the text once; list and revoke go by id", async () => {
  const { run, close } = await opened();
  await run("site", "apply", example);
  const made = await run(
    ...["token", "create", "--name", "grafana", "--scope", "read", "ingest"],
    ...["--project", "la-mancha", "--expires", "2027-01-01T00:00:00Z"],
  );
  assert.equal(made.code, 0, made.err);
  assert.match(made.out, /^wk_[0-9A-Za-z]{43}\n$/);
  assert.match(made.err, /administrator's token, shown only now: wk_[0-9A-Za-z]{43}\n/);
  const [, id] = /token ([0-9a-f-]{36});/.exec(made.err) ?? [];
  const listed = await run("token", "list");
  assert.equal(listed.err, "");
  assert.match(listed.out, /grafana +read,ingest +projects [0-9a-f-]{36} +expires 2027-01-01T/);
  assert.match(listed.out, /first administrator +admin +everything +no expiry +never used/);
  assert.equal(listed.out.includes("wk_"), false);
  assert.equal((await run("token", "revoke", id)).code, 0);
  assert.match((await run("token", "list")).out, /grafana .* revoked 2026-06-01T12:00:00/);
  assert.equal((await run("token", "revoke", "unknown")).code, 1);
  assert.match((await run("token", "create", "--name", "x", "--scope", "reed")).err, /scopes\[0\]/);
  await close();
});

Deno.test("while a service holds the data directory, site and token say so", async () => {
  const { run, folder, close } = await opened();
  const held = await Folder.open(`${folder}/data`);
  for (const args of [["site", "apply", example], ["token", "list"]]) {
    const { code, err } = await run(...args);
    assert.equal(code, 1);
    assert.match(err, /in use by process \d+/);
  }
  held.close();
  await close();
});
