// `query --url`: the views of a service, in any format, and a word on what is wrong.
import { equal, match } from "node:assert/strict";
import { unreachable } from "../../../src/base/assert.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";
import { openQueries } from "../../http/query/query_help.ts";

Deno.test("query asks the views of a service at its address", async () => {
  const service = await openQueries();
  const { effects, printed } = fakeEffects();
  const run = async (...args: string[]) => {
    Object.assign(printed, { out: "", err: "" });
    const request = (request: Request) => service.answer(request);
    const openService = () => unreachable(undefined as never);
    const context = { effects: { ...effects, request }, version: "0", openService };
    return { code: await runCli(["query", ...args], context), ...printed };
  };
  const there = ["--url", "http://localhost", "--token", service.mine];
  const count = "SELECT count(*) AS n FROM signals WHERE resolution = 'raw'";
  equal((await run(...there, count)).out, "n\r\n360\r\n");
  equal((await run(...there, count, "--json")).out, '{"n":360}\n');
  match((await run(...there, count, "--format", "parquet")).out, /^PAR1/);
  const zoned = "SELECT TIMESTAMPTZ '2026-06-01 00:00:00+00'::VARCHAR AS t";
  const { out } = await run(...there, zoned, "--timezone", "Asia/Tokyo", "--project", "p-a");
  equal(out, "t\r\n2026-06-01 09:00:00+09\r\n");
  const wrong = await run(...there, "SELECT * FROM signal");
  equal(wrong.code, 1);
  match(wrong.err, /no view signal; meant signals\?; there are signals, /);
  match((await run(...there, "SELECT valeu FROM signals")).err, /meant value\?/);
  match((await run(...there, count, "--project", "p-b")).err, /403/);
  match((await run(count, "--format", "csv")).err, /--format goes with --url/);
  match((await run("--help")).out, /show tables[^]*--url http:\/\/plant:8480/);
  await service.close();
});
