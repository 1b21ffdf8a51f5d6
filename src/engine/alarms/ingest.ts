// Takes bodies of alarms into the database: snapshots merged, events joined to them or kept.
import { meant } from "../../base/did_you_mean.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import type { EventDraft, Occurrence } from "../../model/alarms/alarm.ts";
import type {
  AlarmAnswer,
  AlarmRejection,
  AlarmRow,
  EventRow,
  SentEvent,
  SnapshotRow,
} from "../../model/alarms/row.ts";
import { firstSight, nextSight, type SnapshotPlace } from "../../model/alarms/snapshot.ts";
import type { Project, Site } from "../../model/plant/plant.ts";
import { readTimelines } from "../../store/alarms/alarm.ts";
import {
  addWaiting,
  takeWaiting,
  type WaitingDraft,
  waitingLength,
  waitingRoom,
} from "../../store/alarms/waiting.ts";
import type { Database, Write } from "../../store/database.ts";
import type { DecodedAlarms } from "../../wire/alarms/decode.ts";
import type { Users } from "../access/user.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { JobQueue, type JobTotals } from "../core/job_queue.ts";
import type { Alarms } from "./alarm.ts";
import {
  changeEvent,
  firstEvents,
  isForeignOwn,
  SentEvents,
  waitedEvent,
  waitingOf,
} from "./ingest_event.ts";
import { placeOfTag, pointOf } from "./place.ts";
import type { AlarmUnitOfWork, StoredAlarms } from "./unit_of_work.ts";
import { Job, type JobSlice } from "../core/job.ts";

/** What the ingest of alarms works on. */
type AlarmIngestParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly alarms: Alarms;
};

/** Takes bodies of alarms, many in a transaction or a large one in several; see `JobQueue`. */
export class AlarmIngest {
  readonly #parts: AlarmIngestParts;
  readonly #queue: JobQueue<AlarmPart, AlarmAnswer, AlarmRejection>;

  constructor(parts: AlarmIngestParts) {
    this.#parts = parts;
    this.#queue = new JobQueue({
      room: alarm_limits.alarms_per_transaction,
      store: async (take) => {
        const { database, alarms } = parts;
        alarms.committed(await database.write((write) => this.#store(write, take())));
      },
    });
  }

  /** What became of all rows since the start. */
  get totals(): JobTotals {
    return this.#queue.totals;
  }

  /** Rows that wait or are being stored. */
  get queued_rows(): number {
    return this.#queue.queued_rows;
  }

  /** Stores a body's rows; resolves when they are on disk. */
  add(project: Project, decoded: DecodedAlarms): Promise<AlarmAnswer> {
    return this.#queue.add(alarmJob(project, decoded));
  }

  async #store(write: Write, slices: readonly AlarmSlice[]): Promise<StoredAlarms> {
    for (const { tally } of slices) tally.reset();
    const changes = this.#parts.alarms.begin(write);
    const writes: ProjectIngest[] = [];
    for (const own of Map.groupBy(slices, ({ job }) => job.project.project_no).values()) {
      const ingest = new ProjectIngest(changes, { ...this.#parts, project: own[0].job.project });
      await ingest.take(own);
      writes.push(ingest);
    }
    const stored = await changes.store();
    for (const ingest of writes) ingest.count(stored);
    return stored;
  }
}

type Tally = AlarmSlice["tally"];

type ProjectParts = { readonly catalog: Catalog; readonly users: Users; readonly project: Project };

/** What a write does to an occurrence: its first state if it is new, and the events to add. */
type Story = {
  readonly first: Occurrence | undefined;
  readonly own: EventDraft[];
  readonly sent: EventDraft[];
};

/** A row and where it is counted. */
type Sent<Row extends AlarmRow = AlarmRow> = { readonly tally: Tally; readonly row: Row };

/** A row that was taken: whether it says anything new beside its events, and those. */
type Taken = {
  readonly tally: Tally;
  readonly news: boolean;
  readonly events: readonly EventDraft[];
};

const own_alarm = "occurrence_id: is of an alarm that a rule of this service raised";
const no_room =
  `${alarm_limits.waiting_events} events, or ${alarm_limits.waiting_length} characters of them, ` +
  "wait for their occurrence already: send that first";

/** Takes a project's rows within one write: snapshots first, so that events find their alarm. */
class ProjectIngest {
  readonly #changes: AlarmUnitOfWork;
  readonly #project: Project;
  readonly #catalog: Catalog;
  readonly #sites: readonly Site[];
  readonly #events: SentEvents;
  readonly #stories = new Map<number, Story>();
  readonly #taken: Taken[] = [];
  #echoes: ReadonlySet<string> = new Set();

