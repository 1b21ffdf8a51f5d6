// Workload W9: events to five receivers, both signatures, settled on disk; then one that hangs.
import { systemEffects } from "../../src/base/effects.ts";
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { Deliveries } from "../../src/engine/webhooks/dispatcher.ts";
import { Outbox } from "../../src/engine/webhooks/outbox.ts";
import { SigningKeys } from "../../src/engine/webhooks/signing.ts";
import { Subscriptions } from "../../src/engine/webhooks/subscription.ts";
import { Database } from "../../src/store/database.ts";
import type { Figure } from "./figure.ts";
import { queryRows } from "../help/query.ts";

const settings = {
  ...{ webhook_allow: "127.0.0.1", webhook_rotation_hours: 24 },
  ...{ port: 0, stop_grace_ms: 0 },
};
const tenants = `
  INSERT INTO organization VALUES ('o', 'o', 'O');
  INSERT INTO project VALUES (1, 'p', 'o', 'p', 'P', NULL, 'UTC')`;

/** W9; the limit is posting the same bodies to the same receivers and nothing else. */
export async function* measureWebhooks(
  { events }: { readonly events: number },
): AsyncGenerator<Figure> {
  const bare = await withReceivers(5, (targets) => postBare(targets, events));
  const healthy = await withReceivers(5, (targets) => deliver(targets, { events }));
  const rate = 5 * events / (healthy / 1000);
  yield {
    workload: "W9",
    what: "webhooks to five receivers, both signatures",
    ...{ value: rate, unit: "/s", target: "≥ 3 000", met: rate >= 3_000 },
    limit: { what: "the same posts alone", value: 5 * events / (bare / 1000) },
  };
  yield await besideDead(5, { dead: 1, events });
  yield await besideDead(50, { dead: 5, events: events / 10 });
}

/** How long those that answer take beside some that hang, and without them. */
async function besideDead(
  receivers: number,
  { dead, events }: { readonly dead: number; readonly events: number },
): Promise<Figure> {
  const alone = await withReceivers(
    receivers - dead,
    (targets) => deliver(targets, { events }),
  );
  const value = await withReceivers(
    receivers,
    (targets) => deliver(targets, { events, hanging: dead }),
  );
  return {
    workload: "W9",
    what: `the others, where ${dead} of ${receivers} receivers hang`,
    ...{ value, unit: "ms", target: "≤ 5 % more than alone", met: value <= 1.05 * alone },
    limit: { what: "without those that hang", value: alone },
  };
}

/** How long the posts alone take, as many at once as delivery has under way. */
async function postBare(targets: readonly string[], events: number): Promise<number> {
  const { post } = systemEffects();
  const body = new TextEncoder().encode(JSON.stringify({ data: issueOf(0) }));
  const { signal } = new AbortController();
  const from = performance.now();
  await Promise.all(targets.flatMap((target) =>
    Array.from({ length: 4 }, async () => {
      for (let i = 0; i < events / 4; i++) {
        const url = new URL(target);
        const refuse = () => undefined;
        await post({ url, headers: {}, body, timeout_ms: 10_000, refuse, signal });
      }
    })
  ));
  return performance.now() - from;
}

/** How long until every event is settled at every receiver that answers. */
async function deliver(
  targets: readonly string[],
  { events, hanging = 0 }: { readonly events: number; readonly hanging?: number },
): Promise<number> {
  const folder = await Deno.makeTempDir();
  const effects = systemEffects();
  const database = await Database.open({ path: `${folder}/w9.duckdb`, effects });
  database.vault.use(new Uint8Array(32));
  await database.write(({ connection }) => connection.script(tenants));
  const catalog = await Catalog.load(database);
  const subscriptions = await Subscriptions.open({ database, catalog, effects, settings });
  const outbox = await Outbox.open({ database, subscriptions, effects });
  const signing = await SigningKeys.open({
    database,
    effects,
    settings: { signing_key_days: 90, signing_key_publish_hours: 24 },
  });
  for (const [i, target] of targets.entries()) {
    const path = i < hanging ? "/hang" : "/";
    const said = { name: "bench", organization: "o", event_types: ["*"] };
    await subscriptions.create({ ...said, target: `${target}${path}` });
  }
  const parts = { database, subscriptions, outbox, signing, effects, settings, version: "bench" };
  const deliveries = await Deliveries.open(parts);
  const stop = new AbortController();
  const { sending, settling } = deliveries;
  const running = Promise.all([sending, settling].map((loop) => loop.run(stop.signal)));
  const from = performance.now();
  const [project] = catalog.projects;
  const batch = Math.min(events, 1_000);
  for (let at = 0; at < events; at += batch) {
    const drafts = Array.from({ length: batch }, (_, i) => (
      {
        type: "issue.updated",
        occurred_at: 0,
        project,
        data: issueOf(at + i),
        origin: null,
      } as const
    ));
    outbox.committed(await database.write((write) => outbox.add(write, drafts)));
  }
  const wanted = (targets.length - hanging) * events;
  while (await countSettled(database) < wanted) await effects.sleep(20);
  const took_ms = performance.now() - from;
  const sent = deliveries.state.attempts.acknowledged;
  if (sent !== wanted) throw new Error(`${sent} attempts for ${wanted} deliveries`);
  stop.abort();
  await Promise.all([running, deliveries.close()]);
  await database.abandon();
  await Deno.remove(folder, { recursive: true });
  return took_ms;
}

async function countSettled(database: Database): Promise<number> {
  const [{ settled }] = await database.read((connection) =>
    queryRows<{ settled: number }>(
      connection,
      "SELECT count(*)::BIGINT AS settled FROM delivery WHERE state = 'acknowledged'",
    )
  );
  return settled;
}

function issueOf(n: number): string {
  return JSON.stringify({ id: `issue-${n}`, name: "Fan", description: "x".repeat(1_000) });
}

/** Runs `work` against receivers in a process of their own; what is sent to /hang waits. */
async function withReceivers<T>(
  receivers: number,
  work: (targets: readonly string[]) => Promise<T>,
): Promise<T> {
  const program = `const ports = Array.from({ length: ${receivers} }, () => Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      await request.bytes();
      if (request.url.endsWith("/hang")) await new Promise(() => {});
      return new Response();
    },
  ).addr.port);
  console.log(ports.join(" ") + " ready");`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", program],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  try {
    let text = "";
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    while (!text.includes("ready")) text += (await lines.read()).value ?? "";
    const ports = text.trim().split(" ").slice(0, receivers);
    return await work(ports.map((port) => `http://127.0.0.1:${port}`));
  } finally {
    child.kill();
    await child.status;
  }
}
