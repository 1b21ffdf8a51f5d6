// The page that explains issues and work orders: their statuses, guards, history, what is sent.
import { html } from "@hono/hono/html";
import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { issueMoves, type IssueStatus, work_priorities } from "../../model/work/issue.ts";
import { issue_form } from "../../model/work/issue_form.ts";
import { orderMoves, type OrderStatus, work_types } from "../../model/work/work_order.ts";
import { work_order_form } from "../../model/work/work_order_form.ts";
import { back, code, type Html, listed, page, row, table } from "../page/html.ts";
import { fieldRows, type Schema } from "../page/schema_table.ts";
import {
  history_docs,
  issue_source_docs,
  issue_status_docs,
  line_status_docs,
  order_status_docs,
} from "./word.ts";

/** Everything that the words of issues and work orders mean. */
export function workPage(): Html {
  return page("Wattkeeper issues and work orders", [
    back("Issues and work orders"),
    html`
      <p>An <em>issue</em> is something wrong with the plant that someone is to deal with; its
      <em>work orders</em> are what is to be done about it, device by device. Both are numbered in
      their organization, from 1 on, without gaps. Every change takes a snapshot, with which lists
      and webhooks tell of it. Endpoints: <a href="/docs#issues">issues</a>,
      <a href="/docs#work_orders">work orders</a>, <a href="/docs#issue_history">history</a>,
      <a href="/docs#issue_sync">sync</a>.</p>
      <nav aria-label="Contents">
        <ul>${contents.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
      </nav>
    `,
    ...issueSection(),
    ...orderSection(),
    changeSection(),
    ...historySection(),
    ...sendSection(),
  ]);
}

const contents = [
  ["issues", "Issues"],
  ["merge", "Merge"],
  ["sources", "Sources"],
  ["orders", "Work orders"],
  ["lines", "Lines"],
  ["availability", "Work and availability"],
  ["changes", "Changes, repeats, who acts"],
  ["history", "History"],
  ["sending", "What is sent"],
] as const;

function issueSection(): readonly Html[] {
  const statuses = Object.entries(issue_status_docs) as [IssueStatus, string][];
  return [
    html`
      <h2 id="issues">Issues</h2>
      <p>What the table does not have is refused with 409 and the reason; the same status again
      changes nothing. Priorities are ${listed(work_priorities)}.</p>
    `,
    table(
      ["status", "goes to", ""],
      statuses.map(([status, doc]) => row([code(status), movesOf(issueMoves(status)), doc])),
    ),
    html`
      <h2 id="merge">Merge</h2>
      <p>Active issues (open, in progress, on hold) are merged into another active one of the same
      project: they become <code>merged</code>, and the survivor gets their devices, work orders and
      alarms. Nothing leads back.</p>
      <h2 id="sources">Sources</h2>
      <p>An issue that is opened <code>from</code> an alarm, a drop or an outage is filled in from
      there: name, description with the figures, devices, times; what the request says itself wins.
      A drop compares the energy of its sensors with what was expected, over the quarter-hours in
      which both are known.</p>
    `,
    table(["source", ""], wordRows(issue_source_docs)),
  ];
}

function orderSection(): readonly Html[] {
  const statuses = Object.entries(order_status_docs) as [OrderStatus, string][];
  return [
    html`
      <h2 id="orders">Work orders</h2>
      <p>A work order is made under an active issue. Where an active work order of the issue covers
      one of the devices, that one is answered (200, <code>x-svc-existing: true</code>) and none is
      made. <code>work_type</code> is an open set: ${listed(work_types)}.</p>
    `,
    table(
      ["status", "goes to", ""],
      statuses.map(([status, doc]) => row([code(status), movesOf(orderMoves(status)), doc])),
    ),
    html`
      <h2 id="lines">Lines</h2>
      <p><code>devices</code> are its lines: a device and component each. A change that has
      <code>devices</code> says all of them. Lines go from any status to any other until the work
      order has ended.</p>
    `,
    table(["status", ""], wordRows(line_status_docs)),
    html`
      <h2 id="availability">Work and availability</h2>
      <p>From the moment a work order is in progress until it is not, or until the line is completed
      or skipped, work speaks for the state of its inverter, or of every inverter below its device:
      corrective, emergency and warranty work as <code>planned_corrective_action</code>, any other
      as <code>scheduled_maintenance</code>. See
      <a href="/docs/availability#evidence">evidence</a>.</p>
    `,
  ];
}

function changeSection(): Html {
  const hours = limits.idempotency_us / 3_600_000_000;
  return html`
    <h2 id="changes">Changes, repeats, who acts</h2>
    <p>Single reads and changes answer an <code>ETag</code>. A change with
    <code>If-Match</code> is made only while that is still the present one, else 412. An issue's
    changes with each of its work orders'.</p>
    <p>A create may carry an <code>Idempotency-Key</code> of up to
    ${limits.idempotency_key_length} characters: for ${hours} hours the same request of the same
    token under it gets the same answer and <code>Idempotency-Replayed: true</code>; another request
    under it gets 409.</p>
    <p>With a user's token the user acts. Any other token may name one as <code>user</code>, by id
    or e-mail; where it does not, <code>created_by</code> and the history's <code>user_id</code>
    are null.</p>
  `;
}

function historySection(): readonly Html[] {
  return [
    html`
      <h2 id="history">History</h2>
      <p>The history of an issue stays when the issue is deleted.</p>
    `,
    table(["kind", ""], wordRows(history_docs)),
  ];
}

function sendSection(): readonly Html[] {
  return ([
    ["A new issue", "sending", issue_form],
    ["A new work order", "sending-order", work_order_form],
  ] as const).flatMap(([title, id, form]) => [
    html`
      <h2 id="${id}">${title}</h2>
    `,
    table(
      ["field", "form", "", ""],
      fieldRows(z.toJSONSchema(form, { io: "input" }) as Schema, () => true),
    ),
  ]);
}

function movesOf(statuses: readonly string[]): readonly Html[] | string {
  return statuses.length > 0 ? listed(statuses) : "–";
}

function wordRows(words: Readonly<Record<string, string>>): readonly Html[] {
  return Object.entries(words).map(([word, doc]) => row([code(word), doc]));
}
