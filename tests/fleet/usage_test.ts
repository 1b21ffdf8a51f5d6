// What scripts say of how they are run, without the fleet or the time that they would need.
import { equal, match } from "node:assert/strict";
import { run_source } from "../help/process.ts";

const fleet = ["absent", "deploy", "main", "portfolio", "simulate", "upgrade", "volume"];
const scripts = [...fleet.map((name) => `fleet/${name}`), "bench/bounds", "bench/intake"];

async function run(script: string, given: string) {
  const path = new URL(`../${script}.ts`, import.meta.url).pathname;
  const args = [...run_source, path, given];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out, err };
}

Deno.test("each of these scripts tells its usage, and refuses what is not so", async () => {
  for (const script of scripts) {
    const help = await run(script, "--help");
    equal(help.code, 0, script);
    match(help.out, /^deno (run -A tests\/(fleet|bench)\/\w+\.ts|task fleet)( \[|\n)/);
    const wrong = await run(script, "-x");
    equal(wrong.code, 2, `${script}: ${wrong.err}`);
    match(wrong.err, /^that can't be understood: -x\ndeno /);
  }
});
