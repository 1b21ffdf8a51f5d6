// Backups under /admin/v1/backups: made in the service's folder, listed, removed, or streamed.
import * as z from "zod";
import type { BackupInfo } from "../../engine/backup/backup.ts";
import { streamPieces } from "../frame/answer.ts";
import { requireWholeReach } from "../frame/auth.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const path = "/admin/v1/backups";

/** By tokens that reach every organization: a backup holds all of them. */
export function backupRoutes({ backups }: Services): readonly Route[] {
  return [listRoute(backups), postRoute(backups), streamRoute(backups), deleteRoute(backups)];
}

type Backups = Services["backups"];

function listRoute(backups: Backups): Route {
  return route({
    ...common,
    name: "backups",
    method: "GET",
    path,
    summary: "Backups",
    doc: "The backups in the folder of the service (setting backup_dir), the oldest first, with " +
      "the one that is being made and how far it is. A fleet tells those of all its shards.",
    params: [],
    answer: { kind: "json", schema: () => z.toJSONSchema(list_schema) },
    handle: async ({ grant }) => {
      requireWholeReach(grant!);
      return Response.json({ backups: (await backups.list()).map(shownBackup) });
    },
  });
}

function postRoute(backups: Backups): Route {
  return route({
    ...common,
    name: "backup_post",
    method: "POST",
    path,
    summary: "Make a backup",
    doc: "Begins to write one file with everything that the service holds, and answers at once; " +
      "the list shows how far it is. Requests go on meanwhile. 409 while another is made. In a " +
      "fleet each shard makes one.",
    params: [],
    answer: { kind: "json", status: 202, schema: () => z.toJSONSchema(begun_schema) },
    handle: ({ grant }) => {
      requireWholeReach(grant!);
      const begun: z.input<typeof begun_schema> = { name: backups.start() };
      return Response.json(begun, { status: 202 });
    },
  });
}

function streamRoute(backups: Backups): Route {
  return route({
    ...common,
    name: "backup_stream",
    method: "POST",
    path: `${path}/stream`,
    summary: "Make a backup and download it",
    doc: "The same file as the answer's body; nothing is kept at the service. It ends with a " +
      "manifest of digests: `wattkeeper backup verify` proves that it arrived whole. A node of a " +
      "fleet is told with `shard` of which shard it is to be.",
    params: [],
    answer: { kind: "bytes", media_types: [media_type] },
    handle: (context) => {
      requireWholeReach(context.grant!);
      return streamPieces(context, backups.stream(context.signal), {
        headers: {
          "content-type": media_type,
          "content-disposition": 'attachment; filename="wattkeeper.tar"',
        },
      });
    },
  });
}

function deleteRoute(backups: Backups): Route {
  return route({
    ...common,
    name: "backup_delete",
    method: "DELETE",
    path: `${path}/{name}`,
    summary: "Remove a backup",
    doc: "Removes the file, or gives up the backup that is being made. The answer is what it was.",
    params: [{ name: "name", in: "path", kind: "text", required: true, doc: "As listed." }],
    answer: { kind: "json", schema: () => z.toJSONSchema(backup_schema) },
    handle: async ({ values, grant }) => {
      requireWholeReach(grant!);
      return Response.json(shownBackup(await backups.remove(values.name)));
    },
  });
}

const common = { scope: "admin", project: null } as const;
const media_type = "application/x-tar";

const backup_schema = z.strictObject({
  name: z.string(),
  state: z.enum(["running", "failed", "done"]),
  bytes: z.int().describe("Size of the file; while it is made, what is written."),
  percent: z.int().describe("Of all that is to be copied and read."),
  reason: z.string().nullable().describe("Why it failed; null if it did not."),
}).meta({ title: "Backup" });

const list_schema = z.strictObject({ backups: z.array(backup_schema) });
const begun_schema = z.strictObject({ name: z.string() });

function shownBackup({ share, ...info }: BackupInfo): z.input<typeof backup_schema> {
  return { ...info, percent: Math.floor(100 * share) };
}
