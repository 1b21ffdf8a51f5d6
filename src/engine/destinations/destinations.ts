// All destinations: begun and ended as they are declared, told how they do, heeded by retention.
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { Lock } from "../../base/lock.ts";
import type { Destination } from "../../model/destinations/destination.ts";
import {
  type DestinationEntry,
  parseDestination,
  type Secrets,
  tagFilter,
} from "../../model/destinations/form.ts";
import { destination_limits } from "../../model/destinations/limits.ts";
import type { Settings } from "../../model/setting.ts";
import { lagUs, spansBesides, type StampSpans, takeOut } from "../../model/upstream/span.ts";
import type {
  ForwardedKind,
  SetAside,
  UpstreamDay,
  UpstreamLost,
} from "../../model/upstream/upstream.ts";
import { addressRefusal, isOwnAddress, parseNetworks } from "../../model/webhooks/address.ts";
import type { Database } from "../../store/database.ts";
import { readDestinations, unsealDestination } from "../../store/destinations/destination.ts";
import { readUpstreamDays } from "../../store/upstream/ledger.ts";
import { findUnsentDay, readUpstreamLost } from "../../store/upstream/unsent.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { type KeptLedger, readLedger, SpanLedger } from "../upstream/ledger.ts";
import { LineFault } from "../upstream/line.ts";
import { Patience } from "../upstream/patience.ts";
import { WaitingRows } from "../upstream/state.ts";
import { AskedList } from "./asked.ts";
import type { AskedAgain, Courier, CourierTools } from "./courier.ts";
import { openCourier } from "./couriers.ts";

const log = getLogger(["wattkeeper", "destinations"]);

/** What destinations work with. */
export type DestinationParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly ingest: Pick<Ingest, "head_us" | "latest">;
  readonly effects: Effects;
  readonly settings: Pick<Settings, "destination_dir" | "destination_allow" | "port">;
};

/** How it goes with a destination. */
export type DestinationState = {
  /** Whether it took the last that it was sent; null as long as nothing was. */
  readonly connected: boolean | null;
  /** What is wrong, and what to do; null where nothing is. */
  readonly reason: string | null;
  readonly trouble_since_us: number | null;
  readonly next_try_ms: number | null;
  readonly notes: readonly string[];
  readonly rows_per_s: number;
  readonly lag_us: number;
  readonly spans: StampSpans;
  readonly waiting_rows: number;
  readonly asides: readonly SetAside[];
  readonly lost: readonly UpstreamLost[];
  /** The newest first. */
  readonly days: readonly UpstreamDay[];
};

/** A destination, and what looks after it. */
type Known = {
  readonly destination: Destination;
  readonly ledger: SpanLedger;
  readonly waiting: WaitingRows;
  readonly outlet: Outlet;
  is_running: boolean;
};

/** Nothing is sent before the loop runs. */
export class Destinations {
  /** Lets what runs be what is declared. */
  readonly loop: Loop;
  readonly #parts: DestinationParts;
  readonly #known = new Map<number, Known>();
  /** Changes one after the other. */
  readonly lock = new Lock();
  #runs = false;

