// At a gateway: tells the centre of the alarms that it judges, and takes what was done there.
import type { Effects } from "../../base/effects.ts";
import type { AlarmEvent, EventDraft, Occurrence } from "../../model/alarms/alarm.ts";
import { isOfCentre, merge, not_applied, notedIn } from "../../model/alarms/merge.ts";
import type { Project } from "../../model/plant/plant.ts";
import { parseRule } from "../../model/rules/entry.ts";
import {
  type Exchange,
  type Exchanged,
  exchanged_form,
  type ToldAlarm,
  toldEvent,
} from "../../model/upstream/alarm.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { Told } from "../../model/upstream/span.ts";
import { detailOf, jsonIn, strange_centre, waitReason } from "../../model/upstream/upstream.ts";
import { readOccurrences, readTimelines } from "../../store/alarms/alarm.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { readRules } from "../../store/rules/rule.ts";
import {
  type AlarmCursor,
  forgetAlarmCursors,
  readAlarmAsides,
  readAlarmCursors,
  readOwnEvents,
  storeAlarmAsides,
  storeAlarmCursor,
} from "../../store/upstream/alarm.ts";
import type { Users } from "../access/user.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { AlarmUnitOfWork } from "../alarms/unit_of_work.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Log } from "../core/log.ts";
import { Cursors, inTurns, type Place } from "./cursors.ts";
import type { Way } from "./forward.ts";
import { type Line, LineFault } from "./line.ts";
import { eventTold, personOf } from "./person.ts";

type ExchangeParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly alarms: Alarms;
  readonly effects: Pick<Effects, "monotonic_ms" | "hostname">;
  readonly log: Log;
  /** What of a project's stored rows the centre has. */
  readonly told: (project_no: number) => Told;
};

/** What is told at once: alarms, up to which event, and which of them whole. */
type Batch = {
  readonly alarms: readonly ToldAlarm[];
  readonly sent_no: number;
  /** By ID. */
  readonly nos: ReadonlyMap<string, number>;
  readonly is_more: boolean;
};

/**
 * Tells and hears of each project in turns. Both cursors move with what was heard, in the
 * transaction that stores it, after the answer: where either side stops, all is told again, and
 * nothing is taken twice.
 */
