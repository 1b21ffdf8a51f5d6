// Where imported files go: this machine's data, or a service; and where their marks are kept.
import { hex, utf8 } from "../../base/bytes.ts";
import { nearest } from "../../base/did_you_mean.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import type { ImportCheck, ReasonCount } from "../../engine/ingest/check.ts";
import type { FileExcess, RatedTag, Ratings } from "../../engine/ingest/excess.ts";
import {
  databaseTarget,
  type ImportAnswer,
  type ImportReport,
  type ImportTarget,
  ratingsOf,
  sumOrNull,
  tagNews,
} from "../../engine/ingest/import.ts";
import { Ingest } from "../../engine/ingest/ingest.ts";
import type { doubtsOf, TagNews } from "../../engine/ingest/understanding.ts";
import { openRuleEngine } from "../../engine/rules/open.ts";
import { Rollup } from "../../engine/rollup/rollup.ts";
import { answer_limits } from "../../model/data/limits.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { IngestAnswer, StoredAnswer } from "../../model/samples/sample.ts";
import { replaceFile } from "../../store/folder.ts";
import { body_limits } from "../../wire/bytes/limits.ts";
import type { ImportMark } from "../../wire/import/import_file.ts";
import { ndjsonOf } from "../../wire/samples/json.ts";
import { type Context, offline } from "../frame/context.ts";
import { askService, type Remote } from "../frame/remote.ts";
import { cli_limits } from "./limits.ts";

/** What files go to, what is known of its tags, and where marks are kept. */
export type Destination = {
  readonly target: ImportTarget;
  readonly timezone: string | undefined;
  readonly news: TagNews;
  /** What is known of powers there. */
  readonly rated: Ratings;
  /** `way` is how the file is read, as plain data. */
  readonly keeper: (path: string, way: unknown) => Promise<MarkKeeper>;
};

/** Works on this machine's data; rolls up at the end. */
export async function atHome(
  context: Context,
  wanted: string,
  work: (place: Destination) => Promise<boolean>,
): Promise<boolean> {
  const { effects } = context;
  return await offline(sparing(context), async ({ database, catalog, settings }) => {
    const project = projectOf(catalog, wanted);
    const parts = { database, catalog, effects };
    const room = body_limits.import_piece_rows;
    const ingest = await Ingest.open({ ...parts, ...await openRuleEngine(parts), room });
    const whole = await work({
      target: databaseTarget({ ...parts, ingest }, project),
      timezone: project.timezone,
      news: tagNews(catalog, project),
      rated: ratingsOf(catalog, project),
      keeper: (path, way) => markKeeper(settings.data_dir, { path, way: [way, project.id] }),
    });
    const { queued_rows, totals } = ingest;
    if (queued_rows === 0 && totals.accepted === 0) return whole;
    effects.err("Rolling up\n");
    const roll = await Rollup.open({ database, catalog, effects });
    try {
      await roll.settle();
    } finally {
      await roll.close();
    }
    return whole;
  });
}

/** The same with less memory for the database: all that it may have would be filled. */
function sparing(context: Context): Context {
  return {
    ...context,
    async resolve() {
      const { settings, origins } = await context.resolve();
      const memory_mb = Math.min(settings.memory_mb, cli_limits.import_memory_mb);
      return { settings: { ...settings, memory_mb }, origins };
    },
  };
}

/** A project of a service elsewhere; what is known of its tags is asked for a dry run alone. */
export async function placeThere(
  { effects }: Context,
  { project: wanted, remote, is_dry }: {
    readonly project: string;
    readonly remote: Remote;
    readonly is_dry: boolean;
  },
): Promise<Destination> {
  const project = await remoteProject(effects, { remote, wanted });
  const { id, timezone } = project;
  const rated = await ratingsThere(effects, { remote, project_id: id });
  const counts_corrected = rated !== undefined;
  return {
    target: serviceTarget(effects, { remote, project_id: id, counts_corrected }),
    timezone,
    news: is_dry ? await newsThere(effects, { remote, project_id: id }) : () => undefined,
    rated: rated ?? new Map(),
    keeper: async (path, way) =>
      await markKeeper(await stateFolder(effects), { path, way: [way, remote.url, id] }),
  };
}

