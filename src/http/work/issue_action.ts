// Changing issues: opening, changing, deleting, commenting, merging, linking to alarms.
import {
  changeIssue,
  commentIssue,
  createIssue,
  deleteIssue,
  linkAlarms,
  mergeIssues,
} from "../../engine/work/issue_action.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import {
  alarms_form,
  comment_form,
  issue_change_form,
  issue_form,
  merge_form,
} from "../../model/work/issue_form.ts";
import { issue_columns } from "../../model/work/issue_shape.ts";
import { actor_form } from "../../model/work/form.ts";
import { readData, readOptionalData } from "../frame/json_body.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import {
  answerWork,
  bodyOf,
  changeAsk,
  createAsk,
  match_header,
  once_header,
  work_params,
} from "./request.ts";

const path = "/platform/v1/issues";

/** The routes that change issues. */
export function issueActionRoutes(services: Services): readonly Route[] {
  return [
    postRoute(services),
    patchRoute(services),
    deleteRoute(services),
    ...steps.map((step) => stepRoute(services, step)),
  ];
}

const common = { scope: "manage", project: "project_id", noun: "issues" } as const;

const one_params = [work_params.issue, work_params.project_id] as const;

const shown = { kind: "json", schema: rowSchema(issue_columns) } as const;

function postRoute(services: Services): Route {
  return route({
    ...common,
    name: "issue_post",
    method: "POST",
    path,
    summary: "Open an issue",
    doc: "Opens an issue by hand, or `from` an alarm (it is linked to the issue), a performance " +
      "drop, or unavailable inverters. Name, description, devices and times are then filled in " +
      "from there.",
    params: [work_params.project_id],
    headers: [once_header],
    body: bodyOf(issue_form, "The fields of the issue; without `from`, a name is required."),
    answer: { ...shown, status: 201 },
    handle: async (context) => {
      const ask = await createAsk(services, context);
      return answerWork(await createIssue(services, await readData(context.request), ask));
    },
  });
}

function patchRoute(services: Services): Route {
  return route({
    ...common,
    name: "issue_patch",
    method: "PATCH",
    path: `${path}/{id}`,
    summary: "Change an issue",
    doc: "Changes the fields in the body; null removes a value. 409 with the reason if the state " +
      "does not allow the new status.",
    params: one_params,
    headers: [match_header],
    body: bodyOf(issue_change_form, "The fields to change."),
    answer: shown,
    handle: async (context) => {
      const data = await readData(context.request);
      return answerWork(await changeIssue(services, data, changeAsk(services, context)));
    },
  });
}

function deleteRoute(services: Services): Route {
  return route({
    ...common,
    name: "issue_delete",
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Delete an issue",
    doc: "Deletes an issue and its work orders. Its history is kept.",
    params: one_params,
    headers: [match_header],
    body: bodyOf(actor_form, "Who deletes it; may be left out."),
    answer: { kind: "json", schema: deleted_schema },
    handle: async (context) => {
      const data = await readOptionalData(context.request);
      return answerWork(await deleteIssue(services, data, changeAsk(services, context)));
    },
  });
}

const text = { type: "string" } as const;
const deleted_schema = {
  type: "object",
  required: ["id", "name"],
  properties: { id: text, name: text },
} as const;

const steps = [
  {
    word: "comment",
    summary: "Comment on an issue",
    doc: "Adds a comment to the history of the issue.",
    body: bodyOf(comment_form, "The comment."),
    act: commentIssue,
  },
  {
    word: "merge",
    summary: "Merge issues into one",
    doc: "Merges other active issues of the project into this one, which gets their devices, " +
      "work orders and alarms. 409 with the reason if a state does not allow it.",
    body: bodyOf(merge_form, "The issues that are merged into this one."),
    act: mergeIssues,
  },
  {
    word: "alarms",
    summary: "Link an issue to alarms",
    doc: "The history records each link. Alarms that are already linked do not change.",
    body: bodyOf(alarms_form, "The occurrences."),
    act: linkAlarms,
  },
] as const;

function stepRoute(services: Services, { word, act, ...said }: typeof steps[number]): Route {
  return route({
    ...common,
    ...said,
    name: `issue_${word}`,
    method: "POST",
    path: `${path}/{id}/${word}`,
    params: one_params,
    headers: [match_header],
    answer: shown,
    handle: async (context) => {
      const data = await readData(context.request);
      return answerWork(await act(services, data, changeAsk(services, context)));
    },
  });
}
