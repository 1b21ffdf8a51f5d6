// A real server, killed at any moment while samples trip a rule: each alarm once, each event once.
import { deepEqual, equal, ok } from "node:assert/strict";
import { runProgram, type Server, startServer } from "../../help/process.ts";

const tags = ["a", "b", "c", "d"];
const begin_ms = Date.now() - 86_400_000;
const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 0, longitude: 0 },
  tags: tags.map((name) => ({ name, encoding: "float" })),
  rules: tags.map((tag) => ({
    ...{ key: tag, name: `${tag} too high`, tag, severity: "high" },
    ...{ kind: "threshold", operator: ">", threshold: 90, on_delay_s: 10 },
  })),
};

/** Every excursion is two requests: in the first one values are too high, in the other fine. */
function rowsOf(tag: string, n: number): string {
  return [0, 10, 20].map((second) => {
    const ts = new Date(begin_ms + (n * 60 + second) * 1000).toISOString();
    return JSON.stringify({ tag, ts, value: n % 2 === 0 ? 95 + second : 50 });
  }).join("\n");
}

/** When the alarm of an excursion is raised and cleared. */
function alarmOf(excursion: number): { raised_at: number; cleared_at: number } {
  const high_ms = begin_ms + excursion * 120_000;
  return { raised_at: (high_ms + 10_000) * 1000, cleared_at: (high_ms + 60_000) * 1000 };
}

/** The server of the moment, asked with its first token; an answer is undefined once it is dead. */
class Asker {
  server!: Server;
  token = "";
  project_id = "";

  async json<T>(path: string, init: RequestInit = {}): Promise<T | undefined> {
    try {
      const headers = { authorization: `Bearer ${this.token}`, ...init.headers };
      const answer = await fetch(`${this.server.address}${path}`, { ...init, headers });
      return answer.ok ? await answer.json() : undefined;
    } catch {
      return undefined;
    }
  }

  async declare(): Promise<void> {
    this.token = this.server.token!;
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(site);
    ok(await this.json("/admin/v1/sites/s", { method: "PUT", headers, body }));
    type Listed = { projects: [{ project_id: string }] };
    const listed = await this.json<Listed>("/platform/v1/meta/projects");
    this.project_id = listed!.projects[0].project_id;
  }

  /** Whether the samples were acknowledged. */
  async send(tag: string, n: number): Promise<boolean> {
    const answer = await this.json(`/ingest/v1/signals?project_id=${this.project_id}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: rowsOf(tag, n),
    });
    return answer !== undefined;
  }
}

type FeedEvent = Record<
  "synced_at" | "svc_occurrence_ref" | "event_id" | "occurrence_id" | "type",
  string
>;

/** Reads the feed page by page, each from where the last one ended, whatever server it is. */
class FeedReader {
  readonly events: FeedEvent[] = [];
  readonly #asker: Asker;
  readonly #limit: number;

  constructor(asker: Asker, limit: number) {
    this.#asker = asker;
    this.#limit = limit;
  }

  /** Gives whether there was a whole page. */
  async page(): Promise<boolean> {
    const last = this.events.at(-1);
    const query = new URLSearchParams({
      project_id: this.#asker.project_id,
      limit: String(this.#limit),
      updated_since: last?.synced_at ?? "2020-01-01T00:00:00Z",
      ...(last ? { after: last.svc_occurrence_ref, after_event_id: last.event_id } : {}),
    });
    const page = await this.#asker.json<FeedEvent[]>(`/platform/v1/alarms/events?${query}`);
    this.events.push(...page ?? []);
    return page?.length === this.#limit;
  }
}

/** Writes and reads until the server is killed, in the middle of it, after `acks` requests. */
async function runUntilKilled(
  asker: Asker,
  { reader, sent, acks }: { reader: FeedReader; sent: Map<string, number>; acks: number },
): Promise<void> {
  let killed: Promise<number> | undefined;
  let acknowledged = 0;
  const write = async (tag: string) => {
    while (!killed) {
      const n = sent.get(tag)!;
      if (!await asker.send(tag, n)) continue;
      sent.set(tag, n + 1);
      if (++acknowledged >= acks) killed ??= asker.server.end("SIGKILL");
    }
  };
  const read = async () => {
    while (!killed) await reader.page();
  };
  await Promise.all([...tags.map(write), read()]);
  await killed;
}

async function query<Row>(data_dir: string, sql: string): Promise<Row[]> {
  const { code, out, err } = await runProgram(["query", sql, "--json", "--data-dir", data_dir]);
  equal(code, 0, err);
  return out.trim().split("\n").map((line) => JSON.parse(line));
}

Deno.test("kill -9 between condition and storage: each alarm once, each event once", async () => {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const asker = new Asker();
  const reader = new FeedReader(asker, 7);
  const sent = new Map(tags.map((tag) => [tag, 0]));
  for (const acks of [5, 31, 78]) {
    asker.server = await startServer(data_dir);
    if (asker.token === "") await asker.declare();
    await runUntilKilled(asker, { reader, sent, acks });
  }
  asker.server = await startServer(data_dir);
  for (const tag of tags) {
    // What was not acknowledged is sent again, and the last excursion comes to its end.
    let n = sent.get(tag)!;
    do ok(await asker.send(tag, n)); while (++n % 2 === 1);
    sent.set(tag, n);
  }
  while (await reader.page());
  const whole = new FeedReader(asker, 10_000);
  await whole.page();
  equal(await asker.server.end("SIGTERM"), 0);

  const keyOf = ({ occurrence_id, event_id }: FeedEvent) => `${occurrence_id} ${event_id}`;
  deepEqual(reader.events.map(keyOf), whole.events.map(keyOf));
  equal(new Set(whole.events.map(keyOf)).size, whole.events.length);
  const rows = await query<{ source_tag: string; raised_at: string; cleared_at: string }>(
    data_dir,
    "SELECT source_tag, raised_at, cleared_at FROM occurrence ORDER BY source_tag, raised_at",
  );
  const found = rows.map((row) => ({
    ...row,
    raised_at: Number(row.raised_at),
    cleared_at: Number(row.cleared_at),
  }));
  const wanted = tags.flatMap((source_tag) =>
    Array.from({ length: sent.get(source_tag)! / 2 }, (_, i) => ({ source_tag, ...alarmOf(i) }))
  );
  deepEqual(found, wanted);
  equal(whole.events.length, 2 * wanted.length);
});
