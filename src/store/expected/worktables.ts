// Expected values worked out in temporary tables: the weather, the inverters, what sums them.
import { minute_us } from "../../model/time/series.ts";
import type { Mount } from "../../model/expected/pv.ts";
import { planeAt } from "../../model/expected/plane.ts";
import { sunAt } from "../../model/time/sun.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import axis_make from "./axis_make.sql" with { type: "text" };
import cell_warm from "./cell_warm.sql" with { type: "text" };
import model_integrate from "./model_integrate.sql" with { type: "text" };
import model_make from "./model_make.sql" with { type: "text" };
import sent_make from "./sent_make.sql" with { type: "text" };
import sky_make from "./sky_make.sql" with { type: "text" };
import sun_make from "./sun_make.sql" with { type: "text" };
import sun_need from "./sun_need.sql" with { type: "text" };
import weather_make from "./weather_make.sql" with { type: "text" };
import weather_pick from "./weather_pick.sql" with { type: "text" };
import yield_make from "./yield_make.sql" with { type: "text" };
import yield_sum from "./yield_sum.sql" with { type: "text" };

/**
 * Makes roll_model (sensor_no, minute, model, clipped) of the units that are to be remodelled, of
 * minutes before `over_minute`, from roll_unit, roll_minute, roll_expected, roll_day and the plan.
 */
export async function makeModels(
  connection: Connection,
  { over_minute }: { readonly over_minute: number },
): Promise<void> {
  await connection.run(sent_make);
  await connection.run(axis_make, { over_minute });
  const [{ minutes, stages }] = await connection.rows<{ minutes: number; stages: number }>(
    "SELECT (SELECT count(*) FROM roll_axis)::INTEGER AS minutes, " +
      "(SELECT coalesce(max(stage), 0) FROM roll_grid)::INTEGER AS stages",
  );
  await connection.run(warm_empty);
  if (minutes > 0) await warmCells(connection);
  await connection.run(yield_make);
  for (let stage = 1; stage <= stages; stage++) await connection.run(yield_sum, { stage });
  await connection.run(model_make);
  await connection.run(model_integrate);
}

const warm_empty = "CREATE OR REPLACE TEMP TABLE roll_warm " +
  "(cell_no INTEGER, minute INTEGER, poa DOUBLE, celsius DOUBLE)";

/** Works out, from the weather, how much light falls on cells and how warm they are. */
async function warmCells(connection: Connection): Promise<void> {
  await connection.run(weather_make);
  await connection.run(weather_pick);
  await connection.run(sky_make);
  await putSun(connection);
  await connection.run(cell_warm);
}

/** Works the sun out for the planes and minutes that need it. */
async function putSun(connection: Connection): Promise<void> {
  await connection.run(sun_make);
  const needed = await connection.chunk(sun_need);
  if (needed.rows === 0) return;
  const planes = await connection.rows<{ plane_no: number; place: string }>(
    "SELECT plane_no, place FROM roll_plane ORDER BY plane_no",
  );
  const places = new Map(planes.map((it) => [it.plane_no, JSON.parse(it.place) as PlanePlace]));
  await connection.append("roll_sun", sunOf(needed, places));
}

type PlanePlace = {
  readonly latitude: number;
  readonly longitude: number;
  readonly mount: Mount;
};

/** Columns plane_no, minute, cos_zenith, extra_w_m2, cos_aoi, cos_tilt: at the minute's middle. */
function sunOf(needed: Chunk, places: ReadonlyMap<number, PlanePlace>): Chunk {
  const [plane_no, minute] = needed.vectors.map((vector) =>
    vector.kind === "int32" ? vector.values : new Int32Array()
  );
  const columns = Array.from({ length: 4 }, () => new Float64Array(needed.rows));
  for (let i = 0; i < needed.rows; i++) {
    const place = places.get(plane_no[i])!;
    const sun = sunAt(place, (minute[i] + 0.5) * minute_us);
    const { cos_aoi, cos_tilt } = planeAt(place.mount, sun);
    [sun.cos_zenith, sun.extra_w_m2, cos_aoi, cos_tilt].forEach((value, c) =>
      columns[c][i] = value
    );
  }
  return {
    rows: needed.rows,
    vectors: [
      ...needed.vectors,
      ...columns.map((values) => ({ kind: "float64", values }) as const),
    ],
  };
}