  constructor(changes: AlarmUnitOfWork, { catalog, users, project }: ProjectParts) {
    this.#changes = changes;
    this.#project = project;
    this.#catalog = catalog;
    this.#sites = catalog.sites.filter((site) => site.project_no === project.project_no);
    this.#events = new SentEvents(users, project.organization_id);
  }

  /** Takes rows; then the caller stores the changes and calls `count`. */
  async take(slices: readonly AlarmSlice[]): Promise<void> {
    const { project_no } = this.#project;
    const sent = slices.flatMap(({ tally, rows }) => rows.map((row) => ({ tally, row })));
    const ids = [...new Set(sent.map(({ row }) => row.occurrence_id))];
    await this.#changes.load({ project_no, ids });
    this.#echoes = await this.#readEchoes(sent);
    for (const it of sent) if (isSnapshot(it)) this.#takeSnapshot(it);
    const early = sent.filter(isEvent).filter((it) => !this.#takeEvent(it));
    await this.#joinWaiting();
    await this.#letWait(early);
    const { now_us: at_us } = this.#changes.write;
    for (const [occurrence_no, { first, own, sent }] of this.#stories) {
      const opening = first === undefined ? [] : firstEvents(first, { sent, at_us });
      this.#changes.change(this.#changes.get(occurrence_no)!, [...opening, ...own, ...sent]);
    }
  }

  /** Counts the rows that were taken for their bodies, once the changes are stored. */
  count({ duplicates }: StoredAlarms): void {
    for (const { tally, news, events } of this.#taken) {
      if (news || events.some((event) => !duplicates.has(event))) tally.accepted++;
      else tally.duplicates++;
    }
  }

  #takeSnapshot({ tally, row }: Sent<SnapshotRow>): void {
    const known = this.#known(row);
    const site = this.#siteOf(row, known);
    const reason = typeof site === "string" ? site : known && refusalOf(known, row, site);
    if (typeof site === "string" || reason !== undefined) return reject({ tally, row }, reason!);
    const place = this.#placeOf(row, site);
    if (known === undefined) {
      const first = this.#changes.raise(firstSight(row, place), []);
      this.#stories.set(first.occurrence_no, { first, own: [], sent: [] });
      return this.#tookSnapshot({ tally, row }, { occurrence: first, news: true });
    }
    const { occurrence, changed } = nextSight(known, row, place);
    this.#changes.change(occurrence, []);
    if (changed.length > 0) {
      const at_us = this.#changes.write.now_us;
      this.#storyOf(occurrence).own.push(changeEvent(occurrence, { changed, at_us }));
    }
    this.#tookSnapshot({ tally, row }, { occurrence, news: occurrence !== known });
  }

  #tookSnapshot(
    { tally, row }: Sent<SnapshotRow>,
    { occurrence, news }: { readonly occurrence: Occurrence; readonly news: boolean },
  ): void {
    const events = row.events.filter((event) => !this.#isEcho(occurrence, event))
      .map((event) => this.#events.draftOf(event));
    if (events.length > 0) this.#storyOf(occurrence).sent.push(...events);
    this.#taken.push({ tally, news, events });
  }

  /** False where the occurrence is not known yet. */
  #takeEvent({ tally, row }: Sent<EventRow>): boolean {
    const known = this.#known(row);
    if (known === undefined) return false;
    if (known.origin === "rule") {
      reject({ tally, row }, own_alarm);
      return true;
    }
    const events = this.#isEcho(known, row.event) ? [] : [this.#events.draftOf(row.event)];
    this.#storyOf(known).sent.push(...events);
    this.#taken.push({ tally, news: false, events });
    return true;
  }

  async #joinWaiting(): Promise<void> {
    const { project_no } = this.#project;
    const fresh = [...this.#stories].filter(([, { first }]) => first !== undefined);
    const ids = fresh.map(([, { first }]) => first!.occurrence_id);
    for (const waiting of await takeWaiting(this.#changes.write, { project_no, ids })) {
      const draft = this.#events.draftOf(waitedEvent(waiting));
      // Before the rows' own: the same event among them is the duplicate.
      this.#storyOf(this.#known(waiting)!).sent.unshift(draft);
    }
  }

  async #letWait(early: readonly Sent<EventRow>[]): Promise<void> {
    if (early.length === 0) return;
    const { write } = this.#changes;
    const { project_no } = this.#project;
    let { events, length } = await waitingRoom(write.connection, project_no);
    const drafts = new Map<WaitingDraft, Sent<EventRow>>();
    for (const it of early) {
      const draft = waitingOf(it.row.occurrence_id, it.row.event);
      events--;
      length -= waitingLength(draft);
      if (events >= 0 && length >= 0) drafts.set(draft, it);
      else reject(it, no_room);
    }
    const fresh = new Set(await addWaiting(write, project_no, [...drafts.keys()]));
    for (const [draft, { tally }] of drafts) {
      const news = fresh.has(draft);
      if (news) tally.waiting++;
      this.#taken.push({ tally, news, events: [] });
    }
  }

  /** The service's own events that a source sends back, of occurrences that are known. */
  async #readEchoes(sent: readonly Sent[]): Promise<ReadonlySet<string>> {
    const back = new Set<Occurrence>();
    for (const { row } of sent) {
      const known = this.#known(row);
      const events = "event" in row ? [row.event] : row.events;
      if (known !== undefined && events.some(isForeignOwn)) back.add(known);
    }
    const stored = await readTimelines(this.#changes.write.connection, [...back]);
    return new Set(stored.filter(isForeignOwn).map((it) => echoKey(it.occurrence_no, it)));
  }

  #isEcho({ occurrence_no }: Occurrence, event: SentEvent): boolean {
    return this.#echoes.size > 0 && this.#echoes.has(echoKey(occurrence_no, event));
  }

