// `webhook redeliver` on a data directory that no service holds, and what it asks of a service.
import { deepEqual, equal, match } from "node:assert/strict";
import { unreachable } from "../../../src/base/assert.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { stampPath } from "../../../src/store/folder.ts";
import { first_mark } from "../../../src/store/loss_check.ts";
import { fakeEffects } from "../../help/effects.ts";
import { openWebhooks, wanted } from "../../help/webhook.ts";

async function opened() {
  const folder = await Deno.makeTempDir();
  await Deno.mkdir(`${folder}/data`);
  await Deno.writeTextFile(stampPath(`${folder}/data`), first_mark);
  // The key that the helper seals with.
  await Deno.writeTextFile(`${folder}/data/wattkeeper.key`, `wattkeeper-key-1:${"A".repeat(43)}\n`);
  const path = `${folder}/data/wattkeeper.duckdb`;
  const asked: Request[] = [];
  const { effects, printed } = fakeEffects();
  const request = (it: Request) => {
    asked.push(it);
    return Promise.resolve(Response.json({ events: 3, deliveries: 2 }, { status: 202 }));
  };
  const openService = () => unreachable(undefined as never);
  const world = { effects: { ...effects, request }, version: "0", openService };
  return {
    ...{ path, asked },
    async run(...args: string[]) {
      Object.assign(printed, { out: "", err: "" });
      const flags = ["--data-dir", `${folder}/data`, "--memory-mb", "256", "--threads", "1"];
      const code = await runCli([...flags, "webhook", "redeliver", ...args], world);
      return { code, ...printed };
    },
    close: () => Deno.remove(folder, { recursive: true }),
  };
}

Deno.test("events of the data directory are put on their way again", async () => {
  const { path, run, close } = await opened();
  const before = await openWebhooks({ path });
  const { subscription: { id } } = await before.subscriptions.create(wanted());
  await before.tell(before.draft({ id: "evt_1" }), before.draft({ id: "evt_2" }));
  await before.database.close();
  equal((await run("evt_1")).out, "events found: 1, deliveries made: 0\n");
  const settled = await openWebhooks({ path });
  await settled.database.write((it) =>
    it.connection.script("UPDATE delivery SET state = 'acknowledged', settled_at = created_at")
  );
  await settled.database.close();
  equal((await run("evt_1")).out, "events found: 1, deliveries made: 1\n");
  const span = ["--from", "2026-06-01T00:00:00Z", "--to", "2026-06-02T00:00:00Z"];
  const all = await run("--subscription", id, ...span);
  deepEqual(all, { code: 0, out: "events found: 2, deliveries made: 1\n", err: "" });
  const after = await openWebhooks({ path });
  const stored = await after.rows("SELECT state FROM delivery ORDER BY delivery_no");
  const states = stored.map(({ state }) => state);
  deepEqual(states, ["acknowledged", "acknowledged", "pending", "pending"]);
  await after.database.close();
  match((await run("evt_9")).err, /there is no event "evt_9"/);
  match((await run("--from", "now", "--to", "then")).err, /from: .*\n.*to: /);
  match((await run("--subscription", "none", ...span)).err, /there is no subscription/);
  await close();
});

Deno.test("a running service is asked to tell of events again", async () => {
  const { asked, run, close } = await opened();
  const there = ["--url", "http://plant:8480", "--token", "wk_x"];
  const { out } = await run("evt_1", "--subscription", "sub", ...there);
  equal(out, "events found: 3, deliveries made: 2\n");
  const [{ url, method }] = asked;
  deepEqual([method, new URL(url).pathname], ["POST", "/admin/v1/deliveries/replay"]);
  deepEqual(await asked[0].json(), { event_id: "evt_1", subscription_id: "sub" });
  await close();
});
