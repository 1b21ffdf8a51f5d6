// The client for Python: its own tests against a running service, and its types.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { makeSdist, makeWheel } from "../../package/wheel.ts";
import { guideOf, withClientPlant } from "../help/client_plant.ts";

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

Deno.test("its wheel is installed by pip, and its source archive is whole", async () => {
  const dist = await Deno.makeTempDir();
  const made = { folder: dist, version: "1.2.3", dated_s: 1_780_000_000 };
  const wheel = await makeWheel(made);
  const bytes = await Deno.readFile(wheel);
  await makeWheel(made);
  deepEqual(await Deno.readFile(wheel), bytes, "the same sources make the same file");
  const sdist = await makeSdist(made);
  const listed = await new Deno.Command("tar", { args: ["-tzf", sdist] }).output();
  match(
    new TextDecoder().decode(listed.stdout),
    /wattkeeper-1\.2\.3\/src\/wattkeeper\/_client\.py/,
  );
  const install = ["-m", "pip", "install", "--no-index", "--no-deps", "--target", `${dist}/site`];
  if (await run(["pip"], [...install, wheel]) === undefined) return;
  const words = "import wattkeeper, importlib.metadata as m; print(m.version('wattkeeper'))";
  const said = await run(["httpx", "pyarrow"], ["-c", words], { PYTHONPATH: `${dist}/site` });
  if (said !== undefined) equal(said, "1.2.3\n");
});

Deno.test("what the page about clients shows in Python runs as it stands", () =>
  withClientPlant(async ({ url, token }) => {
    const place = await Deno.makeTempDir();
    await Deno.writeTextFile(
      `${place}/samples.csv`,
      "tag,ts,value\ncsv.1,2026-06-01 10:00:00,1.5\n",
    );
    const hot = "wk.ingest(pl.DataFrame({'tag': ['inv1.t'], 'ts': [noon], 'value': [95.0]}), " +
      "project='plant')\n";
    const guide = (await guideOf("python")).replace(/^cursor = /m, `${hot}cursor = `) +
      "print([it['status'] for it in wk.alarms(project='plant')])\n";
    await Deno.writeTextFile(`${place}/guide.py`, guide);
    const env = { WATTKEEPER_URL: url, WATTKEEPER_TOKEN: token };
    const words = "import os, runpy, sys; os.chdir(sys.argv[1]); runpy.run_path('guide.py')";
    const said = await run(["httpx", "pyarrow", "pandas", "polars"], ["-c", words, place], env);
    if (said !== undefined) match(said, /accepted=1[^]*363 samples[^]* raised [^]*\[.resolved.\]/);
  }));

Deno.test("the client for Python is typed", async () => {
  await run(["mypy", "httpx"], ["-m", "mypy", "--cache-dir", "/dev/null", "src"]);
});