  #known({ occurrence_id }: { readonly occurrence_id: string }): Occurrence | undefined {
    return this.#changes.find(this.#project.project_no, occurrence_id);
  }

  #storyOf({ occurrence_no }: Occurrence): Story {
    let story = this.#stories.get(occurrence_no);
    if (story === undefined) {
      story = { first: undefined, own: [], sent: [] };
      this.#stories.set(occurrence_no, story);
    }
    return story;
  }

  /** The site that a snapshot is of, or why it is of none. */
  #siteOf({ site }: SnapshotRow, known: Occurrence | undefined): Site | string {
    const sites = this.#sites;
    const found = site === null
      ? sites.find((it) => sites.length === 1 || it.site_no === known?.site_no)
      : sites.find((it) => it.key === site) ?? sites.find((it) => it.id === site);
    if (found !== undefined) return found;
    if (sites.length === 0) return "site: the project has none";
    const keys = sites.map(({ key }) => key);
    if (site !== null) return `site: the project has no such site${meant(site, keys)}`;
    return `site: is missing; give one of ${keys.slice(0, 5).join(", ")}`;
  }

  #placeOf({ device: key, state }: SnapshotRow, { site_no }: Site): SnapshotPlace {
    const { project_no } = this.#project;
    const { source_tag } = state;
    const { device: own, measure } = placeOfTag(this.#catalog, { project_no, source_tag });
    const named = key === undefined ? undefined : this.#catalog.deviceNamed(this.#project, key);
    const device = named?.site_no === site_no ? named : own;
    const point = pointOf(this.#catalog, { device, key: state.point_key });
    return { project_no, site_no, device_id: device?.id ?? null, measure, point };
  }
}

function reject({ tally, row: { line, occurrence_id } }: Sent, reason: string): void {
  tally.reject({ line, occurrence_id, reason });
}

function isSnapshot(sent: Sent): sent is Sent<SnapshotRow> {
  return "state" in sent.row;
}

function isEvent(sent: Sent): sent is Sent<EventRow> {
  return "event" in sent.row;
}

/** Why a known occurrence can't take a snapshot. */
function refusalOf(known: Occurrence, { state }: SnapshotRow, { site_no }: Site) {
  if (known.origin === "rule") return own_alarm;
  if (known.site_no !== site_no) return "site: the occurrence is of another one";
  const { resolution_policy: policy } = known;
  if (state.resolution_policy === policy) return undefined;
  return `resolution_policy: is ${policy} and can't change to ${state.resolution_policy}`;
}

function echoKey(occurrence_no: number, { event_id, type, created_at }: SentEvent): string {
  return `${occurrence_no} ${event_id} ${type} ${created_at}`;
}

/** Rows that one transaction takes. */
type AlarmPart = { readonly rows: readonly AlarmRow[] };

/** The same with its job; its size is of snapshots and events, those within too. */
type AlarmSlice = JobSlice<AlarmPart, AlarmAnswer, AlarmRejection>;

/** Hands out a body's rows: slices of at most `room` snapshots and events, or one row. */
function alarmJob(
  project: Project,
  decoded: DecodedAlarms,
): Job<AlarmPart, AlarmAnswer, AlarmRejection> {
  let at = 0;
  return new Job({
    project,
    rows: decoded.rows.length,
    decoded,
    next(room) {
      const from = at;
      let size = 0;
      for (; at < decoded.rows.length; at++) {
        const row = decoded.rows[at];
        const more = "events" in row ? 1 + row.events.length : 1;
        if (size > 0 && size + more > room) break;
        size += more;
      }
      return { part: { rows: decoded.rows.slice(from, at) }, rows: at - from, size };
    },
    answerOf: ({ accepted, duplicates, rejected_count, rejected, waiting }) => (
      { accepted, duplicates, rejected_count, rejected, waiting }
    ),
  });
}
