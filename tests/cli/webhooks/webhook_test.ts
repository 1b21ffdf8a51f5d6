// `webhook` on a data directory that no service holds, and at a running service.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { unreachable } from "../../../src/base/assert.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";
import { testService } from "../../help/service.ts";

const example = new URL("../../../data/example.site.toml", import.meta.url).pathname;
const hook = "https://hooks.example.org/in";

async function opened() {
  const { effects, printed } = fakeEffects();
  const folder = await Deno.makeTempDir();
  const service = await testService();
  const openService = () => unreachable(undefined as never);
  const request = (asked: Request) => service.fetch(asked.url, asked);
  const world = { effects: { ...effects, request }, version: "0", openService };
  return {
    service,
    async run(...args: string[]) {
      Object.assign(printed, { out: "", err: "" });
      const flags = ["--data-dir", `${folder}/data`, "--memory-mb", "256", "--threads", "1"];
      const code = await runCli([...flags, ...args], world);
      return { code, ...printed };
    },
    async close() {
      await service.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const add = ["webhook", "add", "--name", "hook", "--target", hook, "--event", "alarm.*"];

Deno.test("a subscription is declared on the data directory, its secret printed once", async () => {
  const { run, close } = await opened();
  await run("site", "apply", example);
  const made = await run(...add, "issue.created", "--header", "X-Key: hidden", "--timeout", "7");
  equal(made.code, 0, made.err);
  match(made.out, /^whsec_[A-Za-z0-9+/]{43}=\n$/);
  const [, id] = /subscription (\S+);/.exec(made.err)!;
  ok(!made.err.includes(made.out.trim()));
  const shown = await run("webhook", "show", id);
  const { header_names, timeout_s, event_types, is_ordered } = JSON.parse(shown.out);
  deepEqual([header_names, timeout_s, is_ordered], [["X-Key"], 7, false]);
  deepEqual(event_types, ["alarm.*", "issue.created"]);
  ok(!/hidden|whsec/.test(shown.out));
  match((await run("webhook", "list")).out, new RegExp(`^${id}  hook  enabled  alarm\\.\\*,`));
  match((await run("webhook", "test", id)).out, /^event \S+ will be sent\n$/);
  match((await run("webhook", "pause", id)).out, / {2}paused {2}/);
  const refused = await run("webhook", "test", id);
  deepEqual([refused.code, /paused: resume it first/.test(refused.err)], [1, true]);
  const kept = await run("query", "SELECT state, count(*) FROM delivery GROUP BY ALL");
  match(kept.out, /held/);
  match((await run("webhook", "resume", id)).out, / {2}enabled {2}/);
  const rotated = await run("webhook", "rotate", id);
  match(rotated.err, /also signs until 2026-06-02T12:00/);
  match(rotated.out, /^whsec_\S+\n$/);
  ok(rotated.out !== made.out);
  equal((await run("webhook", "remove", id)).out, `subscription ${id} is removed\n`);
  equal((await run("webhook", "list")).out, "");
  equal((await run("webhook", "show", id)).code, 1);
  await close();
});

Deno.test("mistakes are told with what was meant, and nothing is declared", async () => {
  const { run, close } = await opened();
  await run("site", "apply", example);
  const wrong = await run(...add, "alarm.rased", "--timeout", "31", "--header", "Host: hidden");
  equal(wrong.code, 1);
  match(wrong.err, /event_types\[1\]: .*meant alarm\.raised\?/);
  match(wrong.err, /timeout_s: give at most 30/);
  match(wrong.err, /headers\.Host: is the service's own/);
  match((await run(...add, "--timeout", "soon")).err, /timeout_s: give a number/);
  match((await run(...add, "--header", "hidden")).err, /'name: value'/);
  match((await run(...add, "--target", "http://10.1.2.3/")).err, /webhook_allow/);
  ok(!wrong.err.includes("hidden"));
  equal((await run("webhook", "list")).out, "");
  equal((await run("--webhook-allow", "10.1.2.3", ...add, "--target", "http://10.1.2.3/")).code, 0);
  match((await run("--webhook-allow", "10.1.2", "webhook", "list")).err, /addresses or networks/);
  await close();
});

Deno.test("the same is done at a running service", async () => {
  const { run, service, close } = await opened();
  const applied = await service.fetch("/admin/v1/sites/la-mancha-1", {
    method: "PUT",
    headers: { "content-type": "application/toml" },
    body: await Deno.readTextFile(example),
  });
  equal(applied.status, 200, await applied.text());
  const there = ["--url", "http://localhost", "--token", service.token];
  const made = await run(...add, "--organization", "example", ...there);
  equal(made.code, 0, made.err);
  const [subscription] = service.services.subscriptions.list();
  const [{ secret }] = service.services.subscriptions.secretsOf(subscription);
  equal(made.out, `${secret}\n`);
  const { id } = subscription;
  match((await run("webhook", "list", ...there)).out, new RegExp(`^${id}  hook  enabled`));
  equal(JSON.parse((await run("webhook", "show", id, ...there)).out).id, id);
  match((await run("webhook", "test", id, ...there)).out, /^event \S+ will be sent/);
  match((await run("webhook", "pause", id, ...there)).out, / {2}paused {2}/);
  match((await run("webhook", "resume", id, ...there)).out, / {2}enabled {2}/);
  match((await run("webhook", "rotate", id, ...there)).out, /^whsec_/);
  equal((await run("webhook", "remove", id, ...there)).out, `subscription ${id} is removed\n`);
  match((await run("webhook", "show", id, ...there)).err, /answered 404: there is no subscription/);
  await close();
});
