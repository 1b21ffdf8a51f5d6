// The list of rules: what each watches, whether it runs, and how often it raised an alarm.
import type { Load } from "../frame/load.ts";
import { no_number, numberText } from "../frame/number.ts";
import { addressOf, change, param } from "../frame/place.ts";
import { zone } from "../frame/session.ts";
import { instantText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { digitOf, Priority } from "../parts/priority.tsx";
import { say } from "./say.ts";
import { countName, look_days, type Rule } from "./store.ts";
import { watchText, wordOf } from "./word.ts";

const states = ["on", "off", "suspended"] as const;
type State = typeof states[number];

/** Whether a rule runs. */
function stateOf({ suspended, definition }: Rule): State {
  if (suspended !== null) return "suspended";
  return definition.enabled === false ? "off" : "on";
}

const digit = ({ definition }: Rule) => digitOf(String(definition.severity));

/** The rules that are looked for, the most urgent first. */
export function RuleList({ rules, counts }: {
  readonly rules: readonly Rule[];
  readonly counts: Load<ReadonlyMap<string, number>>;
}) {
  const [words, state] = [(param("q") ?? "").toLocaleLowerCase(), param("state")];
  const found = rules.filter((rule) => {
    const { name, description } = rule.definition;
    const text = [rule.key, name, description, watchText(rule.definition)].join(" ");
    return text.toLocaleLowerCase().includes(words) && (!state || stateOf(rule) === state);
  }).toSorted((a, b) => digit(a) - digit(b));
  return (
    <>
      <div class="row rules-filters">
        <input
          type="search"
          aria-label={say().search}
          placeholder={say().search}
          value={param("q") ?? ""}
          onInput={({ currentTarget }) => change({ q: currentTarget.value || undefined })}
        />
        <select
          aria-label={say().state}
          value={state ?? ""}
          onChange={({ currentTarget }) => change({ state: currentTarget.value || undefined })}
        >
          <option value="">{say().every_state}</option>
          {states.map((it) => <option value={it}>{say()[`state_${it}`]}</option>)}
        </select>
        <span class="quiet">{say().count(String(found.length), String(rules.length))}</span>
      </div>
      {found.length === 0
        ? <p class="quiet">{say().none_found}</p>
        : (
          <div class="rules-table" tabIndex={0} role="region" aria-label={say().title}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{say().rule}</th>
                  <th scope="col">{say().watches}</th>
                  <th scope="col">{say().state}</th>
                  <th scope="col" class="number">{say().raised_in(String(look_days))}</th>
                  <th scope="col">{say().changed}</th>
                </tr>
              </thead>
              <tbody>
                {found.map((rule) => (
                  <Row
                    key={`${rule.site} ${rule.key}`}
                    rule={rule}
                    count={counts.data &&
                      (counts.data.get(countName(rule.site, String(rule.definition.name))) ?? 0)}
                  />
                ))}
              </tbody>
            </table>
          </div>
        )}
    </>
  );
}

function Row({ rule, count }: { readonly rule: Rule; readonly count: number | undefined }) {
  const { definition, key, site, suspended, valid_from, author, origin, tags_watched } = rule;
  const state = stateOf(rule);
  const isChosen = param("rule") === key && param("site") === site;
  const params = { q: param("q"), state: param("state"), rule: key, site };
  return (
    <tr class={isChosen ? "here" : undefined}>
      <td>
        <span class="rules-name">
          <Priority of={digitOf(String(definition.severity))} />
          <span>
            <a data-place href={addressOf("rules", params)}>{String(definition.name)}</a>
            <span class="quiet small">{wordOf("kind", String(definition.kind))}</span>
          </span>
        </span>
      </td>
      <td>
        {watchText(definition)}{" "}
        <span class="quiet small">{say().tags(numberText(tags_watched))}</span>
      </td>
      <td>
        <span class={`rules-state ${state}`}>{say()[`state_${state}`]}</span>
        {suspended !== null && <span class="small">{suspended}</span>}
      </td>
      <td class="number">
        <span class="quiet">{say().raised_in(String(look_days))}:</span>
        {count === undefined ? no_number : count === 0 ? "0" : (
          <Link
            page="alarms"
            params={{ tab: "all", days: "31", q: String(definition.name) }}
          >
            {numberText(count)}
          </Link>
        )}
      </td>
      <td>
        {instantText(Date.parse(valid_from), zone.value)}
        <span class="quiet small">
          {origin === "site_file" ? say().site_file : author ?? say().machine}
        </span>
      </td>
    </tr>
  );
}
