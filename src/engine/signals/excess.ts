// Which powers of recent days were beyond what the rating of their devices allows.
import type { Project } from "../../model/plant/plant.ts";
import { mostPower } from "../../model/samples/excess.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { Connection } from "../../store/connection.ts";
import { findExcess, type FoundExcess } from "../../store/performance/excess.ts";
import { type Catalog, day_us } from "../catalog/catalog.ts";
import { type RatedPower, ratedPowers } from "../catalog/rated_power.ts";

/** A power beyond its rating, and what of it was stored. */
export type Excess = RatedPower & { readonly found: FoundExcess };

type ExcessAsked = { readonly project: Pick<Project, "project_no">; readonly now_us: number };

/** Those of a project, in the order in which sensors were added. */
export async function listExcess(
  connection: Connection,
  catalog: Catalog,
  { project, now_us }: ExcessAsked,
): Promise<Excess[]> {
  const powers = ratedPowers(catalog, project);
  const found = await findExcess(connection, {
    bounds: powers.map(({ sensor: { sensor_no }, rated_w }) => (
      { sensor_no, most: mostPower(rated_w) }
    )),
    from_day: Math.floor((now_us - sample_limits.excess_look_us) / day_us),
  });
  const by_sensor = new Map(found.map((it) => [it.sensor_no, it]));
  return powers.flatMap((power) => {
    const found = by_sensor.get(power.sensor.sensor_no);
    return found ? [{ ...power, found }] : [];
  });
}
