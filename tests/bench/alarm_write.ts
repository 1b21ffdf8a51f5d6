// Workload L1: ten thousand alarms, or events of known ones, in one request, acknowledged on disk.
import { systemEffects } from "../../src/base/effects.ts";
import { Database } from "../../src/store/database.ts";
import type { Server } from "../help/process.ts";
import { bestMs, type Figure } from "./figure.ts";
import type { World } from "./world.ts";

const rows = 10_000;

/** L1 against a running server over the world with its million events. */
export async function* measureAlarmWrites(server: Server, world: World): AsyncGenerator<Figure> {
  const raw_ms = await rawMs();
  let run = 0;
  for (const listeners of ["", ", told to a subscription"]) {
    if (listeners !== "") await subscribe(server, world);
    for (
      const [what, rowOf] of [
        ["10 000 events of as many known alarms at once", knownEvent],
        ["10 000 new alarms at once", newAlarm],
      ] as const
    ) {
      const value = await bestMs(3, () => send(server, world, bodyOf(rowOf, run++)));
      yield {
        workload: "L1",
        what: what + listeners,
        ...{ value, unit: "ms", target: "≤ 1000 ms", met: value <= 1000 },
        limit: { what: "bare rows appended and committed", value: raw_ms },
      };
    }
  }
}

/** Subscribes to every alarm, and pauses that: what is measured is the taking, not the sending. */
async function subscribe(server: Server, world: World): Promise<void> {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${server.address}/admin/v1/subscriptions${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.ok) return await answer.json();
    throw new Error(await answer.text());
  };
  const place = { organization: "o", target: "https://hooks.invalid/" };
  const { id } = await post("", { name: "bench", event_types: ["alarm.*"], ...place });
  await post(`/${id}/pause`, {});
}

type RowOf = (n: number, run: number) => object;

function knownEvent(n: number, run: number): object {
  return {
    occurrence_id: `alarm-${String(25 * (n + 1)).padStart(12, "0")}`,
    event_id: `more-${run}`,
    type: "commented",
    kind: "operator",
    created_at: new Date(1_770_000_000_000 + n).toISOString(),
    body: "Seen from the control room",
  };
}

function newAlarm(n: number, run: number): object {
  // Each run has an hour of its own, as alarms come.
  const raised_at = new Date(1_770_000_000_000 + 3_600_000 * run + n).toISOString();
  return {
    occurrence_id: `flood-${run}-${n}`,
    source: "scada:s0",
    rule_name: "Over-temperature",
    kind: "threshold",
    severity: "high",
    status: "open",
    resolution_policy: "auto",
    ...{ raised_at, updated_at: raised_at, source_ts: raised_at, raised_value: 91.5 },
    source_tag: `D${n % 500 + 1}.active_power`,
    params: { operator: ">", threshold: 90 },
  };
}

function bodyOf(rowOf: RowOf, run: number): string {
  return Array.from({ length: rows }, (_, n) => JSON.stringify(rowOf(n, run))).join("\n");
}

async function send(server: Server, world: World, body: string): Promise<void> {
  const answer = await fetch(`${server.address}/ingest/v1/alarms?project_id=p0`, {
    method: "POST",
    headers: { "authorization": `Bearer ${world.token}`, "content-type": "application/x-ndjson" },
    body,
  });
  const text = await answer.text();
  if (!answer.ok || JSON.parse(text).accepted !== rows) throw new Error(text);
}

/** Rows like an event's in a table of their own, without anything that is known of an alarm. */
async function rawMs(): Promise<number> {
  const path = `${await Deno.makeTempDir()}/raw.duckdb`;
  const database = await Database.open({ path, effects: systemEffects() });
  const insert = "INSERT INTO occurrence_event (feed_no, synced_at, project_no, site_no, " +
    "occurrence_no, event_id, type, kind, created_at, body) " +
    "SELECT n, 0, 1, 1, n, 'e' || n, 'raised', 'source', n, 'Seen from the control room' " +
    `FROM range(${rows}) AS r(n)`;
  const ms = await bestMs(3, () => database.write(({ connection }) => connection.script(insert)));
  await database.close();
  return ms;
}
