// On a node, no command works on a database beside those of its shards.
import { equal, match } from "node:assert/strict";
import { runCli } from "../../../src/cli/cli.ts";
import { exit_codes } from "../../../src/cli/frame/exit.ts";
import { fakeEffects } from "../../help/effects.ts";

/** How a command ends at a node with this directory, and what it says. */
async function run(words: string, data_dir: string) {
  const { effects, printed } = fakeEffects();
  const args = [...words.split(" "), "--fleet-node", "a", "--data-dir", data_dir];
  const code = await runCli(args, {
    ...{ effects: { ...effects, env: () => ({}) }, version: "1" },
    openService: () => Promise.reject(new Error("no service is asked for")),
  });
  return { code, ...printed };
}

/** What a command says that fails there. */
async function said(words: string, data_dir: string): Promise<string> {
  const { code, err } = await run(words, data_dir);
  equal(code === exit_codes.ok, false);
  return err;
}

Deno.test("doctor finds nothing bad in a node's directory: its shards have their own", async () => {
  const data_dir = await Deno.makeTempDir();
  await Deno.mkdir(`${data_dir}/shard-001`);
  const { out } = await run("doctor", data_dir);
  match(out, /good {2}database +each shard of this node has its own: `wattkeeper fleet status`/);
  match(out, /skip {2}tiers/);
  await Deno.remove(data_dir, { recursive: true });
});

Deno.test("what was left in the directory of a node is not taken for the fleet's", async () => {
  const data_dir = await Deno.makeTempDir();
  await Deno.mkdir(`${data_dir}/shard-001`);
  match(await said("restore backup.tar", data_dir), /node a of a fleet: give a shard's directory/);
  await Deno.writeTextFile(`${data_dir}/wattkeeper.duckdb`, "left");
  match(
    await said("token create --name x --scope read", data_dir),
    /node a of a fleet: ask a node with --url/,
  );
  match(await said("token list", `${data_dir}/shard-001`), /node a of a fleet: ask a node/);
  await Deno.remove(data_dir, { recursive: true });
});
