// Forwards what a gateway stores to its centre: live first, then the newest of the backlog.
import type { Effects } from "../../base/effects.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import {
  backlogPiece,
  livePiece,
  type StampSpan,
  type StampSpans,
  takeOut,
} from "../../model/upstream/span.ts";
import {
  centre_no,
  nextBodyRows,
  type SetAside,
  sumOfAside,
  type UpstreamLane,
  verdictOf,
} from "../../model/upstream/upstream.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { countStored, findBlock, findNewest, readStored } from "../../store/upstream/piece.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { bodyOf, kindOfLane, partOfRows, placeOfRow, type StoredRows } from "./body.ts";
import type { SpanLedger } from "./ledger.ts";
import { type Line, LineFault } from "./line.ts";

type ForwardParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly ledger: SpanLedger;
  readonly ingest: { readonly head_us: number };
  readonly effects: Pick<Effects, "monotonic_ms" | "now_us">;
  /** Called after each body that the centre took. */
  readonly onTaken: () => void;
  /** Called before what is live is sent, again and again. */
  readonly onLive: (way: Way) => Promise<void>;
  /** Moves a little of what can wait, in turns with the backlog; says whether there may be more. */
  readonly onSpare: (way: Way) => Promise<boolean>;
};

/** A line to a centre, and the projects that go there: the centre's ids by number. */
export type Way = {
  readonly line: Line;
  readonly projects: ReadonlyMap<number, string>;
  readonly signal: AbortSignal;
};

/** Some tags of one lane, whose rows of a piece make a body. */
type Part = { readonly lane: UpstreamLane; readonly tag_nos: readonly number[] };

/** A piece on its way; it is out of what waits once all of it was taken. */
type Piece = {
  readonly project_no: number;
  readonly span: StampSpan;
  readonly parts: readonly Part[];
  readonly asides: Map<string, SetAside>;
  readonly era: number;
  next: number;
  rows: number;
};

/** What a body is sent with. */
type Sending = {
  readonly line: Line;
  readonly piece: Piece;
  readonly signal: AbortSignal;
  /** Whether the centre takes a body without a row: then a fault is a row's own. */
  is_proved: boolean;
};

/**
 * Sends stored rows. Each body is read right before it is sent, and there is one on the way: of a
 * row that is replaced meanwhile, the older version is never sent after the newer one.
 */
export class Forward {
  readonly #parts: ForwardParts;
  #block: Piece | undefined;
  #body_rows: number = upstream_limits.body_rows;
  #live_ms = -Infinity;

  constructor(parts: ForwardParts) {
    this.#parts = parts;
  }

  /** How long until what is live is sent again. */
  get wait_ms(): number {
    return this.#live_ms + upstream_limits.live_ms - this.#parts.effects.monotonic_ms();
  }

  /** Makes everything wait, as at first; stores more in the same transaction. */
  async beginAnew(store: (connection: Connection) => Promise<void>): Promise<void> {
    await this.#parts.ledger.beginAnew(store);
    this.#block = undefined;
  }

  /** Makes what was stored with the stamps of some spans wait once more. */
  async putBack(project_no: number, put_back: StampSpans): Promise<void> {
    if (put_back.length === 0) return;
    // What of it was sent before may be what differs.
    this.#block = undefined;
    await this.#parts.ledger.putBack(project_no, put_back);
  }

  /** Makes rows that were set aside wait once more. */
  async retryAsides(project_no: number, asides: readonly SetAside[]): Promise<void> {
    this.#block = undefined;
    await this.#parts.ledger.retryAsides(project_no, asides);
  }

  /**
   * Sends all that waits of some projects to a centre, until it is over. Throws a `LineFault` where
   * the centre can't take anything now.
   */
  async run(way: Way, isOver: () => boolean): Promise<void> {
    const { line, projects, signal } = way;
    const { effects } = this.#parts;
    const backlog = () => this.#sendBacklog(way);
    const spare = () => this.#parts.onSpare(way);
    let is_more = true;
    for (let step = 0; is_more && !signal.aborted && !isOver(); step++) {
      if (this.wait_ms <= 0) {
        this.#live_ms = effects.monotonic_ms();
        await this.#parts.onLive(way);
        for (const [project_no, id] of projects) {
          await this.#sendLive(line, { project_no, id, signal });
        }
      }
      const [first, second] = step % 2 === 0 ? [backlog, spare] : [spare, backlog];
      is_more = await first() || !signal.aborted && await second();
    }
  }

