// The newest values of a project's tags as rows, and the stream of them with alarms and work.
import { ownText, utf8 } from "../../base/bytes.ts";
import { type Effects, giveWay, isLongAt } from "../../base/effects.ts";
import { measures } from "../../model/plant/measure.ts";
import type { Project, Sensor, Tag } from "../../model/plant/plant.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { quality_names } from "../../model/samples/sample.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { AlarmFeed, FeedSource, FeedStart } from "../alarms/feed.ts";
import { cursorOf, placeOfCursor } from "../alarms/feed.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { eventStream, frameOf, type Look } from "../core/event_stream.ts";
import type { LatestValue, LatestValues } from "../samples/latest.ts";
import type { WorkTail } from "../work/tail.ts";

/** Which tags; an empty list wants all. */
export type LatestFilter = {
  readonly project: Project;
  readonly sensor_tags: readonly string[];
  readonly hierarchy_ids: readonly string[];
  readonly measures: readonly string[];
};

/** A tag, and the sensor that reads it, if one does. */
type Line = {
  readonly tag: Tag;
  readonly sensor: Sensor | null;
  /** What is always the same of its row, as the begin of the row's JSON. */
  readonly head: string;
  /** The row up to its age, as it was printed of a change of the value; empty if it is not kept. */
  row: string;
  change: number;
};

/** A project's whole document, until a value changes: only the ages of its rows become others. */
type Whole = {
  readonly change: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ages: Readonly<Ages>;
};

/** By row its time, and where its age is in the document. */
type Ages = { readonly ts_us: number; readonly at: number; readonly length: number }[];

/** What stands around the array of values. */
const [before, behind] = ['{"values":', "}"];
const around = before + behind;

type Parts = {
  readonly catalog: Catalog;
  readonly latest: LatestValues;
  readonly effects: Pick<Effects, "now_us" | "monotonic_ms" | "sleep">;
};

/**
 * Reads the newest values; which tags a project has is worked out once for each catalog. A row is
 * kept as it was printed until its value changes, as far as what is kept so has room.
 */
export class LatestReader {
  readonly #parts: Parts;
  #version = -1;
  #lines = new Map<number, readonly Line[]>();
  #kept_length = 0;
  /** By project; together at most as long as the rows that are kept. */
  readonly #wholes = new Map<number, Whole>();
  #wholes_length = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** All that passes a filter, as a JSON object with the array that `print` gives. */
  async document(filter: LatestFilter): Promise<Uint8Array<ArrayBuffer>> {
    const { latest, effects } = this.#parts;
    const { project: { project_no }, sensor_tags, hierarchy_ids, measures } = filter;
    await latest.load();
    const is_all = sensor_tags.length + hierarchy_ids.length + measures.length === 0;
    if (!is_all) return documentOf(await this.print(filter));
    this.#linesOf(filter.project);
    const known = this.#wholes.get(project_no);
    const again = known?.change === latest.changes && agedAgain(known, effects.now_us());
    if (again) return again;
    const [version, change] = [this.#version, latest.changes];
    const ages: Ages = [];
    const text = await this.print(filter, { ages });
    const bytes = documentOf(text);
    // Where values came between, or a sign takes more bytes than one, the ages lie elsewhere.
    const is_one = this.#version === version && latest.changes === change;
    if (text !== undefined && is_one && bytes.length === text.length + around.length) {
      this.#keepWhole(project_no, { change, bytes, ages });
    }
    return bytes;
  }

  #keepWhole(project_no: number, whole: Whole): void {
    this.#wholes_length += whole.bytes.length - (this.#wholes.get(project_no)?.bytes.length ?? 0);
    if (this.#wholes_length > sample_limits.latest_kept_length) this.#forgetWholes();
    else this.#wholes.set(project_no, whole);
  }

  #forgetWholes(): void {
    this.#wholes.clear();
    this.#wholes_length = 0;
  }

  /**
   * The rows of what passes a filter and was stored after a stamp, in the order of the tags, as a
   * JSON array: each a tag's newest value, in the unit of its measure where a sensor reads it.
   * Undefined for none.
   */
  async print(
    filter: LatestFilter,
    { after_us = -Infinity, ages }: { readonly after_us?: number; readonly ages?: Ages } = {},
  ): Promise<string | undefined> {
    const { latest, effects } = this.#parts;
    await latest.load();
    const print = printer();
    const ageOf = agePrinter(effects.now_us());
    let text = "";
    for (const [place, line] of this.#select(filter).entries()) {
      if (isLongAt(place)) await giveWay();
      const found = latest.of(line.tag.tag_no);
      if (found !== undefined && found.received_us > after_us) {
        text += `${text === "" ? "[" : ","}${this.#rowOf(line, found, print)}`;
        const age = ageOf(found.ts_us);
        ages?.push({ ts_us: found.ts_us, at: before.length + text.length, length: age.length });
        text += `${age}}`;
      }
    }
    return text === "" ? undefined : `${text}]`;
  }

