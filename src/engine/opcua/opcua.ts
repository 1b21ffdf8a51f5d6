// The driver of OPC UA: subscribes to what changes, and reads what a gap holds from the server's
// history first, so that what is stored of a point has no hole before its newest value.
import { meant } from "../../base/did_you_mean.ts";
import { inTime } from "../../base/in_time.ts";
import { type OpcuaEntry, type OpcuaPoint, pointTag } from "../../model/sources/kinds/opcua.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { placeIn, serverAddress } from "../../model/sources/opcua_words.ts";
import {
  isOverflown,
  serverInstant,
  serverSample,
  type ServerValue,
  withoutHistorian,
} from "../../wire/sources/opcua.ts";
import type { CommandEnd } from "../../model/setpoints/setpoint.ts";
import { WaitingCommands } from "../devices/command.ts";
import type { Driver, LastValue, Link, SetpointCommand, SourceTools } from "../devices/driver.ts";
import { Conditions } from "./conditions.ts";
import { openSession } from "./opcua_client.ts";
import { clock_node, compareClocks, hearClock, nodeAt, tellNearNodes } from "./opcua_look.ts";
import {
  type HistoryUse,
  type OpcuaSession,
  type Publication,
  readHistory,
} from "./opcua_session.ts";
import { write } from "./opcua_write.ts";
import type { Device, SourceFailure, SourceRow } from "../devices/state.ts";

export const opcua_driver: Driver<OpcuaEntry> = {
  open: (entry, tools) => [new ServerLink(entry, { tools, open: openSession })],
};

/** What a link works with; a test opens sessions of its own. */
export type LinkParts = { readonly tools: SourceTools; readonly open: typeof openSession };

/** A bit of the attribute AccessLevel. */
const history_readable = 4;

/** What is known of one point over all connections. */
type Point = {
  readonly entry: OpcuaPoint;
  readonly tag: string;
  /** The last that was stored: it is whole up to here. Undefined before there was a value. */
  last: LastValue | undefined;
  /** Its node id at this server, now; undefined where it has none. */
  node: string | undefined;
  has_history: boolean;
  /** Its next value shows whether something is lost. */
  is_unsure: boolean;
};

/** A point, and from when on its history is to be read. */
type MissingPoint = { readonly point: Point; readonly node: string; readonly from_us: number };

type Step = (came: boolean) => void;

/** The connection to one server. Each time it is made, everything is made anew. */
export class ServerLink implements Link {
  readonly name: string;
  readonly #entry: OpcuaEntry;
  readonly #parts: LinkParts;
  readonly #device: Device;
  readonly #points: readonly Point[];
  readonly #conditions: Conditions | undefined;
  readonly #commands: WaitingCommands<Point>;
  /** How often the server says at least that it is there. */
  #alive_ms: number;
  /** From where on history is read of points once more: a server may store it late. */
  readonly #seam = new Map<Point, number>();
  #seam_ms = Infinity;
  #is_recalled = false;
  #is_searched = false;

