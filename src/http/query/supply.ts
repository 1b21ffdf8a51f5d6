// Reads what a question in SQL wants: by the interface's own reads, of the asker's projects alone.
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { type Interval, minutesOf } from "../../model/time/bucket.ts";
import { dayNumber, dayText } from "../../model/time/calendar.ts";
import { day_minutes, dayAt } from "../../model/time/zone.ts";
import type { Answer, Chunk } from "../../model/data/chunk.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Grant } from "../../model/access/token.ts";
import { query_limits } from "../../model/query/limits.ts";
import type { Wanted } from "../../model/query/view.ts";
import { encode } from "../../wire/format.ts";
import { instantOf, instantText } from "../../wire/bytes/instant.ts";
import type { RouteContext } from "../frame/route.ts";
import { tableAnswer } from "../frame/row_table.ts";
import type { Services } from "../frame/services.ts";
import type { ViewFile, ViewRows } from "../../store/query/sandbox.ts";
import { readRows } from "./inner.ts";
import type { View } from "./view.ts";

/** Whose question it is, and where the rows go. */
type Asker = {
  readonly projects: readonly Project[];
  readonly grant: Grant;
  readonly outer: RouteContext<[]>;
  readonly folder: string;
  readonly signal: AbortSignal;
};

/** One read of a view: its address, and what every row of it has. */
type Reading = {
  readonly query: string;
  readonly project: Project;
  /** Instants [from, to) that are read a window at a time: a window is as long as it has rows. */
  readonly span?: { readonly from_us: number; readonly to_us: number };
};

/** Counts what is read for one question. */
type Tally = { rows: number; bytes: number; reads: number };

type One = {
  readonly view: View;
  readonly want: Wanted;
  readonly reading: Reading;
  readonly tally: Tally;
};

/** Reads the rows that are wanted of each view. Throws a `Fault` where these are too many. */
export async function supply(
  services: Services,
  { views, wanted }: { readonly views: readonly View[]; readonly wanted: readonly Wanted[] },
  asker: Asker,
): Promise<readonly ViewRows[]> {
  const tally: Tally = { rows: 0, bytes: 0, reads: 0 };
  const rows: ViewRows[] = [];
  for (const want of wanted) {
    const view = views.find(({ name }) => name === want.view)!;
    const files: ViewFile[] = [];
    for (const reading of readingsOf(services, { view, want, projects: asker.projects })) {
      for await (const file of filesOf(services, { view, want, reading, tally }, asker)) {
        files.push(file);
      }
    }
    rows.push({ view: view.name, files });
  }
  return rows;
}

/** The files of one reading: one, or one for each window of its span. */
async function* filesOf(
  services: Services,
  one: One,
  asker: Asker,
): AsyncGenerator<ViewFile, void> {
  const { reading: { span, query } } = one;
  const most = one.view.route.answer.kind === "stream" && span === undefined
    ? query_limits.source_rows
    : query_limits.page_rows;
  if (span === undefined) {
    const read = await readOne(services, { ...one, query, most }, asker);
    if (read === undefined) throw tooMuch(one.view);
    return yield read;
  }
  let length_us = day_us;
  for (let from_us = span.from_us; from_us < span.to_us;) {
    const to_us = Math.min(span.to_us, from_us + length_us);
    const window = `from=${instantText(from_us)}&to=${instantText(to_us)}`;
    const before = one.tally.rows;
    const read = await readOne(services, { ...one, query: `${query}&${window}`, most }, asker);
    if (read !== undefined) {
      yield read;
      from_us = to_us;
      if (one.tally.rows - before < most / 4) length_us *= 4;
    } else if (length_us === 1) throw tooMuch(one.view);
    else length_us = Math.max(1, Math.floor(length_us / 4));
  }
}

const day_us = 86_400_000_000;

