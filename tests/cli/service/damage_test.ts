// Whatever file is damaged, a command names it and what helps; it is never the program's mistake.
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";
import { makeLog } from "../../help/torn_log.ts";

async function run(args: readonly string[]) {
  const { effects, printed } = fakeEffects();
  const code = await runCli(args, { effects, openService, version });
  return { code, said: printed.out + printed.err };
}

type Damage = (path: string) => Promise<void>;

const garbage: Damage = (path) => Deno.writeFile(path, new Uint8Array(60_000).fill(7));
const half: Damage = async (path) => Deno.truncate(path, (await Deno.stat(path)).size >> 1);
const empty: Damage = (path) => Deno.truncate(path);
const directory: Damage = async (path) => {
  await Deno.remove(path);
  await Deno.mkdir(path);
};
const flipped = (at: number): Damage => async (path) => {
  const bytes = await Deno.readFile(path);
  bytes[at] ^= 1;
  await Deno.writeFile(path, bytes);
};

const damages: Readonly<Record<string, readonly Damage[]>> = {
  "wattkeeper.duckdb": [garbage, half, empty, directory, flipped(9), flipped(4200)],
  "wattkeeper.duckdb.wal": [garbage, half, empty, directory, flipped(3), flipped(40)],
  "wattkeeper.stamp": [garbage, half, empty, directory, flipped(5)],
  "wattkeeper.lock": [directory],
};

Deno.test("each damaged file is named by each command, with what helps", async () => {
  const { folder } = await makeLog(3000);
  folder.close();
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const commands = [["serve", "--port", "0"], ["doctor"], ["verify"], ["backup", `${data_dir}.db`]];
  for (const [name, ways] of Object.entries(damages)) {
    for (const damage of ways) {
      await Deno.mkdir(data_dir);
      for (const file of Object.keys(damages)) {
        await Deno.copyFile(`${folder.path}/${file}`, `${data_dir}/${file}`);
      }
      await damage(`${data_dir}/${name}`);
      for (const command of commands) {
        const { code, said } = await run([...command, "--data-dir", data_dir]);
        equal(code, 1, `${command[0]} with ${name}: ${said}`);
        ok(said.includes(`${data_dir}/${name}`), said);
        match(said, /restore a backup|move it away/i);
        doesNotMatch(said, /error in the program/);
        if (command[0] === "doctor") {
          equal(said.match(/ not looked at: see database\n/g)?.length, 3);
        }
      }
      await Deno.remove(data_dir, { recursive: true });
    }
  }
});

Deno.test("a file of one's own that can't be read is named", async () => {
  const folder = await Deno.makeTempDir();
  const rubbish = `${folder}/rubbish.toml`;
  await Deno.writeFile(rubbish, Uint8Array.from({ length: 999 }, (_, i) => (i * 181 + 7) & 255));
  await Deno.writeTextFile(`${folder}/plain`, "");
  const wrong = [rubbish, folder, `${folder}/none.toml`, `${folder}/plain/below.toml`];
  const at = ["--data-dir", `${folder}/data`];
  for (const path of wrong) {
    for (const args of [["config", "check", "--config", path], ["site", "apply", path, ...at]]) {
      const { code, said } = await run(args);
      equal(code, 1, said);
      ok(said.includes(path), said);
    }
  }
  for (const args of [["init", `${folder}/plain`], ["restore", `${folder}/plain/b`, ...at]]) {
    const { code, said } = await run(args);
    equal(code, 1, said);
    match(said, /^wattkeeper: .*plain/);
  }
  deepEqual((await run(["doctor", "--data-dir", `${folder}/plain/data`])).code, 1);
});
