// A gateway's site files from its centre: each version is pulled, tried, and kept or rolled back.
import { meant } from "../../base/did_you_mean.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { Lock } from "../../base/lock.ts";
import { plainText } from "../../model/data/text_form.ts";
import type { Settings } from "../../model/setting.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { missingOf } from "../../model/upstream/trial.ts";
import type {
  Awaited,
  PulledVersion,
  SiteOffer,
  VersionReport,
} from "../../model/upstream/version.ts";
import { keepFacts, readFact } from "../../store/meta.ts";
import { readSiteState } from "../../store/site/site.ts";
import { readPulled } from "../../store/upstream/version.ts";
import type { Log } from "../core/log.ts";
import { Loop } from "../core/loop.ts";
import type { SiteParts } from "../site/site.ts";
import type { Sources } from "../sources/sources.ts";
import { type Exchange, pullVersion, tellVersions } from "./exchange.ts";
import {
  applyVersion,
  countStart,
  declaredDigest,
  keepVersion,
  rollBackVersion,
  setVersion,
} from "./step.ts";

/** What site files are applied to, and what tells whether sources are read. */
type PulledParts = SiteParts & {
  readonly sources: Pick<Sources, "factsOf" | "isRead">;
  readonly settings: Pick<Settings, "upstream_trial_s">;
  readonly effects: Pick<Effects, "now_us" | "monotonic_ms" | "sleep" | "random" | "hostname">;
  readonly log: Log;
};

/** Who holds newer versions back, and since when; null for nobody. */
type Hold = { readonly by: string | null; readonly at_us: number };

/** How it goes with a site that the centre publishes. */
export type PulledSite = VersionReport & {
  readonly project_id: string | null;
  /** How long the trial goes on at most; null where none does. */
  readonly trial_left_s: number | null;
  /** What the trial waits for. */
  readonly missing: string | null;
  /** Whether the file in force was changed here since it came. */
  readonly changed_here: boolean;
};

const hold_fact = "upstream_hold";

/** The versions of the sites that a centre publishes for this gateway. */
export class PulledSites {
  readonly #parts: PulledParts;
  readonly #lock = new Lock();
  #rows: readonly PulledVersion[];
  #hold: Hold;
  /** When the running trial is over, on the clock that never jumps. */
  #until_ms: number;
  /** Until when the next version waits for sources that were begun and are not read yet. */
  #settle_ms: number;
  /** Digests of what is declared of sites, and of which version of the catalog. */
  #declared = { version: -1, digests: new Map<string, string | undefined>() };
  /** Begins what was pulled, and looks how it goes with what is tried. */
  readonly loop: Loop;
  /** Called when there is something to tell the centre. */
  onChange: () => void = () => {};

  private constructor(
    parts: PulledParts,
    kept: { readonly rows: readonly PulledVersion[]; readonly hold: Hold },
  ) {
    this.#parts = parts;
    this.#rows = kept.rows;
    this.#hold = kept.hold;
    this.#until_ms = this.#trialEnd();
    this.#settle_ms = this.#settleEnd();
    this.loop = new Loop({
      name: "trying site files of the centre",
      effects: parts.effects,
      retry_ms: limits.loop_retry_ms,
      turn: () => this.turn(),
    });
  }

  /** Reads how far it was, and counts the start in which a trial goes on, with its whole time. */
  static async open(parts: PulledParts): Promise<PulledSites> {
    const kept = await parts.database.read(async (connection) => ({
      rows: await readPulled(connection),
      hold: JSON.parse(await readFact(connection, hold_fact) ?? '{"by":null,"at_us":0}') as Hold,
    }));
    const pulled = new PulledSites(parts, kept);
    const trying = pulled.#trying();
    if (trying) await pulled.#step(() => countStart(parts, trying));
    return pulled;
  }

  /** How it goes with each site. */
  async sites(): Promise<readonly PulledSite[]> {
    if (this.#rows.length === 0) return [];
    const { catalog, effects } = this.#parts;
    const declared = await this.#declaredDigests();
    return this.#reports().map((report) => {
      const { site, version } = report;
      const trying = this.#trying();
      const is_tried = trying?.site_key === site && trying.version === version;
      const left_s = (this.#until_ms - effects.monotonic_ms()) / 1000;
      const applied = this.#rowsOf(site).findLast((it) => isApplied(it))?.applied ?? null;
      const place = catalog.sites.find(({ key }) => key === site);
      return {
        ...report,
        project_id: place ? catalog.projectByNo(place.project_no)!.id : null,
        trial_left_s: is_tried ? Math.max(0, Math.round(left_s)) : null,
        missing: is_tried ? this.#missing(trying) ?? null : null,
        changed_here: applied !== null && declared.get(site) !== applied,
      };
    });
  }

