// Drops what is older than it is kept, in the background, and sooner where the disk fills.
import { limits } from "../../base/limits.ts";
import type { Effects } from "../../base/effects.ts";
import {
  keepMatcher,
  keepOf,
  type KeepTexts,
  type Kept,
  kept_names,
} from "../../model/retention/keep.ts";
import { type Growth, growthOf } from "../../model/retention/growth.ts";
import { retention_limits } from "../../model/retention/limits.ts";
import type { Settings } from "../../model/setting.ts";
import { forwarded_kinds, type ForwardedKind } from "../../model/upstream/upstream.ts";
import { dayText } from "../../model/time/calendar.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { listHorizons } from "../../store/plant/plant.ts";
import { listDiskUse, noteDiskUse, readFileUse } from "../../store/retention/disk.ts";
import { dropDay, findDue, sizeDue, type TagDays } from "../../store/retention/drop.ts";
import { recallDays, requireNear } from "../../store/retention/tier.ts";
import { noteLost } from "../../store/upstream/unsent.ts";
import { newestSample } from "../../store/samples/sample.ts";
import { type Catalog, day_us } from "../catalog/catalog.ts";
import type { Log } from "../core/log.ts";
import { Loop } from "../core/loop.ts";
import type { Rollup } from "../rollup/rollup.ts";
import { unfoldAhead, unfoldDay } from "../rollup/whole.ts";
import { readTiers } from "./tiers.ts";
import type { DiskSpace } from "../core/machine.ts";

/** What waits to be sent somewhere. */
type Waiting = {
  /** The first day before `end_day` of which rows wait; undefined for none. */
  unsentDay(kept: ForwardedKind, end_day: number): Promise<number | undefined>;
  /** The numbers of those that rows of a kind are sent to. */
  sentTo(kept: ForwardedKind): readonly number[];
};

/** What waits to be sent to any of some. */
export function waitingFor(all: readonly Waiting[]): Waiting {
  return {
    async unsentDay(kept, end_day) {
      const days = await Promise.all(all.map((it) => it.unsentDay(kept, end_day)));
      const known = days.filter((day) => day !== undefined);
      return known.length === 0 ? undefined : Math.min(...known);
    },
    sentTo: (kept) => all.flatMap((it) => it.sentTo(kept)),
  };
}

/** What retention works on. */
export type RetentionParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  /** Rolls everything stored up, and stands still until disposed of. */
  readonly roll: Pick<Rollup, "hold" | "holdSettled">;
  /** What is still to be sent to a centre, or elsewhere. */
  readonly upstream?: Waiting;
  /** Removes files of no use. */
  readonly tiers?: {
    recall(days: ReadonlySet<number>): Promise<void>;
    sweep(): Promise<void>;
  };
  readonly settings: KeepTexts & Pick<Settings, "keep_free_percent" | "tier_dir">;
  readonly effects: Pick<Effects, "now_us" | "sleep" | "monotonic_ms">;
  readonly log: Log;
  /** The disk of the database; undefined where that is not known. */
  readonly space: () => Promise<DiskSpace | undefined>;
};

/** What would go of one kind, days (UTC) written out: [from, to). */
export type DueReport = {
  readonly kept: Kept;
  readonly tags: number;
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  /** About how much room they take. */
  readonly bytes: number;
};

/** Says what would go now, and drops nothing. */
export async function previewRetention(parts: Selecting): Promise<readonly DueReport[]> {
  const session = parts.database.session();
  try {
    const reports: DueReport[] = [];
    for (const kept of kept_names) {
      const due = await findDue(session, kept, await limitsOf(session, parts, { kept }));
      if (due.length === 0) continue;
      const { from_day, to_day } = spanOf(due);
      const days = { from: dayText(from_day), to: dayText(to_day) };
      reports.push({ kept, tags: due.length, ...days, ...await sizeDue(session, kept, due) });
    }
    return reports;
  } finally {
    session.close();
  }
}

/** How the database grows, and when the disk is full. */
export function readGrowth(
  { database, space }: Pick<RetentionParts, "database" | "space">,
): Promise<Growth> {
  return database.aside(async (connection) => {
    const from_day = Math.floor(database.now_us / day_us) - retention_limits.growth_days;
    const uses = await listDiskUse(connection, from_day);
    const { free_bytes } = await readFileUse(connection);
    return growthOf({ uses, free_bytes: free_bytes + ((await space())?.free_bytes ?? Infinity) });
  });
}

