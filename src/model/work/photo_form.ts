// What a gateway and its centre tell each other of photos.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { textUpTo } from "../data/text_form.ts";
import { person_form } from "../upstream/alarm.ts";
import { work_limits } from "./limits.ts";
import { photo_kinds, photo_media_types, removalId } from "./photo.ts";

/** It names a file. */
const photo_id_form = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/**
 * That a photo was added or removed, in words that a gateway and its centre both know. The bytes of
 * one that was added are asked for afterwards.
 */
export const photo_change_form = z.strictObject({
  kind: z.literal("photo"),
  /** That of the photo which is added: it is added once. */
  id: z.string(),
  /** Of the issue or work order. */
  owner_id: textUpTo(limits.name_length),
  owner_kind: z.enum(photo_kinds),
  photo_id: photo_id_form,
  /** When it was added or removed, by whom. */
  at_us: z.int().nonnegative(),
  person: person_form.nullable(),
  /** Null: it is removed. */
  added: z.strictObject({
    media_type: z.enum(photo_media_types),
    size: z.int().positive().max(work_limits.photo_bytes),
    digest: z.string().regex(/^[0-9a-f]{64}$/),
  }).nullable(),
}).refine(({ id, photo_id, added }) => id === (added ? photo_id : removalId(photo_id)), {
  error: "the change has not the ID of its photo",
});
export type PhotoChange = z.output<typeof photo_change_form>;
