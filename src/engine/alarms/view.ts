// Alarms as answers show them: read, with what the plant and the users say of them.
import { type AlarmEvent, type Occurrence, refOf } from "../../model/alarms/alarm.ts";
import type { AlarmEventRow, OccurrenceRow } from "../../model/alarms/shape.ts";
import type { Condition } from "../../model/rules/kinds.ts";
import { furtherOf, type Peak } from "../../model/rules/condition.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import type { Project } from "../../model/plant/plant.ts";
import {
  type KnownVersion,
  listByPriority,
  listOccurrences,
  listUnchanged,
  type OccurrenceFilter,
  readOccurrence,
  readTimelines,
} from "../../store/alarms/alarm.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Alarms } from "./alarm.ts";
import { AlarmIds } from "./ids.ts";
import { type ListedAlarm, ListedAlarms } from "./listed.ts";
import type { Users } from "../access/user.ts";

/** What is known beside the stored rows. */
export type AlarmFacts = {
  readonly catalog: Catalog;
  /** The e-mail address of an organization's user; undefined where it has no such user. */
  readonly emailOf: (user_id: string, organization_id: string) => string | undefined;
  /** What the newest samples say of an active occurrence of a rule. */
  readonly live: (occurrence_no: number) => LiveValues | undefined;
};

/** Values that change with every sample, since the condition last began. */
type LiveValues = Pick<Occurrence, "last_value"> & Peak & { readonly condition: Condition };

/** What an answer tells beside the usual fields: where an alarm is judged. */
type Beside = { readonly judged?: boolean };

/** An occurrence without its timeline. */
type OccurrenceState = Omit<
  OccurrenceRow,
  "events" | "events_total" | "events_truncated" | "judged_at" | "gateway"
>;

/** An occurrence with those of its events that are shown, the oldest first. */
export function showOccurrence(
  occurrence: Occurrence,
  events: readonly AlarmEvent[],
  { judged = false, ...facts }: AlarmFacts & Beside,
): OccurrenceRow {
  const { occurrence_id, project_no, events_total, judged_at, gateway } = occurrence;
  const { organization_id } = facts.catalog.projectByNo(project_no)!;
  const emailOf = (user_id: string) => facts.emailOf(user_id, organization_id);
  return {
    ...showState(occurrence, facts),
    ...(judged ? { judged_at, gateway } : {}),
    events: events.map((event) => showEvent(event, occurrence_id, emailOf)),
    events_total,
    events_truncated: events.length < events_total,
  };
}

/** An occurrence as it stands, without its timeline. */
export function showState(
  occurrence: Occurrence,
  facts: Pick<AlarmFacts, "catalog" | "live">,
): OccurrenceState {
  const { params, cleared_at, occurrence_no, device_id } = occurrence;
  const project = facts.catalog.projectByNo(occurrence.project_no)!;
  const device = device_id === null ? undefined : facts.catalog.device(device_id);
  const live = cleared_at === null ? facts.live(occurrence_no) : undefined;
  const peak = live ? furtherOf(live.condition, occurrence, live) : occurrence;
  return {
    occurrence_id: occurrence.occurrence_id,
    svc_occurrence_ref: refOf(occurrence_no),
    source: occurrence.source,
    organization_id: project.organization_id,
    project_id: project.id,
    site: facts.catalog.site(occurrence.site_no)!.key,
    rule_name: occurrence.rule_name,
    rule_version: occurrence.rule_version,
    kind: occurrence.kind,
    severity: occurrence.severity,
    status: occurrence.status,
    resolution_policy: occurrence.resolution_policy,
    resolution: occurrence.resolution,
    raised_at: instantText(occurrence.raised_at),
    source_ts: instantOrNull(occurrence.source_ts),
    updated_at: instantText(occurrence.updated_at),
    synced_at: instantText(occurrence.synced_at),
    cleared_at: instantOrNull(cleared_at),
    raised_value: occurrence.raised_value,
    last_value: (live ?? occurrence).last_value,
    peak_value: peak.peak_value,
    peak_at: instantOrNull(peak.peak_at),
    recovered_value: occurrence.recovered_value,
    source_tag: occurrence.source_tag,
    measure: occurrence.measure,
    rule_description: occurrence.rule_description,
    decoded_labels: occurrence.decoded_labels,
    point_key: occurrence.point_key,
    alarm_class: occurrence.alarm_class,
    is_nerc: occurrence.is_nerc,
    device_id,
    device_name: device?.name ?? null,
    device_type: device?.type ?? null,
    parent_device_id: device?.parent_device_id ?? null,
    ...(params === null ? {} : { params: JSON.parse(params) }),
  };
}

