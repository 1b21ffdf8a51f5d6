// Where shared work is: gateways are told what is at their sites, and what is of no site at all.
import type { Issue } from "../../model/work/issue.ts";
import type { WorkOrder } from "../../model/work/work_order.ts";
import type { Connection } from "../../store/connection.ts";
import type { WorkCounts } from "../../store/work/number.ts";
import {
  readAlarmSites,
  readPlaces,
  renumberChanges,
  storePlaces,
  type WorkPlace,
} from "../../store/work/place.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** An issue with all its work orders: they are at one place. */
export type PlacedIssue = { readonly issue: Issue; readonly orders: readonly WorkOrder[] };

type PlaceParts = {
  readonly catalog: Pick<Catalog, "device" | "site">;
  readonly counts: WorkCounts;
  /** The sites of the gateway where what is new was made; null: it was made here. */
  readonly made_at: readonly string[] | null;
  /** What every gateway was told before places were noted, by its id. */
  readonly old?: ReadonlyMap<string, unknown>;
};

/**
 * Notes where a project's issues are: at the sites of their devices, of those of their work orders
 * and of their alarms; without any, where they were made. All changes of one that moved are told
 * again, for some hear of it for the first time.
 */
export async function placeIssues(
  connection: Connection,
  { project_no, placed }: { readonly project_no: number; readonly placed: readonly PlacedIssue[] },
  { catalog, counts, made_at, old }: PlaceParts,
): Promise<void> {
  const owner_ids = placed.flatMap(ownersOf);
  const before = await readPlaces(connection, { project_no, owner_ids });
  const alarms = await readAlarmSites(connection, placed.map(({ issue }) => issue.issue_no));
  const places: WorkPlace[] = [];
  const moved: string[] = [];
  for (const it of placed) {
    const { issue, orders } = it;
    const known = before.get(issue.id);
    const origin = known ? known.origin : made_at?.join() || null;
    const device_ids = [issue, ...orders].flatMap((it) => it.devices.map((at) => at.device_id));
    const site_nos = new Set([
      ...device_ids.flatMap((id) => catalog.device(id)?.site_no ?? []),
      ...alarms.filter(({ issue_no }) => issue_no === issue.issue_no).map((it) => it.site_no),
    ]);
    const keys = [...site_nos].flatMap((no) => catalog.site(no)?.key ?? []);
    // What has devices is never everybody's, though no site file has them any more.
    const last = device_ids.length > 0 && known ? known.sites : origin;
    const sites = keys.length > 0 ? keys.sort().join() : last;
    for (const owner_id of ownersOf(it)) {
      const there = before.get(owner_id);
      if (there?.sites === sites) continue;
      const told = there?.was.split(",") ?? (old?.has(owner_id) ? [""] : made_at ?? []);
      // Who made it or was told of it before, and is told of it no longer, has to hear so.
      const is_moved = there !== undefined || told.length > 0 && !isAt({ sites }, told);
      const was = [...new Set([...is_moved ? told : [], ...(sites ?? "").split(",")])].join();
      const moved_no = is_moved ? ++counts.change_no : 0;
      if (is_moved) moved.push(owner_id);
      places.push({ project_no, owner_id, origin, sites, was, moved_no });
    }
  }
  await storePlaces(connection, project_no, places);
  if (moved.length === 0) return;
  const after_no = counts.change_no;
  counts.change_no = await renumberChanges(connection, { project_no, owner_ids: moved, after_no });
}

function ownersOf({ issue, orders }: PlacedIssue): string[] {
  return [issue, ...orders].map(({ id }) => id);
}

/** Whether something at a place is told to who has some sites. */
export function isAt({ sites }: Pick<WorkPlace, "sites">, own: readonly string[]): boolean {
  return sites === null || sites.split(",").some((site) => own.includes(site));
}

/** Whether something at a place is told to who has some sites, or ever was. */
export function wasAt({ was }: Pick<WorkPlace, "was">, own: readonly string[]): boolean {
  return was.split(",").some((site) => site === "" || own.includes(site));
}
