// Issues under /platform/v1/issues and their sync, and the page about issues and work orders.
import * as z from "zod";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import { work_limits } from "../../model/work/limits.ts";
import { noIssue } from "../../engine/work/action.ts";
import {
  changeIssue,
  commentIssue,
  createIssue,
  deleteIssue,
  linkAlarms,
  mergeIssues,
} from "../../engine/work/issue_action.ts";
import { syncIssues } from "../../engine/work/sync.ts";
import { showHistory } from "../../engine/work/view.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param } from "../../model/data/param.ts";
import { actor_form } from "../../model/work/form.ts";
import {
  issue_sources,
  issue_statuses,
  issueMoves,
  work_priorities,
} from "../../model/work/issue.ts";
import {
  alarms_form,
  comment_form,
  issue_change_form,
  issue_form,
  merge_form,
} from "../../model/work/issue_form.ts";
import { history_columns, issue_columns } from "../../model/work/issue_shape.ts";
import { sync_answer_schema, sync_form } from "../../model/work/sync.ts";
import { countIssues, listIssues, readIssue } from "../../store/work/issue.ts";
import { readHistory } from "../../store/work/record.ts";
import { projectOf } from "../frame/auth.ts";
import { requireMedia } from "../frame/json_body.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { answerPage, countRoute, listOf, part_params } from "./list.ts";
import { photoRoutes } from "./photo.ts";
import { changeRoute, getRoute, idParam, postRoute, type WorkNoun } from "./request.ts";
import { history_kinds } from "../../model/work/history.ts";
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
import guide from "./work.md" with { type: "text" };

const issues: WorkNoun = {
  path: "/platform/v1/issues",
  noun: "issues",
  kind: "issue",
  one: "issue",
  row: "Issue",
  columns: issue_columns,
};

/** The routes of issues. */
export function issueRoutes(services: Services): readonly Route[] {
  return [
    listRoute(services),
    countRoute(services, issues, {
      name: "issue_counts",
      summary: "How many issues there are",
      doc: "Issues of a project by status and priority; deleted ones are left out.",
      count: countIssues,
    }),
    issueRoute(services),
    historyRoute(services),
    ...changeRoutes(services),
    ...stepRoutes(services),
    ...photoRoutes(services, issues),
  ];
}

/** The sync by which another system says how issues stand. */
export function syncRoutes(services: Services): readonly Route[] {
  return [route({
    name: "issue_sync",
    method: "POST",
    path: "/integrations/v1/issues/sync",
    summary: "Update existing issues",
    doc: "Sets status, priority, assigned user or external id of issues; it never makes an " +
      "issue. The token and the subscription whose secret signed must have access to the " +
      "project. Each item is applied on its own, completely or not at all. The subscription gets " +
      "no webhook for its own changes, unless it has hears_itself.",
    scope: "sync",
    project: null,
    noun: "issues",
    params: [],
    headers: [{
      name: "x-svc-signature",
      required: true,
      doc: "t=<Unix seconds>,v1=<hex HMAC-SHA256>: the HMAC of <t>.<body>, its bytes as they " +
        "are sent, keyed with the text of a subscription's secret; t is at most " +
        `${webhook_limits.signature_clock_s} seconds from the clock of the service.`,
      example: "t=$T,v1=$HMAC",
    }],
    body: {
      media_types: ["application/json"],
      limit_bytes: work_limits.sync_body_bytes,
      doc: "The issues with their new values.",
      schema: () => z.toJSONSchema(sync_form, { io: "input" }),
    },
    answer: { kind: "json", schema: () => z.toJSONSchema(sync_answer_schema) },
    handle: async ({ request, grant }) => {
      const header = request.headers.get("x-svc-signature");
      const read = () => {
        requireMedia(request, ["application/json"]);
        return request.bytes();
      };
      return Response.json(await syncIssues(services, { grant: grant!, header, read }));
    },
  })];
}

