// A gateway's work for its centre: meets it, forwards, waits where it can't, and tells how it goes.
import type * as z from "zod";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Settings } from "../../model/setting.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { lagUs, toldOf } from "../../model/upstream/span.ts";
import {
  centre_no,
  detailOf,
  type ForwardedKind,
  type SetAside,
  strange_centre,
  waitReason,
} from "../../model/upstream/upstream.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { readUpstreamDays } from "../../store/upstream/ledger.ts";
import { findDayBefore } from "../../store/upstream/digest.ts";
import { findUnsentDay, readUpstreamLost } from "../../store/upstream/unsent.ts";
import { type Catalog, day_us } from "../catalog/catalog.ts";
import type { Users } from "../access/user.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { Log } from "../core/log.ts";
import { Loop } from "../core/loop.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Photos } from "../work/photo.ts";
import type { Work } from "../work/work.ts";
import { Exchanges } from "./work_exchange.ts";
import { Forward, type Way } from "./forward.ts";
import {
  centreIn,
  forgetCentre,
  type join_form,
  joinCentre,
  joinedCentre,
  lastCentreUrl,
} from "./enrol.ts";
import { type Centre, Line, LineFault } from "./line.ts";
import { type KeptLedger, readLedger, SpanLedger } from "./ledger.ts";
import { Patience } from "./patience.ts";
import { PhotoExchange } from "./photo_exchange.ts";
import type { gateway_form } from "./gateway.ts";
import { type LineState, type ProjectState, type UpstreamState, WaitingRows } from "./state.ts";
import { type OnOffers, targetOf, type Targets, targetsIn, unknownReason } from "./target.ts";
import { compareDay, type DayComparison, nothing_compared } from "./verify.ts";

type UpstreamParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly alarms: Alarms;
  readonly work: Work;
  readonly photos: Photos;
  readonly ingest: Pick<Ingest, "head_us">;
  readonly effects: Pick<
    Effects,
    "request" | "sleep" | "monotonic_ms" | "now_us" | "random" | "hostname"
  >;
  readonly settings: Pick<Settings, "upstream_url" | "upstream_token" | "upstream_max_kbit">;
  readonly log: Log;
  /** The program's. */
  readonly version: string;
};

/** What a gateway begins with. */
type Kept = KeptLedger & { readonly centre: Centre | undefined };

/** Forwards in the background, as long as there is a centre. */
export class Upstream {
  readonly loop: Loop;
  readonly #parts: UpstreamParts;
  readonly #ledger: SpanLedger;
  readonly #patience: Patience;
  readonly #forward: Forward;
  readonly #exchanges: Exchanges;
  /** Called when there is a centre from now on, or none. */
  onCentre: (has_centre: boolean) => Promise<void> = () => Promise.resolve();
  readonly #waiting: WaitingRows;
  #line: Line | undefined;
  #targets: Targets | undefined;
  #meet_ms = -Infinity;
  /** Aborts when the centre is another. */
  #left = new AbortController();
  /** Is given what the centre offers of site files, whenever it is met. */
  onOffers: OnOffers = async () => {};

