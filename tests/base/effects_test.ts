// The real world: what is written to standard error is there in its order, to the program's end.
import { deepEqual, equal } from "node:assert/strict";
import { run_source } from "../help/process.ts";

const effects_file = new URL("../../src/base/effects.ts", import.meta.url);

Deno.test("lines that may wait come before what does not, and before the end", async () => {
  const program = `
    import { systemEffects } from "${effects_file}";
    const effects = systemEffects();
    effects.log("1\\n");
    effects.log("2\\n");
    effects.err("3\\n");
    effects.log("4\\n");
    await new Promise((resolve) => setTimeout(resolve));
    effects.log("5\\n");
    Deno.exit(0);`;
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...run_source, `data:text/typescript,${encodeURIComponent(program)}`],
  }).output();
  equal(new TextDecoder().decode(stderr), "1\n2\n3\n4\n5\n");
});

Deno.test("a program goes on where its standard error takes nothing", async () => {
  const program = `
    import { systemEffects } from "${effects_file}";
    const effects = systemEffects();
    effects.log("1\\n");
    await new Promise((resolve) => setTimeout(resolve));
    effects.err("2\\n");
    effects.log("3\\n");
    effects.out("here\\n");
    Deno.exit(3);`;
  const url = `data:text/typescript,${encodeURIComponent(program)}`;
  const run = [Deno.execPath(), ...run_source, url].map((part) => `'${part}'`);
  const { code, stdout } = await new Deno.Command("sh", {
    args: ["-c", `${run.join(" ")} 2>/dev/full`],
  }).output();
  deepEqual([code, new TextDecoder().decode(stdout)], [3, "here\n"]);
});
