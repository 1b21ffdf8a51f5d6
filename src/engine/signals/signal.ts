// Reads a page of signals: which lines and what window of time, then numbers into rows.
import { compareText } from "../../base/bytes.ts";
import type { Answer, Chunk, Vector } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import type { Project, Tag } from "../../model/plant/plant.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { type Lane, lanes, type Resolution, resolutions } from "../../model/samples/signal.ts";
import type { StatisticColumn } from "../../model/statistics/statistic.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import type { SignalPage, SignalPart, SignalSelection } from "../../store/samples/page.ts";
import { type ReplayReaches, replaySignals } from "../../store/samples/replay.ts";
import { findRangeEnds, type RangeEnds, readSignals } from "../../store/samples/signal.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { requireKept } from "../catalog/horizon.ts";
import { type InstantGrid, instantPage } from "./instant.ts";
import { type SignalLine, signalMaker } from "./row.ts";
import { pageStatistics, statistic_parts } from "./statistics.ts";

/** What a request for signals asks, checked. */
export type SignalRequest = {
  readonly project: Project;
  readonly filter: LineFilter;
  readonly resolution: Resolution | undefined;
  /** Sample times, `[from_us, to_us)`. */
  readonly from_us: number;
  readonly to_us: number;
  /** Read in the order of storing instead, from a watermark on. */
  readonly replay: SignalReplay | undefined;
  /** Give values at instants instead, one row a line and instant. */
  readonly instants: InstantGrid | undefined;
  /** Columns of statistics beside those of each minute. */
  readonly statistics: readonly StatisticColumn[];
  /** The columns of the answer: some of those of signals, of statistics, and the instant. */
  readonly columns: readonly Column[];
  readonly limit: number;
  readonly offset: number;
};

/** Which lines a request wants; an empty list and undefined want all. */
type LineFilter = {
  readonly lane: Lane | undefined;
  readonly tags: readonly string[];
  readonly tag_class: string | undefined;
  readonly device_ids: readonly string[];
};

/** A watermark: the last row received, or only the time it was stored. */
export type SignalReplay = {
  readonly since_us: number;
  readonly after: { readonly ts_us: number; readonly tag: string } | undefined;
};

/** What reads signals need. */
type SignalParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  /** Age from which a stored row shows in a replay. */
  readonly visible_after_us: number;
  /** Until when pages of replays reached. */
  readonly reaches: ReplayReaches;
};

/** Answers requests for signals. */
export class Signals {
  readonly #parts: SignalParts;
  readonly #lines: SignalLines;

  constructor(parts: SignalParts) {
    this.#parts = parts;
    this.#lines = new SignalLines(parts.catalog);
  }

  /**
   * One page of rows; reading stops, and throws, when `signal` aborts. Throws a `Fault` (gone)
   * where rows of the page's range are no longer kept.
   */
  read(request: SignalRequest, signal: AbortSignal): Answer {
    const selected = this.#lines.select(request.project, request.filter);
    this.#requireKept(request, selected);
    const chunks = this.#chunks(request, selected, signal);
    return { columns: request.columns, chunks, metadata: {} };
  }

  #requireKept(request: SignalRequest, lines: readonly SignalLine[]): void {
    const { resolution, replay, instants, statistics } = request;
    const first_us = instants && instants.count > 0 ? instants.instantAt(0) : request.from_us;
    // What is stored at a time is of it or earlier, and what comes too late is not stored.
    const from_us = Math.max(first_us, replay?.since_us ?? 0);
    const is_raw = instants !== undefined || resolution !== "1m" || statistics.length > 0;
    const has_minutes = !instants && resolution !== "raw";
    const kinds = [
      ...is_raw ? ["samples" as const] : [],
      ...has_minutes ? ["minutes" as const] : [],
    ];
    const reads = kinds.flatMap((kept) => lines.map(({ tag }) => ({ tag_no: tag.tag_no, kept })));
    requireKept(this.#parts.catalog, { from_us, reads });
  }