type Parts = Pick<AlarmFacts, "live"> & {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Pick<Users, "emailOf" | "version">;
  readonly alarms: Pick<Alarms, "listen">;
};

/** An occurrence with its whole timeline. */
type Known = {
  readonly occurrence: Occurrence;
  readonly events: readonly AlarmEvent[];
  /** The same as JSON, and the facts of which state it shows. */
  printed?: { readonly text: string; readonly facts: string };
};

/** A page of occurrences in batches as they are read, and the last one where more may follow. */
type AlarmPage = {
  readonly batches: AsyncIterable<readonly OccurrenceRow[]>;
  readonly next: Occurrence | undefined;
};

/** Alarms as answers show them; what was read last of single ones is kept until it changes. */
export class AlarmReads {
  readonly #database: Database;
  readonly #facts: AlarmFacts;
  readonly #users: Parts["users"];
  readonly #ids: AlarmIds;
  /** By project and ID, the longest unread first. */
  readonly #kept = new Map<string, Promise<Known | undefined>>();
  readonly #listed = new ListedAlarms();

  constructor({ database, catalog, users, live, alarms }: Parts) {
    this.#database = database;
    const emailOf: AlarmFacts["emailOf"] = (...whose) => users.emailOf(...whose);
    this.#facts = { catalog, emailOf, live };
    this.#users = users;
    this.#ids = new AlarmIds({ database, alarms });
    alarms.listen(({ raised, changed }) => {
      for (const { project_no, occurrence_id } of [...raised, ...changed]) {
        this.#kept.delete(keyOf(project_no, occurrence_id));
      }
    });
  }

  /** Gives the memory of what lists have shown back. */
  forget(): void {
    this.#listed.forget();
  }