export class AlarmExchange {
  readonly cursors: Cursors<AlarmCursor>;
  readonly #parts: ExchangeParts;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.cursors = new Cursors({
      ...{ ...parts, read: readAlarmCursors, forget: forgetAlarmCursors },
      ...{ ask_ms: upstream_limits.alarm_ms, limit: upstream_limits.alarm_events },
    });
  }

  /** Says that the centre is another one from now on, which has nothing. */
  beginAnew(): void {
    this.cursors.beginAnew();
  }

  /** Exchanges what there is of some projects. Throws a `LineFault` where the centre can't now. */
  runAll(way: Way): Promise<void> {
    return inTurns(this.#parts.catalog.projects, way, (place) => this.#run(place));
  }

  async #run({ line, project, id, signal }: Place): Promise<void> {
    const { cursors } = this;
    for (let is_more = true; is_more && !signal.aborted;) {
      const { era } = cursors;
      const cursor = await this.#cursorOf(project);
      const batch = await this.#next(project, cursor);
      const isNothing = batch.alarms.length === 0 && batch.sent_no === cursor.sent_no;
      if (isNothing && !cursors.isDue(project)) return;
      const told = this.#parts.told(project.project_no);
      const answer = await this.#ask(line, { batch, cursor, id, told, signal });
      if (signal.aborted) return;
      if (answer !== undefined) await this.#settle({ project, era }, batch, answer);
      else if (batch.alarms.length > 1) {
        cursors.halve(batch.alarms.length);
        continue;
      }
      const is_more_there = answer?.is_more ?? false;
      cursors.answered(project, { is_more: is_more_there });
      is_more = batch.is_more || is_more_there;
    }
  }

  async #cursorOf(project: Project): Promise<AlarmCursor> {
    const { project_no } = project;
    return await this.cursors.of(project) ?? { project_no, sent_no: 0, heard_no: 0 };
  }

  /** What is told next: new events, then what the centre did not take before. */
  #next(project: Project, { sent_no }: AlarmCursor): Promise<Batch> {
    const { project_no } = project;
    const { limit } = this.cursors;
    return this.#parts.database.read((connection) =>
      connection.transaction(async () => {
        const events = await readOwnEvents(connection, { project_no, after_no: sent_no, limit });
        const due_us = this.#parts.database.now_us - upstream_limits.alarm_aside_ms * 1000;
        const asides = (await readAlarmAsides(connection)).filter((it) =>
          it.project_no === project_no && (it.reason === null || it.changed_at <= due_us)
        ).slice(0, Math.min(limit, upstream_limits.alarm_asides));
        const whole = new Set(asides.map(({ occurrence_no }) => occurrence_no));
        const last_no = events.at(-1)?.feed_no ?? sent_no;
        const nos = new Set([...events.map(({ occurrence_no }) => occurrence_no), ...whole]);
        const alarms = await readOccurrences(connection, [...nos]);
        return {
          alarms: await this.#toldAlarms(connection, alarms, { events, last_no, whole }),
          sent_no: last_no,
          nos: new Map(alarms.map((it) => [it.occurrence_id, it.occurrence_no])),
          is_more: events.length === limit,
        };
      })
    );
  }

  async #toldAlarms(
    connection: Connection,
    alarms: readonly Occurrence[],
    { events, last_no, whole }: {
      readonly events: readonly AlarmEvent[];
      readonly last_no: number;
      readonly whole: ReadonlySet<number>;
    },
  ): Promise<ToldAlarm[]> {
    if (alarms.length === 0) return [];
    const { catalog, users } = this.#parts;
    const newest = upstream_limits.alarm_events_whole;
    const timelines = Map.groupBy(
      (await readTimelines(connection, alarms, { newest })).filter((it) => !isOfCentre(it)),
      ({ occurrence_no }) => occurrence_no,
    );
    const rules = await readRules(connection);
    return alarms.map((alarm): ToldAlarm => {
      const is_whole = whole.has(alarm.occurrence_no);
      const own = (timelines.get(alarm.occurrence_no) ?? [])
        .filter(({ feed_no }) => is_whole || feed_no <= last_no);
      const fresh = events.filter(({ occurrence_no }) => occurrence_no === alarm.occurrence_no);
      const rule = rules.find(({ rule_no }) => rule_no === alarm.rule_no);
      const { occurrence_id, severity, alarm_class, resolution_policy, source_tag } = alarm;
      return {
        ...{ occurrence_id, severity, alarm_class, resolution_policy, source_tag },
        site: catalog.site(alarm.site_no)!.key,
        rule: rule ? parseRule(rule.definition).key : null,
        device: catalog.device(alarm.device_id ?? "")?.key ?? null,
        ...{ rule_name: alarm.rule_name, rule_version: alarm.rule_version },
        ...{ rule_description: alarm.rule_description, kind: alarm.kind, is_nerc: alarm.is_nerc },
        ...{ raised_at: alarm.raised_at, source_ts: alarm.source_ts },
        ...{ updated_at: alarm.updated_at, synced_at: alarm.synced_at },
        ...{ raised_value: alarm.raised_value, last_value: alarm.last_value },
        ...{ peak_value: alarm.peak_value, peak_at: alarm.peak_at, measure: alarm.measure },
        ...{ recovered_value: alarm.recovered_value, decoded_labels: [...alarm.decoded_labels] },
        ...{ point_key: alarm.point_key, params: alarm.params, is_late: alarm.is_late },
        ...{ is_flood: alarm.is_flood, is_chattering: alarm.is_chattering },
        own_events: own.length,
        events: (is_whole ? own : fresh)
          .map((event) => toldEvent(event, personOf(users, event))),
      };
    });
  }

  /** The centre's answer; undefined where it refuses what it is told as a whole. */
  async #ask(
    line: Line,
    { batch, cursor, id, told: { told_us, backlog }, signal }: {
      readonly batch: Batch;
      readonly cursor: AlarmCursor;
      readonly id: string;
      readonly told: Told;
      readonly signal: AbortSignal;
    },
  ): Promise<Exchanged | undefined> {
    const said: Exchange = {
      gateway: this.#parts.effects.hostname(),
      told_us,
      backlog_from_us: backlog?.from_us ?? null,
      backlog_to_us: backlog?.to_us ?? null,
      after_no: cursor.heard_no,
      alarms: [...batch.alarms],
    };
    const { status, text } = await line.ask({
      path: "/ingest/v1/gateways/alarms",
      search: { project_id: id },
      body: new TextEncoder().encode(JSON.stringify(said)),
      media_type: "application/json",
    }, signal);
    const is_one = batch.alarms.length === 1;
    if (status === 400 || status === 413 || status === 422) {
      return is_one ? refusing(batch, cursor, detailOf(text)) : undefined;
    }
    // One of an older version takes samples alone.
    if (status === 404 || signal.aborted) return undefined;
    if (status !== 200) throw new LineFault(waitReason(status, detailOf(text)));
    const answer = exchanged_form.safeParse(jsonIn(text)).data;
    if (answer === undefined) throw new LineFault(strange_centre);
    return answer;
  }

  /** Stores what the centre did, and how far each has told the other, in one transaction. */
  async #settle(
    { project, era }: { readonly project: Project; readonly era: number },
    { alarms, sent_no, nos }: Batch,
    { refused, partial, told, next_no }: Exchanged,
  ): Promise<void> {
    const { project_no } = project;
    const cursor = { project_no, sent_no, heard_no: next_no };
    const known = await this.#cursorOf(project);
    const is_still = known.sent_no === sent_no && known.heard_no === next_no;
    if (is_still && alarms.length === 0 && told.length === 0) return;
    await this.#parts.alarms.write(async (changes) => {
      if (era !== this.cursors.era) return;
      const { connection, now_us } = changes.write;
      await this.#takeTold(changes, project, told);
      const reasons = new Map<string, string | null>(partial.map((id) => [id, null]));
      // Told whole already, it lacks what is here no more: later is soon enough.
      const whole = new Set(
        alarms.filter((it) => it.events.length === it.own_events).map((it) => it.occurrence_id),
      );
      for (const id of partial) if (whole.has(id)) reasons.set(id, "earlier events are missing");
      for (const { occurrence_id, reason } of refused) {
        reasons.set(occurrence_id, reason);
        this.#parts.log.warning("the centre does not take the alarm {id}: {reason}", {
          ...{ id: occurrence_id, reason },
        });
      }
      await storeAlarmAsides(connection, {
        nos: [...nos.values()],
        asides: [...reasons].filter(([id]) => nos.has(id)).map(([id, reason]) => ({
          ...{ project_no, occurrence_no: nos.get(id)!, reason, changed_at: now_us },
        })),
      });
      await storeAlarmCursor(connection, cursor);
    });
    this.cursors.put(cursor, era);
  }

  async #takeTold(
    changes: AlarmUnitOfWork,
    project: Project,
    told: Exchanged["told"],
  ): Promise<void> {
    const { project_no } = project;
    await changes.load({ project_no, ids: told.map(({ occurrence_id }) => occurrence_id) });
    for (const { occurrence_id, events } of told) {
      const known = changes.find(project_no, occurrence_id);
      // Another gateway's of the same project, or gone here.
      if (known === undefined || known.judged_at !== "gateway") continue;
      const stored = await readTimelines(changes.write.connection, [known]);
      const ids = new Set(stored.map(({ event_id }) => event_id));
      const fresh = events.filter((event) => isOfCentre(event) && !ids.has(event.event_id))
        .map((event) => eventTold(this.#parts.users, project, event));
      if (fresh.length > 0) takeEvents(changes, known, { stored, fresh });
    }
  }
}

/** What a centre would answer that takes all but one alarm. */
function refusing(
  { alarms: [{ occurrence_id }] }: Batch,
  { heard_no: next_no }: AlarmCursor,
  reason: string,
): Exchanged {
  return { refused: [{ occurrence_id, reason }], partial: [], told: [], next_no, is_more: false };
}

/** Takes events that the centre made of an alarm. */
function takeEvents(
  changes: AlarmUnitOfWork,
  known: Occurrence,
  { stored, fresh }: {
    readonly stored: readonly AlarmEvent[];
    readonly fresh: readonly ReturnType<typeof eventTold>[];
  },
): void {
  const { now_us } = changes.write;
  const all = [
    ...stored,
    ...fresh.map((event): AlarmEvent => ({
      ...{ ...event, feed_no: 0, synced_at: 0, body: event.body ?? null },
      ...{ project_no: known.project_no, site_no: known.site_no },
      ...{ occurrence_no: known.occurrence_no, occurrence_id: known.occurrence_id },
      detail: event.detail === null ? null : JSON.stringify(event.detail),
    })),
  ];
  const { queue: { cleared_at: _, ...queue }, refused } = merge(
    known,
    all,
    () => known.inhibited_by,
  );
  const noted = notedIn(stored);
  const notes = all.filter(({ event_id }) => refused.has(event_id) && !noted.has(event_id))
    .map(({ event_id, type }): EventDraft => ({
      ...{ type: not_applied, kind: "system", created_at: now_us },
      body: `${type}: ${refused.get(event_id)}`,
      detail: { event_id, type, reason: refused.get(event_id) },
    }));
  const last_us = Math.max(...fresh.map(({ created_at }) => created_at));
  const updated_at = Math.max(known.updated_at + 1, last_us);
  changes.change({ ...known, ...queue, updated_at }, [...fresh, ...notes]);
}
