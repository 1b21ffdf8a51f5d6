// Webhooks of alarms: opens the outbox, which gets an event for each occurrence, one for a flood.
import { alarm_limits } from "../../model/alarms/limits.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import type { EventDraft, Occurrence } from "../../model/alarms/alarm.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { WebhookType } from "../../model/webhooks/webhook.ts";
import { printTimelines } from "../../store/alarms/alarm.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { AlarmRecord, AlarmWitness } from "../alarms/unit_of_work.ts";
import { type AlarmFacts, showState } from "../alarms/view.ts";
import { Outbox, type OutboxDraft, type Queued } from "./outbox.ts";
import { type SubscriptionParts, Subscriptions } from "./subscription.ts";

/** How many events of an alarm's timeline are sent at most. */
const newest = alarm_limits.events_shown;

/** An occurrence to send an event for, and what the write stored of its timeline. */
type News = {
  readonly occurrence: Occurrence;
  readonly project: Project;
  readonly is_raised: boolean;
  readonly fresh: readonly Pick<EventDraft, "type" | "created_at">[];
  /** Of a flood's newest alarm: all that are raised with it, the newest first. */
  readonly flood?: readonly Occurrence[];
};

type Facts = Pick<AlarmFacts, "catalog" | "live">;

/** What webhooks are opened on. */
type WebhookParts = SubscriptionParts & {
  readonly alarms: Alarms;
  readonly evaluator: Pick<Facts, "live">;
};

/** Who gets events, and where these wait to be sent. */
type Webhooks = { readonly subscriptions: Subscriptions; readonly outbox: Outbox };

/** Opens them: from now on every write of alarms puts its events into the outbox. */
export async function openWebhooks(parts: WebhookParts): Promise<Webhooks> {
  const { database, catalog, effects, alarms, evaluator } = parts;
  const subscriptions = await Subscriptions.open(parts);
  const outbox = await Outbox.open({ database, subscriptions, effects });
  const live = (occurrence_no: number) => evaluator.live(occurrence_no);
  alarms.witness(alarmWebhooks(outbox, { catalog, live }));
  return { subscriptions, outbox };
}

/** Puts an event for what a write of alarms stored into the outbox, in the same write. */
export function alarmWebhooks(outbox: Outbox, facts: Facts): AlarmWitness {
  const heardProject = (project_no: number) => {
    const project = facts.catalog.projectByNo(project_no);
    return project && outbox.hasListeners(project) ? project : undefined;
  };
  return async (record, write) => {
    const isHeard = ({ project_no }: Occurrence) => heardProject(project_no) !== undefined;
    const is_heard = record.raised.some(isHeard) || record.changed.some(isHeard);
    if (!is_heard) return () => {};
    const all = newsOf(record, heardProject);
    const queued: Queued[] = [];
    for (const batch of batchesOf(all)) {
      const occurrences = batch.map(({ occurrence }) => occurrence);
      const printed = await printTimelines(write.connection, { occurrences, newest });
      const drafts = batch.map((news) =>
        draftOf(news, printed.get(news.occurrence.occurrence_no) ?? "[]", facts)
      );
      queued.push(await outbox.add(write, drafts));
    }
    return () => outbox.committed(queued.flat());
  };
}

/** What is sent, of each flood once; nothing of projects without subscriptions. */
function newsOf(
  { raised, changed, events }: AlarmRecord,
  heardProject: (project_no: number) => Project | undefined,
): readonly News[] {
  const by_no = Map.groupBy(events, ({ occurrence_no }) => occurrence_no);
  const floods = Map.groupBy(raised.filter(({ is_flood }) => is_flood), ({ site_no }) => site_no);
  const news = (occurrence: Occurrence, more: Pick<News, "is_raised" | "flood">): News[] => {
    const project = heardProject(occurrence.project_no);
    const fresh = by_no.get(occurrence.occurrence_no) ?? [];
    return project ? [{ occurrence, project, fresh, ...more }] : [];
  };
  const told = raised.flatMap((occurrence) => {
    const flood = occurrence.is_flood ? floods.get(occurrence.site_no)! : [];
    if (flood.length < 2) return news(occurrence, { is_raised: true });
    if (occurrence !== flood[0]) return [];
    const newest_first = flood.toSorted((a, b) =>
      b.raised_at - a.raised_at || b.occurrence_no - a.occurrence_no
    );
    return news(newest_first[0], { is_raised: true, flood: newest_first });
  });
  return [...told, ...changed.flatMap((it) => news(it, { is_raised: false }))];
}

/** Batches of so many events that their bodies fit into memory. */
function* batchesOf(all: readonly News[]): Generator<readonly News[], void> {
  let batch: News[] = [];
  let events = 0;
  for (const news of all) {
    batch.push(news);
    events += Math.min(news.occurrence.events_total, newest);
    if (events < webhook_limits.batch_events) continue;
    yield batch;
    batch = [];
    events = 0;
  }
  if (batch.length > 0) yield batch;
}

function draftOf(
  { occurrence, project, is_raised, fresh, flood }: News,
  events: string,
  facts: Facts,
): OutboxDraft {
  const { type, occurred_at } = is_raised
    ? { type: "alarm.raised" as const, occurred_at: occurrence.raised_at }
    : strongestOf(occurrence, fresh);
  const { events_total } = occurrence;
  const state = JSON.stringify(showState(occurrence, facts)).slice(0, -1);
  const timeline = `"events":${events},"events_total":${events_total},"events_truncated":${
    events_total > newest
  }`;
  const end = flood ? `,"flood":${JSON.stringify(floodOf(flood))}}` : "}";
  return { type, occurred_at, project, data: `${state},${timeline}${end}`, origin: null };
}

function floodOf(flood: readonly Occurrence[]) {
  const listed = flood.slice(0, alarm_limits.flood_alarms_shown);
  return {
    occurrences: flood.length,
    occurrence_ids: listed.map(({ occurrence_id }) => occurrence_id),
  };
}

/** What a change is called, and when the event that makes it so happened. */
function strongestOf(
  { updated_at }: Occurrence,
  fresh: News["fresh"],
): { readonly type: WebhookType; readonly occurred_at: number } {
  for (const word of ["resolved", "cleared"] as const) {
    const event = fresh.findLast(({ type }) => type === word);
    if (event) return { type: `alarm.${word}`, occurred_at: event.created_at };
  }
  return { type: "alarm.updated", occurred_at: fresh.at(-1)?.created_at ?? updated_at };
}
