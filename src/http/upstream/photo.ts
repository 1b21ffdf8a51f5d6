// Bytes of photos between a gateway and its centre, a part at a time.
import * as z from "zod";
import { photo_path, photo_progress_form } from "../../engine/upstream/photo_exchange.ts";
import { photoOver } from "../../engine/upstream/work_take.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { work_limits } from "../../model/work/limits.ts";
import { projectOf } from "../frame/auth.ts";
import { requirePlain } from "../frame/json_body.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const media_types = ["application/octet-stream"] as const;

const id_param = {
  name: "id",
  in: "query",
  kind: "text",
  required: true,
  doc: "The photo's ID.",
} as const;

const from_param = {
  name: "from",
  in: "query",
  kind: "integer",
  required: true,
  minimum: 0,
  maximum: work_limits.photo_bytes,
  doc: "How many bytes are before these.",
} as const;

/** What goes each way; the rows of photos go with the exchange of work. */
export function photoLineRoutes(services: Services): readonly Route[] {
  return [takeRoute(services), giveRoute(services)];
}

function takeRoute(services: Services): Route {
  return route({
    ...common,
    name: "ingest_gateway_photo_part",
    method: "POST",
    summary: "Send bytes of a photo from a gateway",
    doc: "The next bytes of a photo that a gateway has told of. The answer says how far it is; " +
      "an empty body asks for that alone. Bytes that are not the next ones change nothing. 400 " +
      "where all of them are not the photo: then none is kept.",
    params: [project_param, id_param, from_param],
    body: { media_types, limit_bytes: upstream_limits.photo_part, doc: "The bytes." },
    answer: { kind: "json", schema: () => z.toJSONSchema(photo_progress_form) },
    handle: async ({ request, values, grant }) => {
      requirePlain(request, media_types);
      const project = projectOf(services, values.project_id);
      const asked = { id: values.id, project, grant: grant!, sends: true };
      const { id } = await photoOver(services, asked);
      const bytes = await request.bytes();
      return Response.json(await services.photos.receive(id, { from: values.from, bytes }));
    },
  });
}

function giveRoute(services: Services): Route {
  return route({
    ...common,
    name: "ingest_gateway_photo",
    method: "GET",
    summary: "Bytes of a photo, for a gateway",
    doc: "Some bytes of a photo of an issue or a work order that the gateway has heard of. 404 " +
      "also while the centre itself waits for it, 409 where its file is damaged there.",
    faults: [...common.faults, "conflict"],
    params: [project_param, id_param, from_param, {
      name: "bytes",
      in: "query",
      kind: "integer",
      required: true,
      minimum: 0,
      maximum: upstream_limits.photo_part,
      doc: "How many bytes, at most.",
    }],
    answer: { kind: "bytes", media_types },
    handle: async ({ values, grant }) => {
      const project = projectOf(services, values.project_id);
      const asked = { id: values.id, project, grant: grant!, sends: false };
      const photo = await photoOver(services, asked);
      return new Response(await services.photos.part(photo, values), {
        headers: { "content-type": media_types[0] },
      });
    },
  });
}

const common = {
  path: photo_path,
  scope: "sync",
  project: "project_id",
  faults: ["not_found"],
} as const;
