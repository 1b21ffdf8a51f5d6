// The rules of the plant as they are or were, how often each raised an alarm, and trials.
import type { OccurrenceRow } from "../../model/alarms/shape.ts";
import { getJson, getRows, send } from "../frame/api.ts";
import { at_ms, moment_minute_ms } from "../frame/clock.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { project } from "../frame/session.ts";
import type { Definition } from "./draft.ts";
import { type Curve, envelope, type Trial } from "./trial.ts";

/** A version of a rule. */
export type Rule = {
  readonly site: string;
  readonly key: string;
  readonly version: number;
  readonly origin: "site_file" | "api";
  readonly author: string | null;
  readonly valid_from: string;
  readonly valid_to: string | null;
  readonly tags_watched: number;
  readonly suspended: string | null;
  readonly definition: Definition;
};

export const rules_path = "/platform/v1/rules";

/** Over so long a time rules are counted and tried. */
export const look_days = 30;

const look_ms = look_days * 86_400_000;
const refresh_ms = 60_000;
const curve_slots = 900;

/** The rules by site and key; `again` changes where one was changed here. */
export function useRules(again: number): Load<readonly Rule[]> {
  const at = at_ms.value;
  return useLoad([project.value!.id, at], async ([project_id], signal) => {
    const rules = await getJson<Rule[]>(rules_path, { project_id }, signal);
    if (at === undefined) return rules;
    const then = await Promise.all(rules.map((rule) => ruleAt(rule, at, signal)));
    return then.filter((it) => it !== undefined);
  }, at === undefined ? { refresh_ms, again } : {});
}

async function ruleAt(rule: Rule, at: number, signal: AbortSignal): Promise<Rule | undefined> {
  const found = Date.parse(rule.valid_from) <= at
    ? rule
    : (await getVersions(rule, signal)).find((it) =>
      Date.parse(it.valid_from) <= at &&
      (it.valid_to === null || Date.parse(it.valid_to) > at)
    );
  // Whether it was suspended then is not kept.
  return found && { ...found, suspended: null };
}

/** All versions of a rule, the newest first. Throws a `Problem`. */
export function getVersions(
  { site, key }: Pick<Rule, "site" | "key">,
  signal?: AbortSignal,
): Promise<readonly Rule[]> {
  const query = { project_id: project.peek()!.id, site };
  return getJson(`${rules_path}/${encodeURIComponent(key)}/versions`, query, signal);
}

/** How many alarms were raised in the last days, by `site/name`. */
export function useCounts(): Load<ReadonlyMap<string, number>> {
  const to_ms = Math.floor(moment_minute_ms.value / 600_000) * 600_000;
  return useLoad([project.value!.id, to_ms], async ([project_id], signal) => {
    const [from, to] = [to_ms - look_ms, to_ms].map((it) => new Date(it).toISOString());
    const query = { project_id, from, to, limit: 10_000 };
    const rows = await getJson<OccurrenceRow[]>("/platform/v1/alarms", query, signal);
    const counts = new Map<string, number>();
    for (const { site, rule_name, raised_at } of rows) {
      if (raised_at < from || raised_at > to) continue;
      const name = countName(site, rule_name);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  });
}

/** What a rule's count is found by. */
export function countName(site: string, rule_name: string): string {
  return `${site}/${rule_name}`;
}

/** The time that is looked back over. */
export function lookedAt(): { readonly from_ms: number; readonly to_ms: number } {
  const to_ms = Math.floor(moment_minute_ms.value / 3_600_000) * 3_600_000;
  return { from_ms: to_ms - look_ms, to_ms };
}

/** What a definition would have raised; nothing is asked for while there is none. */
export function useTrial(
  site: string | undefined,
  definition: Definition | undefined,
): Load<Trial> {
  const { from_ms, to_ms } = lookedAt();
  const key = definition === undefined || site === undefined
    ? undefined
    : [project.value!.id, site, from_ms, JSON.stringify(definition)] as const;
  return useLoad(key, async ([project_id, site], signal) => {
    const [from, to] = [from_ms, to_ms].map((it) => new Date(it).toISOString());
    const answer = await send<{ readonly rules: readonly Trial[] }>("POST", `${rules_path}/test`, {
      query: { project_id, site, from, to },
      body: { rules: [definition] },
      signal,
    });
    return answer.rules[0];
  });
}

/** The values of a tag over the same time: of a measure in its unit, else as they were sent. */
export function useCurve({ tag, isMeasure }: {
  readonly tag: string | undefined;
  readonly isMeasure: boolean;
}): Load<Curve> {
  const { from_ms, to_ms } = lookedAt();
  const key = tag === undefined ? undefined : [project.value!.id, tag, isMeasure, from_ms] as const;
  return useLoad(key, async ([project_id, tag], signal) => {
    const rows = await getRows("/platform/v1/signals", {
      project_id,
      tag,
      lane: isMeasure ? "performance" : "raw_signal",
      resolution: "1m",
      from: new Date(from_ms).toISOString(),
      to: new Date(to_ms).toISOString(),
      columns: "ts,value,value_int",
      limit: 100_000,
    }, signal);
    const [floats, integers] = [rows.numbers("value"), rows.numbers("value_int")];
    const values = floats.map((it, i) => Number.isNaN(it) ? integers[i] : it);
    return envelope({ instants: rows.numbers("ts"), values }, curve_slots);
  });
}
