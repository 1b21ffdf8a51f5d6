// Saved views of the screens under /platform/v1/views: listed, made, changed, removed.
import * as z from "zod";
import { addSavedView, changeSavedView, removeSavedView } from "../../engine/views/view.ts";
import type { Param } from "../../model/data/param.ts";
import { view_limits } from "../../model/views/limits.ts";
import {
  saved_view_change_form,
  saved_view_form,
  type SavedView,
  view_pages,
} from "../../model/views/view.ts";
import { listSavedViews } from "../../store/views/view.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { match_header, versionsOf } from "../frame/condition.ts";
import { formBody, readData } from "../frame/json_body.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const path = "/platform/v1/views";
const one = `${path}/{id}`;

/** Listing, saving, changing and removing views. */
export function savedViewRoutes(services: Services): readonly Route[] {
  return [listRoute(services), postRoute(services), ...changeRoutes(services)];
}

function listRoute(services: Services): Route {
  return route({
    name: "views",
    method: "GET",
    path,
    summary: "Saved views",
    doc: "Views of the screens that people saved for all of a project, the one that changed last " +
      "first. The page and the address of a view open it: /PAGE?ADDRESS.",
    scope: "read",
    project: "project_id",
    params: list_params,
    answer: { kind: "json", schema: () => z.toJSONSchema(z.array(view_schema)) },
    handle: async ({ values: { project_id, page = null, limit, offset } }) => {
      const { project_no } = projectOf(services, project_id);
      const query = { project_no, page, limit, offset };
      const views = await services.database.read((it) => listSavedViews(it, query));
      return Response.json(views.map((view) => shown(view, project_id)));
    },
  });
}

function postRoute(services: Services): Route {
  return route({
    name: "view_post",
    method: "POST",
    path,
    summary: "Save a view",
    doc: "Saves a view of a page under a name. 409 if the page has a view of this name already, " +
      `or the project has ${view_limits.per_project} views.`,
    scope: "operate",
    project: "project_id",
    params: [project_param],
    body: bodyOf(saved_view_form, "The page, a name and the address."),
    answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(view_schema) },
    handle: async ({ request, values: { project_id }, grant }) => {
      const data = await readData(request);
      const { project_no } = projectOf(services, project_id);
      const view = await addSavedView(services, data, { project_no, user_id: grant!.user_id });
      return answerView(view, project_id, { status: 201 });
    },
  });
}

function changeRoutes(services: Services): readonly Route[] {
  const common = {
    path: one,
    scope: "operate",
    project: "project_id",
    params: one_params,
    headers: [view_match_header],
    answer: { kind: "json", schema: () => z.toJSONSchema(view_schema) },
  } as const;
  return [
    route({
      ...common,
      name: "view_patch",
      method: "PATCH",
      summary: "Change a view",
      doc: "Gives a view another name or address; what the body leaves out stays. 409 if the " +
        "page has another view of this name.",
      body: bodyOf(saved_view_change_form, "The name, the address, or both."),
      handle: async (context) => {
        const data = await readData(context.request);
        const view = await changeSavedView(services, data, meantBy(services, context));
        return answerView(view, context.values.project_id);
      },
    }),
    route({
      ...common,
      name: "view_delete",
      method: "DELETE",
      summary: "Remove a view",
      doc: "The answer is the removed view.",
      handle: async (context) => {
        const view = await removeSavedView(services, meantBy(services, context));
        return Response.json(shown(view, context.values.project_id));
      },
    }),
  ];
}

const list_params = [
  project_param,
  {
    name: "page",
    in: "query",
    kind: "text",
    required: false,
    values: view_pages,
    doc: "Only views of this page.",
  },
  ...pageParams("Views", { most: view_limits.per_project, usual: view_limits.per_project }),
] as const satisfies readonly Param[];

const one_params = [
  { name: "id", in: "path", kind: "text", required: true, doc: "The view's ID." },
  project_param,
] as const satisfies readonly Param[];

const view_match_header = {
  ...match_header,
  doc: "The version that you read, in quotes: 412 if the view was changed since then.",
};

const view_schema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  page: z.enum(view_pages),
  name: z.string(),
  address: z.string().describe("The query of the page's address, without what names the project."),
  created_by: z.string().nullable().describe("Id of the user who saved it; null: no user's token."),
  created_at: z.string().describe("ISO 8601, UTC."),
  updated_at: z.string().describe("ISO 8601, UTC."),
  version: z.int().describe("Counts its changes, from 1; in quotes it is the ETag."),
}).meta({ title: "View" });

function bodyOf(form: z.ZodType, doc: string) {
  return formBody(form, { doc, limit_bytes: view_limits.body_bytes });
}

function meantBy(services: Services, { request, values }: RouteContext<typeof one_params>) {
  const { project_no } = projectOf(services, values.project_id);
  const if_match = versionsOf(request.headers.get("if-match"));
  return { project_no, id: values.id, if_match };
}

function answerView(view: SavedView, project_id: string, { status = 200 } = {}): Response {
  const headers = { etag: `"${view.version}"` };
  return Response.json(shown(view, project_id), { status, headers });
}

function shown(
  { id, page, name, address, created_by, created_at, updated_at, version }: SavedView,
  project_id: string,
): z.input<typeof view_schema> {
  return {
    ...{ id, project_id, page, name, address, created_by },
    created_at: instantText(created_at),
    updated_at: instantText(updated_at),
    version,
  };
}
