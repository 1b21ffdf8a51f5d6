// Alarms and their events as answers show them, with what the plant and the users say of them.
import { type AlarmEvent, type Occurrence, refOf } from "../../model/alarms/alarm.ts";
import type { AlarmEventRow, OccurrenceRow } from "../../model/alarms/shape.ts";
import type { Condition } from "../../model/rules/kinds.ts";
import { furtherOf, type Peak } from "../../model/rules/condition.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Catalog } from "../catalog/catalog.ts";

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

/** An occurrence without its timeline. */
type OccurrenceState = Omit<
  OccurrenceRow,
  "events" | "events_total" | "events_truncated"
>;

/** An occurrence with those of its events that are shown, the oldest first. */
export function showOccurrence(
  occurrence: Occurrence,
  events: readonly AlarmEvent[],
  facts: AlarmFacts,
): OccurrenceRow {
  const { occurrence_id, project_no, events_total } = occurrence;
  const { organization_id } = facts.catalog.projectByNo(project_no)!;
  const emailOf = (user_id: string) => facts.emailOf(user_id, organization_id);
  return {
    ...showState(occurrence, facts),
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
