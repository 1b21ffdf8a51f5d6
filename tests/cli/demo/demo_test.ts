// `demo --once`: a plant from nothing, asked over real HTTP, and taken up again.
import assert from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import { systemEffects } from "../../../src/base/effects.ts";
import { runCli } from "../../../src/cli/cli.ts";

/** Runs a command line in the real world, its output kept. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: "", err: "" };
  const effects = {
    ...systemEffects(),
    env: () => ({}),
    out: (text: string) => void (printed.out += text),
    err: (text: string) => void (printed.err += text),
    columns: () => 0,
  };
  const small = ["--memory-mb", "256", "--threads", "1"];
  const code = await runCli([...small, ...args], { effects, version, openService });
  return { code, ...printed };
}

Deno.test("demo: fills a directory, answers, and goes on where it was", async () => {
  const data_dir = await Deno.makeTempDir();
  try {
    const flags = ["--data-dir", data_dir, "--port", "0", "demo", "--once", "--days", "1"];
    const first = await run(...flags);
    assert.equal(first.code, 0, first.out + first.err);
    assert.equal(first.out.match(/^ok /gm)?.length, 11);
    assert.match(first.err, /Simulating the plant 100 %/);
    const story = await Deno.readTextFile(`${data_dir}/demo.json`);
    const second = await run(...flags, "--seed", "9");
    assert.equal(second.code, 0, second.out + second.err);
    assert.equal(await Deno.readTextFile(`${data_dir}/demo.json`), story);
  } finally {
    await Deno.remove(data_dir, { recursive: true });
  }
});

Deno.test("demo: another plant's directory is refused, wrong numbers are wrong usage", async () => {
  const data_dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${data_dir}/wattkeeper.duckdb`, "something");
    const { code, err } = await run("--data-dir", data_dir, "demo", "--once");
    assert.equal(code, 1);
    assert.match(err, /holds another plant's data/);
    assert.equal((await run("demo", "--days", "0")).code, 2);
    assert.equal((await run("demo", "--seed", "x")).code, 2);
  } finally {
    await Deno.remove(data_dir, { recursive: true });
  }
});
