// Takes rules that threw out of force, and reports each by an alarm that says why.
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import type { Failed } from "../../base/together.ts";
import type { OccurrenceDraft } from "../../model/alarms/alarm.ts";
import { clear } from "../../model/alarms/life.ts";
import { listOccurrences } from "../../store/alarms/alarm.ts";
import type { Database } from "../../store/database.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { AlarmUnitOfWork } from "../alarms/unit_of_work.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { RuleOnTag, Rules, Suspended, Suspension } from "./rule.ts";
import type { Evaluator } from "./evaluator.ts";

const log = getLogger(["wattkeeper", "watch"]);

/** The kind of the alarms that tell of suspended rules. */
export const suspension_kind = "rule_suspended";

/** Suspends the rules of these numbers. Throws where what failed was no fault of theirs. */
export type Suspend = (failed: readonly Failed<number>[]) => Promise<void>;

type Parts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly rules: Rules;
  readonly alarms: Alarms;
  readonly evaluator: Evaluator;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/**
 * A rule that threw is out of force until it is changed or the service starts again: what it throws
 * at would fail all that is judged with it. Its alarms are cleared.
 */
export function suspender(
  { database, catalog, rules, alarms, evaluator, effects }: Parts,
): Suspend {
  return async (failed) => {
    for (const { error } of failed) if (error instanceof Fault) throw error;
    const told = await database.write(async (write) => {
      const changes = alarms.begin(write);
      const suspended = new Map<number, Suspension>();
      for (const { part: rule_no, error } of failed) {
        const places = rules.placesOf(rule_no);
        if (places.length === 0) continue;
        const { key, version, site_no } = places[0].rule;
        const site = catalog.site(site_no)?.key;
        log.error("the rule {key} of {site} failed and is suspended: {error}", {
          ...{ key, site, error },
        });
        const reason = reasonOf(error);
        const draft = draftOf(places, { catalog, effects });
        const { occurrence_no } = changes.raise(draft, [{
          ...{ type: "raised", kind: "system", created_at: draft.raised_at },
          body: `The rule failed and is suspended until it is changed or the service starts ` +
            `again: ${reason}`,
        }]);
        const since_us = draft.raised_at;
        suspended.set(rule_no, { version, since_us, reason, occurrence_no });
      }
      const prepared = rules.prepareWithout(suspended);
      const round = await evaluator.retire(changes, prepared);
      return { prepared, round, stored: await changes.store() };
    });
    rules.adopt(told.prepared);
    evaluator.commit(told.round);
    alarms.committed(told.stored);
  };
}

/** Clears the alarms of rules that are suspended no more, within the write that says so. */
export async function liftSuspensions(
  changes: AlarmUnitOfWork,
  { before, after }: { readonly before: Suspended; readonly after: Suspended },
): Promise<void> {
  const lifted = [...before].filter(([rule_no]) => !after.has(rule_no));
  await clearAll(changes, {
    nos: lifted.map(([, { occurrence_no }]) => occurrence_no),
    reason: "its rule was changed or removed",
  });
}

/** Clears the alarms of every suspension: at a start, when all rules watch again. */
export async function liftAll(
  { database, alarms }: Pick<Parts, "database" | "alarms">,
): Promise<void> {
  const standing = await database.read((connection) =>
    listOccurrences(connection, { kinds: [suspension_kind], active: true })
  );
  const nos = standing.filter(({ origin }) => origin === "rule").map((it) => it.occurrence_no);
  if (nos.length === 0) return;
  const reason = "the service was started again";
  await alarms.write((changes) => clearAll(changes, { nos, reason }));
}

async function clearAll(
  changes: AlarmUnitOfWork,
  { nos, reason }: { readonly nos: readonly number[]; readonly reason: string },
): Promise<void> {
  await changes.load({ nos });
  const at_us = changes.write.stamp_us;
  for (const occurrence_no of nos) {
    const known = changes.get(occurrence_no);
    const recovery = { at_us, recovered_value: null, last_value: null, detail: { reason } };
    const step = known && clear(known, { ...recovery, kind: "system" });
    if (step) changes.change(step.occurrence, step.events);
  }
}

/** The first line of what was thrown: a word on the rule's own samples, of its own project. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.split("\n")[0].slice(0, rule_limits.suspension_reason_length);
}

function draftOf(
  places: readonly RuleOnTag[],
  { catalog, effects }: Pick<Parts, "catalog" | "effects">,
): OccurrenceDraft {
  const [{ rule, source_tag, measure, device_id }] = places;
  const { project_no, site_no } = rule;
  const now_us = effects.now_us();
  return {
    occurrence_id: newId(effects),
    ...{ project_no, site_no, origin: "rule", rule_no: null },
    source: `wattkeeper:${catalog.site(site_no)?.key ?? site_no}`,
    ...{ rule_name: rule.name, rule_version: rule.version, rule_description: rule.description },
    ...{ kind: suspension_kind, severity: "high", alarm_class: null, is_nerc: rule.is_nerc },
    ...{ status: "open", resumes: null, shelved_until: null, claimed_by: null },
    ...{ resolution_policy: "auto", resolution: null },
    ...{ raised_at: now_us, source_ts: null, updated_at: now_us, sent_at: null, cleared_at: null },
    raised_value: places.length,
    ...{ last_value: null, peak_value: null, peak_at: null, recovered_value: null },
    ...{ source_tag, measure, device_id, decoded_labels: [], point_key: null },
    params: JSON.stringify({ rule: rule.key, tags_watched: places.length }),
    ...{ is_late: false, is_flood: false, is_chattering: false, inhibited_by: null },
    judged_at: "here",
  };
}
