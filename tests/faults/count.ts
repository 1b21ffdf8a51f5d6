// Counts by the API what a client was promised: nothing lost, nothing twice, nothing unsent.
import type { Server } from "../help/process.ts";
import { type Answer, type Client, plain_refusals } from "./client.ts";
import { makeWish, sampleName, type Wish } from "./wish.ts";

/** How the client looks. */
export type Look = {
  /** From when on all samples must be there; older ones may be gone, and the answer says so. */
  readonly kept_from_ms?: number;
};

/** An answer that did not come or refused: what can't be read is no silence. */
export class Unread extends Error {}

/** Every promise that is broken, in words. */
export async function countAll(
  server: Server,
  client: Client,
  { kept_from_ms = -Infinity }: Look = {},
): Promise<readonly string[]> {
  const [samples, alarms, issues] = await Promise.all([
    readSamples(server, client),
    readAlarms(server, client),
    readIssues(server, client),
  ]);
  const found = { samples: samples.names, alarm: alarms.raised, issue: issues };
  const isGone = (name: string) => Number(name.split(" ")[1]) < samples.from_ms;
  return [
    ...samples.from_ms > kept_from_ms ? [`samples are gone until ${samples.from_ms}`] : [],
    ...Object.entries(found).flatMap(([kind, names]) =>
      compare(kind, names, { client, isGone: kind === "samples" ? isGone : () => false })
    ),
    ...twice(alarms.events).map((event) => `the event ${event} stands twice`),
    ...await comparePhotos(server, client),
  ];
}

/** What is there against what was sent: all that was acknowledged once, the rest once at most. */
function compare(
  kind: string,
  found: readonly string[],
  { client, isGone }: { readonly client: Client; readonly isGone: (name: string) => boolean },
): readonly string[] {
  const there = new Set(found);
  const sent = new Set<string>();
  const lost: string[] = [];
  for (const [n, { is_acknowledged }] of client.ledger.sent) {
    const wish = makeWish(n, client.ledger);
    if (wish.kind !== kind) continue;
    for (const name of wish.names) {
      sent.add(name);
      if (is_acknowledged && !there.has(name) && !isGone(name)) lost.push(name);
    }
  }
  return [
    ...told(`${kind} lost`, lost),
    ...told(`${kind} twice`, twice(found)),
    ...told(`${kind} never sent`, found.filter((name) => !sent.has(name))),
  ];
}

function told(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.length}, such as ${names[0]}`];
}

function twice(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name).size);
}

/** All that are kept, and from when on. */
async function readSamples(
  server: Server,
  client: Client,
  from_ms = -Infinity,
): Promise<{ readonly names: readonly string[]; readonly from_ms: number }> {
  const from = new Date(Math.max(from_ms, client.ledger.from_ms)).toISOString();
  const query = new URLSearchParams({
    ...{ from, to: "2100-01-01T00:00:00Z", lane: "raw_signal", resolution: "raw" },
    ...{ columns: "sensor_tag,ts,value", format: "json" },
  });
  type Row = { readonly sensor_tag: string; readonly ts: string; readonly value: number };
  const path = `/platform/v1/signals?${query}`;
  const answer = await client.ask(server, path);
  if (answer?.status === 410) {
    const gone_ms = Date.parse(JSON.parse(answer.text).available_from);
    if (gone_ms > from_ms) return await readSamples(server, client, gone_ms);
  }
  const rows = parsed<readonly Row[]>(path, answer);
  return { names: rows.map((row) => sampleName(row.sensor_tag, row.ts, row.value)), from_ms };
}

async function readAlarms(server: Server, client: Client) {
  const path = "/platform/v1/alarms/events?limit=10000&updated_since=2020-01-01T00:00:00Z";
  type Event = Readonly<Record<"occurrence_id" | "event_id" | "type", string>>;
  const events = await read<readonly Event[]>(server, client, path);
  return {
    events: events.map(({ occurrence_id, event_id }) => `${occurrence_id} ${event_id}`),
    raised: events.filter(({ type }) => type === "raised").map(({ occurrence_id }) =>
      occurrence_id
    ),
  };
}

async function readIssues(server: Server, client: Client): Promise<readonly string[]> {
  const path = "/platform/v1/issues?limit=1000&format=json";
  const issues = await read<readonly { readonly name: string }[]>(server, client, path);
  return issues.map(({ name }) => name);
}

async function comparePhotos(server: Server, client: Client): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [n, { id, photo_id }] of client.ledger.sent) {
    if (photo_id === undefined) continue;
    const { photo } = makeWish(n, client.ledger) as Required<Wish>;
    const path = `/platform/v1/issues/${id}/photos/${photo_id}`;
    const answer = await client.ask(server, path);
    if (answer === undefined || plain_refusals.has(answer.status)) throw new Unread(path);
    const expected = new TextDecoder().decode(photo);
    if (answer.text !== expected) wrong.push(`the photo of ${n} is gone or not the same`);
  }
  return wrong;
}

async function read<T>(server: Server, client: Client, path: string): Promise<T> {
  return parsed<T>(path, await client.ask(server, path));
}

function parsed<T>(path: string, answer: Answer): T {
  if (answer?.status === 200) return JSON.parse(answer.text);
  if (answer && !plain_refusals.has(answer.status)) {
    throw new Error(`${path} was answered ${answer.status}: ${answer.text}`);
  }
  throw new Unread(`${path}: ${answer?.text ?? "no answer"}`);
}

/** What the honest receiver was not told, or was told wrongly. */
export async function undelivered(server: Server, client: Client): Promise<readonly string[]> {
  const path = "/admin/v1/deliveries?type=issue.created&limit=1000";
  type Listed = { readonly deliveries: readonly Readonly<Record<"event_id" | "state", string>>[] };
  const { deliveries } = await read<Listed>(server, client, path);
  const told = deliveries.filter(({ event_id, state }) =>
    state === "acknowledged" && !client.hook.arrived.has(event_id)
  );
  const missing = [...client.ledger.sent.values()]
    .filter(({ id, is_acknowledged }) => id && is_acknowledged && !client.hook.knowsIssue(id));
  return [
    ...told.map(({ event_id }) => `the event ${event_id} is acknowledged and never came`),
    ...missing.map(({ id }) => `nobody was told of the issue ${id}`),
    ...client.hook.wrong.splice(0),
  ];
}
