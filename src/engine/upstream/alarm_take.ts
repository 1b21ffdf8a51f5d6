// At a centre: takes what a gateway tells of alarms that it judges, and tells what was done here.
import type { Grant } from "../../model/access/token.ts";
import {
  type AlarmEvent,
  type Occurrence,
  occurrence_nulls,
  type OccurrenceDraft,
} from "../../model/alarms/alarm.ts";
import { isOfCentre, merge } from "../../model/alarms/merge.ts";
import type { Project, Site } from "../../model/plant/plant.ts";
import {
  type Exchange,
  type Exchanged,
  told_alarm_form,
  told_facts,
  type ToldAlarm,
  toldEvent,
} from "../../model/upstream/alarm.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { readTimelines } from "../../store/alarms/alarm.ts";
import type { Database } from "../../store/database.ts";
import { readRules, type RuleRow } from "../../store/rules/rule.ts";
import { lastFeedNo, readCentreEvents } from "../../store/upstream/alarm.ts";
import type { Users } from "../access/user.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { AlarmUnitOfWork } from "../alarms/unit_of_work.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Rules } from "../rules/rule.ts";
import type { Gateways } from "./gateway.ts";
import { eventTold, personOf } from "./person.ts";

type TakeParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly alarms: Alarms;
  readonly rules: Pick<Rules, "elsewhere">;
  readonly gateways: Gateways;
};

/** One exchange with a gateway, once what it told is on the disk. */
export async function exchangeAlarms(
  parts: TakeParts,
  { alarms, ...said }: Exchange,
  { project, grant }: { readonly project: Project; readonly grant: Grant },
): Promise<Exchanged> {
  await parts.gateways.tell(grant, project.project_no, said);
  const taken = alarms.length === 0
    ? { refused: [], partial: [] }
    : await takeAlarms(parts, alarms, { project, gateway: said.gateway });
  return { ...taken, ...await tellEvents(parts, project, said.after_no) };
}

type Refused = Exchanged["refused"];

async function takeAlarms(
  parts: TakeParts,
  alarms: readonly unknown[],
  from: { readonly project: Project; readonly gateway: string },
): Promise<Pick<Exchanged, "refused" | "partial">> {
  const refused: Refused = [];
  const told = alarms.flatMap((data): ToldAlarm[] => {
    const parsed = told_alarm_form.safeParse(data);
    if (parsed.success) return [parsed.data];
    const { occurrence_id } = Object(data) as { readonly occurrence_id?: unknown };
    const [{ path, message }] = parsed.error.issues;
    refused.push({
      occurrence_id: String(occurrence_id),
      reason: `${path.join(".")}: ${message}`,
    });
    return [];
  });
  const once = [...new Map(told.map((alarm) => [alarm.occurrence_id, alarm])).values()];
  const partial = await parts.alarms.write((changes) =>
    new Taking(parts, changes, from).take(once, refused)
  );
  return { refused, partial };
}

/** What is known of an alarm before, and its events by their ids. */
type Known = { readonly occurrence: Occurrence; readonly events: readonly AlarmEvent[] };

/** Takes alarms within one write. */
class Taking {
  readonly #parts: TakeParts;
  readonly #changes: AlarmUnitOfWork;
  readonly #project: Project;
  readonly #gateway: string;
  readonly #sites: ReadonlyMap<string, Site>;
  #rules: readonly RuleRow[] = [];

  constructor(
    parts: TakeParts,
    changes: AlarmUnitOfWork,
    { project, gateway }: { readonly project: Project; readonly gateway: string },
  ) {
    this.#parts = parts;
    this.#changes = changes;
    this.#project = project;
    this.#gateway = gateway;
    const own = parts.catalog.sites.filter((it) => it.project_no === project.project_no);
    this.#sites = new Map(own.map((site) => [site.key, site]));
  }

