// Computes expected values again for days of the past, and goes on after a stop.
import { concernsModels } from "../../model/expected/input.ts";
import { minute_us } from "../../model/time/series.ts";
import { day_minutes } from "../../model/time/zone.ts";
import type { Database } from "../../store/database.ts";
import { noteStaleRun, readStaleRun } from "../../store/rollup/stale.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Rollup } from "./rollup.ts";

/** Local days, both included (since 1970), of all sites or of one. */
export type ModelRun = {
  readonly from_day: number;
  readonly to_day: number;
  readonly site_no: number | null;
};

/** What a run has done so far. */
export type ModelRunState = {
  /** How much of the run's time is done, 0 to 1. */
  readonly share: number;
  /** Readings that were stored, changed or deleted. */
  readonly changed: number;
  /** Minutes and readings that were computed. */
  readonly worked: number;
  /** Whether it went on with the same run, which was stopped. */
  readonly resumed: boolean;
};

type Parts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly roll: Rollup;
  readonly onState: (state: ModelRunState) => void;
};

/**
 * Marks the days of a run as stale and rolls them up. What is done stays, whatever stops it; what
 * is left is done by the next run with the same days and site, or by the service.
 */
export async function runModels(
  { database, catalog, roll, onState }: Parts,
  run: ModelRun,
): Promise<ModelRunState> {
  const name = `${run.from_day}/${run.to_day}/${run.site_no}`;
  const resumed = await database.read(readStaleRun) === name;
  if (!resumed) {
    await database.write(async (write) => {
      await roll.markStale(write, tagsOf(catalog, run), spanOf(run));
      await noteStaleRun(write, name);
    });
  }
  let state: ModelRunState = { share: 0, changed: 0, worked: 0, resumed };
  roll.onWorked = ({ from_minute, worked, changed }) => {
    const days = from_minute / day_minutes - run.from_day;
    const share = Math.min(Math.max(days / (run.to_day - run.from_day + 1), state.share), 1);
    state = { share, changed: state.changed + changed, worked: state.worked + worked, resumed };
    onState(state);
  };
  try {
    await roll.settle();
  } finally {
    roll.onWorked = undefined;
  }
  await database.write((write) => noteStaleRun(write, null));
  return { ...state, share: 1 };
}

/** Whatever its zone, a local day lies within the UTC days beside it. */
function spanOf({ from_day, to_day }: ModelRun) {
  const day_us = day_minutes * minute_us;
  return { from_us: (from_day - 1) * day_us, to_us: (to_day + 2) * day_us };
}

/** The tags, in both lanes, of the sensors that have expected values or feed them. */
function tagsOf(catalog: Catalog, { site_no }: ModelRun): readonly number[] {
  const own = catalog.sensors.flatMap((sensor) => {
    if (site_no !== null && sensor.site_no !== site_no) return [];
    return concernsModels(sensor.measure) ? [sensor.tag_no] : [];
  });
  const names = new Set(own.map((tag_no) => nameOf(catalog.tag(tag_no)!)));
  const sent = catalog.tags.filter((tag) => tag.lane === "model" && names.has(nameOf(tag)));
  return [...new Set([...own, ...sent.map((tag) => tag.tag_no)])];
}

function nameOf(tag: { readonly project_no: number; readonly sensor_tag: string }): string {
  return `${tag.project_no}\n${tag.sensor_tag}`;
}
