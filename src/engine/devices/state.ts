// How a source does, and its samples on their way into ingest.
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { Bell } from "../../base/in_time.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { source_error_kinds, type SourceErrorKind } from "../../model/sources/source.ts";
import type { Rejection } from "../../model/samples/sample.ts";
import { RowColumns } from "../../wire/sources/row_columns.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Ingest } from "../ingest/ingest.ts";

const log = getLogger(["wattkeeper", "sources"]);

/** A sample that a driver has read; without a value its status says why. */
export type SourceRow = {
  readonly tag: string;
  readonly ts_us: number;
  readonly value?: number | bigint | string;
  readonly status_code?: number;
};

/** Why something can't be read, for people. */
export type SourceFailure = { readonly kind: SourceErrorKind; readonly message: string };

/** OPC UA's BadNoCommunication. */
export const no_communication = 0x8031_0000;

/** A span whose values may be lost, in microseconds since 1970 UTC, and why. */
export type SourceGap = {
  readonly from_us: number;
  readonly to_us: number;
  readonly reason: string;
};

/** What is told of its changes, and where its samples go. */
type Told = {
  readonly now_us: () => number;
  readonly changed: () => void;
};

/** A device, a connection or whatever else of a source is there or not. */
export class Device {
  readonly name: string;
  /** The tags that have no value while it is lost. */
  readonly tags: readonly string[];
  readonly #told: Told;
  #failures = 0;
  /** Null before it was heard of. */
  connected: boolean | null = null;
  since_us: number;
  last_value_us: number | null = null;
  last_error: string | null = null;
  last_error_us: number | null = null;

  constructor(name: string, tags: readonly string[], told: Told) {
    this.name = name;
    this.tags = tags;
    this.#told = told;
    this.since_us = told.now_us();
  }

  /** It has answered. */
  answered(): void {
    this.#failures = 0;
    this.last_value_us = this.#told.now_us();
    this.#turn(true);
  }

  /**
   * It has not; gives the samples to send where it counts as lost from now on. A device that failed
   * once may only have been busy.
   */
  failed({ message }: SourceFailure): readonly SourceRow[] {
    this.last_error = message;
    this.last_error_us = this.#told.now_us();
    if (++this.#failures < source_limits.lost_after || this.connected === false) return [];
    this.#turn(false);
    const ts_us = this.#told.now_us();
    return this.tags.map((tag) => ({ tag, ts_us, status_code: no_communication }));
  }

  /** It is known to be gone. */
  gone(message: string): void {
    this.last_error = message;
    this.last_error_us = this.#told.now_us();
    this.#turn(false);
  }

  #turn(connected: boolean): void {
    if (this.connected === connected) return;
    this.connected = connected;
    this.since_us = this.#told.now_us();
    this.#told.changed();
  }
}

const minute_us = source_limits.state_ms * 1000;

/**
 * What is long on its way makes a clock look late, and nothing makes it look early: of each minute
 * the freshest time counts.
 */
export class ClockOffset {
  #minute = NaN;
  #ahead_us = -Infinity;
  #before_us = -Infinity;

  /** Something came that was sent at an instant by the source's clock. */
  heard(sent_us: number, came_us: number): void {
    const minute = Math.floor(came_us / minute_us);
    if (minute !== this.#minute) {
      this.#before_us = this.#ahead_us;
      this.#ahead_us = -Infinity;
      this.#minute = minute;
    }
    this.#ahead_us = Math.max(this.#ahead_us, sent_us - came_us);
  }

  /** Microseconds, in the last two minutes in which something came; null before. */
  get ahead_us(): number | null {
    const freshest_us = Math.max(this.#ahead_us, this.#before_us);
    return freshest_us === -Infinity ? null : freshest_us;
  }
}

/** All that is known of how one source does. */
export class SourceState {
  readonly devices: Device[] = [];
  /** What people should know of it, such as models that nobody knows: each once. */
  readonly notes: string[] = [];
  readonly errors: Record<SourceErrorKind, number>;
  /** Why samples were not stored: how often, and the tag of the first. */
  readonly reasons = new Map<
    string,
    { count: number; readonly tag: string | null; readonly topic: string | null }
  >();
  /** What may be lost, the last of it last. */
  readonly gaps: SourceGap[] = [];
  /** Of a broker: since when it was not heard; null while it is connected. */
  silent_since_us: number | null | undefined;
  /** Of a source that tells times. */
  readonly clock = new ClockOffset();
  readonly #told: Told;
  readonly since_us: number;
  last_value_us: number | null = null;
  last_error: SourceFailure | null = null;
  last_error_us: number | null = null;