/** What a service says of a project's tags; nothing where the token may not read that. */
async function newsThere(
  effects: Pick<Effects, "request" | "sleep" | "err">,
  { remote, project_id }: { readonly remote: Remote; readonly project_id: string },
): Promise<TagNews> {
  type Tag = { readonly sensor_tag: string; readonly lane: string };
  const known = new Set<string>();
  const limit = answer_limits.page_rows;
  try {
    for (let offset = 0, is_more = true; is_more; offset += limit) {
      const search = { project_id, limit: `${limit}`, offset: `${offset}` };
      const path = "/platform/v1/meta/tags";
      const tags = await askService<readonly Tag[]>(effects, remote, { path, search });
      for (const it of tags) if (it.lane === "signal") known.add(it.sensor_tag);
      is_more = tags.length === limit;
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.code === "unavailable") throw error;
    effects.err(
      `Which columns are new tags can't be told: ${error.message}. Give a token with the scope ` +
        "read, too\n",
    );
    return () => undefined;
  }
  return (tag) => known.has(tag) ? { measures: [] } : null;
}

/** What a service says of powers; undefined where it can't, as one of an older version. */
async function ratingsThere(
  effects: Pick<Effects, "request" | "sleep" | "err">,
  { remote, project_id }: { readonly remote: Remote; readonly project_id: string },
): Promise<Ratings | undefined> {
  type Answer = { readonly ratings: readonly (RatedTag & { readonly tag: string })[] };
  try {
    const { ratings } = await askService<Answer>(effects, remote, {
      path: "/ingest/v1/ratings",
      search: { project_id },
    });
    return new Map(ratings.map((it) => [it.tag, it]));
  } catch (error) {
    if (!(error instanceof Fault) || error.code === "unavailable") throw error;
    effects.err(`Which powers are beyond their rating can't be told: ${error.message}\n`);
    return undefined;
  }
}

type RemoteProject = Pick<Project, "id" | "key" | "timezone">;

/** The project of a service, by its key or id, that a token may send to. */
async function remoteProject(
  effects: Pick<Effects, "request" | "sleep">,
  { remote, wanted }: { readonly remote: Remote; readonly wanted: string },
): Promise<RemoteProject> {
  type Answer = {
    readonly projects: readonly (Omit<RemoteProject, "id"> & { readonly project_id: string })[];
  };
  const { projects } = await askService<Answer>(effects, remote, { path: "/ingest/v1/projects" });
  return projectOf({ projects: projects.map((it) => ({ ...it, id: it.project_id })) }, wanted);
}

/** The project that is wanted by its key or id. */
function projectOf<P extends Pick<Project, "id" | "key">>(
  { projects }: { readonly projects: readonly P[] },
  wanted: string,
): P {
  const found = projects.filter(({ id, key }) => id === wanted || key === wanted);
  if (found.length === 1) return found[0];
  if (found.length > 1) throw new Fault("invalid", `several projects have the key ${wanted}`);
  const keys = projects.map(({ key }) => key);
  const meant = nearest(wanted, keys);
  const known = keys.length === 0 ? "there is none: apply a site file first" : keys.join(", ");
  throw new Fault("not_found", `no project ${wanted}: ${meant ? `meant ${meant}?` : known}`);
}

/** A project of a service. */
function serviceTarget(
  effects: Pick<Effects, "request" | "sleep">,
  { remote, project_id, counts_corrected }: {
    readonly remote: Remote;
    readonly project_id: string;
    /** Not so for an older version. */
    readonly counts_corrected: boolean;
  },
): ImportTarget {
  return {
    async add({ batches, rejected, rejected_count }) {
      const answers = [];
      for (const batch of batches) {
        const search = { project_id, lane: batch.lane };
        const answer = await askService<IngestAnswer & Partial<StoredAnswer>>(effects, remote, {
          path: "/ingest/v1/signals",
          search: counts_corrected ? { ...search, include: "corrected" } : search,
          rows: ndjsonOf(batch),
        });
        const lines = answer.rejected.map((it) => ({ ...it, line: batch.line[it.line - 1] }));
        answers.push({ ...answer, corrected: answer.corrected ?? null, rejected: lines });
      }
      const none = { accepted: 0, corrected: 0, duplicates: 0, rejected_count, rejected };
      return answers.reduce<ImportAnswer>(sum, none);
    },
    // What its tags hold, and what its site file says of intervals and units, is its own.
    foresee: () => [],
    check: () => {},
    noteUnits: () => Promise.resolve(),
  };
}

