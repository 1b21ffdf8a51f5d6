// Commands on a data directory that a running service holds: they find it and ask it.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { type Settings, settings_table } from "../../../src/model/setting.ts";
import { backupTime } from "../../../src/store/folder.ts";
import { fakeEffects } from "../../help/effects.ts";

const example = new URL("../../../data/example.site.toml", import.meta.url).pathname;
const defaults = Object.entries(settings_table)
  .map(([name, setting]) => [name, "default" in setting ? setting.default : 1]);

/** A service on a directory of its own, and command lines beside it that reach it. */
async function opened(more: Partial<Settings> = {}) {
  const path = await Deno.makeTempDir();
  const { effects: world, clock, printed } = fakeEffects();
  const data_dir = `${path}/data`;
  const own = { data_dir, memory_mb: 512, log_level: "error", ...more } as const;
  const settings = { ...Object.fromEntries(defaults), ...own } as Settings;
  let service = await openService(settings, world, { on_loss: "refuse" });
  const effects = { ...world, request: (request: Request) => service.fetch(request) };
  service.announce("http://here.test");
  await until(() => exists(`${data_dir}/wattkeeper.door`));
  const run = async (...args: string[]) => {
    Object.assign(printed, { out: "", err: "" });
    const flags = ["--data-dir", data_dir, "--memory-mb", "512", "--threads", "1"];
    const code = await runCli([...flags, ...args], { effects, version, openService });
    return { code, ...printed };
  };
  const ask = async (path: string, { method = "GET", token = "" } = {}) => {
    const { url, token: own } = JSON.parse(await Deno.readTextFile(`${data_dir}/wattkeeper.door`));
    const headers = { authorization: `Bearer ${token || own}` };
    return await service.fetch(new Request(`${url}${path}`, { method, headers }));
  };
  const reopen = async () => {
    await service.close();
    service = await openService(settings, world, { on_loss: "refuse" });
  };
  return { path, data_dir, clock, run, ask, reopen, service: () => service };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo()) await new Promise<void>((resolve) => queueMicrotask(resolve));
}

function exists(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}

type Ask = Awaited<ReturnType<typeof opened>>["ask"];
type Listed = { readonly name: string; readonly state: string; readonly reason: string };

async function listOf(ask: Ask): Promise<readonly Listed[]> {
  return (await (await ask("/admin/v1/backups")).json()).backups;
}

/** The names of the backups, once there are so many and none is being made. */
async function finishedOf(ask: Ask, count: number): Promise<string[]> {
  for (;;) {
    const found = await listOf(ask);
    const is_done = found.every(({ state }) => state === "done");
    if (found.length === count && is_done) return found.map(({ name }) => name);
  }
}