  /** Pulls what a centre offers and is not here, and tells it what it does not know. */
  async meet(offers: readonly SiteOffer[], exchange: Exchange): Promise<void> {
    try {
      for (const offer of offers) await this.#pull(offer, exchange);
      const reports = this.#reports();
      const name = this.#parts.effects.hostname();
      await tellVersions(exchange, {
        name,
        reports: offers.flatMap((offer) => {
          const report = reports.find(({ site }) => site === offer.site);
          return report ? [{ offer, report }] : [];
        }),
      });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // Samples are forwarded all the same; at the next meeting it is tried again.
      if (exchange.signal.aborted) return;
      this.#parts.log.warning("the centre's site files: {reason}", { reason: error.message });
    }
  }

  /** Does what is due; gives when to look again, in milliseconds. */
  turn(): Promise<number> {
    return this.#lock.run(async () => {
      const trying = this.#trying();
      if (trying) return await this.#look(trying);
      if (this.#hold.by !== null) return Infinity;
      const next = this.#rows.findLast(({ state }) => state === "pulled");
      if (next === undefined) return Infinity;
      // What is not read yet would not be missed afterwards.
      const settle_ms = this.#settle_ms - this.#parts.effects.monotonic_ms();
      if (settle_ms > 0 && !this.#isRead(next)) {
        return Math.min(settle_ms, upstream_limits.trial_look_ms);
      }
      this.#until_ms = this.#trialEnd();
      await this.#swap(() => applyVersion(this.#parts, next));
      return 0;
    });
  }

  /** Begins no newer version from now on; one that is tried goes on. */
  hold(by: string): Promise<void> {
    return this.#keepHold({ by, at_us: this.#parts.effects.now_us() });
  }

  /** Lets newer versions in again. */
  release(): Promise<void> {
    return this.#keepHold({ by: null, at_us: this.#parts.effects.now_us() });
  }

  /** Puts the file back that a site had before the version in force. Throws a `Fault`. */
  async rollBack(site: string, by: string): Promise<void> {
    await this.#lock.run(async () => {
      const row = this.#known(site).findLast((it) => isApplied(it));
      if (row === undefined) {
        throw new Fault("conflict", `no version of the centre is in force for ${site}`);
      }
      const reason = `rolled back by hand: ${by}`;
      await this.#swap(() => rollBackVersion(this.#parts, { row, reason }));
    });
    this.loop.wake();
  }

  /** Tries the newest version of a site once more. Throws a `Fault`. */
  async retry(site: string): Promise<void> {
    await this.#lock.run(async () => {
      const row = this.#known(site).at(-1)!;
      if (row.state !== "rolled_back" && row.state !== "refused") {
        throw new Fault("conflict", `version ${row.version} of ${site} is ${stateText(row)}`);
      }
      await this.#step(() => setVersion(this.#parts, row, { state: "pulled", reason: null }));
    });
    this.loop.wake();
  }

  async #pull(offer: SiteOffer, exchange: Exchange): Promise<void> {
    const { site: site_key, version, digest } = offer;
    const isIt = (it: PulledVersion) => it.version === version && it.digest === digest;
    const known = this.#rowsOf(site_key);
    if (known.some(isIt)) return;
    // A centre that was restored may give a number again: what is tried is not replaced meanwhile.
    if (known.some((it) => it.version === version && it.state === "trying")) return;
    const packed = await pullVersion(exchange, offer);
    const row: PulledVersion = {
      ...{ site_key, version, ...packed, remap: offer.remap },
      author: plainText(offer.author, limits.name_length),
      published_at: offer.published_us,
      ...{ state: "pulled", reason: null, changed_at: 0, before: null, before_version: null },
      ...{ awaited: "[]", starts: 0, applied: null },
    };
    await this.#lock.run(() => this.#step(() => setVersion(this.#parts, row, {})));
    this.#parts.log.info("version {version} of the site {site} came from the centre", {
      ...{ version, site: site_key },
    });
    this.loop.wake();
  }

  /** Whether the sources are read again; rolls the version back where they are not in time. */
  async #look(row: PulledVersion): Promise<number> {
    const { settings, effects } = this.#parts;
    const missing = this.#missing(row);
    if (missing === undefined) {
      await this.#step(() => keepVersion(this.#parts, row));
      return 0;
    }
    const left_ms = this.#until_ms - effects.monotonic_ms();
    const is_over = row.starts > upstream_limits.trial_starts;
    if (left_ms > 0 && !is_over) return Math.min(left_ms, upstream_limits.trial_look_ms);
    const reason = is_over
      ? `the service has started ${row.starts - 1} times while it was tried; ${missing}`
      : `within ${settings.upstream_trial_s} s ${missing}`;
    await this.#swap(() => rollBackVersion(this.#parts, { row, reason }));
    return 0;
  }

  /** What is declared of each site; worked out again only where the plant has changed. */
  async #declaredDigests(): Promise<ReadonlyMap<string, string | undefined>> {
    const { catalog: { version }, database } = this.#parts;
    const known = this.#declared;
    const sites = new Set(this.#rows.map(({ site_key }) => site_key));
    if (known.version === version && sites.isSubsetOf(known.digests)) return known.digests;
    const state = await database.aside(readSiteState);
    const digests = new Map(Array.from(sites, (site) => [site, declaredDigest(state, site)]));
    this.#declared = { version, digests };
    return digests;
  }

  #isRead({ site_key }: PulledVersion): boolean {
    const { catalog, sources } = this.#parts;
    const site = catalog.sites.find(({ key }) => key === site_key);
    return site === undefined || sources.isRead(site.site_no);
  }

  #missing({ site_key, awaited }: PulledVersion): string | undefined {
    const { catalog, sources } = this.#parts;
    const site = catalog.sites.find(({ key }) => key === site_key);
    return missingOf(JSON.parse(awaited) as Awaited, site ? sources.factsOf(site.site_no) : []);
  }

  /** The same as a step where other sources are read from then on. */
  async #swap(change: () => Promise<void>): Promise<void> {
    await this.#step(change);
    this.#settle_ms = this.#settleEnd();
  }

  /** Changes versions on disk, and takes over what is there then. */
  async #step(change: () => Promise<void>): Promise<void> {
    const { database, log } = this.#parts;
    const before = new Map(this.#rows.map((row) => [keyOf(row), row.state]));
    await change();
    this.#rows = await database.aside(readPulled);
    for (const row of this.#rows) {
      const { site_key: site, version, reason } = row;
      if (before.get(keyOf(row)) === row.state || row.state === "pulled") continue;
      const told = { site, version, state: stateText(row), why: reason ? `: ${reason}` : "" };
      const text = "version {version} of the site {site} is {state}{why}";
      if (reason === null) log.info(text, told);
      else log.warning(text, told);
    }
    this.onChange();
  }

  async #keepHold(hold: Hold): Promise<void> {
    await this.#parts.database.write(({ connection }) =>
      keepFacts(connection, { [hold_fact]: JSON.stringify(hold) })
    );
    this.#hold = hold;
    this.loop.wake();
    this.onChange();
  }

  #reports(): readonly VersionReport[] {
    return [...new Set(this.#rows.map(({ site_key }) => site_key))].map((site) => {
      const rows = this.#rowsOf(site);
      const { version, state, reason, changed_at } = rows.at(-1)!;
      return {
        ...{ site, version, state, reason },
        in_force: rows.findLast((it) => it.state === "in_force")?.version ?? null,
        held_by: this.#hold.by,
        changed_us: Math.max(changed_at, this.#hold.at_us),
      };
    });
  }

  #rowsOf(site: string): readonly PulledVersion[] {
    return this.#rows.filter(({ site_key }) => site_key === site);
  }

  /** The versions of a site. Throws a `Fault` (not_found) where there is none. */
  #known(site: string): readonly PulledVersion[] {
    const rows = this.#rowsOf(site);
    if (rows.length > 0) return rows;
    const sites = this.#rows.map(({ site_key }) => site_key);
    throw new Fault("not_found", `the centre publishes no site ${site}${meant(site, sites)}`);
  }

  #trying(): PulledVersion | undefined {
    return this.#rows.find(({ state }) => state === "trying");
  }

  #settleEnd(): number {
    return this.#parts.effects.monotonic_ms() + upstream_limits.settle_ms;
  }

  #trialEnd(): number {
    const { settings, effects } = this.#parts;
    return effects.monotonic_ms() + settings.upstream_trial_s * 1000;
  }
}

function isApplied({ state }: PulledVersion): boolean {
  return state === "trying" || state === "in_force";
}

const keyOf = ({ site_key, version }: PulledVersion) => `${site_key} ${version}`;

const stateText = ({ state }: PulledVersion) => state.replaceAll("_", " ");
