// `key` on a data directory that no service holds, and at a service.
import { deepEqual, equal, match } from "node:assert/strict";
import { unreachable } from "../../../src/base/assert.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";
import { testService } from "../../help/service.ts";

Deno.test("keys are listed and rotated here and at a service", async () => {
  const { effects, printed } = fakeEffects();
  const folder = await Deno.makeTempDir();
  const service = await testService();
  const there = { ...effects, request: (it: Request) => service.fetch(it.url, it) };
  const run = async (...args: string[]) => {
    Object.assign(printed, { out: "", err: "" });
    const flags = ["--data-dir", `${folder}/data`, "--memory-mb", "256", "--threads", "1"];
    const openService = () => unreachable(undefined as never);
    const code = await runCli([...flags, ...args], { effects: there, version: "0", openService });
    return { code, ...printed };
  };
  match((await run("key", "list")).err, /there are no data in \S+data/);
  equal((await run("token", "create", "--name", "x", "--scope", "read")).code, 0);
  const at = ["--url", "http://localhost", "--token", service.token];
  for (const place of [[], at]) {
    const line =
      /^\S{43} {2}signing {2}published 2026-06-01T12\S+ {2}signs from 2026-06-01T12\S+\n$/;
    match((await run("key", "list", ...place)).out, line);
    const rotated = await run("key", "rotate", ...place);
    deepEqual([rotated.code, rotated.err], [0, ""]);
    match(rotated.out, /\n\S{43} {2}next {2}published \S+ {2}signs from 2026-06-02T12/);
    equal((await run("key", "list", ...place)).out, rotated.out);
    const again = await run("key", "rotate", ...place);
    equal(again.code, 1);
    match(again.err, /the next key is published already/);
  }
  await service.close();
  await Deno.remove(folder, { recursive: true });
});
