// At a centre: takes what a gateway changed of issues and work orders, and tells what is new here.
import type { Effects } from "../../base/effects.ts";
import type { Grant } from "../../model/access/token.ts";
import type { Project } from "../../model/plant/plant.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { fitting, type WorkExchange, type WorkExchanged } from "../../model/upstream/work.ts";
import type { Photo } from "../../model/work/photo.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { readSiteGateways } from "../../store/upstream/version.ts";
import { findChangeIds, findLastChange, readChangesAfter } from "../../store/work/change.ts";
import { readGivenNumbers } from "../../store/work/number.ts";
import { readPhotos, readWanted } from "../../store/work/photo.ts";
import { readGone, readPlaces } from "../../store/work/place.ts";
import type { Users } from "../access/user.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { noPhoto, type Photos } from "../work/photo.ts";
import { removedIn } from "../work/photo_take.ts";
import { isAt, wasAt } from "../work/place.ts";
import { toldChanges } from "../work/share.ts";
import { takeChanges } from "../work/take.ts";
import type { Work } from "../work/work.ts";
import type { WorkReaders } from "./work_readers.ts";

type TakeParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly work: Work;
  readonly photos: Pick<Photos, "forget">;
  readonly work_readers: WorkReaders;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** One exchange with a gateway, once what it told is on the disk. */
export async function exchangeWork(
  parts: TakeParts,
  said: WorkExchange,
  { project, grant }: { readonly project: Project; readonly grant: Grant },
): Promise<WorkExchanged> {
  await parts.work.share(project);
  if (said.changes.length > 0) {
    await parts.work.shareDeleted(project, said.changes.map((it) => String(Object(it).owner_id)));
  }
  const sites = await parts.database.read((it) => ownSites(it, said.sites, grant));
  const gateway = { name: grant.name, sites, again: new Set(said.again) };
  const refused = said.changes.length === 0
    ? []
    : await parts.work.write((changes) =>
      takeChanges(changes, said.changes, { ...parts, project, gateway })
    );
  parts.photos.forget(removedIn(said.changes));
  const told = await parts.database.read((connection) =>
    connection.transaction(() => tell(parts, connection, { said, project, sites, grant }))
  );
  const { next_no: no, next_id: mark, is_more } = told;
  const place = { no, mark, is_whole: !is_more };
  await parts.work_readers.hear(grant.token_id, project.project_no, place);
  return { refused: [...refused], ...told };
}

/**
 * A photo of a project that a gateway sends bytes of, or asks for. Throws a `Fault` (not_found) for
 * one of a site that is published for another gateway; it may send those of what moved there.
 */
export async function photoOver(
  { database, catalog }: Pick<TakeParts, "database" | "catalog">,
  { id, project: { project_no }, grant, sends }: {
    readonly id: string;
    readonly project: Project;
    readonly grant: Grant;
    readonly sends: boolean;
  },
): Promise<Photo> {
  const keys = catalog.sites.filter((it) => it.project_no === project_no).map(({ key }) => key);
  const photo = await database.read(async (connection) => {
    const [found] = await readPhotos(connection, [id]);
    if (found?.project_no !== project_no || found.removed_at !== null) return undefined;
    const owner_ids = [found.owner_id];
    const places = await readPlaces(connection, { project_no, owner_ids });
    const place = places.get(found.owner_id);
    const own = await ownSites(connection, keys, grant);
    return place && (sends ? wasAt : isAt)(place, own) ? found : undefined;
  });
  if (photo === undefined) throw noPhoto();
  return photo;
}

/** Those of the sites that a gateway has which are not published for another one. */
async function ownSites(
  connection: Connection,
  sites: readonly string[],
  { name }: Pick<Grant, "name">,
): Promise<string[]> {
  const published = await readSiteGateways(connection);
  const others = published.filter(({ gateway }) => gateway !== null && gateway !== name);
  const theirs = new Set(others.map(({ site_key }) => site_key));
  return [...new Set(sites)].filter((site) => !theirs.has(site)).sort();
}

/** Changes and what is gone after a number, as much as one answer has room for, and up to where. */
async function readNews(
  connection: Connection,
  { project_no, after_no, whole_no, sites, facts }: Parameters<typeof toldChanges>[2] & {
    readonly after_no: number;
    readonly sites: readonly string[];
  },
) {
  const end = await findLastChange(connection, project_no);
  if (end === undefined || end.change_no <= after_no) {
    return { rows: [], gone: [], last: end, is_more: false };
  }
  const limit = upstream_limits.work_changes;
  const asked = { project_no, after_no, sites, limit };
  const gone = await readGone(connection, { ...asked, up_to_no: end.change_no });
  const found = await readChangesAfter(connection, asked);
  const read = await toldChanges(connection, found, { project_no, whole_no, facts });
  const rows = fitting(read);
  // Each of the two is told as far as the other one.
  const ends = [
    ...rows.length < read.length || read.length === limit ? rows.slice(-1) : [end],
    ...gone.slice(limit - 1).map((it) => ({ change_no: it.moved_no, id: it.owner_id })),
  ];
  const last = ends.reduce((a, b) => b.change_no < a.change_no ? b : a);
  return {
    rows: rows.filter(({ change_no }) => change_no <= last.change_no),
    gone: gone.filter(({ moved_no }) => moved_no <= last.change_no).map((it) => it.owner_id),
    ...{ last, is_more: last !== end },
  };
}

/** What is new here since the gateway heard last. */
async function tell(
  { work_readers, ...facts }: TakeParts,
  connection: Connection,
  { said: { heard_no, heard_id, sent_id, changes: sent, had }, project, sites, grant }: {
    readonly said: WorkExchange;
    readonly project: Project;
    readonly sites: readonly string[];
    readonly grant: Grant;
  },
): Promise<Omit<WorkExchanged, "refused">> {
  const { project_no } = project;
  // A centre that was restored from an older backup counts on from there: all is told again.
  const heard = { no: heard_no, mark: heard_id };
  const known = await work_readers.find(connection, { project_no, heard, ...grant });
  const after_no = known ? heard_no : 0;
  const { rows, gone, last, is_more } = await readNews(connection, {
    ...{ project_no, after_no, sites, facts },
    whole_no: known?.is_whole ? heard_no : null,
  });
  const next = last && last.change_no > after_no ? work_readers.markOf(last) : undefined;
  const owners = new Set(rows.map(({ owner_id }) => owner_id));
  for (const it of sent) owners.add(String(Object(it).owner_id));
  const owner_ids = [...owners];
  const places = await readPlaces(connection, { project_no, owner_ids: [...owner_ids, ...had] });
  const left = had.filter((id) => places.has(id) && !isAt(places.get(id)!, sites));
  const ids = owner_ids.filter((id) => places.has(id) && isAt(places.get(id)!, sites));
  const has_sent = sent_id === null ||
    (await findChangeIds(connection, { project_no, ids: [sent_id] })).size > 0;
  return {
    lacks: !has_sent || heard_id !== null && !known,
    changes: rows.map(({ body }) => JSON.parse(body)),
    gone: [...new Set([...gone, ...left])],
    sites: [...sites],
    wanted: await readWanted(connection, {
      ...{ project_no, sites, limit: upstream_limits.work_changes },
    }),
    numbers: await readGivenNumbers(connection, { project_no, ids }),
    next_no: next?.no ?? after_no,
    next_id: next?.mark ?? (known ? heard_id : null),
    is_more,
  };
}