  /** What is new each time that it is asked for is not kept: to keep a row takes some time. */
  #rowOf(line: Line, found: LatestValue, print: (us: number) => string): string {
    const is_known = line.change === found.change;
    if (is_known && line.row !== "") return line.row;
    const row = printRow(line, found, print);
    if (!is_known) {
      this.#kept_length -= line.row.length;
      [line.row, line.change] = ["", found.change];
    } else if (this.#kept_length + row.length <= sample_limits.latest_kept_length) {
      this.#kept_length += row.length;
      line.row = ownText(row);
    }
    return row;
  }

  #select({ project, ...filter }: LatestFilter): readonly Line[] {
    const [tags, rows, kinds] = [filter.sensor_tags, filter.hierarchy_ids, filter.measures]
      .map((words) => words.length > 0 ? new Set<string | undefined>(words) : undefined);
    const all = this.#linesOf(project);
    if (!tags && !rows && !kinds) return all;
    return all.filter(({ tag, sensor }) =>
      (!tags || tags.has(tag.sensor_tag)) && (!rows || rows.has(sensor?.hierarchy_id)) &&
      (!kinds || kinds.has(sensor?.measure))
    );
  }

  #linesOf({ project_no }: Project): readonly Line[] {
    const { catalog } = this.#parts;
    if (this.#version !== catalog.version) {
      this.#lines.clear();
      this.#kept_length = 0;
      this.#forgetWholes();
    }
    this.#version = catalog.version;
    const lines = this.#lines.get(project_no) ?? linesOf(catalog, project_no);
    this.#lines.set(project_no, lines);
    return lines;
  }
}

function linesOf(catalog: Catalog, project_no: number): readonly Line[] {
  const tags = catalog.tags.filter((tag) => tag.lane === "signal" && tag.project_no === project_no);
  return tags.toSorted((a, b) => a.sensor_tag < b.sensor_tag ? -1 : 1).flatMap((tag): Line[] => {
    const sensors = catalog.sensorsOfTag(tag.tag_no).filter(({ direct }) => direct);
    return sensors.length > 0 ? sensors.map((sensor) => lineOf(tag, sensor)) : [lineOf(tag, null)];
  });
}

function lineOf(tag: Tag, sensor: Sensor | null): Line {
  return { tag, sensor, head: headOf(tag, sensor), row: "", change: 0 };
}

function headOf(tag: Tag, sensor: Sensor | null): string {
  const head = JSON.stringify({
    sensor_tag: tag.sensor_tag,
    hierarchy_id: sensor?.hierarchy_id ?? null,
    component_measure: sensor?.measure ?? null,
    unit: sensor ? measures.get(sensor.measure)!.unit : tag.unit,
  });
  return head.slice(0, -1);
}

/** A row up to the value of its age. */
function printRow(
  { sensor, head }: Line,
  { ts_us, received_us, value, quality }: LatestValue,
  print: (us: number) => string,
): string {
  const shown = typeof value === "number" && sensor ? value * sensor.scale + sensor.offset : value;
  return `${head},"ts":"${print(ts_us)}","value":${printValue(shown)},"quality":${
    quality === null ? "null" : quality_texts[quality]
  },"received_at":"${print(received_us)}","age_s":`;
}

function documentOf(values = "[]"): Uint8Array<ArrayBuffer> {
  return utf8(`${before}${values}${behind}`);
}

/** The same with the ages of now; undefined where one of them takes more or less room. */
function agedAgain({ bytes, ages: places }: Whole, now_us: number) {
  const aged = bytes.slice();
  const ageOf = agePrinter(now_us);
  for (const { ts_us, at, length } of places) {
    const age = ageOf(ts_us);
    if (age.length !== length) return undefined;
    for (let i = 0; i < length; i++) aged[at + i] = age.charCodeAt(i);
  }
  return aged;
}

/** Prints ages in seconds; many rows in a row are of the same time. */
function agePrinter(now_us: number): (ts_us: number) => string {
  let last_us = NaN;
  let text = "";
  return (ts_us) => {
    if (ts_us !== last_us) text = String(Math.max(0, Math.round((now_us - ts_us) / 1000) / 1000));
    last_us = ts_us;
    return text;
  };
}

const quality_texts = quality_names.map((name) => JSON.stringify(name));

/** As JSON has it, where only texts need more than their digits. */
function printValue(value: number | string | null): string {
  if (typeof value === "string") return JSON.stringify(value);
  return value !== null && Number.isFinite(value) ? String(value) : "null";
}

/** Prints instants, of which many are the same, each once. */
function printer(): (us: number) => string {
  const known = new Map<number, string>();
  return (us) => {
    const text = known.get(us) ?? instantText(us);
    known.set(us, text);
    return text;
  };
}