  /** An occurrence of a project with its newest events; undefined without one of this ID. */
  async one(
    { project_no }: Project,
    occurrence_id: string,
    { newest }: { readonly newest: number },
  ): Promise<OccurrenceRow | undefined> {
    const known = await this.#read({ project_no, occurrence_id, newest });
    return known && showOccurrence(known.occurrence, known.events, this.#facts);
  }

  /** The same with its whole timeline, as JSON. */
  async print(
    { project_no }: Project,
    occurrence_id: string,
    beside: Beside = {},
  ): Promise<string | undefined> {
    const known = await this.#readKept(project_no, occurrence_id);
    if (known === undefined) return undefined;
    const { occurrence, events } = known;
    const facts = { ...this.#facts, ...beside };
    const text = () => JSON.stringify(showOccurrence(occurrence, events, facts));
    const is_live = occurrence.cleared_at === null && this.#facts.live(occurrence.occurrence_no);
    if (is_live || beside.judged) return text();
    const versions = `${this.#facts.catalog.version} ${this.#users.version}`;
    if (known.printed?.facts !== versions) known.printed = { text: text(), facts: versions };
    return known.printed.text;
  }

  /** The occurrences that pass a filter, as they were last stored or by priority. */
  async page(
    filter: OccurrenceFilter & { readonly limit: number },
    { by_priority = false, signal, ...beside }: Beside & {
      readonly by_priority?: boolean;
      /** Stops the reading, which then throws. */
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<AlarmPage> {
    const list = by_priority ? listByPriority : listOccurrences;
    const known: KnownVersion = (version) => this.#listed.get(version)?.occurrence;
    const unchanged = (it: Connection) => listUnchanged(it, filter, known);
    const occurrences = (by_priority ? undefined : await this.#database.read(unchanged, signal)) ??
      await this.#snapshot((it) => list(it, filter, known), signal);
    const next = occurrences.length < filter.limit ? undefined : occurrences.at(-1);
    return { batches: this.#batches(occurrences, beside, signal), next };
  }

  /** A whole timeline, read now or since its last change. */
  async #readKept(project_no: number, occurrence_id: string): Promise<Known | undefined> {
    const key = keyOf(project_no, occurrence_id);
    const kept = this.#kept.get(key);
    if (kept === undefined && !await this.#ids.mayHave(occurrence_id)) return undefined;
    const reading = kept ?? this.#read({ project_no, occurrence_id });
    this.#keep(key, reading);
    const known = await reading.catch((error) => {
      this.#drop(key, reading);
      throw error;
    });
    const isSmall = known !== undefined && known.events.length <= alarm_limits.events_kept;
    if (!isSmall) this.#drop(key, reading);
    return known;
  }

  #read(
    { project_no, occurrence_id, newest }: {
      readonly project_no: number;
      readonly occurrence_id: string;
      readonly newest?: number;
    },
  ): Promise<Known | undefined> {
    return this.#snapshot(async (connection) => {
      const occurrence = await readOccurrence(connection, { project_no, occurrence_id });
      if (occurrence === undefined) return undefined;
      return { occurrence, events: await readTimelines(connection, [occurrence], { newest }) };
    });
  }

  #keep(key: string, reading: Promise<Known | undefined>): void {
    this.#kept.delete(key);
    this.#kept.set(key, reading);
    if (this.#kept.size <= alarm_limits.alarms_kept) return;
    const [oldest] = this.#kept.keys();
    this.#kept.delete(oldest);
  }

  /** Forgets what was read, unless it was read again since. */
  #drop(key: string, reading: Promise<Known | undefined>): void {
    if (this.#kept.get(key) === reading) this.#kept.delete(key);
  }

  async *#batches(
    occurrences: readonly Occurrence[],
    beside: Beside,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly OccurrenceRow[], void> {
    for (let at = 0; at < occurrences.length; at += alarm_limits.batch_rows) {
      const batch = occurrences.slice(at, at + alarm_limits.batch_rows);
      const alarms = await this.#withEvents(batch, signal);
      if (occurrences.length <= alarm_limits.listed_rows) {
        for (const alarm of alarms) this.#listed.keep(alarm);
      }
      yield alarms.map(({ occurrence, events }) =>
        showOccurrence(occurrence, events, { ...this.#facts, ...beside })
      );
    }
  }

  /** Occurrences with the events that lists show; what is not known of them is read. */
  async #withEvents(
    occurrences: readonly Occurrence[],
    signal: AbortSignal | undefined,
  ): Promise<readonly ListedAlarm[]> {
    const known = occurrences.map((it) => this.#listed.get(it));
    const unknown = occurrences.filter((_, i) => known[i] === undefined);
    const newest = alarm_limits.events_shown;
    const read = (it: Connection) => readTimelines(it, unknown, { newest });
    const events = unknown.length === 0 ? [] : await this.#database.read(read, signal);
    const by_no = Map.groupBy(events, ({ occurrence_no }) => occurrence_no);
    return occurrences.map((occurrence, i) =>
      known[i] ?? {
        occurrence,
        events: (by_no.get(occurrence.occurrence_no) ?? []).filter(knownTo(occurrence)),
      }
    );
  }

  /** Reads of several statements, all of one state of the database. */
  #snapshot<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const read = (connection: Connection) => connection.transaction(() => work(connection));
    return this.#database.read(read, signal);
  }
}

function keyOf(project_no: number, occurrence_id: string): string {
  return `${project_no}\n${occurrence_id}`;
}

/** Whether an event was stored when the occurrence was read: what came later is not its state. */
function knownTo({ last_feed_no }: Occurrence): (event: AlarmEvent) => boolean {
  return ({ feed_no }) => feed_no <= last_feed_no;
}

function showEvent(
  event: AlarmEvent,
  occurrence_id: string,
  emailOf: (user_id: string) => string | undefined,
): AlarmEventRow {
  const { user_id, detail } = event;
  return {
    event_id: event.event_id,
    occurrence_id,
    svc_occurrence_ref: refOf(event.occurrence_no),
    type: event.type,
    kind: event.kind,
    created_at: instantText(event.created_at),
    synced_at: instantText(event.synced_at),
    body: event.body,
    user_id,
    user_email: (user_id === null ? undefined : emailOf(user_id)) ?? event.user_email,
    external_user_id: event.external_user_id,
    detail: detail === null ? null : JSON.parse(detail),
  };
}

function instantOrNull(at_us: number | null): string | null {
  return at_us === null ? null : instantText(at_us);
}