/** Drops day by day what is older than it is kept. */
export class Retention {
  /** Looks every hour, and at the disk every minute where its room is watched. */
  readonly loop: Loop;
  readonly #parts: RetentionParts;
  #looked_ms = -Infinity;
  #noted_day: number | undefined;
  #noted_us: number;
  #is_short = false;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.#noted_us = parts.database.committed_us;
    const period_ms = parts.settings.keep_free_percent > 0
      ? retention_limits.space_ms
      : retention_limits.look_ms;
    this.loop = new Loop({
      name: "dropping what is no longer kept",
      effects: parts.effects,
      // Not at the start, when there is enough to do.
      first_ms: limits.loop_retry_ms,
      retry_ms: retention_limits.retry_ms,
      turn: async (signal) => {
        await this.#turn(signal);
        return period_ms;
      },
    });
  }

  /** Drops all that is due now. */
  async settle(signal?: AbortSignal): Promise<void> {
    await this.#drop({ sooner_days: 0, signal });
    await this.#makeRoom(signal);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { effects } = this.#parts;
    await this.#noteUse();
    if (effects.monotonic_ms() - this.#looked_ms < retention_limits.look_ms) {
      return await this.#makeRoom(signal);
    }
    await this.settle(signal);
    this.#looked_ms = effects.monotonic_ms();
  }

  /** Notes once a day how much is used, if anything was stored. */
  async #noteUse(): Promise<void> {
    const { database, effects, settings } = this.#parts;
    const day = Math.floor(effects.now_us() / day_us);
    if (this.#noted_day === day || this.#noted_us === database.committed_us) return;
    const from_day = day - retention_limits.growth_days;
    // Files elsewhere are on another disk, as far as is known.
    const beside_bytes = settings.tier_dir === "none" ? (await readTiers(database)).bytes : 0;
    await database.write((write) => noteDiskUse(write, { day, from_day, beside_bytes }));
    this.#noted_day = day;
    this.#noted_us = database.committed_us;
  }

  /** Takes one day after the other sooner than its time, as long as too little room is left. */
  async #makeRoom(signal?: AbortSignal): Promise<void> {
    const { settings, database, log } = this.#parts;
    if (settings.keep_free_percent === 0) return;
    let was_short = false;
    for (let sooner_days = 1; await this.#isShort() && !signal?.aborted; sooner_days++) {
      was_short = true;
      if (sooner_days > retention_limits.keep_days_most) break;
      if (await this.#drop({ sooner_days, signal }) > 0) await database.checkpoint();
      else if (this.#isAtFloor(sooner_days)) break;
    }
    // What was not forwarded goes last.
    for (let sooner_days = 0; was_short && await this.#isShort(); sooner_days++) {
      if (signal?.aborted || this.#parts.upstream === undefined) break;
      const dropped = await this.#drop({ sooner_days, signal, unsent_too: true });
      if (dropped > 0) await database.checkpoint();
      else if (this.#isAtFloor(sooner_days)) break;
    }
    const is_short = was_short && await this.#isShort();
    if (is_short && !this.#is_short) {
      log.warning("the disk has less than {percent} % free, and nothing more can be dropped", {
        percent: settings.keep_free_percent,
      });
    }
    this.#is_short = is_short;
  }

  async #isShort(): Promise<boolean> {
    const { database, space, settings } = this.#parts;
    const disk = await space();
    if (disk === undefined) return false;
    const { free_bytes } = await database.aside(readFileUse);
    const least = disk.total_bytes * settings.keep_free_percent / 100;
    return disk.free_bytes + free_bytes < least;
  }

  /** Whether nothing that is not kept for ever is older than the least time. */
  #isAtFloor(sooner_days: number): boolean {
    const { catalog, settings } = this.#parts;
    const keeps = keepsOf({ catalog, settings }).flatMap(({ days }) => Object.values(days));
    return keeps.every((days) =>
      days === Infinity || days - sooner_days < retention_limits.keep_days_least
    );
  }

  /** Drops what is due; gives how many days of one kind it dropped. */
  async #drop(
    { sooner_days, signal, unsent_too = false }: Dropping,
  ): Promise<number> {
    const { database, catalog, log, tiers } = this.#parts;
    const session = database.session();
    let dropped = 0;
    try {
      for (const kept of kept_names) {
        const limits = await limitsOf(session, this.#parts, { kept, sooner_days, unsent_too });
        const first = await findDue(session, kept, limits);
        if (first.length === 0) continue;
        // From now on nothing new comes to these days.
        putHorizons(catalog, kept, first);
        const due = await findDue(session, kept, limits);
        const { from_day, to_day } = spanOf(due);
        for (let day = from_day; day < to_day && !signal?.aborted; day++, dropped++) {
          await this.#dropDay(session, { kept, due, day });
        }
        log.info("dropped {kept} of {tags} tags, up to {day}", {
          ...{ kept, tags: due.length, day: dayText(to_day) },
        });
      }
      if (dropped > 0) {
        await tiers?.sweep();
        await database.checkpoint();
      }
    } finally {
      session.close();
    }
    return dropped;
  }

  async #dropDay(
    session: Connection,
    { kept, due, day }: {
      readonly kept: Kept;
      readonly due: readonly TagDays[];
      readonly day: number;
    },
  ): Promise<void> {
    const { database, roll, upstream, tiers } = this.#parts;
    const tags = due.filter(({ from_day, to_day }) => from_day <= day && day < to_day)
      .map(({ tag_no }) => tag_no);
    if (kept === "samples") {
      const days = new Set([day]);
      await (tiers ? tiers.recall(days) : recallDays(database, days));
      await unfoldAhead({ database, session, roll }, { day, tags });
    }
    // What was stored and not rolled up yet must not go before it is.
    using _held = await roll.holdSettled();
    if (kept === "samples") {
      await unfoldDay({ database, session }, { day, tags });
    }
    await database.writeOn(session, async (write) => {
      if (kept === "samples") await requireNear(write, new Set([day]));
      if (upstream && isForwarded(kept)) {
        await noteLost(write, { kept, day, due, destination_nos: upstream.sentTo(kept) });
      }
      await dropDay(write, { kept, due, day });
    });
  }
}

