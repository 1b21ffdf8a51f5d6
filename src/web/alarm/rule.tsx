// The rule that raised an alarm: its parameters in words, and how it changed last.
import { getJson } from "../frame/api.ts";
import { moment_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { project, zone } from "../frame/session.ts";
import { instantText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded } from "../parts/panel.tsx";
import type { Alarm } from "./alarm.ts";
import { ruleText, unitOf } from "./figures.ts";
import { changesOf } from "./rule_change.ts";
import { say } from "./say.ts";

type Definition = Readonly<Record<string, unknown>>;

/** A version of a rule. */
type RuleVersion = {
  readonly site: string;
  readonly key: string;
  readonly version: number;
  readonly author: string | null;
  readonly valid_from: string;
  readonly definition: Definition;
};

const shown_versions = 5;

/** The rule of an alarm. */
export function Rule({ alarm }: { readonly alarm: Alarm }) {
  const { kind, params, rule_name, rule_version, site, resolution_policy } = alarm;
  const key = [project.value!.id, site, rule_name];
  const versions = useLoad(key, (_, signal) => getVersions({ site, rule_name }, signal));
  const unit = unitOf(alarm);
  return (
    <>
      <ul class="rule-text">
        {ruleText(kind, {
          unit,
          params: { resolution_policy, labels: alarm.decoded_labels, ...params },
        }).map((
          it,
        ) => <li>{it}</li>)}
      </ul>
      <Loaded of={versions} isEmpty={(it) => it.length === 0} empty={say().no_rule}>
        {(all) => {
          const known = all.filter((it) => Date.parse(it.valid_from) <= moment_ms.value);
          return (
            <>
              <p class="quiet">
                {rule_version !== null && say().rule_version(rule_version)}{" "}
                <Link page="rules" params={{ rule: all[0].key }}>{say().to_rule}</Link>
              </p>
              <h4>{say().rule_changes}</h4>
              <ul class="rule-changes">
                {known.slice(0, shown_versions).map((it, i) => (
                  <Version of={it} before={known[i + 1]} />
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Version({ of, before }: {
  readonly of: RuleVersion;
  readonly before: RuleVersion | undefined;
}) {
  const changes = before ? changesOf(before.definition, of.definition) : [];
  return (
    <li>
      <time dateTime={of.valid_from}>{instantText(Date.parse(of.valid_from), zone.value)}</time>
      {" · "}
      {say().rule_version(of.version)}
      {of.author && ` · ${of.author}`}
      {" · "}
      {before ? changes.map((it) => <code>{it}</code>) : say().rule_first}
    </li>
  );
}

/** The versions of the rule of a name, the newest first; none where no rule has it. */
async function getVersions(
  { site, rule_name }: { readonly site: string; readonly rule_name: string },
  signal: AbortSignal,
): Promise<readonly RuleVersion[]> {
  const path = "/platform/v1/rules";
  const query = { project_id: project.peek()!.id, site };
  const rules = await getJson<RuleVersion[]>(path, query, signal);
  const found = rules.find(({ definition }) => definition.name === rule_name);
  if (!found) return [];
  return await getJson(`${path}/${encodeURIComponent(found.key)}/versions`, query, signal);
}