/** How far a client has come: the stamps of values and of work, and its place among alarms. */
export type StreamPlace = {
  readonly values_us: number;
  readonly work_us: number;
  readonly alarms: FeedStart;
};

/** What is streamed to whom. */
type SignalStreamRequest = {
  readonly filter: LatestFilter;
  readonly with_alarms: boolean;
  readonly with_work: boolean;
  /** Where to resume; undefined starts now, with all of the newest values. */
  readonly after: StreamPlace | undefined;
  readonly signal: AbortSignal;
  readonly isAllowed: () => boolean;
};

type StreamParts = Parts & {
  readonly reader: LatestReader;
  readonly alarm_feed: AlarmFeed;
  readonly work_tail: WorkTail;
};

/**
 * Newest values a second at most, alarms and work as they are stored. What a client is slow to
 * take is not kept for it: of values it gets the newest, of alarms all from where it was, of work
 * all, or `reset` where some are gone.
 */
export function signalStream(
  parts: StreamParts,
  { filter, after, with_alarms, with_work, ...ends }: SignalStreamRequest,
): AsyncGenerator<Uint8Array, void> {
  const { alarm_feed, work_tail, latest, effects } = parts;
  const { project } = filter;
  const follower = new Follower(parts, filter, after);
  return eventStream(effects, {
    ...ends,
    cursor: follower.cursor,
    listen: (ring) => [
      latest.listen(ring),
      ...(with_alarms ? [alarm_feed.listen(sourceOf(project), ring)] : []),
      ...(with_work ? [work_tail.listen(project.project_no, ring)] : []),
    ],
    look: async () => {
      const alarms = with_alarms ? await follower.alarms() : { text: "", is_full: false };
      const work = with_work ? follower.work() : "";
      const values = await follower.values();
      return { ...values, text: alarms.text + work + values.text, is_full: alarms.is_full };
    },
  });
}

/** One client's way through the three. */
class Follower {
  readonly #parts: StreamParts;
  readonly #filter: LatestFilter;
  #place: StreamPlace;
  /** When values may be sent again, on the clock that never jumps. */
  #due_ms = -Infinity;

  constructor(parts: StreamParts, filter: LatestFilter, after: StreamPlace | undefined) {
    this.#parts = parts;
    this.#filter = filter;
    const { alarm_feed, work_tail } = parts;
    this.#place = after ??
      { values_us: -1, work_us: work_tail.now_us, alarms: alarm_feed.now };
  }

  get cursor(): string {
    const { values_us, work_us, alarms } = this.#place;
    return `${values_us}.${work_us}.${cursorOf(alarms)}`;
  }

  async alarms(): Promise<Look> {
    const source = sourceOf(this.#filter.project);
    const events = await this.#parts.alarm_feed.events(source, this.#place.alarms);
    const text = events.map((event) => {
      this.#place = { ...this.#place, alarms: event };
      return frameOf({ id: this.cursor, type: "alarm", data: event.text });
    });
    return { text: text.join(""), is_full: events.length === alarm_limits.feed_stream_events };
  }

  work(): string {
    const { work_tail } = this.#parts;
    const { work_us } = this.#place;
    const events = work_tail.after(this.#filter.project.project_no, work_us);
    this.#place = { ...this.#place, work_us: work_tail.now_us };
    const id = this.cursor;
    if (events === undefined) return frameOf({ id, type: "reset", data: '{"of":"work"}' });
    // The cursor is behind the whole write: events of one write go out together.
    return events.map(({ type, data }) =>
      frameOf({ id, type: "work", data: `{"type":${JSON.stringify(type)},"data":${data}}` })
    ).join("");
  }

  async values(): Promise<Look> {
    const { latest, reader, effects } = this.#parts;
    await latest.load();
    const { values_us } = this.#place;
    const changed_us = latest.changed_us;
    if (changed_us <= values_us) return { text: "", is_full: false };
    const left_ms = this.#due_ms - effects.monotonic_ms();
    if (left_ms > 0) return { text: "", is_full: false, wait_ms: left_ms };
    const data = await reader.print(this.#filter, { after_us: values_us });
    this.#place = { ...this.#place, values_us: changed_us };
    if (data === undefined) return { text: "", is_full: false };
    this.#due_ms = effects.monotonic_ms() + sample_limits.stream_values_ms;
    return { text: frameOf({ id: this.cursor, type: "values", data }), is_full: false };
  }
}

/** The place that a cursor of the stream names; undefined where the text is none. */
export function streamPlaceOf(cursor: string): StreamPlace | undefined {
  const [, values, work, alarms] = /^(-1|\d{1,16})\.(\d{1,16})\.(.+)$/.exec(cursor) ?? [];
  const place = alarms === undefined ? undefined : placeOfCursor(alarms);
  return place && { values_us: Number(values), work_us: Number(work), alarms: place };
}

function sourceOf(project: Project): FeedSource {
  return { project, site_no: null };
}