function sum(a: ImportAnswer, b: ImportAnswer): ImportAnswer {
  return {
    accepted: a.accepted + b.accepted,
    corrected: sumOrNull(a.corrected, b.corrected),
    duplicates: a.duplicates + b.duplicates,
    rejected_count: a.rejected_count + b.rejected_count,
    rejected: [...a.rejected, ...b.rejected],
  };
}

/** What was found in a whole file, as plain data. */
export type Found = Pick<ImportCheck, "rows" | "rejected_count"> & {
  readonly repeats: Pick<ImportCheck["repeats"], "differing" | "first">;
  readonly doubtful: ReturnType<typeof doubtsOf>;
  /** Marks of older versions lack it. */
  readonly excess?: readonly FileExcess[];
};

/**
 * A place in a file, how many rows before it were rejected, and how many values of the whole file
 * replace others.
 */
type KeptMark = ImportMark & {
  readonly rejected: number;
  readonly differing: number;
  /** What the end tells of the whole; marks of older versions lack it. */
  readonly whole?: {
    readonly found: Found;
    readonly report: PlainReport;
  };
};

type PlainReport = Omit<ImportReport, "reasons"> & {
  readonly reasons: readonly (readonly [reason: string, ReasonCount])[];
};

/** What became of rows, as plain data. */
export function plainReport(report: ImportReport): PlainReport {
  return { ...report, reasons: [...report.reasons].slice(0, cli_limits.kept_reasons) };
}

/** The same back from plain data. */
export function reportOf(plain: PlainReport): ImportReport {
  // Marks of older versions do not tell what was corrected.
  return { ...plain, corrected: plain.corrected ?? null, reasons: new Map(plain.reasons) };
}

/** Keeps the mark of one file as it is now and one way of reading it. */
type MarkKeeper = {
  readonly read: () => Promise<KeptMark | undefined>;
  readonly keep: (mark: KeptMark) => Promise<void>;
  /** All is imported: there is nothing to go on with. */
  readonly forget: () => Promise<void>;
};

/** Where marks of imports into services elsewhere are kept; undefined where that can't be. */
async function stateFolder(
  { env, err }: Pick<Effects, "env" | "err">,
): Promise<string | undefined> {
  const { XDG_STATE_HOME, HOME, LOCALAPPDATA } = env();
  const home = XDG_STATE_HOME ?? LOCALAPPDATA ?? (HOME && `${HOME}/.local/state`);
  if (!home) return undefined;
  try {
    await Deno.mkdir(`${home}/wattkeeper`, { recursive: true });
    return `${home}/wattkeeper`;
  } catch (error) {
    err(`${home} can't be written, a stopped import begins again: ${(error as Error).message}\n`);
    return undefined;
  }
}

/** In `folder`, or nowhere; `way` is how the file is read and where it goes, as plain data. */
export async function markKeeper(
  folder: string | undefined,
  { path, way }: { readonly path: string; readonly way: unknown },
): Promise<MarkKeeper> {
  if (folder === undefined) return no_keeper;
  const { size, mtime } = await Deno.stat(path);
  const real = await Deno.realPath(path);
  const identity = JSON.stringify([real, size, mtime?.getTime() ?? null, way]);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(identity)));
  const place = `${folder}/import-${hex(digest).slice(0, 24)}.json`;
  return {
    async read() {
      try {
        return JSON.parse(await Deno.readTextFile(place)) as KeptMark;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      }
    },
    keep: (mark) => replaceFile(place, JSON.stringify(mark)),
    forget: () => Deno.remove(place).catch(() => {}),
  };
}

const no_keeper: MarkKeeper = {
  read: () => Promise.resolve(undefined),
  keep: () => Promise.resolve(),
  forget: () => Promise.resolve(),
};
