// The page that explains issues and work orders, with their next statuses and their fields.
import { z } from "zod";
import { history_kinds } from "../../model/work/history.ts";
import {
  issue_sources,
  issue_statuses,
  issueMoves,
  work_priorities,
} from "../../model/work/issue.ts";
import { issue_form } from "../../model/work/issue_form.ts";
import {
  line_statuses,
  order_statuses,
  orderMoves,
  work_types,
} from "../../model/work/work_order.ts";
import { work_order_form } from "../../model/work/work_order_form.ts";
import { documentPage, type Fills, wordFills } from "../page/document.ts";
import { type Html, listed } from "../page/html.ts";
import { fieldTable, type Schema } from "../page/schema_table.ts";
import text from "./work.md" with { type: "text" };

/** Everything that the words of issues and work orders mean. */
export function workPage(): Promise<string> {
  return documentPage(text, {
    priorities: listed(work_priorities),
    ...wordFills("issue", issue_statuses),
    ...nextFills("issue_next", issue_statuses, issueMoves),
    ...wordFills("source", issue_sources),
    work_types: listed(work_types),
    ...wordFills("order", order_statuses),
    ...nextFills("order_next", order_statuses, orderMoves),
    ...wordFills("line", line_statuses),
    ...wordFills("history", history_kinds),
    issue_fields: sentFields(issue_form),
    order_fields: sentFields(work_order_form),
  });
}

/** What each status can become. */
function nextFills<S extends string>(
  kind: string,
  statuses: readonly S[],
  movesOf: (status: S) => readonly S[],
): Fills {
  return Object.fromEntries(statuses.map((status) => {
    const next = movesOf(status);
    return [`${kind}:${status}`, next.length > 0 ? listed(next) : "–"];
  }));
}

function sentFields(form: z.ZodType): Html {
  return fieldTable(z.toJSONSchema(form, { io: "input" }) as Schema);
}