  private constructor(parts: DestinationParts) {
    this.#parts = parts;
    this.loop = new Loop({
      name: "looking after destinations",
      effects: parts.effects,
      retry_ms: limits.loop_retry_ms,
      turn: () => {
        this.#runs = true;
        for (const known of this.#known.values()) this.#run(known);
        return Promise.resolve(Infinity);
      },
    });
  }

  /** Reads what is declared, and what waits. */
  static async open(parts: DestinationParts): Promise<Destinations> {
    const destinations = new Destinations(parts);
    await destinations.reload();
    return destinations;
  }

  /** Knows those that are declared, and were not known. */
  async reload(): Promise<void> {
    const kept = await this.#parts.database.read(async (connection) => {
      const all = await readDestinations(connection);
      const is_new = all.filter(({ destination_no }) => !this.#known.has(destination_no));
      return await Promise.all(is_new.map(async (destination) => ({
        destination,
        ledger: await readLedger(connection, destination.destination_no),
      })));
    });
    for (const { destination, ledger } of kept) {
      const known = this.#know(destination, ledger);
      if (this.#runs) this.#run(known);
    }
  }

  /** Those of a project by their keys. */
  list(project_no: number): readonly Destination[] {
    return this.all.filter((it) => it.project_no === project_no)
      .sort((a, b) => a.key < b.key ? -1 : 1);
  }

  /** Those of every project. */
  get all(): readonly Destination[] {
    return Array.from(this.#known.values(), ({ destination }) => destination);
  }

  /** Sends one nothing any more. */
  async leave({ destination_no }: Pick<Destination, "destination_no">): Promise<void> {
    const known = this.#known.get(destination_no);
    await known?.outlet.close();
    this.#known.delete(destination_no);
  }

  /** Sends one what can go now: for a test. */
  async turn({ destination_no }: Destination): Promise<number> {
    return await this.#known.get(destination_no)!.outlet.turn(new AbortController().signal);
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    this.#runs = false;
    await Promise.all(Array.from(this.#known.values(), ({ outlet }) => outlet.close()));
  }

  /** How it goes with one. */
  async stateOf({ destination_no, project_no }: Destination): Promise<DestinationState> {
    const { outlet: { patience, connected, notes }, ledger, waiting } = this.#known
      .get(destination_no)!;
    const { database, ingest } = this.#parts;
    const { lost, days } = await database.aside(async (connection) => ({
      days: await readUpstreamDays(connection, destination_no),
      lost: await readUpstreamLost(connection, destination_no),
    }));
    const spans = ledger.spansOf(project_no);
    return {
      ...{ connected, notes, spans, lost, days: days.toReversed() },
      reason: patience.reason,
      trouble_since_us: patience.since_us,
      next_try_ms: patience.next_try_ms,
      rows_per_s: ledger.rows_per_s,
      lag_us: lagUs(spans, { head_us: ingest.head_us, now_us: database.now_us }),
      waiting_rows: (await waiting.count()).get(project_no) ?? 0,
      asides: await ledger.readAsides(),
    };
  }

  /** Makes the rows that one does not take wait once more; gives how many. */
  async retryAsides({ destination_no, project_no }: Destination): Promise<number> {
    const { ledger, outlet } = this.#known.get(destination_no)!;
    const asides = await ledger.readAsides();
    const spans = spansBesides(asides, ledger.spansOf(project_no));
    const asked = { asked_at: this.#parts.database.now_us, asides, spans };
    await ledger.retryAsides(project_no, asides, (it) => outlet.parts.asked.add(it, asked));
    outlet.again(asked);
    outlet.loop.wake();
    return asides.reduce((sum, { rows }) => sum + rows, 0);
  }

  /** The numbers of those that rows of a kind are sent to. */
  sentTo(kept: ForwardedKind): readonly number[] {
    return kept === "samples" ? [...this.#known.keys()] : [];
  }

  /** The first day (UTC, since 1970) before `end_day` of which rows wait; undefined for none. */
  async unsentDay(kept: ForwardedKind, end_day: number): Promise<number | undefined> {
    let first: number | undefined;
    for (const destination_no of this.sentTo(kept)) {
      const day = await this.#parts.database.aside((connection) =>
        findUnsentDay(connection, { kept, end_day, destination_no })
      );
      if (day !== undefined && day < (first ?? Infinity)) first = day;
    }
    return first;
  }

  #run(known: Known): void {
    if (known.is_running || !known.outlet.parts.entry.enabled) return;
    known.is_running = true;
    known.outlet.run();
  }

  #know(destination: Destination, kept: KeptLedger): Known {
    const { effects, catalog, database } = this.#parts;
    const { destination_no, project_no } = destination;
    const ledger = new SpanLedger({ ...this.#parts, destination_no }, kept);
    const projects = { projects: catalog.projects.filter((it) => it.project_no === project_no) };
    const entry = parseDestination(destination.definition);
    const open = async () => {
      const secrets = await database.read((it) =>
        Promise.resolve(unsealDestination<Secrets>(it, destination))
      );
      const count = (rows: number) => ledger.count(rows);
      return await openCourier(entry, this.#toolsOf(destination, { secrets, count }));
    };
    const known = {
      ...{ destination, ledger },
      waiting: new WaitingRows({ database, catalog: projects, ledger, effects }),
      outlet: new Outlet({
        ...{ effects, ledger, destination, entry, open },
        asked: new AskedList(database, destination_no),
      }),
      is_running: false,
    };
    this.#known.set(destination_no, known);
    return known;
  }

  #toolsOf(
    { destination_no, project_no, definition }: Destination,
    own: Pick<CourierTools, "secrets" | "count">,
  ): CourierTools {
    const { database, catalog, effects, settings, ingest } = this.#parts;
    const project = catalog.projectByNo(project_no)!;
    const { key } = catalog.organizations.find(({ id }) => id === project.organization_id)!;
    const { destination_dir } = settings;
    const isNamed = tagFilter(parseDestination(definition));
    return {
      ...{ destination_no, database, catalog, effects, project, ingest },
      ...own,
      folder: destination_dir === "none" ? undefined : `${destination_dir}/${key}`,
      refuse: this.#refusals(),
      isSent: (tag) =>
        tag.project_no === project_no && tag.lane === "signal" && isNamed(tag.sensor_tag),
    };
  }

  #refusals(): CourierTools["refuse"] {
    const { settings: { destination_allow, port }, effects } = this.#parts;
    const allowed = parseNetworks(destination_allow);
    return (url) => (address) => {
      const refusal = addressRefusal(address, allowed);
      if (refusal !== undefined || Number(url.port || 0) !== port) return refusal;
      return isOwnAddress(address, effects.addresses()) ? "it is this service itself" : undefined;
    };
  }
}

type OutletParts = {
  readonly effects: CourierTools["effects"];
  readonly ledger: SpanLedger;
  readonly destination: Destination;
  readonly entry: DestinationEntry;
  readonly asked: AskedList;
  /** Makes its courier. Throws a `Fault` where it can't be. */
  readonly open: () => Promise<Courier>;
};

/** A destination that is being sent to. */
class Outlet {
  readonly loop: Loop;
  readonly patience: Patience;
  readonly #parts: OutletParts;
  readonly #stop = new AbortController();
  #courier: Courier | undefined;
  #done: Promise<void> | undefined;
  #has_brought = false;

  constructor(parts: OutletParts) {
    const { effects, destination: { key } } = parts;
    this.#parts = parts;
    this.patience = new Patience({
      effects,
      onTrouble: (reason) => {
        log.warning("the destination {key} waits: {reason}", { key, reason });
      },
      onEnd: () => log.info("the destination {key} works again", { key }),
    });
    this.loop = new Loop({
      name: `sending to ${key}`,
      effects,
      retry_ms: limits.loop_retry_ms,
      turn: (signal) => this.turn(signal),
    });
  }

  get parts(): OutletParts {
    return this.#parts;
  }

  /** Whether it took the last that it was sent; null as long as nothing was. */
  get connected(): boolean | null {
    if (this.patience.reason !== null) return false;
    return this.#has_brought ? true : null;
  }

  get notes(): readonly string[] {
    return this.#courier?.notes?.() ?? [];
  }

  /** Tells that rows wait because a person asks for them. */
  again(asked: AskedAgain): void {
    this.#courier?.again?.(asked);
  }

  /** Begins. */
  run(): void {
    this.#done = this.loop.run(this.#stop.signal).catch(() => {});
  }

  /** Ends, whatever is on its way. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await this.#courier?.close?.();
  }

  /** Sends all that can go now; gives when to look again, in milliseconds. */
  async turn(signal: AbortSignal): Promise<number> {
    const { destination: { project_no }, ledger, effects } = this.#parts;
    // It waits without a failure of the destination's.
    if (!effects.owns()) return destination_limits.look_ms;
    try {
      await ledger.begin([{ project_no }]);
      const courier = this.#courier ??= await this.#open();
      await courier.tend?.(signal);
      if (courier.tend) this.#proved();
      while (
        !signal.aborted && effects.owns() && await this.#sendNext(courier, signal)
      ) { /* more may wait */ }
      return destination_limits.look_ms;
    } catch (error) {
      if (signal.aborted) return 0;
      const fault = error instanceof Fault ? new LineFault(error.message) : error;
      if (!(fault instanceof LineFault)) throw error;
      return this.patience.waitAfter(fault);
    }
  }

  async #open(): Promise<Courier> {
    const courier = await this.#parts.open();
    for (const asked of await this.#parts.asked.read()) courier.again?.(asked);
    return courier;
  }

  /** Sends a piece; says whether there may be more. */
  async #sendNext(courier: Courier, signal: AbortSignal): Promise<boolean> {
    const { destination: { project_no }, ledger } = this.#parts;
    const next = await courier.next(ledger.spansOf(project_no));
    if (next === undefined) return false;
    const { span, is_empty = false } = next;
    if (is_empty) {
      await ledger.change(project_no, (spans) => takeOut(spans, span));
      return true;
    }
    const carried = await courier.carry(span, signal);
    signal.throwIfAborted();
    await ledger.settle({ project_no, span, ...carried });
    await this.#parts.asked.forgetSent(ledger.spansOf(project_no));
    this.#proved();
    return true;
  }

  #proved(): void {
    this.#has_brought = true;
    this.patience.end();
  }
}
