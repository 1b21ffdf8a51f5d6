// Photos of a gateway and its centre: taking them, and what both sides have of them.
import assert from "node:assert/strict";
import { sha256Hex } from "../../../src/base/digest.ts";
import { photosPath } from "../../../src/store/folder.ts";
import { queryRows } from "../../help/query.ts";
import type { TestService } from "../../help/service.ts";
import type { Forwarding } from "../../help/upstream.ts";
import { ask, done, issues, pass, type Said, withLine as withSides } from "./work_help.ts";
import { aTurn } from "../../help/until.ts";

export type Photo = { readonly photo_id: string; readonly size: number; readonly to_come: boolean };

/** Both sides, with folders for their photos. */
export async function withLine(
  ...[work, options = {}]: Parameters<typeof withSides>
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const [here, there] = ["gateway", "centre"].map((it) => ({ data_dir: `${folder}/${it}` }));
  try {
    const settings = { ...options.settings, ...here };
    await withSides(work, { ...options, settings, centre_settings: there });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** An issue that both sides have, and its path. */
export async function shareIssue(world: Forwarding) {
  const issue = await done(ask(world.centre, issues, { name: "Fan" }));
  await pass(world);
  return { issue, path: `${issues}/${issue.id}` };
}

/** A picture of so many bytes, its own for each seed. */
export function picture(size: number, seed: number): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 31 + seed * 7 + (i >> 8)) & 0xff);
  bytes.set([0xff, 0xd8, 0xff, 0xe0]);
  return bytes;
}

/** Adds a photo to what is at a path. */
export function add(
  side: TestService,
  path: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<Photo> {
  return done(side.fetch(`${path}/photos?project_id=p1`, {
    method: "POST",
    headers: { "content-type": "image/jpeg" },
    body,
  }));
}

export async function photosOf(side: TestService, path: string): Promise<readonly Photo[]> {
  const answer = side.fetch(`${path}?project_id=p1&include=photos`);
  return (await done<{ readonly photos: readonly Photo[] }>(answer)).photos;
}

export async function bytesOf(
  side: TestService,
  path: string,
  { photo_id }: Photo,
): Promise<Uint8Array> {
  const answer = await side.fetch(`${path}/photos/${photo_id}?project_id=p1`);
  assert.equal(answer.status, 200, await answer.clone().text());
  return await answer.bytes();
}

export const isSame = (a: Uint8Array, b: Uint8Array) => sha256Hex(a) === sha256Hex(b);

export const stateAt = ({ gateway }: Forwarding, id: string) =>
  done<Said>(gateway.fetch(`/platform/v1/upstream/work?project_id=p1&id=${id}`));

export const is_photo = (request: Request) => request.url.includes("/gateways/photos");

/** What is kept of photos at a side: rows and files. */
export async function keptAt({ services: { database, settings } }: TestService) {
  // Files go after their rows.
  await aTurn();
  const rows = await database.read((it) =>
    queryRows<{ id: string }>(it, "SELECT id FROM photo WHERE removed_at IS NULL ORDER BY id")
  );
  const files = await Array.fromAsync(Deno.readDir(photosPath(settings)));
  return { rows: rows.map(({ id }) => id), files: files.map(({ name }) => name).sort() };
}

/** Asserts that an issue has one photo, at both sides, and that nothing else is kept. */
export async function requireOne(
  world: Forwarding,
  { path, photo: { photo_id } }: { readonly path: string; readonly photo: Photo },
): Promise<void> {
  for (const side of [world.gateway, world.centre]) {
    const shown = await photosOf(side, path);
    assert.deepEqual(shown.map((it) => [it.photo_id, it.to_come]), [[photo_id, false]]);
    assert.deepEqual(await keptAt(side), { rows: [photo_id], files: [photo_id] });
  }
}
