// Photos under an issue or a work order: sent, shown, removed.
import * as z from "zod";
import { work_limits } from "../../model/work/limits.ts";
import { photo_media_types } from "../../model/work/photo.ts";
import { showPhoto } from "../../engine/work/photo.ts";
import type { PhotoOwner } from "../../store/work/photo.ts";
import { requirePlain } from "../frame/json_body.ts";
import { projectOf } from "../frame/auth.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { idParam, type WorkNoun } from "./request.ts";

/** The routes of the photos of a noun. */
export function photoRoutes(services: Services, noun: WorkNoun): readonly Route[] {
  return [postPhoto(services, noun), getPhoto(services, noun), deletePhotoRoute(services, noun)];
}

function postPhoto(services: Services, noun: WorkNoun): Route {
  return route({
    ...commonOf(noun),
    name: `${noun.kind}_photo_post`,
    method: "POST",
    path: `${noun.path}/{id}/photos`,
    summary: `Add a photo to the ${noun.one}`,
    doc:
      `Keeps an image with the ${noun.one}, up to ${work_limits.photos} of them. What it is is ` +
      "told by its first bytes. Photos are kept in files beside the database.",
    scope: "manage",
    params: [idParam(noun.one), project_param],
    body: {
      media_types: photo_media_types,
      limit_bytes: work_limits.photo_bytes,
      doc: "The image.",
    },
    answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(photo_schema) },
    handle: async ({ request, values, grant }) => {
      requirePlain(request, photo_media_types);
      const sent = { bytes: await request.bytes(), user_id: grant!.user_id };
      const photo = await services.photos.add(ownerOf(services, noun, values), sent);
      return Response.json(showPhoto(photo), { status: 201 });
    },
  });
}

function getPhoto(services: Services, noun: WorkNoun): Route {
  return route({
    ...commonOf(noun),
    name: `${noun.kind}_photo`,
    method: "GET",
    path: `${noun.path}/{id}/photos/{photo_id}`,
    summary: `A photo of the ${noun.one}`,
    doc: `The image. GET of the ${noun.one} with include=photos lists them.`,
    scope: "read",
    params: [idParam(noun.one), photo_param, project_param],
    answer: { kind: "bytes", media_types: photo_media_types },
    handle: async ({ values }) => {
      const owner = ownerOf(services, noun, values);
      const { photo, bytes } = await services.photos.get(owner, values.photo_id);
      return new Response(bytes, { headers: { "content-type": photo.media_type, ...shown_as } });
    },
  });
}

function deletePhotoRoute(services: Services, noun: WorkNoun): Route {
  return route({
    ...commonOf(noun),
    name: `${noun.kind}_photo_delete`,
    method: "DELETE",
    path: `${noun.path}/{id}/photos/{photo_id}`,
    summary: `Remove a photo of the ${noun.one}`,
    doc: "The answer is the removed photo.",
    scope: "manage",
    params: [idParam(noun.one), photo_param, project_param],
    answer: { kind: "json", schema: () => z.toJSONSchema(photo_schema) },
    handle: async ({ values }) => {
      const owner = ownerOf(services, noun, values);
      return Response.json(showPhoto(await services.photos.remove(owner, values.photo_id)));
    },
  });
}

function commonOf({ noun }: WorkNoun) {
  return { project: "project_id", noun } as const;
}

const photo_param = {
  name: "photo_id",
  in: "path",
  kind: "text",
  required: true,
  doc: "The photo's ID.",
} as const;

/** Nothing in an image may run; as every answer, it says that a browser takes it for no other. */
const shown_as = {
  "content-disposition": "inline",
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "private, max-age=86400, immutable",
} as const;

function ownerOf(
  services: Services,
  { kind }: WorkNoun,
  values: { readonly id: string; readonly project_id: string },
): PhotoOwner {
  const { project_no } = projectOf(services, values.project_id);
  return { kind, owner_id: values.id, project_no };
}

const photo_schema = z.strictObject({
  photo_id: z.string(),
  media_type: z.enum(photo_media_types),
  size: z.int().describe("Bytes."),
  created_by: z.string().nullable().describe("Id of the user who sent it."),
  created_at: z.string().describe("ISO 8601, UTC."),
  to_come: z.boolean()
    .describe(
      "Whether its bytes are still to come over the line between a gateway and its centre.",
    ),
}).meta({ title: "Photo" });