  private constructor(
    parts: UpstreamParts,
    { centre, ...kept }: Kept,
  ) {
    const { effects, log } = parts;
    this.#parts = parts;
    const ledger = new SpanLedger({ ...parts, destination_no: centre_no }, kept);
    this.#ledger = ledger;
    this.#patience = new Patience({
      effects,
      onTrouble: (reason) => log.warning("forwarding waits: {reason}", { reason }),
      onEnd: () => log.info("forwarding works again"),
    });
    const told = (project_no: number) =>
      toldOf(ledger.spansOf(project_no), {
        head_us: parts.ingest.head_us,
        now_us: parts.database.now_us,
      });
    this.#exchanges = new Exchanges({ ...parts, told });
    // Before the samples that came with them.
    const onLive = (way: Way) => this.#exchanges.runAll(way);
    const onTaken = () => this.#patience.end();
    const photos = new PhotoExchange({ ...parts, onAnswer: onTaken });
    const onSpare = (way: Way) => photos.step(way);
    this.#forward = new Forward({ ...parts, ledger, onTaken, onLive, onSpare });
    this.#waiting = new WaitingRows({ ...parts, ledger });
    this.#line = this.#lineTo(centre);
    this.loop = new Loop({
      name: "forwarding to the centre",
      effects,
      retry_ms: limits.loop_retry_ms,
      turn: (signal) => this.turn(signal),
    });
  }

  /** Reads what waits. */
  static async open(parts: UpstreamParts): Promise<Upstream> {
    const kept = await parts.database.read(async (connection) => ({
      ...await readLedger(connection, centre_no),
      centre: centreIn(parts.settings) ?? await joinedCentre(connection, parts.log),
    }));
    return new Upstream(parts, kept);
  }

  /** Joins a centre by a code of it. Throws a `Fault`: conflict where a setting names one. */
  async join(
    asked: z.output<typeof join_form>,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> {
    this.#refuseSetting();
    const before = await this.#parts.database.read(lastCentreUrl);
    const store = async (keep: (connection: Connection) => Promise<void>) => {
      if (before === undefined || before === asked.url) {
        return await this.#parts.database.write(({ connection }) => keep(connection));
      }
      // What another centre has is not at this one.
      await this.#forward.beginAnew(async (connection) => {
        await keep(connection);
        await this.#exchanges.forget(connection);
      });
      this.#exchanges.beginAnew();
    };
    this.#follow(await joinCentre(this.#parts, asked, { signal, store }));
    await this.onCentre(true);
  }

  /** Forgets the centre that was joined; what waits goes on waiting. */
  async leave(): Promise<void> {
    this.#refuseSetting();
    await forgetCentre(this.#parts.database);
    this.#follow(undefined);
    await this.onCentre(false);
  }

  /** Whether there is a centre. */
  get has_centre(): boolean {
    return this.#line !== undefined;
  }

  /** Lets the centre be met at once: there is something to tell it. */
  meetSoon(): void {
    this.#meet_ms = -Infinity;
    this.loop.wake();
  }

  /** Forwards all that waits, as far as the centre takes it; gives when to look again. */
  async turn(signal: AbortSignal): Promise<number> {
    const line = this.#line;
    if (line === undefined) return Infinity;
    const stop = AbortSignal.any([signal, this.#left.signal]);
    try {
      await this.#ledger.begin(this.#parts.catalog.projects);
      const projects = this.#projectsOf(await this.#meet(line, stop));
      const way = { line, projects, signal: stop };
      await this.#exchanges.runAll(way);
      await this.#forward.run(way, () => this.#isToMeet());
      if (stop.aborted || this.#isToMeet()) return 0;
      this.#patience.end();
      return Math.max(0, this.#forward.wait_ms);
    } catch (error) {
      // A full disk here, a file of an old day that is missing: a person has to hear of it, too.
      const fault = error instanceof Fault ? new LineFault(error.message) : error;
      if (!(fault instanceof LineFault)) throw error;
      this.#exchanges.askAgain();
      return stop.aborted ? 0 : this.#patience.waitAfter(fault);
    }
  }

  /**
   * The first day (UTC, since 1970) before `end_day` of which rows wait; undefined for none, and
   * where there is no centre.
   */
  async unsentDay(kept: ForwardedKind, end_day: number): Promise<number | undefined> {
    if (this.#line === undefined) return undefined;
    await this.#ledger.begin(this.#parts.catalog.projects);
    return await this.#parts.database.aside((connection) =>
      findUnsentDay(connection, { kept, end_day, destination_no: centre_no })
    );
  }

  /** The centre's number among all destinations, where there is one. */
  sentTo(): readonly number[] {
    return this.#line === undefined ? [] : [centre_no];
  }

  /** Whether the line is up, and since when it is not; null where there is no centre. */
  get line_state(): LineState | null {
    if (this.#line === undefined) return null;
    const { reason, since_us: trouble_since_us } = this.#patience;
    return { connected: this.#targets !== undefined && reason === null, trouble_since_us };
  }

  /** How it goes. */
  async state(): Promise<UpstreamState | null> {
    const line = this.#line;
    if (line === undefined) return null;
    const { database, catalog, ingest, settings } = this.#parts;
    const asides = await this.#ledger.readAsides();
    const { days, lost } = await database.aside(async (connection) => ({
      days: await readUpstreamDays(connection, centre_no),
      lost: await readUpstreamLost(connection, centre_no),
    }));
    const waiting = await this.#waiting.count();
    const times = { head_us: ingest.head_us, now_us: database.now_us };
    const projects = catalog.projects.map((project): ProjectState => {
      const spans = this.#ledger.spansOf(project.project_no);
      const own = asides.filter(({ tag_no }) =>
        catalog.tag(tag_no)?.project_no === project.project_no
      );
      return {
        ...{ project, spans, lag_us: lagUs(spans, times) },
        lost: lost.filter(({ project_no }) => project_no === project.project_no),
        is_known: this.#targets
          ? typeof targetOf(this.#targets, catalog.projects, project) === "string"
          : null,
        waiting_rows: waiting.get(project.project_no) ?? 0,
        set_aside_rows: own.reduce((sum, { rows }) => sum + rows, 0),
      };
    });
    const { today } = this.#ledger;
    const before = days.filter(({ day }) => day !== today.day).toReversed();
    return {
      url: new URL(line.centre.url).origin,
      ...this.line_state!,
      reason: this.#patience.reason ?? this.#unknown,
      next_try_ms: this.#patience.next_try_ms,
      max_kbit: settings.upstream_max_kbit,
      rows_per_s: this.#ledger.rows_per_s,
      projects,
      days: [...today.day > 0 ? [today] : [], ...before],
    };
  }

  /** The rows of a project that the centre does not take. */
  async setAside(project_no: number): Promise<readonly SetAside[]> {
    const { catalog } = this.#parts;
    const all = await this.#ledger.readAsides();
    return all.filter(({ tag_no }) => catalog.tag(tag_no)?.project_no === project_no);
  }

  /** Makes the rows of a project that were set aside wait once more; gives how many. */
  async retrySetAside(project_no: number): Promise<number> {
    if (this.#line === undefined) throw new Fault("conflict", no_centre);
    const asides = await this.setAside(project_no);
    await this.#forward.retryAsides(project_no, asides);
    this.loop.wake();
    return asides.reduce((sum, { rows }) => sum + rows, 0);
  }

  /**
   * Compares a day (UTC, since 1970) of a project with the centre's: what differs is sent again.
   * By default the newest day; `next_day` is the one before it that has rows. Throws a `Fault`:
   * conflict where there is no centre, unavailable where it does not answer.
   */
  async verify(
    project: Project,
    { day, signal }: { readonly day: number | undefined; readonly signal: AbortSignal },
  ): Promise<DayComparison & { readonly day: number | null; readonly next_day: number | null }> {
    const { database } = this.#parts;
    const line = this.#line;
    if (line === undefined) throw new Fault("conflict", no_centre);
    const centre_id = targetOf(
      await this.#targetsNow(line, signal),
      this.#parts.catalog.projects,
      project,
    );
    if (!centre_id) throw new Fault("conflict", this.#unknown ?? strange_centre);
    const dayBefore = (end_day: number) =>
      database.aside((connection) => findDayBefore(connection, end_day));
    const last_day = day ?? await dayBefore(Math.floor(database.now_us / day_us) + 2);
    if (last_day === undefined) return { ...nothing_compared, day: null, next_day: null };
    const asides = await this.setAside(project.project_no);
    const { put_back, ...comparison } = await compareDay(this.#parts, {
      ...{ line, project, centre_id, signal, day: last_day },
      spans: this.#ledger.spansOf(project.project_no),
      aside: new Set(asides.map(({ tag_no }) => tag_no)),
    });
    await this.#forward.putBack(project.project_no, put_back);
    if (put_back.length > 0) this.loop.wake();
    return { ...comparison, day: last_day, next_day: await dayBefore(last_day) ?? null };
  }

  /** The same in the words of a person's question. */
  async #targetsNow(line: Line, signal: AbortSignal): Promise<Targets> {
    try {
      return await this.#meet(line, signal);
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      throw new Fault("unavailable", error.message);
    }
  }

  #refuseSetting(): void {
    if (centreIn(this.#parts.settings) === undefined) return;
    throw new Fault("conflict", "the setting upstream_url names a centre: take it out first");
  }

  #follow(centre: Centre | undefined): void {
    this.#left.abort();
    this.#left = new AbortController();
    this.#line = this.#lineTo(centre);
    this.#targets = undefined;
    this.#patience.forget();
    this.loop.wake();
  }

  #lineTo(centre: Centre | undefined): Line | undefined {
    const { effects, settings } = this.#parts;
    return centre && new Line({ centre, max_kbit: settings.upstream_max_kbit, effects });
  }

  /** Tells the centre how it goes, and hears its projects, now and then and after a failure. */
  async #meet(line: Line, signal: AbortSignal): Promise<Targets> {
    const { effects } = this.#parts;
    if (this.#targets && !this.#isToMeet() && !this.#patience.reason) return this.#targets;
    const facts = await this.#facts();
    const { status, text } = await line.ask({
      path: "/ingest/v1/gateways",
      body: new TextEncoder().encode(JSON.stringify(facts)),
      media_type: "application/json",
    }, signal);
    if (status !== 200) throw new LineFault(waitReason(status, detailOf(text)));
    const said = targetsIn(text);
    if (said === undefined) throw new LineFault(strange_centre);
    const { behind_s, meet_ms, meet_behind_ms } = upstream_limits;
    this.#meet_ms = effects.monotonic_ms() + (facts.lag_s > behind_s ? meet_behind_ms : meet_ms);
    await this.onOffers(said.offers, { line, signal });
    return this.#targets = said.targets;
  }

  #isToMeet(): boolean {
    return this.#parts.effects.monotonic_ms() >= this.#meet_ms;
  }

  /** What the centre is told. */
  async #facts(): Promise<z.input<typeof gateway_form>> {
    const { database, catalog, effects, ingest, version } = this.#parts;
    const times = { head_us: ingest.head_us, now_us: database.now_us };
    const lags = catalog.projects.map(({ project_no }) =>
      lagUs(this.#ledger.spansOf(project_no), times)
    );
    const waiting = await this.#waiting.count();
    const lost = await database.aside((connection) => readUpstreamLost(connection, centre_no));
    return {
      ...{ name: effects.hostname(), version },
      lag_s: Math.max(0, ...lags) / 1e6,
      waiting_rows: waiting.values().reduce((sum, rows) => sum + rows, 0),
      lost_rows: lost.reduce((sum, { rows }) => sum + rows, 0),
    };
  }

  /** The centre's ids of our projects, by their numbers. Throws a `LineFault` for none of them. */
  #projectsOf(targets: Targets): ReadonlyMap<number, string> {
    const { projects } = this.#parts.catalog;
    const known = new Map(projects.flatMap((project) => {
      const id = targetOf(targets, projects, project);
      return typeof id === "string" ? [[project.project_no, id] as const] : [];
    }));
    const reason = this.#unknown;
    if (known.size === 0 && reason !== null) throw new LineFault(reason);
    return known;
  }

  /** Which projects the centre does not have, in words; null where it has all. */
  get #unknown(): string | null {
    return this.#targets ? unknownReason(this.#targets, this.#parts.catalog.projects) : null;
  }
}

/** Why nothing can be asked of a centre. */
const no_centre = "no centre is set: join one with `wattkeeper upstream join`, or set upstream_url";
