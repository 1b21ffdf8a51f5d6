// The page that explains alarms, with the tables of rules, fields and figures.
import { html } from "@hono/hono/html";
import { z } from "zod";
import { suspension_kind } from "../../engine/rules/suspend.ts";
import {
  alarm_event_kinds,
  alarm_event_types,
  resolution_policies,
} from "../../model/alarms/alarm.ts";
import { report_schema } from "../../model/alarms/report_form.ts";
import { kind_documentation, kinds } from "../../model/rules/kinds.ts";
import { alarm_row_schema } from "../../wire/alarms/decode_row.ts";
import { documentPage, wordFills } from "../page/document.ts";
import { code, type Html, row, table } from "../page/html.ts";
import { fieldTable, figureRows, type Schema } from "../page/schema_table.ts";
import text from "./alarms.md" with { type: "text" };

/** Everything that the fields and endpoints of alarms mean. */
export function alarmPage(): Promise<string> {
  const [occurrence, event] = (alarm_row_schema as Schema).anyOf!;
  return documentPage(text, {
    ...wordFills("event", alarm_event_types),
    ...wordFills("policy", resolution_policies),
    ...wordFills("kind", alarm_event_kinds),
    rule_kinds: rules.map(ruleSection),
    rule_fields: fieldTable(rules[0].form, isCommon),
    rule_params: table(
      ["kind", "keys"],
      rules.map(({ kind, params }) => row([code(kind), params])),
    ),
    suspension_kind: code(suspension_kind),
    occurrence_fields: fieldTable(occurrence, isSent(occurrence)),
    event_fields: fieldTable(event, isSent(event)),
    figures: table(["figure", ""], figureRows(z.toJSONSchema(report_schema) as Schema)),
  });
}

/** Each kind of rule: what it says, and its form. */
const rules = kind_documentation.map((it) => (
  { ...it, form: z.toJSONSchema(kinds[it.kind].form, { io: "input" }) as Schema }
));

function ruleSection({ kind, holds, form }: typeof rules[number]): Html {
  return html`
    <h3 id="rule-${kind}">${kind}</h3>
    <p>${holds}</p>
    ${fieldTable(form, (name) => name !== "kind" && !isCommon(name))}
  `;
}

function isCommon(name: string): boolean {
  return name !== "kind" && rules.every(({ form: { properties = {} } }) => name in properties);
}

/** Fields that a source sends: all but those that the service sets itself. */
function isSent(form: Schema): (name: string) => boolean {
  return (name) => !form.properties![name].description?.startsWith("The service's own");
}