  constructor(entry: OpcuaEntry, parts: LinkParts) {
    this.name = serverAddress(placeIn(entry.endpoint));
    this.#alive_ms = Math.max(entry.publish_ms, source_limits.alive_ms);
    this.#entry = entry;
    this.#parts = parts;
    this.#points = entry.points.map((point) => ({
      ...{ entry: point, tag: pointTag(point), last: undefined, node: undefined },
      ...{ has_history: false, is_unsure: false },
    }));
    this.#device = parts.tools.state.device(this.name, this.#points.map(({ tag }) => tag));
    this.#commands = new WaitingCommands(parts.tools.effects);
    const { alarms } = entry;
    if (alarms) this.#conditions = new Conditions({ ...entry, alarms }, parts.tools, nodeAt);
  }

  get period_ms(): number {
    // Each fifth of what is waited for.
    return this.#alive_ms + this.#entry.timeout_ms / 5;
  }

  async run(signal: AbortSignal, step: Step): Promise<void> {
    const { tools, open } = this.#parts;
    const { effects } = tools;
    // The library opens its lines by itself, to these alone.
    const addresses = await tools.vet(new URL(this.#entry.endpoint).hostname);
    const session = await open(this.#entry, { ...tools, addresses, signal });
    try {
      step(false);
      await this.#recall();
      await this.#look(session);
      const known = this.#points.filter(({ node }) => node !== undefined);
      // What is long ago first; what came during that in the subscription's shadow.
      await this.#readHistory(session, this.#missing(known), step);
      const watched = await this.#watch(session, known);
      await this.#join(session, watched, step);
      await this.#conditions?.begin(session);
      this.#search(session);
      await this.#commands.beside({
        signal,
        reading: () => this.#listen(session, { watched, step }),
        carry: (command, point, signal) => write(point, command, { session, effects, signal }),
      });
    } finally {
      session.close();
    }
  }

  send(command: SetpointCommand): Promise<CommandEnd> | undefined {
    const sender = this.#points.find(({ tag, entry }) => tag === command.tag && entry.setpoint);
    return sender && this.#commands.send({ ...command, sender });
  }

  async failed(failure: SourceFailure): Promise<void> {
    await this.#parts.tools.emit(this.#device.failed(failure));
  }

  /** Finds, after a start, up to where values are stored. */
  async #recall(): Promise<void> {
    if (this.#is_recalled) return;
    const { tools } = this.#parts;
    const tags = this.#points.map(({ tag }) => tag);
    const found = await tools.lastValues(tags, this.#oldestUs());
    for (const point of this.#points) point.last = found.get(point.tag);
    this.#is_recalled = true;
  }

  /** Finds the points at the server, and what it has of their history. */
  async #look(session: OpcuaSession): Promise<void> {
    const { state } = this.#parts.tools;
    await compareClocks(session, this.#parts.tools);
    for (const point of this.#points) {
      point.node = nodeAt(point.entry.node, session.namespaces);
      point.is_unsure = point.last !== undefined;
      if (point.node !== undefined) continue;
      const [, uri] = /^nsu=([^;]+);/.exec(point.entry.node)!;
      const near = meant(uri, session.namespaces);
      state.note(`${point.tag} is not read: the server has no namespace ${uri}${near}`);
    }
    const known = this.#points.filter(({ node }) => node !== undefined);
    for (let at = 0; at < known.length; at += source_limits.request_nodes) {
      const some = known.slice(at, at + source_limits.request_nodes);
      const access = await session.read(some.map(({ node }) => node!), "access");
      some.forEach((point, i) => {
        const bits = Number(access[i].value?.value ?? 0);
        point.has_history = this.#entry.history_days > 0 && (bits & history_readable) !== 0;
      });
    }
  }

  /** Has the server send changes; gives the points that it sends. */
  async #watch(session: OpcuaSession, points: readonly Point[]): Promise<readonly Point[]> {
    const { publish_ms, sampling_ms, queue } = this.#entry;
    const items = points.map(({ node, entry }) => ({
      ...{ node: node!, sampling_ms: entry.sampling_ms ?? sampling_ms, queue },
      ...(entry.deadband === undefined ? {} : { deadband: entry.deadband }),
    }));
    const { statuses, alive_ms } = await session.watch(items, publish_ms);
    this.#heed(alive_ms);
    points.forEach((point, i) => {
      if (statuses[i] === "Good") return;
      const { tag, entry: { node } } = point;
      point.node = undefined;
      this.#note(`${tag} is not read: the server refuses ${node}: ${statuses[i]}`, statuses[i]);
    });
    return points;
  }

  /** A server may grant another interval than was asked for. */
  #heed(alive_ms: number): void {
    const { publish_ms } = this.#entry;
    this.#alive_ms = Math.max(publish_ms, source_limits.alive_ms, alive_ms / 2);
    if (alive_ms <= source_limits.watch_ms) return;
    this.#parts.tools.state.note(
      `the server says only every ${Math.round(alive_ms / 1000)} s that it is there: that it has ` +
        "fallen silent is known that much later",
    );
  }

  #note(text: string, status: string): void {
    const { state } = this.#parts.tools;
    // Which node was meant is searched for first.
    if (!/^BadNodeId/.test(status) || this.#is_searched) state.note(text);
    state.count({ kind: "protocol", message: text });
  }

  /** Takes what the server sends, for ever. */
  async #listen(
    session: OpcuaSession,
    { watched, step }: { readonly watched: readonly Point[]; readonly step: Step },
  ): Promise<void> {
    let expected = 1;
    for (;;) {
      const publication = await this.#next(session);
      step(true);
      this.#device.answered();
      hearClock(publication, this.#parts.tools);
      const { values: sent, events, sequence } = publication;
      if (sent.length + events.length === 0) {
        await this.#conditions?.take(session, []);
        continue;
      }
      if (events.length > 0) {
        await this.#whileStoring(this.#conditions!.take(session, events), step);
      }
      if (sequence !== expected) await this.#conditions?.refresh(session);
      const missed = sequence !== expected
        ? watched
        : overflown(publication).map((handle) => watched[handle]);
      expected = sequence % 0xffff_ffff + 1;
      if (missed.length > 0) {
        for (const point of missed) point.is_unsure = true;
        await this.#join(session, missed, step);
      }
      const values = sent.map(({ handle, value }) => (
        { point: watched[handle], value }
      ));
      this.#tellLost(values);
      this.#widenSeam(values);
      await this.#take(values, step);
      await this.#mendSeam(session, step);
    }
  }

  /** What the server sends next; a session of which nothing is asked meanwhile would end. */
  async #next(session: OpcuaSession): Promise<Publication> {
    const { effects } = this.#parts.tools;
    const next = session.next();
    // Where the question fails, that tells.
    next.catch(() => {});
    while (!await inTime(next, { wait_ms: source_limits.watch_ms, effects })) {
      await session.read([clock_node], "value");
    }
    return await next;
  }

  /** Looks, once and beside the reading, for what points may have meant that the server has not. */
  #search(session: OpcuaSession): void {
    if (this.#is_searched) return;
    this.#is_searched = true;
    const unknown = this.#points.filter(({ node, entry }) =>
      node === undefined && nodeAt(entry.node, session.namespaces) !== undefined
    ).map(({ tag, entry: { node } }) => ({ tag, node }));
    // The reading itself tells of a connection that ends.
    tellNearNodes(session, unknown, this.#parts.tools).catch(() => {});
  }

  /** Reads from the history what came before that which the server sends now. */
  async #join(session: OpcuaSession, points: readonly Point[], step: Step): Promise<void> {
    const missing = this.#missing(points);
    for (const { point, from_us } of missing) {
      this.#seam.set(point, Math.min(from_us, this.#seam.get(point) ?? Infinity));
    }
    this.#seam_ms = this.#parts.tools.effects.monotonic_ms() + source_limits.history_late_ms;
    await this.#readHistory(session, missing, step);
  }

  /** A clock that was set back makes what is sent older than what the server keeps. */
  #widenSeam(values: readonly { readonly point: Point; readonly value: ServerValue }[]): void {
    for (const { point, value } of values) {
      const from_us = this.#seam.get(point);
      const ts_us = serverInstant(value);
      // One that has not changed since is as old as it was.
      if (from_us === undefined || ts_us === undefined || ts_us >= point.last!.ts_us) continue;
      const since_us = ts_us - source_limits.history_overlap_ms * 1000;
      this.#seam.set(point, Math.min(from_us, Math.max(since_us, this.#oldestUs())));
    }
  }

  /** Reads it once more, a while later; what is stored already is stored once. */
  async #mendSeam(session: OpcuaSession, step: Step): Promise<void> {
    if (this.#parts.tools.effects.monotonic_ms() < this.#seam_ms) return;
    const missing = [...this.#seam].flatMap(([point, from_us]) =>
      point.node === undefined || !point.has_history ? [] : [{ point, node: point.node, from_us }]
    );
    this.#seam_ms = Infinity;
    this.#seam.clear();
    const lasts = missing.map(({ point }) => point.last);
    await this.#readHistory(session, missing, step);
    missing.forEach(({ point }, i) => point.last = lasts[i]);
  }

  /** History is read from here on at most. */
  #oldestUs(): number {
    return this.#parts.tools.effects.now_us() - this.#entry.history_days * day_us;
  }

  /** Since when values of points may be missing. */
  #missing(points: readonly Point[]): readonly MissingPoint[] {
    const oldest_us = this.#oldestUs();
    return points.flatMap((point) => {
      const { last, node, has_history } = point;
      if (last === undefined || node === undefined || !has_history) return [];
      // A clock that is ahead, or was, must not hide what came after.
      const since_us = Math.min(last.ts_us, last.received_us) -
        source_limits.history_overlap_ms * 1000;
      return [{ point, node, from_us: Math.max(since_us, oldest_us) }];
    });
  }

  async #readHistory(
    session: OpcuaSession,
    missing: readonly MissingPoint[],
    step: Step,
  ): Promise<void> {
    if (missing.length === 0) return;
    const now_us = this.#parts.tools.effects.now_us();
    const newest_us = Math.max(now_us, ...missing.map(({ point }) => point.last!.ts_us));
    const use: HistoryUse<MissingPoint> = {
      to_us: newest_us + source_limits.history_ahead_ms * 1000,
      take: async (pieces) => {
        step(true);
        await this.#take(
          pieces.flatMap(({ point: { point }, values }) =>
            values.map((value) => ({
              point,
              value: { ...value, statusCode: { value: withoutHistorian(value.statusCode.value) } },
            }))
          ),
          step,
        );
      },
      refused: ({ point }, reason) => {
        point.has_history = false;
        this.#parts.tools.state.note(`the history of ${point.tag} can't be read: ${reason}`);
      },
    };
    await readHistory(session, missing, use);
    for (const { point } of missing) if (point.has_history) point.is_unsure = false;
  }

  /** Stores values, and knows then that they are. */
  async #take(
    values: readonly { readonly point: Point; readonly value: ServerValue }[],
    step: Step,
  ): Promise<void> {
    if (values.length === 0) return;
    const { effects, state, store } = this.#parts.tools;
    const received_us = effects.now_us();
    const rows: SourceRow[] = [];
    for (const { point, value } of values) {
      const { sample, flaw } = serverSample(value, { ...point.entry, now_us: received_us });
      rows.push({ tag: point.tag, ...sample });
      if (flaw !== undefined) state.note(`${point.tag} has no value: ${point.entry.node} ${flaw}`);
    }
    await this.#whileStoring(store(rows), step);
    rows.forEach(({ ts_us, value }, i) => {
      // In the order of coming: a clock that was set back must not hide what is sent after that.
      if (value !== undefined) values[i].point.last = { ts_us, received_us };
    });
  }

  /** A slow disk is no silent server. */
  async #whileStoring(storing: Promise<void>, step: Step): Promise<void> {
    const { effects } = this.#parts.tools;
    while (!await inTime(storing, { wait_ms: source_limits.alive_ms, effects })) step(false);
  }

  /** Tells of points without history whose value is a newer one than was stored. */
  #tellLost(values: readonly { readonly point: Point; readonly value: ServerValue }[]): void {
    const { state, effects } = this.#parts.tools;
    const now_us = effects.now_us();
    const lost = values.flatMap(({ point, value }) => {
      const { last, is_unsure } = point;
      if (!is_unsure || last === undefined) return [];
      point.is_unsure = false;
      const to_us = serverInstant(value) ?? now_us;
      return to_us > last.ts_us ? [{ tag: point.tag, from_us: last.ts_us, to_us }] : [];
    });
    if (lost.length === 0) return;
    const from_us = Math.min(...lost.map((it) => it.from_us));
    const to_us = Math.max(...lost.map((it) => it.to_us));
    const whose = lost.length === 1
      ? lost[0].tag
      : `${lost.length} tags, ${lost[0].tag} among them`;
    const reason = `the server has no history that could be read of ${whose}`;
    state.lost({ from_us, to_us, reason });
  }
}

const day_us = 86_400_000_000;

/** The handles of points whose queue at the server was full. */
function overflown({ values }: Publication): readonly number[] {
  const found = values.filter(({ value }) => isOverflown(value.statusCode.value));
  return [...new Set(found.map(({ handle }) => handle))];
}
