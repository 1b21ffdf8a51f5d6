// `model run` on a data directory that no service holds.
import assert from "node:assert/strict";
import { unreachable } from "../../../src/base/assert.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";

const example = new URL("../../../data/example.site.toml", import.meta.url).pathname;

/** Two days of weather and power at noon, and a way to run commands on the directory. */
async function opened() {
  const { effects, printed } = fakeEffects("2026-06-10T00:00:00Z");
  const folder = await Deno.makeTempDir();
  const openService = () => unreachable(undefined as never);
  const run = async (...args: string[]) => {
    Object.assign(printed, { out: "", err: "" });
    const flags = ["--data-dir", `${folder}/data`, "--memory-mb", "256", "--threads", "1"];
    const code = await runCli([...flags, ...args], { effects, version: "0", openService });
    return { code, ...printed };
  };
  const values = { "met1.poa": 800, "met1.air_c": 25, "met1.wind": 3, "inv1.p_ac_kw": 200 };
  const rows = ["2026-06-01", "2026-06-02"].flatMap((day) =>
    Object.entries(values).map(([tag, value]) =>
      JSON.stringify({ tag, ts: `${day}T12:00:00Z`, value })
    )
  );
  await Deno.writeTextFile(`${folder}/rows.ndjson`, rows.join("\n"));
  assert.equal((await run("site", "apply", example)).code, 0);
  const imported = await run("import", `${folder}/rows.ndjson`, "--project", "la-mancha");
  assert.equal(imported.code, 0, imported.err);
  return { run, close: () => Deno.remove(folder, { recursive: true }) };
}

Deno.test("model run works days out anew and tells what changed", async () => {
  const { run, close } = await opened();
  const days = ["--from", "2026-06-01", "--to", "2026-06-02"];
  const first = await run("model", "run", ...days, "--site", "la-mancha-1");
  assert.equal(first.code, 0, first.err);
  assert.match(
    first.out,
    /^2026-06-01 to 2026-06-02: 0 readings changed, [1-9]\d* rows computed, /,
  );
  assert.match((await run("verify")).out, /, 0 rows differ\n$/);
  await close();
});

Deno.test("model run refuses days and sites that are none, by their names", async () => {
  const { run, close } = await opened();
  for (
    const [args, told] of [
      [
        ["--from", "2026-02-30", "--to", "x"],
        /--from: give a day .* 2026-02-30, which .*\n {2}--to: .* x\n/,
      ],
      [["--from", "2026-06-02", "--to", "2026-06-01"], /--to: give a day that is not before/],
      [
        ["--from", "2026-06-01", "--to", "2026-06-01", "--site", "la-mancha"],
        /meant la-mancha-1\?/,
      ],
    ] as const
  ) {
    const { code, err } = await run("model", "run", ...args);
    assert.equal(code, 1);
    assert.match(err, told);
  }
  assert.equal((await run("model", "run", "--from", "2026-06-01")).code, 2);
  await close();
});