/** What says how long data are kept, and of which tags. */
type Keeping = Pick<RetentionParts, "settings"> & {
  readonly catalog: Pick<Catalog, "tags" | "keep_rules" | "sites">;
};

type Selecting = Pick<
  RetentionParts,
  "database" | "settings" | "effects" | "catalog" | "upstream"
>;

/** What is dropped: so many days sooner than its time, and also what was not forwarded. */
type Dropping = {
  readonly sooner_days: number;
  readonly unsent_too?: boolean;
  readonly signal?: AbortSignal;
};

function isForwarded(kept: Kept): kept is ForwardedKind {
  return forwarded_kinds.some((kind) => kind === kept);
}

/**
 * Which days of tags may go: older than they are kept and than they can change, or so many days
 * sooner. Days count to that of the newest sample: a clock that runs ahead of it drops nothing.
 */
async function limitsOf(
  session: Connection,
  parts: Selecting,
  { kept, sooner_days = 0, unsent_too = false }:
    & Partial<Omit<Dropping, "signal">>
    & { readonly kept: Kept },
): Promise<readonly TagDays[]> {
  const keeps = keepsOf(parts).filter(({ days }) => days[kept] < Infinity);
  const newest_us = keeps.length === 0 ? undefined : await newestSample(session);
  if (newest_us === undefined) return [];
  const today = Math.floor(Math.min(newest_us, parts.effects.now_us()) / day_us);
  const { keep_days_least, seal_days } = retention_limits;
  const gone = new Map((await listHorizons(session)).map((it) => [it.tag_no, it[kept]]));
  const limits = keeps.map(({ tag_no, days }) => ({
    tag_no,
    from_day: gone.get(tag_no) ?? 0,
    to_day: today - Math.max(days[kept] - sooner_days, keep_days_least) - seal_days,
  })).filter(({ from_day, to_day }) => from_day < to_day);
  if (unsent_too || limits.length === 0 || !isForwarded(kept)) return limits;
  const { to_day: end_day } = spanOf(limits);
  const unsent_day = await parts.upstream?.unsentDay(kept, end_day) ?? end_day;
  return limits.map((it) => ({ ...it, to_day: Math.min(it.to_day, unsent_day) }))
    .filter(({ from_day, to_day }) => from_day < to_day);
}

/** How many days each tag's data are kept. */
function keepsOf({ catalog, settings }: Keeping) {
  const projects = new Map(catalog.sites.map(({ site_no, project_no }) => [site_no, project_no]));
  const rules = Map.groupBy(
    catalog.keep_rules.map(keepMatcher),
    ({ rule }) => projects.get(rule.site_no),
  );
  return catalog.tags.map((tag) => ({
    tag_no: tag.tag_no,
    days: keepOf(tag, rules.get(tag.project_no) ?? [], settings),
  }));
}

/** Tells everyone what is gone, or is about to go. */
function putHorizons(catalog: Catalog, kept: Kept, due: readonly TagDays[]): void {
  const none = { samples: 0, forecasts: 0, minutes: 0, quarters: 0 };
  catalog.putHorizons(due.map(({ tag_no, to_day }) => ({
    ...none,
    ...catalog.horizon(tag_no),
    ...{ tag_no, [kept]: to_day },
  })));
}

function spanOf(due: readonly TagDays[]): Pick<TagDays, "from_day" | "to_day"> {
  return {
    from_day: due.reduce((first, { from_day }) => Math.min(first, from_day), Infinity),
    to_day: due.reduce((last, { to_day }) => Math.max(last, to_day), 0),
  };
}