  constructor(told: Told) {
    this.#told = told;
    this.since_us = told.now_us();
    this.errors = Object.fromEntries(source_error_kinds.map((kind) => [kind, 0])) as Record<
      SourceErrorKind,
      number
    >;
  }

  /** Whether all its devices answer; null as long as not all were asked. */
  get connected(): boolean | null {
    if (this.devices.some(({ connected }) => connected === false)) return false;
    const all = this.devices.length > 0 && this.devices.every(({ connected }) => connected);
    return all ? true : null;
  }

  /** Adds a device, whose tags have no value while it is lost. */
  device(name: string, tags: readonly string[]): Device {
    const device = new Device(name, tags, this.#told);
    this.devices.push(device);
    return device;
  }

  /** Counts what went wrong. */
  count(failure: SourceFailure, count = 1): void {
    this.errors[failure.kind] += count;
    this.last_error = failure;
    this.last_error_us = this.#told.now_us();
  }

  note(text: string): void {
    if (this.notes.includes(text) || this.notes.length >= source_limits.notes_shown) return;
    this.notes.push(text);
  }

  /** A value of that time was stored. */
  stored(ts_us: number): void {
    if (this.last_value_us === null || this.last_value_us < ts_us) this.last_value_us = ts_us;
  }

  /** Values of a span may be lost. */
  lost(gap: SourceGap): void {
    this.gaps.push(gap);
    if (this.gaps.length > source_limits.gaps_shown) this.gaps.shift();
  }

  /** A sample of it was not stored, or a message of a topic can't be read. */
  rejected(
    { tag, reason, topic = null }: Pick<Rejection, "tag" | "reason"> & {
      readonly topic?: string | null;
    },
  ): void {
    this.count({ kind: "rejected", message: reason });
    const known = this.reasons.get(reason);
    if (known) known.count++;
    else if (this.reasons.size < source_limits.reasons_shown) {
      this.reasons.set(reason, { count: 1, tag, topic });
    }
  }

  /** The values of its tags now, by their names behind the key; none where nothing is known. */
  values(): ReadonlyMap<string, number> {
    const now_us = this.#told.now_us();
    const { connected, last_value_us, errors, silent_since_us, clock: { ahead_us } } = this;
    return new Map([
      ...(connected === null ? [] : [["connected", connected ? 1 : 0] as const]),
      ...(last_value_us === null
        ? []
        : [["last_value_age_s", Math.max(0, (now_us - last_value_us) / 1e6)] as const]),
      ...(ahead_us === null ? [] : [["clock_ahead_s", ahead_us / 1e6] as const]),
      ...(silent_since_us === undefined
        ? []
        : [["gap_s", silent_since_us === null ? 0 : (now_us - silent_since_us) / 1e6] as const]),
      ...source_error_kinds.map((kind) => [kind, errors[kind]] as const),
    ]);
  }
}

/** What samples are stored with. */
export type GatherParts = {
  readonly ingest: Ingest;
  readonly catalog: Pick<Catalog, "projectByNo">;
  readonly effects: Pick<Effects, "sleep" | "now_us">;
};

/** Whose samples are stored, and what ends that. */
type StoreFor = {
  readonly project_no: number;
  readonly state: SourceState;
  readonly signal: AbortSignal;
};

type Sent = { readonly row: SourceRow; readonly state: SourceState };

/** Rows that share a body, [from, to), and whose each is. */
type Shared = {
  readonly rows: RowColumns;
  readonly from: number;
  readonly to: number;
  readonly stateOf: (line: number) => SourceState;
};

/**
 * The samples on their way. Those that can't be stored at the moment are held and tried again; when
 * too many are, `add` waits, and with it the reading.
 */
export class Gather {
  readonly #parts: GatherParts;
  #waiting = new Map<number, Sent[]>();
  #held = 0;
  /** Bodies in a row that could not be stored. */
  #refused = 0;
  #room = Promise.withResolvers<void>();
  readonly #bell = new Bell();

  constructor(parts: GatherParts) {
    this.#parts = parts;
  }

  /** Samples that are held. */
  get held(): number {
    return this.#held;
  }

