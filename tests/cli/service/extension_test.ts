// `extension`: what a lake needs is taken whole and proved, or refused in words and not kept.
import { deepEqual, equal, match } from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import type { Effects } from "../../../src/base/effects.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";
import { lakeTest } from "../../help/lake.ts";

async function run(args: readonly string[], own: Partial<Effects> = {}) {
  const { effects, printed } = fakeEffects();
  const code = await runCli(args, { effects: { ...effects, ...own }, openService, version });
  return { code, ...printed };
}

Deno.test("an extension that is none, or can't be had, is refused and leaves nothing", async () => {
  const folder = await Deno.makeTempDir();
  const at = ["--data-dir", `${folder}/data`];
  match((await run(["extension", "list", ...at])).out, /^ducklake +is not there .*extensions/m);
  const install = ["extension", "install", ...at];
  match((await run([...install, "ducklak"])).err, /no extension ducklak; meant ducklake/);
  match((await run([...install, "httpfs", "--from", folder])).err, /has no httpfs\.duckdb_exten/);
  await Deno.writeTextFile(`${folder}/httpfs.duckdb_extension`, "no library");
  match((await run([...install, "httpfs", "--from", folder])).err, /another version, or damaged/);
  await Deno.writeFile(`${folder}/ducklake.duckdb_extension.gz`, new Uint8Array([0x1f, 0x8b, 1]));
  match((await run([...install, "ducklake", "--from", folder])).err, /can't be unpacked/);
  const asked: string[] = [];
  const request = ({ url }: Request) => {
    asked.push(url);
    return Promise.resolve(new Response("", { status: 404 }));
  };
  match((await run([...install, "httpfs"], { request })).err, /answers 404: fetch it elsewhere/);
  match(asked[0], /^https:\/\/extensions\.duckdb\.org\/v\d+\.\d+\.\d+\/\w+\/httpfs\.duckdb_ext/);
  match(
    (await run([...install, "httpfs"], { request: () => Promise.reject(new Error("no net")) })).err,
    /can't be reached \(no net\)/,
  );
  deepEqual(await Array.fromAsync(Deno.readDir(`${folder}/data/extensions`)), []);
  await Deno.remove(folder, { recursive: true });
});

lakeTest("extensions are installed from a directory, and doctor knows them", async (from) => {
  const folder = await Deno.makeTempDir();
  const at = ["--data-dir", `${folder}/data`];
  const lake = [...at, "--tier", `ducklake:${folder}/catalog.ducklake`];
  match((await run(["doctor", ...lake])).out, /bad {3}extensions +ducklake is not there/);
  const { code, out } = await run(["extension", "install", ...at, "--from", from]);
  equal(code, 0);
  equal(out.match(/is installed/g)?.length, 3);
  match((await run(["extension", "list", ...at])).out, /^ducklake +good /m);
  match((await run(["doctor", ...lake])).out, /good {2}extensions +ducklake for v/);
  await Deno.remove(folder, { recursive: true });
});
