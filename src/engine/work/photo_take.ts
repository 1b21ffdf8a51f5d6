// Photos over the line: the changes that tell of them, and taking those of the other side.
import { type Photo, removalId } from "../../model/work/photo.ts";
import { photo_change_form, type PhotoChange } from "../../model/work/photo_form.ts";
import { work_limits } from "../../model/work/limits.ts";
import { findChangeIds } from "../../store/work/change.ts";
import {
  insertPhoto,
  listPhotos,
  markRemoved,
  readPhotos,
  settlePhoto,
} from "../../store/work/photo.ts";
import { readPlaces } from "../../store/work/place.ts";
import { wasAt } from "./place.ts";
import type { FreshChange } from "./share.ts";
import { personWith, userWith } from "./shared.ts";
import type { RefusedChange, TakenFrom } from "./told.ts";
import type { WorkUnitOfWork } from "./unit_of_work.ts";

/** What a photo is told by: that it was added, and how it is known, or that it was removed. */
export function photoChange(photo: Photo, facts: Parameters<typeof personWith>[1]): PhotoChange {
  const { id, kind: owner_kind, owner_id, media_type, size, digest, removed_at } = photo;
  const common = { kind: "photo", owner_id, owner_kind, photo_id: id } as const;
  if (removed_at !== null) {
    return { ...common, id: removalId(id), at_us: removed_at, person: null, added: null };
  }
  const person = personWith(photo.created_by, facts);
  const added = { media_type, size, digest: digest! };
  return { ...common, id, at_us: photo.created_at, person, added };
}

/** The change as it is kept: what a photo is of does not follow from it. */
export function photoRow(
  change: PhotoChange,
  { project_no, stored_at, told_at = null }:
    & Pick<FreshChange, "project_no" | "stored_at">
    & Partial<Pick<FreshChange, "told_at">>,
): FreshChange {
  const { id, kind, owner_id } = change;
  return {
    ...{ id, kind, owner_id, project_no, stored_at, told_at, body: JSON.stringify(change) },
    ...{ reason: null, tried_at: null, order_us: 0, says: false },
  };
}

/** The ids of photos that were told to be removed. */
export function removedIn(told: readonly unknown[]): string[] {
  return told.flatMap((it) => {
    const { data } = photo_change_form.safeParse(it);
    return data?.added === null ? [data.photo_id] : [];
  });
}

/** Takes that photos were added and removed, without their bytes; gives what is refused. */
export async function takePhotos(
  changes: WorkUnitOfWork,
  told: readonly unknown[],
  from: TakenFrom,
): Promise<readonly RefusedChange[]> {
  if (told.length === 0) return [];
  const { project: { project_no }, gateway } = from;
  const { connection, now_us: stored_at } = changes.write;
  const refused: RefusedChange[] = [];
  const taken: FreshChange[] = [];
  const parsed = told.flatMap((data) => {
    const { data: change, error } = photo_change_form.safeParse(data);
    if (change) return [change];
    const [{ path, message }] = error.issues;
    refused.push({ id: String(Object(data).id), reason: `${path.join(".")}: ${message}` });
    return [];
  });
  const owner_ids = parsed.map(({ owner_id }) => owner_id);
  const known = await findChangeIds(connection, {
    project_no,
    ids: parsed.flatMap(({ id, photo_id }) => [id, removalId(photo_id)]),
  });
  const here = new Set(known);
  const places = await readPlaces(connection, { project_no, owner_ids });
  await changes.load({
    ...{ project_no, deleted: true },
    ...{ issue_ids: owner_ids, work_order_ids: owner_ids },
  });
  const isHere = ({ owner_kind, owner_id }: PhotoChange) => {
    const place = places.get(owner_id);
    const owner = owner_kind === "issue"
      ? changes.knownIssue(owner_id)
      : changes.knownOrder(owner_id);
    const is_theirs = !gateway || place === undefined || wasAt(place, gateway.sites);
    return owner?.project_no === project_no && is_theirs;
  };
  for (const change of parsed) {
    if (here.has(change.id)) continue;
    const reason = isHere(change)
      ? await takePhoto(change, { ...from, changes, is_removed: here.has(removalOf(change)) })
      : "what it is of is not here";
    if (reason !== undefined) {
      refused.push({ id: change.id, reason });
      continue;
    }
    here.add(change.id);
    taken.push(photoRow(change, { project_no, stored_at, told_at: gateway ? null : stored_at }));
  }
  changes.keepTaken(taken);
  return refused;
}

function removalOf({ photo_id }: PhotoChange): string {
  return removalId(photo_id);
}

/** Adds or removes a photo; gives why it can't. */
async function takePhoto(
  { photo_id: id, owner_id, owner_kind: kind, at_us, person, added }: PhotoChange,
  { project, gateway, changes, is_removed, users }: TakenFrom & {
    readonly changes: WorkUnitOfWork;
    readonly is_removed: boolean;
  },
): Promise<string | undefined> {
  const { project_no } = project;
  const { connection, now_us } = changes.write;
  const [known] = await readPhotos(connection, [id]);
  if (known && (known.owner_id !== owner_id || known.project_no !== project_no)) {
    return "something else has its ID here";
  }
  if (added === null) {
    if (known === undefined) return undefined;
    await markRemoved(connection, { id, removed_at: at_us });
    await settlePhoto(connection, { project_no, id, at_us: now_us });
    return undefined;
  }
  if (known || is_removed) return undefined;
  const before = await listPhotos(connection, { kind, owner_id, project_no });
  if (gateway && before.length >= work_limits.photos) {
    return `there are ${work_limits.photos} photos already: remove one, and it is taken`;
  }
  await insertPhoto(connection, {
    ...{ id, kind, owner_id, project_no, ...added, created_at: at_us },
    ...{ created_by: userWith(person, { users, project }), is_here: false, removed_at: null },
  });
  return undefined;
}
