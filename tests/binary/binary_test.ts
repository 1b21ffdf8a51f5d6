// The compiled program, where one can be made: it starts, ingests, answers, and keeps its data.
import { equal, match, ok, rejects } from "node:assert/strict";
import { tableFromIPC } from "apache-arrow";
import { compile } from "../../package/compile.ts";
import { version } from "../../src/app.ts";
import { declareProject, rows_per_request, send } from "../help/client.ts";
import { type Program, runProgram, startServer } from "../help/process.ts";

/** What fits through a plant's uplink in a quarter of an hour, at 2 Mbit/s. */
const most_bytes = 200e6;

/** The compiled program in `folder`; undefined, and said so, where there is no runtime for it. */
async function compiled(folder: string): Promise<Program | undefined> {
  const command = `${folder}/wattkeeper`;
  const said = await compile(command);
  if (said === undefined) return { command, args: [] };
  ok(!Deno.env.has("DENORT_BIN"), said);
  // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
  console.log(`SKIPPED: no runtime to compile with (set COMPILE_DENO and DENORT_BIN): ${said}`);
}

Deno.test("a compiled program starts, ingests, answers in Arrow and keeps its data", async () => {
  const folder = await Deno.makeTempDir();
  const program = await compiled(folder);
  if (program === undefined) return;
  const { size } = await Deno.stat(program.command);
  ok(size < most_bytes, `${size} bytes`);

  const old = `${folder}/.wattkeeper/0123456789abcdef`;
  await Deno.mkdir(old, { recursive: true });
  equal((await runProgram(["--version"], { program })).out, `${version}\n`);
  await rejects(Deno.stat(old), Deno.errors.NotFound);
  const demo = await runProgram(["demo", "--once", "--days", "1"], { program });
  equal(demo.code, 0, demo.err);

  const data_dir = `${folder}/data`;
  const first = await startServer(data_dir, { program });
  const client = await declareProject(first);
  ok(await send(first, client, 1));
  equal(await first.end("SIGTERM"), 0);

  const second = await startServer(data_dir, { program });
  equal(second.token, undefined);
  const query = `project_id=${client.project_id}&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`;
  const answer = await fetch(`${second.address}/platform/v1/signals?${query}&resolution=raw`, {
    headers: { authorization: `Bearer ${client.token}` },
  });
  match(answer.headers.get("content-type")!, /arrow/);
  equal(tableFromIPC(new Uint8Array(await answer.arrayBuffer())).numRows, rows_per_request);
  match(await (await fetch(`${second.address}/docs/alarms`)).text(), /<h2 id="life">Life<\/h2>/);
  equal(await second.end("SIGTERM"), 0);
  await Deno.remove(folder, { recursive: true });
});
