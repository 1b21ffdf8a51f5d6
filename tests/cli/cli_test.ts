// The command line: help, versions, wrong usage, configuration, files of one's own.
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { runCli } from "../../src/cli/cli.ts";
import { openService, version } from "../../src/app.ts";
import type { Effects } from "../../src/base/effects.ts";
import { backupTime, Folder } from "../../src/store/folder.ts";
import { openDatabase } from "../../src/store/open.ts";
import { fakeEffects } from "../help/effects.ts";
import { from_source } from "../help/process.ts";

async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { at, ...own }: Partial<Effects> & { readonly at?: string } = {},
) {
  const { effects, printed } = fakeEffects(at);
  const world = { effects: { ...effects, env: () => env, ...own }, openService, version };
  const code = await runCli(args, world);
  return { code, ...printed };
}

Deno.test("--version and --help end well and name every setting", async () => {
  equal((await run(["--version"])).out, `${version}\n`);
  const { code, out } = await run(["--help"]);
  equal(code, 0);
  for (const word of ["serve", "demo", "site", "token", "import", "--data-dir", "--port", "75"]) {
    match(out, new RegExp(word));
  }
});

Deno.test("help before words is that of the command they name, or lists all", async () => {
  const listed = (out: string) => out.split("\nCommands:\n")[1]?.match(/^ {2}\w+/gm)?.length ?? 0;
  const all = listed((await run(["--help"])).out);
  ok(all > 20);
  for (const line of ["--help x serve", "-h x", "--data-dir d --help", "--port=1 -h x"]) {
    equal(listed((await run(line.split(" "))).out), all, line);
  }
  for (
    const line of [
      "--help serve",
      "--help serve x",
      "--data-dir d -h serve",
      "-h serve -- x",
      "help serve",
    ]
  ) {
    match((await run(line.split(" "))).out, /^Usage: wattkeeper serve/, line);
  }
  match((await run(["--help", "site", "apply"])).out, /^Usage: wattkeeper site apply/);
});

Deno.test("wrong usage ends with 2 and a suggestion", async () => {
  const { code, err } = await run(["srve"]);
  equal(code, 2);
  match(err, /unknown command 'srve'[^]*Did you mean serve\?/);
  equal((await run(["serve", "--prot", "1"])).code, 2);
});

Deno.test("a full disk is told as that, not as a mistake of the program", async () => {
  const { effects, printed } = fakeEffects();
  const full = new Error("FATAL Error: Failed to create checkpoint: No space left on device");
  const world = { effects, openService: () => Promise.reject(full), version };
  equal(await runCli(["serve", "--port", "0"], world), 1);
  equal(printed.err, "wattkeeper: the disk is full\n");
});

Deno.test("a command whose output nobody reads any more ends without a word", async () => {
  const { command, args } = from_source;
  const ends = ["config show", "site schema"].map(async (words) => {
    const options = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
    const child = new Deno.Command(command, { args: [...args, ...words.split(" ")], ...options })
      .spawn();
    await child.stdout.cancel();
    return [await new Response(child.stderr).text(), (await child.status).code];
  });
  deepEqual(await Promise.all(ends), [["", 141], ["", 141]]);
});

Deno.test("a service that can't be asked is a sentence", async () => {
  const asked = async (...flags: string[]) => await run(["token", "list", ...flags]);
  for (
    const [url, token, flaw] of [
      ["plant:8480", "x", /--url: plant:8480 is no address such as http:/],
      ["http://plant", "a\nb", /--token has no token, or more than one/],
      ["http://plant", "x", /http:\/\/plant does not answer: a test has no network/],
    ] as const
  ) {
    const { code, err } = await asked("--url", url, "--token", token);
    equal(code, 1);
    match(err, flaw);
  }
});

Deno.test("a certificate that is not trusted, and a backup that is not there, say so", async () => {
  const reason = "client error (Connect): invalid peer certificate: Other(OtherError(";
  const refused = () => Promise.reject(new TypeError(`${reason}CaUsedAsEndEntity))`));
  const flags = ["--url", "https://plant", "--token", "x"];
  const { err } = await run(["doctor", ...flags], {}, { request: refused });
  match(err, /CaUsedAsEndEntity.*basicConstraints=critical,CA:FALSE.*DENO_CERT/);
  const path = await Deno.makeTempDir();
  match(
    (await run(["backup", "verify", `${path}/no/x.tar`])).err,
    /there is no backup at \S+x\.tar/,
  );
  await Deno.writeTextFile(`${path}/bad.tar`, "x");
  await Deno.mkdir(`${path}/empty`);
  for (const data_dir of ["empty", "none"]) {
    const flags = ["--data-dir", `${path}/${data_dir}`];
    match((await run(["restore", `${path}/bad.tar`, ...flags])).err, /damaged/);
  }
  deepEqual(Array.from(Deno.readDirSync(path), ({ name }) => name).sort(), ["bad.tar", "empty"]);
  deepEqual([...Deno.readDirSync(`${path}/empty`)], []);
});