  async *#chunks(
    request: SignalRequest,
    selected: readonly SignalLine[],
    signal: AbortSignal,
  ): AsyncGenerator<Chunk, void> {
    // A replay goes on behind a tag, and so has but one line of it.
    const isFirst = ({ tag }: SignalLine, i: number) => tag !== selected[i - 1]?.tag;
    const lines = request.replay ? selected.filter(isFirst) : selected;
    if (lines.length === 0) return;
    const page = await this.#page(request, lines, signal);
    if (page.rows === 0) return;
    const { database } = this.#parts;
    const asked = request.statistics.filter((column) => request.columns.includes(column));
    const statistics = asked.length === 0 ? [] : await database.read(
      (connection) =>
        pageStatistics(connection, { page, lines }, {
          columns: asked,
          until_us: database.now_us,
        }),
      signal,
    );
    const made = new Map<string, Vector>(asked.map(({ name }, i) => [name, statistics[i]]));
    const vectors = request.columns.map(({ name }) =>
      made.get(name) ?? signalMaker(name)!.make({ page, lines })
    );
    yield { rows: page.rows, vectors };
  }

  /** The numbers of a page. */
  #page(
    request: SignalRequest,
    lines: readonly SignalLine[],
    signal: AbortSignal,
  ): Promise<SignalPage> {
    const { database } = this.#parts;
    const { replay, instants } = request;
    if (replay) return this.#replay(request, lines, { replay, signal });
    if (!instants) return this.#range(request, lines, signal);
    return database.read(
      (connection) =>
        instantPage(connection, lines, { ...request, instants, now_us: database.now_us }),
      signal,
    );
  }

  /** Rows by sample time. */
  #range(
    request: SignalRequest,
    lines: readonly SignalLine[],
    signal: AbortSignal,
  ): Promise<SignalPage> {
    const { from_us, to_us, limit, offset } = request;
    const selection = selectionOf(request, lines);
    // A guess of one row a line and minute, mended by what is found there.
    const guess_us = (limit + offset) / lines.length * sample_limits.row_span_us;
    const window = { start_us: from_us, end_us: to_us, limit, offset };
    const span_us = Math.max(sample_limits.row_span_us, guess_us);
    const most = mostOf(limit + offset, lines);
    const use = <T>(work: (connection: Connection) => Promise<T>) =>
      this.#parts.database.read(work, signal);
    return readRange({ ...window, span_us }, {
      read: (until_us) => use((it) => readSignals(it, { ...selection, to_us: until_us }, { most })),
      findEnds: (until_us, most) =>
        use((it) => findRangeEnds(it, { ...selection, to_us: until_us }, { most })),
    });
  }

  /** Rows by storing time, up to what every later reader will see before anything newer. */
  #replay(
    request: SignalRequest,
    lines: readonly SignalLine[],
    { replay, signal }: { readonly replay: SignalReplay; readonly signal: AbortSignal },
  ): Promise<SignalPage> {
    const { database, visible_after_us, reaches } = this.#parts;
    const { since_us, after } = replay;
    const visible_us = Math.min(database.now_us - visible_after_us, database.followed_us);
    const watermark = {
      since_us,
      until_us: visible_us + 1,
      after_us: after?.ts_us ?? -1,
      after_line: after ? linesUpTo(lines, after.tag) : 0,
    };
    const asked = { selection: selectionOf(request, lines), watermark, reaches };
    return database.read((connection) => replaySignals(connection, asked), signal);
  }
}

function selectionOf(request: SignalRequest, lines: readonly SignalLine[]): SignalSelection {
  const { resolution, from_us, to_us, limit, offset } = request;
  return {
    tag_nos: lines.map((line) => line.tag.tag_no),
    ...{ resolution, from_us, to_us, limit, offset },
    parts: partsOf(request),
  };
}

/** The parts of a page that an answer's columns take. */
function partsOf({ columns, statistics }: SignalRequest): readonly SignalPart[] {
  const parts = columns.flatMap(({ name }) => signalMaker(name)?.parts ?? []);
  const has_statistics = statistics.some((column) => columns.includes(column));
  const taken = new Set<SignalPart>([...parts, ...has_statistics ? statistic_parts : []]);
  return taken.size > 0 ? [...taken] : ["ts"];
}

/** How many entries may be read for so many rows: of each line at least those of an instant. */
function mostOf(rows: number, lines: readonly SignalLine[]): number {
  return sample_limits.window_share * rows + resolutions.length * lines.length;
}

type Window = {
  readonly start_us: number;
  readonly end_us: number;
  /** Length of the first window. */
  readonly span_us: number;
  readonly limit: number;
  readonly offset: number;
};

/** Asks for what is in the range of a page, up to some time. */
type Look = {
  /** Undefined where there is too much. */
  readonly read: (until_us: number) => Promise<SignalPage | undefined>;
  readonly findEnds: (until_us: number, most: number) => ReturnType<typeof findRangeEnds>;
};

/**
 * Reads a page from a window of time that starts at `start_us` and is as long as it must be: a full
 * page is the same as that of the whole range. A window that holds too much is made shorter by what
 * a count says; one that holds too little longer, and where it is empty it goes on with the rows
 * that there are. The next one always lies between one too short and one too long.
 */