  async #sendLive(
    line: Line,
    { project_no, id, signal }: {
      readonly project_no: number;
      readonly id: string;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const spans = this.#parts.ledger.spansOf(project_no);
    const window = livePiece(spans, this.#parts.ingest.head_us);
    if (window === undefined) return;
    const span = await this.#parts.database.aside((connection) =>
      findBlock(connection, { ...window, most: upstream_limits.body_rows })
    );
    // A window without a row goes out only where it hides older ones.
    if (span === undefined && window.from_us === spans.at(-1)!.from_us) return;
    const piece = await this.#plan(project_no, span ?? window);
    const sending = { line, piece, signal, is_proved: false };
    while (piece.next < piece.parts.length && !signal.aborted) await this.#sendPart(sending, id);
    if (!signal.aborted) await this.#settle(line, piece);
  }

  /** Sends a body of the backlog; says whether there may be more. */
  async #sendBacklog({ line, projects, signal }: Way): Promise<boolean> {
    this.#block ??= await this.#findBlock(projects);
    const block = this.#block;
    if (block === undefined) return false;
    if (block.next < block.parts.length) {
      const id = projects.get(block.project_no);
      if (id === undefined) this.#block = undefined;
      else await this.#sendPart({ line, piece: block, signal, is_proved: false }, id);
      return true;
    }
    if (this.#block === block) await this.#settle(line, block);
    this.#block = undefined;
    return true;
  }