Deno.test("every command works beside the service that holds the directory", async () => {
  const { data_dir, run, service, clock } = await opened();
  equal((await Deno.stat(`${data_dir}/wattkeeper.door`)).mode! & 0o777, 0o600);
  match((await run("site", "apply", example, "--dry-run")).out, /to make, none made/);
  const applied = await run("site", "apply", example);
  deepEqual([applied.code, applied.err], [0, ""]);
  const [, site] = /site (\S+): \d+ changes made/.exec(applied.out)!;
  equal(JSON.parse((await run("site", "show", site)).out).site.key, site);
  match((await run("site", "show", "other")).err, /there is no site other/);

  const person = ["--email", "a@b.test", "--first-name", "Anna", "--last-name", "Ruiz"];
  const added = await run("user", "add", ...person, "--organization", "example");
  const id = added.out.trim();
  match((await run("user", "allow", id, "--scope", "read")).out, /Anna Ruiz {2}active {2}read\n/);
  match((await run("user", "list")).out, /a@b\.test/);
  match((await run("user", "link", "a@b.test")).out, /^http.*#link=/);
  const made = await run("token", "create", "--name", "phone", "--scope", "read", "--user", id);
  match(made.out, /^wk_\w+\n$/);
  const token_id = /token (\S+); its text/.exec(made.err)![1];
  match((await run("token", "list")).out, /phone {2}read .* no expiry {2}never used {2}user /);
  equal((await run("token", "revoke", token_id)).out, `token ${token_id} is revoked\n`);
  match((await run("token", "list")).out, /phone {2}read .* revoked 2026-06-01T12:00:00/);
  match((await run("user", "disable", id)).out, /is disabled/);
  match((await run("user", "list")).out, /Ruiz {2}disabled 2026-06-01T12:00:00/);
  equal((await run("session", "list")).code, 0);
  match((await run("rule", "list")).out, /SITE +KEY/);
  match((await run("key", "list")).out, /signs from/);
  equal((await run("webhook", "list")).code, 0);
  equal((await run("retention")).out, "about 0.0 MiB to free\n");

  const healthy = await run("doctor");
  equal(healthy.code, 0, healthy.out);
  await Deno.chmod(`${data_dir}/wattkeeper.stamp`, 0o640);
  const loose = await run("doctor");
  equal(loose.code, 1);
  match(loose.out, /bad {3}modes +others may reach \S+stamp: chmod go= \S+stamp\n/);
  await Deno.chmod(`${data_dir}/wattkeeper.stamp`, 0o600);
  match(healthy.out, /good {2}database +a service runs and answers/);
  match(healthy.out, /good {2}tiers +0 days in files/);
  await service().parts.database.write(({ connection }) =>
    connection.script(`
      INSERT INTO tier_day (day, file, state, rows, bytes, sha256, last_received_at)
      SELECT n, 'day-' || n, 'moved', 1, 1, '', 0 FROM range(1, 6) t(n)`)
  );
  clock.advance(2000);
  const broken = /bad {3}tiers .* 5 more in .*: day-1 is missing, .*day-3 .* 2 more in \S+tiers;/;
  match((await run("doctor")).out, broken);
  await service().close();
  equal(await exists(`${data_dir}/wattkeeper.door`), false);
});

Deno.test("a query on a running service reads its tables, and nothing else", async () => {
  const { run, service } = await opened();
  equal((await run("query", "SELECT key FROM project UNION ALL SELECT 'x'")).out, "key\r\nx\r\n");
  equal(
    (await run("query", "WITH a AS (SELECT 2 AS n) SELECT n FROM a", "--json")).out,
    '{"n":2}\n',
  );
  equal((await run("query", "FROM range(2) r(i)")).out, "i\r\n0\r\n1\r\n");
  match((await run("query", "SHOW TABLES")).out, /^name\r\n.*\bsample\r\n/s);
  match((await run("query", "SHOW project")).out, /^column_name,/);
  equal((await run("query", values)).code, 0, "harmless functions are found");
  for (
    const [sql, reason] of [
      ["DROP TABLE meta", /give one SELECT/],
      ["SELECT 1; SELECT 2", /give one SELECT/],
      ["selec", /syntax error/],
      ["FROM projct", /no table projct; meant project\?; SHOW TABLES lists them/],
      ['SHOW "token"', /token holds secrets/],
      [
        "FROM duckdb_databases, (WITH duckdb_databases AS (SELECT 1) SELECT 1)",
        /duckdb_databases is a name of the database's own/,
      ],
      ["SELECT current_setting('temp_directory')", /current_setting can't be used here/],
      ["SELECT main.write_log('x')", /write_log can't be used here/],
      ["SELECT json_serialize_plan('FROM x')", /json_serialize_plan can't be used here/],
      [`SELECT ${"[".repeat(101)}${"]".repeat(101)}`, /more than 100 brackets/],
      ["FROM '/etc/passwd'", /there is no table \/etc\/passwd/],
      ["FROM read_text('/etc/passwd')", /read_text can't be used here/],
      ["FROM wattkeeper.sample", /name the table alone: sample/],
      ["SELECT (FROM query('SELECT 1'))", /query can't be used here/],
      ["SUMMARIZE main.Token", /token holds secrets/],
      ["WITH token AS (SELECT 1) FROM token", /token holds secrets/],
      [`SELECT (WITH "a.csv" AS (SELECT 1) SELECT 1), * FROM 'a.csv'`, /no table a\.csv/],
      ["SELECT nothing FROM meta", /nothing/],
      ["SELECT repeat('x', 1000000) FROM range(20)", /longer than 16 MiB/],
    ] as const
  ) {
    const { code, err } = await run("query", sql);
    equal(code, 1, sql);
    match(err, reason);
  }
  await service().close();
});

/** What the parser makes of it are functions, too. */
const values = `WITH day AS (SELECT 1 AS n)
  SELECT [x + 1 FOR x IN [1, 2] IF x > 1][1:2], {'a': 1}.a, MAP {'a': 1}, 'a' NOT ILIKE 'b%',
    -n || '((', now() AT TIME ZONE 'UTC', EXTRACT(year FROM now()), INTERVAL 3 days,
    '{}'::JSON ->> 'a', nullif(n, 2), sum(n) OVER (), random()
  FROM day`;

Deno.test("a backup is streamed from the running service, proved and restored", async () => {
  const { path, data_dir, run, ask, service } = await opened();
  await run("site", "apply", example);
  const file = `${path}/plant.tar`;
  const backup = await run("backup", file);
  equal(backup.code, 0, backup.err);
  match(backup.out, /holds \d+ tables, \d+ rows, verified/);
  equal(await backupTime(data_dir), Date.parse("2026-06-01T12:00:00Z"));
  match((await run("backup", file)).err, /exists already/);
  match(
    (await run("backup", `${path}/no/x.tar`)).err,
    /no\/x\.tar can't be written: there is no such/,
  );
  match((await run("backup", "verify", file)).out, /can be restored: \d+ tables/);
  deepEqual(Array.from(Deno.readDirSync(path), ({ name }) => name).sort(), ["data", "plant.tar"]);

  const restored = await run("restore", file, "--data-dir", `${path}/other`);
  equal(restored.code, 0, restored.err);
  match((await run("site", "show", "la-mancha-1", "--data-dir", `${path}/other`)).out, /la-mancha/);

  using out = await Deno.open(file, { read: true, write: true });
  await out.seek(100_000, Deno.SeekMode.Start);
  await out.write(new Uint8Array([1, 2, 3]));
  const refused = await run("restore", file, "--data-dir", `${path}/third`);
  match(refused.err, /plant\.tar: the backup is damaged \(a member's digest\): use another one/);
  equal(await exists(`${path}/third`), false);
  const reader = (await run("token", "create", "--name", "r", "--scope", "manage")).out.trim();
  equal((await ask("/admin/v1/backups", { token: reader })).status, 403);
  await service().close();
});

Deno.test("backups are made when asked and by the clock, and so many are kept", async () => {
  const { data_dir, clock, run, ask, service } = await opened({
    ...{ backup_every: "1d", backup_keep: 2 },
  });
  const { backups } = service().parts;
  const finished = (count: number) => finishedOf(ask, count);
  await Deno.mkdir(`${data_dir}/backups`);
  await Deno.writeTextFile(`${data_dir}/backups/asked-20260531T120000Z.tar.new`, "of a crash");
  const post = () => ask("/admin/v1/backups", { method: "POST" });
  const answers = await Promise.all([post(), post()]);
  deepEqual(answers.map(({ status }) => status).sort(), [202, 409]);
  const begun = await answers.find(({ status }) => status === 202)!.json();
  equal(begun.name, "asked-20260601T120000Z.tar");
  deepEqual(await finished(1), [begun.name]);
  const left = Array.from(Deno.readDirSync(`${data_dir}/backups`), ({ name }) => name);
  deepEqual(left, [begun.name], "what a crash left is removed");
  match(
    (await run("backup", "verify", `${data_dir}/backups/${begun.name}`)).out,
    /can be restored/,
  );

  const turns = async (hours: number) => {
    for (let i = 0; i < hours; i++) {
      clock.advance(3_600_000);
      backups.loop.wake();
      await ask("/admin/v1/backups");
    }
  };
  await turns(25);
  const [, first] = await finished(2);
  match(first, /^scheduled-20260602T/);
  clock.step(-400 * 86_400_000);
  await turns(1);
  match(
    (await finished(3))[0],
    /^scheduled-2025/,
    "a clock that is set back hides none that is due",
  );
  clock.step(400 * 86_400_000);
  await turns(1);
  const names = await finished(3);
  ok(names.includes(begun.name) && names.includes(first), `${names}`);
  clock.step(-86_400_000);
  await turns(1);
  const later = await finished(3);
  ok(!later.includes(names[1]), "one of the future goes before those that are known to be older");
  const [oldest] = later.filter((name: string) => name !== begun.name);
  const first_path = `/admin/v1/backups/${oldest}`;
  equal((await ask(first_path, { method: "DELETE" })).status, 200);
  equal((await ask(first_path, { method: "DELETE" })).status, 404);
  equal((await ask("/admin/v1/backups/..%2Fwattkeeper.duckdb", { method: "DELETE" })).status, 404);
  await service().close();
});

Deno.test("a backup that fails is told: in the list, the gauge and by doctor", async () => {
  const { path, run, ask, service } = await opened({ backup_dir: "/proc/no-such-folder" });
  await ask("/admin/v1/backups", { method: "POST" });
  const list = () => listOf(ask);
  await until(async () => (await list())[0].state === "failed");
  const [{ name, reason }] = await list();
  match(reason, /No such file|can't|denied/i);
  const { code, out } = await run("doctor");
  equal(code, 1);
  match(out, /bad {3}backup +none was made yet: the last one failed/);
  equal((await ask(`/admin/v1/backups/${name}`, { method: "DELETE" })).status, 200);
  deepEqual(await list(), []);
  await service().close();
  await Deno.remove(path, { recursive: true });
});
