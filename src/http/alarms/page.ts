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
import { rule_form } from "../../model/rules/form.ts";
import { alarm_row_schema } from "../../wire/alarms/decode_row.ts";
import { documentPage, wordFills } from "../page/document.ts";
import { code, type Html, table, wordRows } from "../page/html.ts";
import { fieldTable, figureRows, type Schema } from "../page/schema_table.ts";
import text from "./alarms.md" with { type: "text" };
import { params_docs, rule_docs } from "./word.ts";

/** Everything that the fields and endpoints of alarms mean. */
export function alarmPage(): Promise<string> {
  const [occurrence, event] = (alarm_row_schema as Schema).anyOf!;
  return documentPage(text, {
    ...wordFills("event", alarm_event_types),
    ...wordFills("policy", resolution_policies),
    ...wordFills("kind", alarm_event_kinds),
    rule_kinds: rule_forms.map(ruleSection),
    rule_fields: fieldTable(rule_forms[0], isCommon),
    rule_params: table(["kind", "keys"], wordRows(params_docs)),
    suspension_kind: code(suspension_kind),
    occurrence_fields: fieldTable(occurrence, isSent(occurrence)),
    event_fields: fieldTable(event, isSent(event)),
    figures: table(["figure", ""], figureRows(z.toJSONSchema(report_schema) as Schema)),
  });
}

/** The form of each kind of rule. */
const { oneOf: rule_forms = [] } = z.toJSONSchema(rule_form, { io: "input" }) as Schema;

function ruleSection(form: Schema): Html {
  const kind = form.properties!.kind.const as keyof typeof rule_docs;
  return html`
    <h3 id="rule-${kind}">${kind}</h3>
    <p>${rule_docs[kind]}</p>
    ${fieldTable(form, (name) => name !== "kind" && !isCommon(name))}
  `;
}

function isCommon(name: string): boolean {
  return name !== "kind" && rule_forms.every(({ properties = {} }) => name in properties);
}

/** Fields that a source sends: all but those that the service sets itself. */
function isSent(form: Schema): (name: string) => boolean {
  return (name) => !form.properties![name].description?.startsWith("The service's own");
}
