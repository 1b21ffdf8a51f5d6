// The client for Python: its own tests against a running service, and its types.
import { ok } from "node:assert/strict";
import { withClientPlant } from "../help/client_plant.ts";

const folder = new URL("../../clients/python/", import.meta.url).pathname;
const python = Deno.env.get("PYTHON") ?? "python3";

/** What Python says; undefined, and a word, where it or one of the modules is not there. */
async function run(
  modules: readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const start = async (more: readonly string[]) => {
    const own = { PYTHONPATH: `${folder}src`, PYTHONDONTWRITEBYTECODE: "1", ...env };
    const command = new Deno.Command(python, { args: [...more], cwd: folder, env: own });
    const { success, stdout, stderr } = await command.output();
    return { success, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  };
  const isThere = await start(["-c", `import ${modules.join(", ")}`])
    .then(({ success }) => success, () => false);
  if (!isThere) {
    // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
    console.log(`SKIPPED: needs ${python} (or PYTHON=…) with ${modules.join(", ")}`);
    return undefined;
  }
  const { success, said } = await start(args);
  ok(success, said);
  return said;
}

Deno.test("the client for Python reads, sends, acts and reads on from a running service", () =>
  withClientPlant(async ({ url, token }) => {
    const modules = ["httpx", "pyarrow", "pandas", "polars"];
    const env = { WATTKEEPER_URL: url, WATTKEEPER_TOKEN: token };
    await run(modules, ["-m", "unittest", "discover", "-s", "tests"], env);
  }));

Deno.test("the client for Python is typed", async () => {
  await run(["mypy", "httpx"], ["-m", "mypy", "--cache-dir", "/dev/null", "src"]);
});