/** What is read at once; undefined where it has more rows than are to be read at once. */
async function readOne(
  services: Services,
  { view, want, reading: { project }, tally, query, most }: One & {
    readonly query: string;
    readonly most: number;
  },
  { grant, outer, folder, signal }: Asker,
): Promise<ViewFile | undefined> {
  signal.throwIfAborted();
  if (++tally.reads > query_limits.source_reads) throw tooMuch(view);
  const answered = view.answered.map(({ name }) => name);
  const columns = want.columns.filter((name) => answered.includes(name));
  const asked = columns.length > 0 ? columns : answered.slice(0, 1);
  const read = { route: view.route, query, grant, outer: { ...outer, signal } };
  const found = await readRows(services, read, { columns: asked, limit: most + 1 });
  const answer = found instanceof Response
    ? await documentRows(found, { view, project, columns: asked })
    : found;
  const path = `${folder}/${view.name}_${tally.reads}.parquet`;
  const isWhole = await writeFile(path, answer, { tally, view, most, signal });
  if (!isWhole) return undefined;
  return { path, columns: asked, constants: { project_id: project.id } };
}

/** The rows in a JSON document. */
async function documentRows(
  response: Response,
  { view, project, columns }: Pick<One, "view"> & {
    readonly project: Project;
    readonly columns: readonly string[];
  },
): Promise<Answer> {
  const rows = view.rows!(await response.json() as never)
    .filter(({ project_id = project.id }) => project_id === project.id);
  const shown = columns.map((name) => view.answered.find((it) => it.name === name)!);
  return tableAnswer({ columns: shown, batches: [rows] });
}