  /** The newest block of the backlog of any project; what turns out empty is taken out. */
  async #findBlock(projects: ReadonlyMap<number, string>): Promise<Piece | undefined> {
    const { database, ledger } = this.#parts;
    const { block_us, block_rows } = upstream_limits;
    for (;;) {
      const waiting = Array.from(projects.keys(), (project_no) => {
        const span = backlogPiece(ledger.spansOf(project_no));
        return span === undefined ? [] : [{ project_no, span }];
      }).flat();
      if (waiting.length === 0) return undefined;
      const { project_no, span } = waiting.reduce((a, b) => a.span.to_us < b.span.to_us ? b : a);
      const block = await database.aside(async (connection) => {
        const last_us = await findNewest(connection, { ...span, step_us: block_us });
        if (last_us === undefined) return undefined;
        const hour_us = Math.floor(last_us / block_us) * block_us;
        const newest = { from_us: Math.max(span.from_us, hour_us), to_us: span.to_us };
        return await findBlock(connection, { ...newest, most: block_rows });
      });
      const piece = block && await this.#plan(project_no, block);
      if (piece && piece.parts.length > 0) return piece;
      await ledger.change(project_no, (spans) => takeOut(spans, block ?? span));
    }
  }

  /** The bodies of a piece: whole tags of a lane each. */
  async #plan(project_no: number, span: StampSpan): Promise<Piece> {
    const { database, catalog } = this.#parts;
    const { era } = this.#parts.ledger;
    const counts = await database.aside((connection) => countStored(connection, span));
    const tagOf = (tag_no: number) => {
      const tag = catalog.tag(tag_no);
      // A centre computes derived tags itself.
      return tag?.project_no === project_no && tag.derived === null ? tag : undefined;
    };
    const of_lane = (lane: UpstreamLane) =>
      lane === "forecast"
        ? counts.forecasts.filter(({ tag_no }) => tagOf(tag_no))
        : counts.samples.filter(({ tag_no }) => tagOf(tag_no)?.lane === lane);
    const parts = (["signal", "model", "forecast"] as const).flatMap((lane) => {
      const bodies: { tag_nos: number[]; rows: number }[] = [];
      for (const { tag_no, rows } of of_lane(lane)) {
        const last = bodies.at(-1);
        if (last && last.rows + rows <= this.#body_rows) {
          last.tag_nos.push(tag_no);
          last.rows += rows;
        } else bodies.push({ tag_nos: [tag_no], rows });
      }
      return bodies.map(({ tag_nos }) => ({ lane, tag_nos }));
    });
    return { project_no, span, parts, asides: new Map(), era, next: 0, rows: 0 };
  }

  /** Reads and sends the next part of a piece, in several bodies where it is large. */
  async #sendPart(sending: Sending, project_id: string): Promise<void> {
    const { piece, signal } = sending;
    const { lane, tag_nos } = piece.parts[piece.next];
    const chunk = await this.#parts.database.aside((connection) =>
      readStored(connection, { kind: kindOfLane(lane), span: piece.span, tag_nos })
    );
    const rows = { lane, chunk };
    for (let from = 0; from < chunk.rows && !signal.aborted;) {
      const to = Math.min(chunk.rows, from + this.#body_rows);
      const body = from === 0 && to === chunk.rows ? rows : partOfRows(rows, [from, to]);
      await this.#deliver(body, project_id, sending);
      from = to;
    }
    if (!signal.aborted) piece.next++;
  }

  /** Sends rows until each is on the centre's disk or set aside. */
  async #deliver(rows: StoredRows, project_id: string, sending: Sending): Promise<void> {
    const count = rows.chunk.rows;
    const verdict = await this.#post(rows, project_id, sending);
    if (sending.signal.aborted) return;
    if (verdict.kind === "wait") {
      this.#body_rows = Math.max(upstream_limits.body_rows_least, this.#body_rows / 2 | 0);
      throw new LineFault(verdict.reason, verdict.retry_after_ms);
    }
    const { piece } = sending;
    if (verdict.kind === "taken") {
      const { rejected, rejected_count } = verdict.answer;
      if (rejected.length === rejected_count) {
        this.#count(piece, count - rejected_count);
        for (const { line, reason } of rejected) this.#setAside(piece, rows, { line, reason });
        return;
      }
      // The others are there, and cost little once more.
    } else if (count === 1) {
      const { reason } = verdict;
      await this.#prove(rows, project_id, { sending, reason });
      return this.#setAside(piece, rows, { line: 1, reason });
    }
    const half = Math.ceil(count / 2);
    await this.#deliver(partOfRows(rows, [0, half]), project_id, sending);
    if (!sending.signal.aborted) {
      await this.#deliver(partOfRows(rows, [half, count]), project_id, sending);
    }
  }

  /** Throws a `LineFault` where it is not the row that the centre refuses. */
  async #prove(
    rows: StoredRows,
    project_id: string,
    { sending, reason }: { readonly sending: Sending; readonly reason: string },
  ): Promise<void> {
    if (sending.is_proved) return;
    const { kind } = await this.#post(partOfRows(rows, [0, 0]), project_id, sending);
    if (kind !== "taken") throw new LineFault(`the centre refuses every body: ${reason}`);
    sending.is_proved = true;
  }

  async #post(rows: StoredRows, project_id: string, { line, signal }: Sending) {
    const { catalog, effects } = this.#parts;
    const sent = rows.chunk.rows;
    const body = await bodyOf(rows, (tag_no) => catalog.tag(tag_no)?.sensor_tag ?? "");
    const from_ms = effects.monotonic_ms();
    const answer = await line.ask({
      path: "/ingest/v1/signals",
      search: { project_id, lane: rows.lane },
      body,
      encoding: "zstd",
      media_type: "application/vnd.apache.arrow.stream",
    }, signal);
    const took_ms = Math.max(effects.monotonic_ms() - from_ms, line.timeOf(body.length));
    const verdict = verdictOf(answer, { rows: sent, now_us: effects.now_us() });
    if (verdict.kind === "taken") {
      this.#body_rows = nextBodyRows(this.#body_rows, { sent, took_ms });
      this.#parts.onTaken();
    }
    return verdict;
  }

  #count(piece: Piece, rows: number): void {
    piece.rows += rows;
    this.#parts.ledger.count(rows);
  }

  #setAside(
    { span, asides }: Piece,
    rows: StoredRows,
    { line, reason }: { readonly line: number; readonly reason: string },
  ): void {
    const { tag_no, ts_us } = placeOfRow(rows, line - 1);
    const one = {
      ...{ tag_no, lane: rows.lane, rows: 1, first_ts: ts_us, last_ts: ts_us, ...span, reason },
      changed_at: this.#parts.effects.now_us(),
      destination_no: centre_no,
    };
    const key = `${tag_no} ${rows.lane}`;
    const known = asides.get(key);
    asides.set(key, known ? sumOfAside(known, one) : one);
  }

  /** Takes a piece that is done out of what waits, on disk. */
  async #settle(line: Line, { asides, ...piece }: Piece): Promise<void> {
    await this.#parts.ledger.settle({
      ...piece,
      bytes: line.takeSent(),
      asides: [...asides.values()],
    });
  }
}
