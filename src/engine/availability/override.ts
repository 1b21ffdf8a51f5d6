// Operators' words on the states of inverters: checked, stored, removed, their days marked.
import type { Effects } from "../../base/effects.ts";
import { Fault, type Flaw, refusal } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { availability_limits } from "../../model/availability/limits.ts";
import {
  type Override,
  overrideRefusal,
  parseOverride,
} from "../../model/availability/override.ts";
import type { Project } from "../../model/plant/plant.ts";
import { dayText } from "../../model/time/calendar.ts";
import { dayAt, dayStart } from "../../model/time/zone.ts";
import { markInverterRange } from "../../store/availability/availability.ts";
import type { Database, Write } from "../../store/database.ts";
import {
  deleteOverride,
  findOverlaps,
  insertOverride,
  type Overlap,
  readOverrides,
} from "../../store/availability/override.ts";
import { instantFlaw, instantOf, instantText } from "../../wire/bytes/instant.ts";
import type { Availability } from "./availability.ts";
import { firstOpenDay } from "./closed.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { invertersOf } from "../catalog/inverter.ts";

/** What overrides work with. */
type OverrideParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly availability: Pick<Availability, "wake">;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** Where an override is made, and the name of the token that it is made with. */
type OverrideMaker = { readonly project: Project; readonly author: string };

/**
 * Stores an override from plain data, and marks the days that it is about to be computed again.
 * Throws a `Fault`: invalid with every flaw, or conflict where another is about an inverter.
 */
export async function addOverride(
  parts: OverrideParts,
  data: unknown,
  { project, author }: OverrideMaker,
): Promise<Override> {
  const { database, effects } = parts;
  const { state = null, loss = null, share = null, reason, ...given } = parseOverride(data);
  const now_us = effects.now_us();
  const flaws: Flaw[] = [];
  const hierarchy_ids = resolveInverters(parts.catalog, given.hierarchy_ids, { project, flaws });
  const range = resolveRange(given, { now_us, flaws });
  if (flaws.length > 0) throw overrideRefusal(flaws);
  const stored = await database.write(async (write) => {
    const override: Override = {
      id: newId(effects),
      project_no: project.project_no,
      hierarchy_ids: [...new Set(hierarchy_ids)],
      state,
      loss,
      share,
      ...range,
      reason,
      author,
      created_at: write.stamp_us,
    };
    const overlaps = await findOverlaps(write.connection, override);
    if (overlaps.length > 0) throw conflict(overlaps, { hierarchy_ids, loss });
    await insertOverride(write.connection, override);
    await markDays(parts, write, override);
    return override;
  });
  parts.availability.wake();
  return stored;
}

/** Removes an override of a project, and marks its days. Throws a `Fault` (not_found). */
export async function removeOverride(
  parts: OverrideParts,
  { project, id }: { readonly project: Project; readonly id: string },
): Promise<Override> {
  const removed = await parts.database.write(async (write) => {
    const [override] = await readOverrides(write.connection, {
      project_no: project.project_no,
      from_us: 0,
      to_us: Number.MAX_SAFE_INTEGER,
      id,
      limit: 1,
      offset: 0,
    });
    if (override === undefined) {
      throw new Fault("not_found", "the project has no override with this id");
    }
    await deleteOverride(write.connection, id);
    await markDays(parts, write, override);
    return override;
  });
  parts.availability.wake();
  return removed;
}

type Checking = { readonly project: Project; readonly flaws: Flaw[] };

/** The sensor that stands for each inverter, by its hierarchy_id; a flaw for each stranger. */
function resolveInverters(
  catalog: Catalog,
  given: readonly string[],
  { project, flaws }: Checking,
): readonly string[] {
  const known = new Map(
    invertersOf(catalog)
      .filter(({ sensor }) => sensor.project_no === project.project_no)
      .flatMap(({ sensor, power, energy, status }) =>
        [power, energy, status].flatMap((it) => it ? [[it.hierarchy_id, sensor.hierarchy_id]] : [])
      ) as [string, string][],
  );
  return given.map((hierarchy_id, i) => {
    const own = known.get(hierarchy_id);
    const message = "is no inverter of the project: give the hierarchy_id of a row of availability";
    if (own === undefined) flaws.push({ path: `hierarchy_ids[${i}]`, message });
    return own ?? hierarchy_id;
  });
}

function resolveRange(
  { from, to }: { readonly from: string; readonly to: string },
  { now_us, flaws }: { readonly now_us: number; readonly flaws: Flaw[] },
): Pick<Override, "from_us" | "to_us"> {
  const [from_us, to_us] = [from, to].map(instantOf);
  const days = (us: number) => us / 86_400_000_000;
  if (Number.isNaN(from_us)) flaws.push({ path: "from", message: instantFlaw(from) });
  if (Number.isNaN(to_us)) flaws.push({ path: "to", message: instantFlaw(to) });
  else if (to_us <= from_us) {
    flaws.push({ path: "to", message: "must be later than from; are the two swapped?" });
  } else if (to_us - from_us > availability_limits.override_us) {
    const most = days(availability_limits.override_us);
    flaws.push({ path: "to", message: `give at most ${most} days in one override` });
  } else if (to_us > now_us + availability_limits.override_ahead_us) {
    const most = days(availability_limits.override_ahead_us);
    flaws.push({ path: "to", message: `give an end at most ${most} days from now` });
  }
  return { from_us, to_us };
}

function conflict(
  overlaps: readonly Overlap[],
  { hierarchy_ids, loss }: Pick<Override, "hierarchy_ids" | "loss">,
): Fault {
  const says = loss === null ? "sets its state" : `declares its ${loss}`;
  const flaws = overlaps.map(({ hierarchy_id, id, from_us, to_us }) => ({
    path: `hierarchy_ids[${hierarchy_ids.indexOf(hierarchy_id)}]`,
    message: `the override ${id} already ${says} from ${instantText(from_us)} to ` +
      `${instantText(to_us)}: delete it first, or give another time`,
  }));
  return refusal("another override overlaps this time", flaws, { code: "conflict" });
}

/** Marks the days of the override's inverters that have begun; later ones are computed anyway. */
async function markDays(
  { catalog, effects }: OverrideParts,
  write: Write,
  { project_no, hierarchy_ids, from_us, to_us }: Override,
): Promise<void> {
  const { timezone } = catalog.projectByNo(project_no)!;
  const wanted = new Set(hierarchy_ids);
  const sites = new Set(
    invertersOf(catalog)
      .filter(({ sensor }) => wanted.has(sensor.hierarchy_id))
      .map(({ sensor }) => sensor.site_no),
  );
  const dayOf = (us: number) => dayAt(timezone, Math.floor(us / 60_000_000));
  const last_us = Math.min(to_us - 1, effects.now_us());
  for (const site_no of sites) {
    const open_day = firstOpenDay(catalog, site_no);
    if (dayOf(from_us) < open_day) {
      const from = dayText(open_day);
      throw new Fault("gone", `days before ${from} are closed: their minutes are no longer kept`, {
        available_from_us: dayStart(timezone, open_day) * 60_000_000,
      });
    }
    await markInverterRange(write, { site_no, from_day: dayOf(from_us), to_day: dayOf(last_us) });
  }
}