/** Everything that the words of issues and work orders mean. */
export function workPage(): Promise<string> {
  return documentPage(guide, {
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

function listRoute(services: Services): Route {
  return route({
    ...listOf(issues),
    name: "issues",
    summary: "Issues",
    doc: "Issues of a project with their devices and work orders, each as it was after its last " +
      "change, ordered by updated_at unless sorted otherwise. Deleted issues are left out. " +
      "/docs/work explains the fields.",
    params: list_params,
    handle: (context) => answerPage(services, context, { ...issues, list: listIssues }),
  });
}

function issueRoute(services: Services): Route {
  return getRoute(services, issues, {
    name: "issue",
    summary: "An issue",
    doc: "An issue as it was after its last change. Use its ETag as If-Match of a change.",
    read: readIssue,
    missing: noIssue,
  });
}

function historyRoute(services: Services): Route {
  return route({
    method: "GET",
    scope: "read",
    project: "project_id",
    noun: issues.noun,
    name: "issue_history",
    path: `${issues.path}/{id}/history`,
    summary: "History of an issue",
    doc: "What happened to an issue, the oldest first; also for a deleted issue. A merge is " +
      "recorded on the issue that remains.",
    params: [idParam(issues.one), project_param],
    answer: {
      kind: "json",
      schema: { type: "array", items: rowSchema(history_columns, "IssueEvent") },
    },
    handle: async ({ values: { project_id, id } }) => {
      const { project_no } = projectOf(services, project_id);
      const events = await services.database.read((it) => readHistory(it, { project_no, id }));
      if (events.length === 0) throw noIssue();
      return Response.json(events.map((event) => showHistory(event, id)));
    },
  });
}

function changeRoutes(services: Services): readonly Route[] {
  return [
    postRoute(services, issues, {
      name: "issue_post",
      summary: "Open an issue",
      doc: "Opens an issue by hand, or `from` an alarm (it is linked to the issue), a " +
        "performance drop, or unavailable inverters. Name, description, devices and times are " +
        "then filled in from there.",
      form: issue_form,
      body_doc: "The fields of the issue; without `from`, a name is required.",
      act: createIssue,
    }),
    changeRoute(services, issues, {
      name: "issue_patch",
      method: "PATCH",
      summary: "Change an issue",
      doc: "Changes the fields in the body; null removes a value. 409 with the reason if the " +
        "state does not allow the new status.",
      form: issue_change_form,
      body_doc: "The fields to change.",
      act: changeIssue,
    }),
    changeRoute(services, issues, {
      name: "issue_delete",
      method: "DELETE",
      summary: "Delete an issue",
      doc: "Deletes an issue and its work orders. Its history is kept.",
      form: actor_form,
      body_doc: "Who deletes it; may be left out.",
      schema: deleted_schema,
      act: deleteIssue,
    }),
  ];
}

/** What is done to an issue beside changing its fields. */
function stepRoutes(services: Services): readonly Route[] {
  return [
    changeRoute(services, issues, {
      name: "issue_comment",
      method: "POST",
      step: "comment",
      summary: "Comment on an issue",
      doc: "Adds a comment to the history of the issue.",
      form: comment_form,
      body_doc: "The comment.",
      act: commentIssue,
    }),
    changeRoute(services, issues, {
      name: "issue_merge",
      method: "POST",
      step: "merge",
      summary: "Merge issues into one",
      doc: "Merges other active issues of the project into this one, which gets their devices, " +
        "work orders and alarms. 409 with the reason if a state does not allow it.",
      form: merge_form,
      body_doc: "The issues that are merged into this one.",
      act: mergeIssues,
    }),
    changeRoute(services, issues, {
      name: "issue_alarms",
      method: "POST",
      step: "alarms",
      summary: "Link an issue to alarms",
      doc: "The history records each link. Alarms that are already linked do not change.",
      form: alarms_form,
      body_doc: "The occurrences.",
      act: linkAlarms,
    }),
  ];
}

const list_params = [
  project_param,
  {
    name: "status",
    in: "query",
    kind: "text",
    required: false,
    values: issue_statuses,
    doc: "Only issues of this status.",
  },
  {
    name: "device_id",
    in: "query",
    kind: "text",
    required: false,
    names: "device",
    doc: "Only issues that affect this device, by id or key.",
  },
  {
    name: "alarm",
    in: "query",
    kind: "text",
    required: false,
    doc: "Only issues that are linked to this alarm, by its occurrence_id.",
  },
  ...part_params,
] as const satisfies readonly Param[];

const text = { type: "string" } as const;
const deleted_schema = {
  type: "object",
  required: ["id", "name"],
  properties: { id: text, name: text },
} as const;

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
