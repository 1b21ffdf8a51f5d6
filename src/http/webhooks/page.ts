// The page that explains webhooks, with the tables of events, headers, attempts and an example.
import { html } from "@hono/hono/html";
import { rowSchema } from "../../model/data/column_schema.ts";
import { addressRefusal } from "../../model/webhooks/address.ts";
import { attempt_jitter, attempt_waits_us } from "../../model/webhooks/retry.ts";
import {
  envelope_columns,
  webhook_data,
  webhook_header_docs,
  webhookDataName,
} from "../../model/webhooks/shape.ts";
import { delivery_states, webhook_docs, webhook_types } from "../../model/webhooks/webhook.ts";
import { documentPage, type Fills, wordFills } from "../page/document.ts";
import { code, type Html, listed, row, table, wordRows } from "../page/html.ts";
import { durationText } from "../page/quantity.ts";
import { fieldTable, type Schema } from "../page/schema_table.ts";
import { exampleDelivery } from "./example.ts";
import text from "./webhooks.md" with { type: "text" };

/** Everything that a receiver has to know. */
export function webhookPage(): Promise<string> {
  return documentPage(text, {
    event_types: table(["type", "sent when", "data"], webhook_types.map(typeRow)),
    event_data: table(["data", "", "fields"], Object.keys(webhook_data).map(dataRow)),
    envelope_fields: fieldTable(rowSchema(envelope_columns) as Schema),
    headers: table(["header", ""], wordRows(webhook_header_docs)),
    ...exampleFills(),
    attempt_count: attempt_waits_us.length,
    attempts: table(
      ["attempt", "after the one before", "at random between"],
      attempt_waits_us.map(attemptRow),
    ),
    ...wordFills("delivery", delivery_states),
    refused: table(["address", "why it is refused"], refused_addresses.map(refusedRow)),
  });
}

function typeRow(type: typeof webhook_types[number]): Html {
  const name = webhookDataName(type);
  return row([code(type), webhook_docs[type], html`<a href="#data-${name}">${name}</a>`]);
}

function dataRow(name: string): Html {
  const { doc, columns } = webhook_data[name as keyof typeof webhook_data];
  const route = answered.get(name);
  return html`
    <tr id="data-${name}">
      <td>${name}</td>
      <td>${doc}</td>
      <td>${route === undefined
        ? listed(columns.map(({ name }) => name))
        : html`<a href="/docs#${route}">as in answers</a>`}</td>
    </tr>
  `;
}

/** The routes that answer the same data. */
const answered: ReadonlyMap<string, string> = new Map([
  ["AlarmOccurrence", "alarm"],
  ["Issue", "issue"],
  ["WorkOrder", "work_order"],
]);

function exampleFills(): Fills {
  const { t, body, secret, jwk, headers } = exampleDelivery();
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return {
    example_keys: [secret, JSON.stringify(jwk)].join("\n"),
    example_request: [...head, "", body].join("\n"),
    example_shell: `T=${t}\nBODY='${body}'\n` +
      `printf '%s' "$T.$BODY" | openssl dgst -sha256 -hmac '${secret}'`,
  };
}

function attemptRow(wait_us: number, i: number): Html {
  if (wait_us === 0) return row([i + 1, "at once", ""]);
  const [least, most] = [1 - attempt_jitter, 1 + attempt_jitter]
    .map((factor) => durationText(wait_us * factor));
  return row([i + 1, durationText(wait_us), `${least} to ${most}`]);
}

function refusedRow(address: string): Html {
  return row([code(address), addressRefusal(address, [])!.replace(`${address} is `, "")]);
}

/** One address of each range that is refused. */
const refused_addresses = [
  "127.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "224.0.0.1",
  "192.0.2.1",
  "::1",
  "fe80::1",
  "fd00::1",
  "::ffff:10.1.2.3",
  "64:ff9b::a01:203",
  "2002:a01:203::1",
] as const;