  /** Takes samples of a project's source; resolves when there is room for more. */
  async add(
    project_no: number,
    rows: readonly SourceRow[],
    state: SourceState,
  ): Promise<void> {
    if (rows.length === 0) return;
    const own = this.#waiting.get(project_no) ?? [];
    this.#waiting.set(project_no, own);
    for (const row of rows) own.push({ row, state });
    this.#held += rows.length;
    this.#bell.ring();
    if (this.#held > source_limits.held_rows) await this.#room.promise;
  }

  /**
   * Stores samples at once; resolves when they are on disk, or never will be. While the database
   * takes none they are tried again, until `signal` aborts; then it throws.
   */
  async store(
    { project_no, state, signal }: StoreFor,
    given: readonly SourceRow[] | RowColumns,
  ): Promise<void> {
    const { effects } = this.#parts;
    const rows = RowColumns.of(given);
    const stateOf = () => state;
    const most = sample_limits.rows_per_transaction;
    for (let from = 0; from < rows.length; from += most) {
      const to = Math.min(rows.length, from + most);
      while (!await this.#store(project_no, { rows, from, to, stateOf })) {
        signal.throwIfAborted();
        await effects.sleep(source_limits.store_retry_ms, signal);
      }
    }
  }

  /** Stores what comes until `signal` aborts, and then what there is, once. */
  async run(signal: AbortSignal): Promise<void> {
    const { effects } = this.#parts;
    while (!signal.aborted) {
      await this.#bell.wait({ wait_ms: Infinity, effects, signal });
      await effects.sleep(source_limits.gather_ms, signal);
      this.#bell.still();
      if (await this.#flush()) continue;
      await effects.sleep(source_limits.store_retry_ms, signal);
      this.#bell.ring();
    }
    await this.#flush();
    this.#room.resolve();
  }

  /** Stores what waits; says whether nothing of it has to be tried again. */
  async #flush(): Promise<boolean> {
    let is_whole = true;
    for (const [project_no, sent] of this.#waiting) {
      while (sent.length > 0) {
        const some = sent.slice(0, source_limits.held_rows);
        const rows = RowColumns.of(some.map(({ row }) => row));
        const stateOf = (line: number) => some[line].state;
        if (!await this.#store(project_no, { rows, from: 0, to: some.length, stateOf })) {
          is_whole = false;
          break;
        }
        sent.splice(0, some.length);
        this.#held -= some.length;
      }
    }
    if (this.#held <= source_limits.held_rows) {
      this.#room.resolve();
      this.#room = Promise.withResolvers();
    }
    return is_whole;
  }

  /** Says whether the samples are on disk, or never will be. */
  async #store(project_no: number, sent: Shared): Promise<boolean> {
    const { ingest, catalog } = this.#parts;
    const project = catalog.projectByNo(project_no);
    if (project === undefined) return true;
    const { rows, from, to, stateOf } = sent;
    try {
      const batches = [rows.batch(from, to, ingest.tags.of(project_no, "signal"))];
      const { rejected, rejected_count } = await ingest.add(project, {
        ...{ batches, rejected: [], rejected_count: 0 },
      });
      this.#tell(sent, { rejected, rejected_count });
      if (this.#refused > 0) log.info("samples of sources are stored again");
      this.#refused = 0;
      return true;
    } catch (error) {
      if (!(error instanceof Fault) || error.code === "unavailable") {
        if (this.#refused++ === 0) log.warning("samples of sources are held: {error}", { error });
        return false;
      }
      // A body like this is never taken: what is in it is not held for ever.
      for (let line = from; line < to; line++) {
        stateOf(line).rejected({ tag: rows.tagAt(line), reason: error.message });
      }
      return true;
    }
  }

  #tell(
    { rows, from, to, stateOf }: Shared,
    { rejected, rejected_count }: Pick<
      Awaited<ReturnType<Ingest["add"]>>,
      "rejected" | "rejected_count"
    >,
  ): void {
    for (const { line, tag, reason } of rejected) stateOf(line).rejected({ tag, reason });
    // The answer shows the first ones only.
    const unseen = rejected_count - rejected.length;
    const [last] = rejected.slice(-1);
    if (unseen > 0) {
      stateOf(last.line).count({ kind: "rejected", message: last.reason }, unseen);
    }
    const lost = new Set(rejected.map(({ line }) => line));
    for (let line = from; line < to; line++) {
      if (rows.hasValue(line) && !lost.has(line)) stateOf(line).stored(rows.tsAt(line));
    }
  }
}