/** Writes rows into a file, and says whether these are all; not all count as none. */
async function writeFile(
  path: string,
  answer: Answer,
  { tally, view, most, signal }: Pick<One, "tally" | "view"> & {
    readonly most: number;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  let rows = 0;
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Chunk, void> {
    for await (const chunk of answer.chunks) {
      signal.throwIfAborted();
      rows += chunk.rows;
      if (rows > most) return;
      if (tally.rows + rows > query_limits.source_rows) throw tooMuch(view);
      yield chunk;
    }
  };
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  for await (const piece of encode({ ...answer, chunks: counted() }, "parquet")) {
    bytes += piece.length;
    if (tally.bytes + bytes > query_limits.source_bytes) throw tooMuch(view);
    for (let at = 0; at < piece.length;) at += await file.write(piece.subarray(at));
  }
  tally.bytes += bytes;
  if (rows > most) return false;
  tally.rows += rows;
  return true;
}

function tooMuch({ name, times, words }: View): Fault {
  const { source_rows, source_bytes } = query_limits;
  const most = `${source_rows} rows or ${source_bytes / 1024 / 1024} MiB`;
  const by = times.length > 0
    ? `give bounds: WHERE ${times[0]} >= '…' AND ${times[0]} < '…'`
    : "ask for fewer columns or projects";
  const words_said = words.length > 1 ? `, and ${words[0]} IN (…)` : "";
  return new Fault("too_large", `${name} has more than ${most} for this query; ${by}${words_said}`);
}

/** The reads that together give what is wanted of a view. */
function readingsOf(
  services: Services,
  { view, want, projects }: Pick<One, "view" | "want"> & { readonly projects: readonly Project[] },
): readonly Reading[] {
  const { project_id: ids = projects.map(({ id }) => id) } = want.words;
  const common = new URLSearchParams();
  for (const [name, values] of Object.entries(view.fixed)) {
    values.forEach((value) => common.append(name, value));
  }
  const span = spanOf(view, want);
  return projects.filter(({ id }) => ids.includes(id)).flatMap((project) => {
    const own = new URLSearchParams(common);
    const { project: param } = view.route;
    if (param !== null) own.append(param, project.id);
    for (const [name, value] of daysOf(services, { view, want, project })) own.append(name, value);
    const chosen = choicesOf(services, { view, want, project });
    return chosen.map((choice) => ({
      ...{ project, span },
      query: `${own}&${new URLSearchParams(choice)}`,
    }));
  });
}

type Pairs = [name: string, value: string][];

/** The parameters that choose rows by their texts; none where no row can have such. */
function choicesOf(
  { catalog }: Services,
  { view, want, project }: Pick<One, "view" | "want"> & { readonly project: Project },
): readonly Pairs[] {
  const chosen: Pairs = [];
  const { component, component_measure, ...rest } = want.words;
  for (const [column, param] of Object.entries(view.by)) {
    const { repeated = false, values } = view.route.params.find(({ name }) => name === param) ?? {};
    const known = rest[column]?.filter((text) => values?.includes(text) ?? true);
    // No parameter takes an empty text.
    if (known === undefined || known.includes("")) continue;
    if (known.length === 0) return [];
    const most = repeated ? limits.repeated_values : 1;
    if (known.length <= most) chosen.push(...known.map((it): Pairs[number] => [param, it]));
  }
  if (!view.by_measure) return [chosen];
  const pairs = new Map(
    catalog.sensors
      .filter(({ project_no }) => project_no === project.project_no)
      .map((it) => [`${it.component} ${it.measure} ${it.sentinel_tag}`, it]),
  );
  return [...pairs.values()]
    .filter((it) => component?.includes(it.component) ?? true)
    .filter((it) => component_measure?.includes(it.measure) ?? true)
    .map((it): Pairs => [
      ...chosen,
      ["component", it.component],
      ["component_measure", it.measure],
      ["sentinel_tag", it.sentinel_tag],
    ]);
}

/** The instants that rows can have; undefined where a view is not read by instants. */
function spanOf(view: View, { from, to }: Wanted): Reading["span"] {
  if (view.within !== "instants") return undefined;
  const [ts] = view.times;
  const [from_us, to_us] = [bounded(from[ts] ?? first_day), bounded(to[ts] ?? last_day)]
    .map(microsecondsOf);
  return { from_us, to_us: Math.max(from_us, to_us) + 1 };
}

/**
 * The parameters that choose rows by their days: where no end is said, up to now, for what is still
 * to come has empty rows. Throws a `Fault` where a start is missing.
 */
function daysOf(
  { effects }: Services,
  { view, want: { from, to }, project }: Pick<One, "view" | "want"> & { readonly project: Project },
): Pairs {
  if (view.within !== "days") return [];
  const [local, utc] = view.times;
  const days = (side: Wanted["from"], shift: number) => [
    ...[side[local]].filter((time) => time !== undefined).map((time) => bounded(time).slice(0, 10)),
    ...[side[utc]].filter((time) => time !== undefined)
      .map((time) => bounded(dayText(dayNumber(bounded(time).slice(0, 10)) + shift))),
  ];
  const starts = days(from, -1).toSorted();
  const ends = days(to, 1).toSorted();
  if (starts.length === 0) {
    const what = `${view.name} needs a start of time`;
    throw new Fault("invalid", `${what}: add WHERE ${local} >= '2026-06-01' AND ${local} < …`);
  }
  const start = starts.at(-1)!;
  const end = ends[0] ?? endNow(view, { now_us: effects.now_us(), timezone: project.timezone });
  return [["dt_start", start], ["dt_end", end < start ? start : end]];
}

/** Now, for buckets within a day; else the day that it is in a zone. */
function endNow(
  { fixed }: View,
  { now_us, timezone }: { readonly now_us: number; readonly timezone: string },
): string {
  const minutes = minutesOf(fixed.time_interval[0] as Interval);
  if (minutes !== undefined && minutes < day_minutes) return instantText(now_us);
  return dayText(dayAt(timezone, Math.floor(now_us / 60_000_000)));
}

const first_day = "1970-01-01";
const last_day = "2199-12-31";

/** A time, or the nearest that the interface takes. */
function bounded(time: string): string {
  return time < first_day ? first_day : time > last_day ? last_day : time;
}

function microsecondsOf(time: string): number {
  return instantOf(time.length === first_day.length ? `${time}T00:00:00Z` : time);
}
