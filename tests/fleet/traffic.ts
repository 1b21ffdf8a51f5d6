// Who sends to a project and who follows it, at nodes by chance, and what each of them knows.
import { equal } from "node:assert/strict";
import type { Dice } from "../../src/base/random.ts";
import { type FleetWorld, pause } from "./fleet_world.ts";

const rows_per_request = 20;
const begin_ms = Date.UTC(2026, 0, 1);
const ask_ms = 25_000;

type Listed = { readonly ts: string; readonly received_at: string; readonly sensor_tag: string };

/** One project, whose requests are numbered, and each of whose rows has a time of its own. */
export class Traffic {
  readonly key: string;
  /** Its shard. */
  shard = -1;
  /** Numbers of the requests that were acknowledged, in their order. */
  readonly acknowledged: number[] = [];
  /** Attempts that failed, and were made again. */
  failed = 0;
  /** Ids of alarms that were acknowledged. */
  readonly alarms: string[] = [];
  /** How often the follower saw the row of a time. */
  readonly followed = new Map<number, number>();
  readonly #world: FleetWorld;
  readonly #token: string;
  readonly #dice: Dice;
  #asked = 0;
  #slowest_ms = 0;
  /** Why an attempt failed last. */
  #refusal = "";
  #next = 0;
  #is_over = false;
  #last: Listed | undefined;
  #running: readonly Promise<void>[] = [];