  /** Gives the IDs of those of which earlier events are missing. */
  async take(told: readonly ToldAlarm[], refused: Refused): Promise<string[]> {
    const { project_no } = this.#project;
    const { connection } = this.#changes.write;
    await this.#changes.load({ project_no, ids: idsOf(told) });
    const inhibiting = told.flatMap(({ events }) => events.flatMap(inhibitorIn));
    await this.#changes.load({ project_no, ids: [...new Set(inhibiting)] });
    this.#rules = await readRules(connection);
    const known = told.map((it) => this.#changes.find(project_no, it.occurrence_id));
    const stored = await readTimelines(connection, known.filter((it) => it !== undefined));
    const timelines = Map.groupBy(stored, ({ occurrence_no }) => occurrence_no);
    return told.flatMap((alarm, i) => {
      const occurrence = known[i];
      const reason = this.#refusalOf(alarm, occurrence);
      if (reason !== undefined) {
        refused.push({ occurrence_id: alarm.occurrence_id, reason });
        return [];
      }
      const events = occurrence ? timelines.get(occurrence.occurrence_no) ?? [] : [];
      const own = this.#takeOne(alarm, occurrence && { occurrence, events });
      return own < alarm.own_events ? [alarm.occurrence_id] : [];
    });
  }

  #refusalOf({ site: key, rule }: ToldAlarm, known: Occurrence | undefined): string | undefined {
    const site = this.#sites.get(key);
    if (site === undefined) return `the centre's project has no site ${key}: apply its site file`;
    if (known && known.gateway === null) return "the centre has an alarm of its own with this ID";
    const row = this.#ruleOf(site, rule);
    if (row === undefined || this.#parts.rules.elsewhere.has(row.rule_no)) return undefined;
    return `the centre judges the rule ${rule} by itself: give it judged_at = "gateway" there`;
  }

  /** The centre's rule of the same key, where it is in force. */
  #ruleOf({ site_no }: Site, key: string | null): RuleRow | undefined {
    return this.#rules.find((it) =>
      it.site_no === site_no && it.key === key && it.valid_to === null
    );
  }

  /** Takes one; gives how many of the gateway's events are here then. */
  #takeOne(alarm: ToldAlarm, known: Known | undefined): number {
    const { users } = this.#parts;
    const ids = new Set(known?.events.map(({ event_id }) => event_id));
    const fresh = alarm.events.filter(({ event_id }) => !ids.has(event_id))
      .filter(({ event_id }, i, all) => all.findIndex((it) => it.event_id === event_id) === i);
    const drafts = fresh.map((event) => eventTold(users, this.#project, event));
    const first = known === undefined ? this.#draftOf(alarm) : undefined;
    const before: Occurrence = known?.occurrence ?? { ...occurrence_nulls, ...unstored, ...first! };
    const events = [...known?.events ?? [], ...drafts.map((it) => asStored(it, before))];
    const own = events.filter((event) => !isOfCentre(event)).length;
    const is_newest = alarm.synced_at >= (before.sent_at ?? 0);
    if (known && fresh.length === 0 && alarm.synced_at === before.sent_at) return own;
    const facts = is_newest ? this.#factsOf(alarm, before) : {};
    const numberOf = (id: string) =>
      this.#changes.find(this.#project.project_no, id)?.occurrence_no ?? null;
    const { queue } = merge(before, events, numberOf);
    const last_us = Math.max(alarm.updated_at, ...fresh.map(({ created_at }) => created_at));
    const updated_at = Math.max(last_us, known ? before.updated_at + 1 : 0);
    if (known === undefined) {
      this.#changes.raise({ ...first!, ...queue, updated_at }, drafts);
    } else if (is_newest || fresh.length > 0) {
      this.#changes.change({ ...before, ...facts, ...queue, updated_at }, drafts);
    }
    return own;
  }

  #draftOf(alarm: ToldAlarm): OccurrenceDraft {
    const site = this.#sites.get(alarm.site)!;
    const { resolution_policy, occurrence_id } = alarm;
    return {
      ...{ occurrence_id, resolution_policy, project_no: this.#project.project_no },
      ...{ site_no: site.site_no, origin: "rule", source: `wattkeeper:${site.key}` },
      rule_no: this.#ruleOf(site, alarm.rule)?.rule_no ?? null,
      ...{ status: "open", resumes: null, updated_at: alarm.updated_at },
      ...{ judged_at: "gateway", gateway: this.#gateway },
      ...this.#factsOf(alarm, undefined),
    };
  }

  /** What the gateway alone decides. */
  #factsOf(alarm: ToldAlarm, before: Occurrence | undefined) {
    const { device, synced_at } = alarm;
    const { site_no } = this.#sites.get(alarm.site)!;
    const found = this.#parts.catalog.devices.find((it) =>
      it.site_no === site_no && it.key === device
    );
    const facts = Object.fromEntries(told_facts.map((name) => [name, alarm[name]]));
    return {
      ...facts as unknown as Pick<ToldAlarm & Occurrence, typeof told_facts[number]>,
      device_id: found?.id ?? before?.device_id ?? null,
      sent_at: synced_at,
    };
  }
}

const unstored = {
  ...{ occurrence_no: 0, synced_at: 0, events_total: 0, first_feed_no: 0, last_feed_no: 0 },
};

/** An event as it will be stored, as far as its queue follows from it. */
function asStored(
  event: ReturnType<typeof eventTold>,
  { occurrence_no, occurrence_id, project_no, site_no }: Occurrence,
): AlarmEvent {
  return {
    ...{ feed_no: 0, synced_at: 0, occurrence_no, occurrence_id, project_no, site_no },
    ...{ ...event, body: event.body ?? null },
    detail: event.detail === null ? null : JSON.stringify(event.detail),
  };
}

/** The alarm that an event says keeps its own out of the queue. */
function inhibitorIn({ detail }: Pick<ToldAlarm["events"][number], "detail">): string[] {
  const { inhibited_by } = Object(detail === null ? null : JSON.parse(detail));
  return typeof inhibited_by === "string" ? [inhibited_by] : [];
}

function idsOf(told: readonly ToldAlarm[]): string[] {
  return told.map(({ occurrence_id }) => occurrence_id);
}

/** What was done here with the project's alarms that gateways judge, after one event. */
async function tellEvents(
  { database, users }: TakeParts,
  { project_no }: Project,
  after_no: number,
): Promise<Pick<Exchanged, "told" | "next_no" | "is_more">> {
  const limit = upstream_limits.alarm_events;
  return await database.read((connection) =>
    connection.transaction(async () => {
      const last_no = await lastFeedNo(connection);
      // A centre that was restored from an older backup counts from there: all is told again.
      const from_no = after_no > last_no ? 0 : after_no;
      const events = await readCentreEvents(connection, { project_no, after_no: from_no, limit });
      const is_more = events.length === limit;
      const by_alarm = Map.groupBy(events, ({ occurrence_id }) => occurrence_id);
      const told = Array.from(by_alarm, ([occurrence_id, own]) => ({
        occurrence_id,
        events: own.map((event) => toldEvent(event, personOf(users, event))),
      }));
      return { told, next_no: is_more ? events.at(-1)!.feed_no : last_no, is_more };
    })
  );
}
