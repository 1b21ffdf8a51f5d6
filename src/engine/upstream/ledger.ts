// What waits for a destination, in memory and on disk, and what it was sent: a centre, or another.
import type { Effects } from "../../base/effects.ts";
import { Lock } from "../../base/lock.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import {
  addSpan,
  firstSpans,
  type StampSpan,
  type StampSpans,
  takeOut,
} from "../../model/upstream/span.ts";
import type { SetAside, UpstreamDay } from "../../model/upstream/upstream.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import {
  addSetAside,
  dropSetAside,
  readSetAside,
  readUpstreamDays,
  readUpstreamSpans,
  storeUpstreamDay,
  storeUpstreamSpans,
} from "../../store/upstream/ledger.ts";
import { day_us } from "../catalog/catalog.ts";

type LedgerParts = {
  readonly database: Database;
  readonly ingest: { readonly head_us: number };
  readonly effects: Pick<Effects, "monotonic_ms" | "now_us">;
  readonly destination_no: number;
};

/** What is on disk of a ledger. */
export type KeptLedger = {
  readonly spans: ReadonlyMap<number, StampSpans>;
  readonly days: readonly UpstreamDay[];
};

/** A piece that was brought: each of its rows is there, or set aside. */
export type Brought = {
  readonly project_no: number;
  readonly span: StampSpan;
  readonly rows: number;
  readonly bytes: number;
  readonly asides: readonly SetAside[];
  /** The ledger's when it was read, where everything may be made to wait meanwhile. */
  readonly era?: number;
};

/** When rows were taken, for the rate. */
type Mark = { readonly at_ms: number; readonly rows: number };

/** Reads what is on disk of a destination's ledger. */
export async function readLedger(
  connection: Connection,
  destination_no: number,
): Promise<KeptLedger> {
  return {
    spans: await readUpstreamSpans(connection, destination_no),
    days: await readUpstreamDays(connection, destination_no),
  };
}

/** What waits is changed on disk first: whatever stops in between, rows are sent again. */
export class SpanLedger {
  readonly #parts: LedgerParts;
  readonly #lock = new Lock();
  readonly #spans: Map<number, StampSpans>;
  /** What waits of a project of which nothing was ever forwarded. */
  readonly #first: StampSpans;
  #today: UpstreamDay;
  #marks: Mark[] = [];
  #era = 0;

  constructor(parts: LedgerParts, { spans, days }: KeptLedger) {
    this.#parts = parts;
    this.#spans = new Map(spans);
    this.#first = firstSpans(parts.ingest.head_us);
    const { destination_no } = parts;
    this.#today = days.at(-1) ?? { day: 0, bytes: 0, rows: 0, destination_no };
  }

  /** What waits of a project. */
  spansOf(project_no: number): StampSpans {
    return this.#spans.get(project_no) ?? this.#first;
  }

  /** What was sent today (UTC), or on the last day on which anything was. */
  get today(): UpstreamDay {
    return this.#today;
  }

  /** Rows that were taken, a second of the last minute. */
  get rows_per_s(): number {
    const since_ms = this.#parts.effects.monotonic_ms() - upstream_limits.rate_ms;
    const recent = this.#marks.filter(({ at_ms }) => at_ms > since_ms);
    return recent.reduce((sum, { rows }) => sum + rows, 0) / (upstream_limits.rate_ms / 1000);
  }

  /** Writes down of projects that all of them waits, where nothing is known of it. */
  async begin(projects: readonly { readonly project_no: number }[]): Promise<void> {
    for (const { project_no } of projects) {
      if (!this.#spans.has(project_no)) await this.change(project_no, (spans) => spans);
    }
  }

  /** Makes everything wait, as at first, in one transaction with what `store` stores. */
  beginAnew(store: (connection: Connection) => Promise<void>): Promise<void> {
    return this.#lock.run(async () => {
      const { database, destination_no, ingest } = this.#parts;
      const all = firstSpans(ingest.head_us);
      await database.write(async ({ connection }) => {
        for (const project_no of this.#spans.keys()) {
          await storeUpstreamSpans(connection, { destination_no, project_no }, all);
        }
        await store(connection);
      });
      for (const project_no of this.#spans.keys()) this.#spans.set(project_no, all);
      this.#era++;
    });
  }

  /** How often everything was made to wait: of a piece from before that, nothing is taken out. */
  get era(): number {
    return this.#era;
  }

  /** Makes what was stored with the stamps of some spans wait once more. */
  async putBack(project_no: number, put_back: StampSpans): Promise<void> {
    if (put_back.length === 0) return;
    await this.change(project_no, (spans) => put_back.reduce<StampSpans>(addSpan, spans));
  }

  /** The rows that the destination does not take. */
  readAsides(): Promise<readonly SetAside[]> {
    const { database, destination_no } = this.#parts;
    return database.aside((connection) => readSetAside(connection, destination_no));
  }

  /** Makes rows of a project that were set aside wait once more, and stores what goes with it. */
  async retryAsides(
    project_no: number,
    asides: readonly SetAside[],
    store: (connection: Connection) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    if (asides.length === 0) return;
    const { destination_no } = this.#parts;
    const tag_nos = asides.map(({ tag_no }) => tag_no);
    await this.change(
      project_no,
      (spans) => asides.reduce<StampSpans>(addSpan, spans),
      async (connection) => {
        await dropSetAside(connection, { destination_no, tag_nos });
        await store(connection);
      },
    );
  }

  /** Counts rows that were taken just now. */
  count(rows: number): void {
    const at_ms = this.#parts.effects.monotonic_ms();
    this.#marks = this.#marks.filter((mark) => mark.at_ms > at_ms - upstream_limits.rate_ms);
    this.#marks.push({ at_ms, rows });
  }

  /** Takes a piece that is done out of what waits, on disk. */
  async settle({ project_no, span, rows, bytes, asides, era }: Brought): Promise<void> {
    const { effects, destination_no } = this.#parts;
    const day = Math.floor(effects.now_us() / day_us);
    const before = this.#today.day === day ? this.#today : { bytes: 0, rows: 0 };
    const sums = { bytes: before.bytes + bytes, rows: before.rows + rows };
    const today = { day, ...sums, destination_no };
    const is_past = () => era !== undefined && era !== this.#era;
    const take = (spans: StampSpans) => is_past() ? spans : takeOut(spans, span);
    await this.change(project_no, take, async (connection) => {
      await addSetAside(connection, asides);
      await storeUpstreamDay(connection, today);
    });
    this.#today = today;
  }

  /** Changes what waits of a project, on disk, and what goes with it in the same transaction. */
  change(
    project_no: number,
    change: (spans: StampSpans) => StampSpans,
    store: (connection: Connection) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    return this.#lock.run(async () => {
      const { database, destination_no } = this.#parts;
      const spans = change(this.spansOf(project_no));
      await database.write(async ({ connection }) => {
        await storeUpstreamSpans(connection, { destination_no, project_no }, spans);
        await store(connection);
      });
      this.#spans.set(project_no, spans);
    });
  }
}
