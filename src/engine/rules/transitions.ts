// Makes alarms of what watchpoints tell: raised, raised again, cleared, or with more labels.
import type { Effects } from "../../base/effects.ts";
import { newId } from "../../base/id.ts";
import { hasEnded, type Occurrence, type OccurrenceDraft } from "../../model/alarms/alarm.ts";
import { clear, type LifeStep, reraise } from "../../model/alarms/life.ts";
import { definitionOf } from "../../model/rules/kinds.ts";
import type { Rule, Watchpoint } from "../../model/rules/rule.ts";
import type { Transition } from "../../model/rules/state_machine.ts";
import { furtherOf, type Peak, pointOf } from "../../model/rules/condition.ts";
import type { AlarmUnitOfWork } from "../alarms/unit_of_work.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** Which occurrence is the last one of a subject on a watchpoint. */
export type Ledger = {
  readonly lastOf: (watchpoint: Watchpoint, subject: number) => number | undefined;
  readonly put: (transition: Transition, occurrence_no: number) => void;
};

/** What alarms are made with. */
export type AlarmMaker = {
  readonly catalog: Catalog;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** Applies transitions in their order; reads the occurrences that they are about. */
export async function applyTransitions(
  changes: AlarmUnitOfWork,
  transitions: readonly Transition[],
  { ledger, ...maker }: AlarmMaker & { readonly ledger: Ledger },
): Promise<void> {
  const last = ({ watchpoint, subject }: Transition) => ledger.lastOf(watchpoint, subject);
  await changes.load({ nos: transitions.map(last).filter((no) => no !== undefined) });
  for (const transition of transitions) {
    const occurrence_no = last(transition);
    const known = occurrence_no === undefined ? undefined : changes.get(occurrence_no);
    if (transition.kind === "raise" && !isReturn(transition, known)) {
      const draft = draftOf(transition, maker);
      const raised = { type: "raised", kind: "lifecycle", created_at: draft.raised_at };
      ledger.put(transition, changes.raise(draft, [raised]).occurrence_no);
    } else if (known !== undefined) {
      const step = steps[transition.kind](known, transition);
      if (step) changes.change(step.occurrence, step.events);
    }
  }
}

/** Whether an alarm comes back: of a rule that was of another kind then, it never does. */
function isReturn({ watchpoint: { rule } }: Transition, known: Occurrence | undefined): boolean {
  return known !== undefined && !hasEnded(known) && known.kind === rule.condition.kind;
}

/** Records an excursion of the past, raised and cleared at once. */
export function recordLate(
  changes: AlarmUnitOfWork,
  { raise, clear: end }: { readonly raise: Transition; readonly clear: Transition },
  maker: AlarmMaker,
): void {
  const detail = { late: true };
  const draft = { ...draftOf(raise, maker), is_late: true };
  const raised = { type: "raised", kind: "lifecycle", created_at: draft.raised_at, detail };
  const occurrence = changes.raise(draft, [raised]);
  const step = clear(occurrence, { ...recoveryOf(occurrence, end), detail });
  if (step) changes.change(step.occurrence, step.events);
}

/** How a condition went, with the furthest value of all the time that it held. */
export function recoveryOf(
  occurrence: Occurrence,
  { at_us, value, ...end }: Pick<Transition, "at_us" | "value" | "watchpoint"> & Peak,
) {
  return { at_us, recovered_value: value, last_value: value, ...furthest(occurrence, end) };
}

const steps: Record<Transition["kind"], (known: Occurrence, it: Transition) => LifeStep | void> = {
  raise(known, transition) {
    const { at_us, since_us, source_ts, value } = transition;
    const back = { at_us, source_ts: source_ts ?? since_us, value };
    const step = reraise(known, { ...back, ...furthest(known, transition) });
    return step && { ...step, occurrence: labelled(step.occurrence, transition.decoded_labels) };
  },
  clear: (known, transition) => clear(known, recoveryOf(known, transition)),
  labels(known, { at_us, decoded_labels }) {
    const occurrence = labelled(known, decoded_labels);
    if (occurrence === known || hasEnded(known)) return;
    const detail = { decoded_labels: occurrence.decoded_labels };
    return {
      occurrence: { ...occurrence, updated_at: Math.max(known.updated_at + 1, at_us) },
      events: [{ type: "source_updated", kind: "system", created_at: at_us, detail }],
    };
  },
};

function labelled(occurrence: Occurrence, labels: readonly string[]): Occurrence {
  const decoded_labels = [...new Set([...occurrence.decoded_labels, ...labels])];
  const grown = decoded_labels.length > occurrence.decoded_labels.length;
  return grown ? { ...occurrence, decoded_labels } : occurrence;
}

function furthest(before: Peak, after: Peak & Pick<Transition, "watchpoint">): Peak {
  return furtherOf(after.watchpoint.rule.condition, before, after);
}

function draftOf(transition: Transition, { catalog, effects }: AlarmMaker): OccurrenceDraft {
  const { watchpoint, subject, at_us, source_ts, value, peak_value, peak_at } = transition;
  const { rule, source_tag, measure, device_id } = watchpoint;
  const { rule_no, project_no, site_no, severity, alarm_class, is_nerc } = rule;
  const named = pointOf(watchpoint, subject);
  return {
    occurrence_id: newId(effects),
    ...{ project_no, site_no, origin: "rule", rule_no },
    source: `wattkeeper:${catalog.site(site_no)?.key ?? site_no}`,
    rule_name: rule.name,
    rule_version: rule.version,
    rule_description: rule.description,
    kind: rule.condition.kind,
    severity: named?.point?.severity ?? severity,
    alarm_class: named?.point?.alarm_class ?? alarm_class,
    is_nerc: is_nerc || (named?.point?.is_nerc ?? false),
    ...{ status: "open", resumes: null, shelved_until: null, claimed_by: null },
    resolution_policy: rule.resolution_policy,
    resolution: null,
    ...{ raised_at: at_us, source_ts, updated_at: at_us, sent_at: null, cleared_at: null },
    ...{ raised_value: value, last_value: value, peak_value, peak_at, recovered_value: null },
    ...{ source_tag, measure, device_id, decoded_labels: transition.decoded_labels },
    point_key: named?.key ?? null,
    params: paramsOf(rule),
    ...{ is_late: false, is_flood: false, is_chattering: false, inhibited_by: null },
    judged_at: rule.judged_at,
  };
}

/** JSON of a rule's limits, without what goes without saying. */
function paramsOf({ condition, on_delay_s, off_delay_s }: Rule): string {
  const delays = {
    ...(on_delay_s > 0 ? { on_delay_s } : {}),
    ...(off_delay_s > 0 ? { off_delay_s } : {}),
  };
  return JSON.stringify({ ...definitionOf(condition).paramsOf(condition), ...delays });
}