  constructor(
    world: FleetWorld,
    { key, token, dice }: { readonly key: string; readonly token: string; readonly dice: Dice },
  ) {
    [this.#world, this.#token, this.key, this.#dice] = [world, token, key, dice];
  }

  /** Makes the project. */
  async declare(): Promise<void> {
    const site = {
      version: 1,
      organization: { key: "o", name: "O" },
      project: { key: this.key, name: "P", timezone: "UTC" },
      site: { key: `s-${this.key}`, name: "S", latitude: 0, longitude: 0 },
    };
    await this.#world.until("the site is applied", async () => {
      const response = await fetch(`${this.#address()}/admin/v1/sites/s-${this.key}`, {
        method: "PUT",
        headers: { ...this.#headers, "content-type": "application/json" },
        body: JSON.stringify(site),
      });
      const said = await response.text();
      // Where the machine is busy, a shard may begin later than a request waits.
      if (response.status === 503) return undefined;
      equal(response.status, 200, said);
      return true;
    });
    this.shard = await this.#world.until("the project has a shard", async () => {
      const { news } = await this.#world.catalog.look();
      return news.find(({ told }) => told.projects.some(({ key }) => key === this.key))?.no;
    });
  }

  begin(): void {
    this.#running = [this.#write(), this.#follow(), this.#alarm()];
  }

  /** Lets the follower come to the end, and stops. */
  async end(): Promise<void> {
    this.#is_over = true;
    await Promise.all(this.#running);
  }

  /** How long, from now, until an acknowledgement that another node than `except` gives. */
  async answersIn(except: string | undefined): Promise<number> {
    const begin_ms = performance.now();
    for (;;) {
      if (await this.#send(this.#next++, this.#address(except))) {
        return performance.now() - begin_ms;
      }
      await pause(50);
    }
  }

  /** Whether a node answers with a state that lacks what was acknowledged before it was asked. */
  async isStale(address: string): Promise<boolean> {
    const last = this.acknowledged.at(-1);
    if (last === undefined) return false;
    const from = new Date(timeOf(last, 0)).toISOString();
    const to = new Date(timeOf(last + 1, 0)).toISOString();
    const rows = await this.#read(address, { from, to });
    return rows !== undefined && rows.length !== rows_per_request;
  }

  /** For how many seconds a request waited at most until it was acknowledged, since last asked. */
  slowest(): string {
    const most_s = (this.#slowest_ms / 1000).toFixed(1);
    this.#slowest_ms = 0;
    return most_s;
  }

  /** What a node answers to a read and to rows. */
  async codesAt(address: string): Promise<readonly string[]> {
    const is_read = !await this.isStale(address);
    const is_sent = await this.#send(this.#next++, address);
    return [is_read ? "reads" : "STALE", is_sent ? "takes" : `REFUSES (${this.#refusal})`];
  }

  /** Rows that were acknowledged and are missing, that are there twice, and not followed. */
  async count() {
    const stored = new Map<number, number>();
    const most = Math.max(...this.acknowledged) + 1;
    for (let first = 0; first < most; first += 400) {
      const rows = await this.#world.until("all is read", () =>
        this.#read(this.#address(), {
          from: new Date(timeOf(first, 0)).toISOString(),
          to: new Date(timeOf(Math.min(most, first + 400), 0)).toISOString(),
          limit: "10000",
        }));
      for (const { ts } of rows) count(stored, Date.parse(ts));
    }
    const times = this.acknowledged.flatMap((n) =>
      Array.from({ length: rows_per_request }, (_, i) => timeOf(n, i))
    );
    return {
      acknowledged: times.length,
      lost: times.filter((ms) => !stored.has(ms)).length,
      twice: [...stored.values()].filter((it) => it > 1).length,
      missed: times.filter((ms) => !this.followed.has(ms)).length,
      followed_twice: [...this.followed.values()].filter((it) => it > 1).length,
    };
  }

  async #write(): Promise<void> {
    while (!this.#is_over) {
      const n = this.#next++;
      const begin_ms = performance.now();
      while (!await this.#send(n, this.#address())) await pause(200);
      this.#slowest_ms = Math.max(this.#slowest_ms, performance.now() - begin_ms);
      await pause(100);
    }
  }

  /** Sends one request; whether it was acknowledged. What failed may be stored all the same. */
  async #send(n: number, address: string): Promise<boolean> {
    const rows = Array.from({ length: rows_per_request }, (_, i) => {
      const ts = new Date(timeOf(n, i)).toISOString();
      return JSON.stringify({ tag: `t${i % 5}`, ts, value: n });
    });
    try {
      const answer = await fetch(`${address}/ingest/v1/signals?project_id=${this.key}`, {
        method: "POST",
        headers: { ...this.#headers, "content-type": "application/x-ndjson" },
        body: rows.join("\n"),
        signal: AbortSignal.timeout(ask_ms),
      });
      const { accepted, duplicates, detail } = await answer.json();
      if (accepted + duplicates !== rows_per_request) {
        throw new Error(`${answer.status}: ${detail}`);
      }
      this.acknowledged.push(n);
      return true;
    } catch (error) {
      this.#refusal = (error as Error).message;
      this.failed++;
      return false;
    }
  }

  /** Raises an alarm a second, each until it is acknowledged. */
  async #alarm(): Promise<void> {
    for (let n = 0; !this.#is_over; n++) {
      const id = `${this.key}-${n}`;
      while (!await this.#raise(id)) await pause(200);
      this.alarms.push(id);
      await pause(1_000);
    }
  }

  async #raise(occurrence_id: string): Promise<boolean> {
    const at = new Date().toISOString();
    const row = {
      ...{ occurrence_id, source: "scada", site: `s-${this.key}`, rule_name: "R", kind: "point" },
      ...{ severity: "critical", status: "open", raised_value: 1, raised_at: at, updated_at: at },
      ...{ resolution_policy: "auto", source_tag: "t" },
    };
    try {
      const answer = await fetch(`${this.#address()}/ingest/v1/alarms?project_id=${this.key}`, {
        method: "POST",
        headers: { ...this.#headers, "content-type": "application/x-ndjson" },
        body: JSON.stringify(row),
        signal: AbortSignal.timeout(ask_ms),
      });
      const { accepted, duplicates } = await answer.json();
      return accepted + duplicates === 1;
    } catch {
      return false;
    }
  }

  /** Reads what is new, page after page, wherever; a page that fails is asked for again. */
  async #follow(): Promise<void> {
    for (let empty = 0; empty < 12;) {
      const last = this.#last;
      const rows = await this.#read(this.#address(), {
        received_since: last?.received_at ?? new Date(0).toISOString(),
        ...(last ? { after_ts: last.ts, after_tag: last.sensor_tag } : {}),
        limit: "1000",
      });
      for (const row of rows ?? []) count(this.followed, Date.parse(row.ts));
      this.#last = rows?.at(-1) ?? last;
      // What was stored last is visible after a while.
      empty = this.#is_over && rows?.length === 0 ? empty + 1 : 0;
      if (!rows?.length) await pause(700);
    }
  }

  async #read(
    address: string,
    search: Readonly<Record<string, string>>,
  ): Promise<readonly Listed[] | undefined> {
    const question = new URLSearchParams({
      ...{ project_id: this.key, format: "json", resolution: "raw" },
      ...search,
    });
    try {
      const response = await fetch(`${address}/platform/v1/signals?${question}`, {
        headers: { ...this.#headers, accept: "application/x-ndjson" },
        signal: AbortSignal.timeout(ask_ms),
      });
      const text = await response.text();
      return response.status === 200 ? rowsOf(text) : undefined;
    } catch {
      return undefined;
    }
  }

  get #headers() {
    return { authorization: `Bearer ${this.#token}` };
  }

  /** The address of a node by chance. */
  #address(except?: string): string {
    const nodes = this.#world.nodes.filter(({ name }) => name !== except);
    return nodes[this.#dice.pick(nodes.length, { channel: this.shard, step: this.#asked++ })]
      .address;
  }
}

function rowsOf(text: string): readonly Listed[] {
  const parsed = JSON.parse(text);
  return Array.isArray(parsed) ? parsed : parsed.rows ?? parsed.signals ?? parsed.data;
}

function timeOf(n: number, i: number): number {
  return begin_ms + (n * rows_per_request + i) * 1000;
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