Deno.test("the table of commands has every command and subcommand", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/install.md", import.meta.url));
  const cells = page.split("\n## Commands\n")[1].match(/^\| `.*?\|/gm)!;
  const commandsOf = async (...above: string[]) => {
    const [, list = ""] = (await run([...above, "--help"])).out.split("\nCommands:\n");
    return Array.from(list.split("\n\n")[0].matchAll(/^ {2}([a-z]+)/gm), ([, name]) => name)
      .filter((name) => !["help", "complete"].includes(name));
  };
  const commands = await commandsOf();
  ok(commands.length > 15);
  for (const command of commands) {
    const rows = cells.filter((cell) => new RegExp(`\`${command}\\b`).test(cell)).join();
    ok(rows, command);
    const subcommands = command === "completion" ? [] : await commandsOf(command);
    for (const name of subcommands) {
      ok(new RegExp(`\`(${command} )?${name}\\b`).test(rows), `${command} ${name}`);
    }
  }
});

Deno.test("config show prints each setting and where it comes from", async () => {
  const env = { WATTKEEPER_HOST: "0.0.0.0", HOME: "/root" };
  const { out } = await run(["config", "show", "--origin", "--port", "1"], env);
  match(out, /^port = 1 +# flag --port$/m);
  match(out, /^host = "0\.0\.0\.0" +# variable WATTKEEPER_HOST$/m);
  match(out, /^log_level = "info" +# default$/m);
  const secret = await run(["config", "show"], { WATTKEEPER_OIDC_CLIENT_SECRET: "quiet" });
  match(secret.out, /^oidc_client_secret = …$/m);
  const of_clients = { WATTKEEPER_URL: "http://plant:8480", WATTKEEPER_TOKEN: "wk_of_a_client" };
  const beside = await run(["config", "show"], of_clients);
  equal(beside.code, 0);
  ok(!beside.out.includes("wk_of_a_client"));
});

Deno.test("config check names the file, the place and the nearest name", async () => {
  const file = `${await Deno.makeTempDir()}/w.toml`;
  await Deno.writeTextFile(file, "prot = 1\n");
  const wrong = await run(["config", "check", "--config", file]);
  equal(wrong.code, 1);
  match(wrong.err, /w\.toml: prot: there is no such setting; meant port\?/);
  await Deno.writeTextFile(file, "port = \n");
  match((await run(["config", "check", "--config", file])).err, /w\.toml:1:\d+: /);
  match((await run(["config", "check", "--config", "/nowhere.toml"])).err, /there is no file/);
});

Deno.test("init writes what config check and site apply take, and overwrites nothing", async () => {
  const folder = await Deno.makeTempDir();
  equal((await run(["init", folder])).code, 0);
  equal((await run(["config", "check", "--config", `${folder}/wattkeeper.toml`])).code, 0);
  const apply = ["site", "apply", `${folder}/site.toml`, "--data-dir", `${folder}/data`];
  equal((await run(apply)).code, 0);
  match((await run(["init", folder])).err, /exists already/);
});

Deno.test("the site file that its page begins with is whole", async () => {
  const folder = await Deno.makeTempDir();
  const page = await Deno.readTextFile(new URL("../../docs/site.md", import.meta.url));
  const [, toml = ""] = /```toml\n([^]*?)```/.exec(page) ?? [];
  await Deno.writeTextFile(`${folder}/site.toml`, toml);
  const apply = ["site", "apply", `${folder}/site.toml`, "--data-dir", `${folder}/data`];
  const { code, err } = await run(apply);
  deepEqual([code, err], [0, ""]);
});

Deno.test("init says what to do next, for the place where it wrote", async () => {
  const folder = `${await Deno.makeTempDir()}/my plant`;
  const { out } = await run(["init", folder]);
  deepEqual(out.split("\n").map((line) => line.trim()).slice(2, 6), [
    `cd '${folder}'`,
    "wattkeeper site apply site.toml --dry-run # shows what it would change",
    "wattkeeper site apply site.toml",
    "wattkeeper serve",
  ]);
  doesNotMatch(await Deno.readTextFile(`${folder}/site.toml`), /data\//);
});

Deno.test("backup and restore carry everything; neither overwrites anything", async () => {
  const folder = await Deno.makeTempDir();
  const [a, b] = ["a", "b"].map((name) => ["--data-dir", `${folder}/${name}`]);
  await run(["init", folder]);
  await run(["site", "apply", `${folder}/site.toml`, ...a]);
  const hook = ["--name", "h", "--target", "https://hooks.example", "--event", "*"];
  deepEqual(await run(["webhook", "list", ...a]).then(({ out, err }) => [out, err]), [
    "",
    "no subscriptions yet\n",
  ]);
  await run(["webhook", "add", ...hook, "--header", "x-key: 1", ...a]);
  const backup = await run(["backup", `${folder}/copy`, ...a], {}, { at: "2026-06-01T12:00:00Z" });
  match(backup.out, /tables, \d+ rows, verified/);
  equal(await backupTime(`${folder}/a`), Date.parse("2026-06-01T12:00:00Z"));
  match((await run(["backup", `${folder}/copy`, ...a])).err, /exists already/);
  const restored = await run(["restore", `${folder}/copy`, ...b]);
  equal(restored.code, 0);
  match(restored.err, /its secrets need the key [0-9a-f]{16}: put that key's file at .*\/b\//);
  match(
    (await run(["restore", `${folder}/copy`, ...b])).err,
    /wattkeeper.duckdb is there already: move it away/,
  );
  const locked = /the secrets in the database need the key [0-9a-f]{16}, .*key is missing/;
  match((await run(["serve", "--port", "0", ...b])).err, locked);
  match((await run(["doctor", ...b])).out, locked);
  const reset = await run(["key", "reset", ...b]);
  match(reset.out, /^whsec_.{44}\n$/);
  match(reset.err, /subscription .* \(h\) is paused/);
  match((await run(["webhook", "list", ...b])).out, / h {2}paused /);
  match((await run(["key", "reset", ...b])).err, /is the right key/);
  match(
    (await run(["doctor", ...b])).out,
    /good {2}database +opens, 1 project, .* key [0-9a-f]{16}/,
  );
});

Deno.test("doctor tells of a clock that is far behind what is stored", async () => {
  const folder = await Deno.makeTempDir();
  const own = ["--data-dir", `${folder}/data`];
  await run(["init", folder]);
  const apply = ["site", "apply", `${folder}/site.toml`, ...own];
  equal((await run(apply, {}, { at: "2026-06-01T12:00:00Z" })).code, 0);
  match((await run(["doctor", ...own], {}, { at: "2026-06-01T11:59:01Z" })).out, /good {2}stamps/);
  const { code, out } = await run(["doctor", ...own], {}, { at: "2026-05-31T12:00:00Z" });
  equal(code, 1);
  match(out, /bad {3}stamps +time stamps are 86400 s ahead of the clock: set the clock if/);
});

Deno.test("doctor names the first of the files of old days that are missing", async () => {
  const path = `${await Deno.makeTempDir()}/data`;
  const folder = await Folder.open(path);
  const { database, guard } = await openDatabase(folder, {
    ...{ effects: fakeEffects().effects, memory_mb: 256, threads: 1, on_loss: "refuse" },
    ...{ key_path: `${path}/wattkeeper.key`, far_path: `${path}/tiers` },
  });
  await database.write(({ connection }) =>
    connection.script(`
      INSERT INTO tier_day (day, file, state, rows, bytes, sha256, last_received_at)
      SELECT n, 'day-' || n, 'moved', 1, 1, '', 0 FROM range(1, 6) t(n)`)
  );
  await guard.keep();
  await database.close();
  folder.close();
  const { out } = await run(["doctor", "--data-dir", path]);
  match(
    out,
    /5 more in missing .*: day-1 is missing, .*, day-3 is missing and 2 more in \S+tiers;/,
  );
  const lake = ["--tier", "ducklake:postgres:host=127.0.0.1 port=1 dbname=lake"];
  const away = await run(["doctor", "--data-dir", path, ...lake]);
  match(away.out, /bad {3}tiers +0 days in a lake, 5 more that it does not give: .*let its cata/);
});

Deno.test("a query that is no SELECT is refused with a sentence", async () => {
  const folder = await Deno.makeTempDir();
  const { code, err } = await run(["query", "DROP TABLE meta", "--data-dir", folder]);
  equal(code, 1);
  match(err, /^wattkeeper: /);
});