async function readRange(
  { start_us, end_us, span_us, limit, offset }: Window,
  { read, findEnds }: Look,
): Promise<SignalPage> {
  const wanted = limit + offset;
  let [short_us, long_us] = [start_us, Infinity];
  let found: RangeEnds | undefined;
  let until_us = Math.min(start_us + span_us, end_us);
  for (let last_rows = -1;;) {
    const page = await read(until_us);
    if (page === undefined) {
      long_us = until_us;
      // What was stored meanwhile may be in the shorter one, too.
      if (long_us - short_us <= 1) short_us = start_us;
      const counted = await findEnds(until_us, Number.MAX_SAFE_INTEGER);
      until_us = between(short_us, long_us, counted ? spanEnd(counted, wanted) : start_us);
      continue;
    }
    if (page.rows === limit || until_us >= end_us) return page;
    if (found && until_us > found.last_us && page.rows + offset >= found.rows) return page;
    short_us = until_us;
    if (page.rows === 0 && found === undefined) {
      found = await findEnds(end_us, wanted);
      if (found === undefined) return page;
    }
    const first_us = found?.first_us ?? start_us;
    const missing = page.rows === last_rows ? Infinity : 1.3 * wanted / (page.rows + offset);
    const growth = Math.min(Math.max(missing, 2), sample_limits.span_growth);
    const next_us = first_us + (until_us > first_us ? (until_us - first_us) * growth : span_us);
    // The rows that were found may have gone since: then it goes on behind them.
    const most_us = found && until_us <= found.last_us ? found.last_us + 1 : end_us;
    until_us = between(short_us, long_us, Math.min(next_us, most_us, end_us));
    last_rows = page.rows;
  }
}

/** A time between two, at most half of the way, where the second is known; else the time itself. */
function between(from_us: number, to_us: number, us: number): number {
  return Math.max(from_us + 1, Math.ceil(Math.min(us, (from_us + to_us) / 2)));
}

/** When the wanted ones of some entries have probably come, and a few more. */
function spanEnd({ rows, first_us, last_us }: RangeEnds, wanted: number): number {
  return first_us + 1.1 * (last_us + 1 - first_us) * wanted / rows;
}

/** How many lines are of a tag up to `tag`, which may be a tag that no line shows. */
function linesUpTo(lines: readonly SignalLine[], tag: string): number {
  const at = lines.findIndex((line) => compareText(line.tag.sensor_tag, tag) > 0);
  return at < 0 ? lines.length : at;
}

/** The lines of a project by tag, tags in the order of UTF-8 bytes; those of a tag by lane. */
type LinesByTag = ReadonlyMap<string, readonly SignalLine[]>;

/** Sorted lines by project, made again when the catalog has changed. */
class SignalLines {
  readonly #catalog: Catalog;
  #version = -1;
  #by_project = new Map<number, LinesByTag>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The lines that a request wants, by tag (in the order of UTF-8 bytes), then lane. */
  select(project: Project, filter: LineFilter): readonly SignalLine[] {
    const { lane, tags, tag_class, device_ids } = filter;
    const by_tag = this.#linesOf(project);
    const wanted = tags.length > 0
      ? [...new Set(tags)].toSorted(compareText).map((tag) => by_tag.get(tag) ?? [])
      : by_tag.values();
    const devices = new Set<string | null | undefined>(device_ids);
    const lines: SignalLine[] = [];
    for (const of_tag of wanted) {
      for (const line of of_tag) {
        if (lane !== undefined && line.lane !== lane) continue;
        if (tag_class !== undefined && line.tag.tag_class !== tag_class) continue;
        if (devices.size === 0 || devices.has(line.sensor?.device_id)) lines.push(line);
      }
    }
    return lines;
  }

  #linesOf(project: Project): LinesByTag {
    if (this.#version !== this.#catalog.version) {
      this.#by_project = linesByProject(this.#catalog);
      this.#version = this.#catalog.version;
    }
    return this.#by_project.get(project.project_no) ?? new Map();
  }
}

function linesByProject(catalog: Catalog): Map<number, LinesByTag> {
  const tags = catalog.tags
    .filter((tag) => tag.lane === "signal")
    .toSorted((a, b) => compareText(a.sensor_tag, b.sensor_tag));
  const by_project = Map.groupBy(tags, (tag) => tag.project_no);
  const byTag = (tag: Tag) =>
    [tag.sensor_tag, lanes.flatMap((lane) => linesOf(catalog, tag, lane))] as const;
  return new Map(Array.from(by_project, ([no, own]) => [no, new Map(own.map(byTag))]));
}

function linesOf(catalog: Catalog, tag: Tag, lane: Lane): readonly SignalLine[] {
  if (lane === "raw_signal") return [{ lane, tag, sensor: null }];
  const sensors = catalog.sensorsOfTag(tag.tag_no).filter(({ direct }) => direct);
  return sensors.map((sensor) => ({ lane, tag, sensor }));
}
