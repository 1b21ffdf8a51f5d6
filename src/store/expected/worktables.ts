// Expected values computed in temporary tables: the weather, the inverters, what sums them.
import { minute_us } from "../../model/time/series.ts";
import type { Mount } from "../../model/expected/pv.ts";
import { planeAt } from "../../model/expected/plane.ts";
import { sunAt } from "../../model/time/sun.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import axis_make_sql from "./axis_make.sql" with { type: "text" };
import cell_warm_sql from "./cell_temperature_make.sql" with { type: "text" };
import model_integrate_sql from "./model_integrate.sql" with { type: "text" };
import model_make_sql from "./model_make.sql" with { type: "text" };
import sent_make_sql from "./sent_make.sql" with { type: "text" };
import sky_make_sql from "./sky_make.sql" with { type: "text" };
import storage_sum_sql from "./storage_sum.sql" with { type: "text" };
import weather_edge_sql from "./weather_edge_make.sql" with { type: "text" };
import weather_find_sql from "./weather_find.sql" with { type: "text" };
import weather_make_sql from "./weather_make.sql" with { type: "text" };
import weather_pick_sql from "./weather_pick.sql" with { type: "text" };
import weather_touch_sql from "./weather_touch.sql" with { type: "text" };
import yield_make_sql from "./yield_make.sql" with { type: "text" };
import yield_sum_sql from "./yield_sum.sql" with { type: "text" };
import { statement } from "../statement.ts";
import { workTable } from "../table.ts";
import { findLent } from "./lent.ts";

const axis_make = statement({
  sql: axis_make_sql,
  parameters: { over_minute: "int32" },
});

const model_integrate = statement({ sql: model_integrate_sql });

const model_make = statement({ sql: model_make_sql });

const sent_make = statement({ sql: sent_make_sql });

const storage_sum = statement({ sql: storage_sum_sql });

const yield_make = statement({ sql: yield_make_sql });

const yield_sum = statement({
  sql: yield_sum_sql,
  parameters: { stage: "int32" },
});

/**
 * Makes roll_model (sensor_no, minute, model, clipped, storage: the part of `model` that is the net
 * power of storage) of the units to be remodelled, of minutes before `over_minute`, from roll_unit,
 * roll_minute, roll_expected, roll_day and the plan.
 */
export async function makeModels(
  connection: Connection,
  { over_minute, kind }: {
    readonly over_minute: number;
    readonly kind: { readonly has_fallbacks: boolean };
  },
): Promise<void> {
  await connection.run(sent_make);
  await connection.run(axis_make, { over_minute });
  const [{ minutes, stages, has_storage }] = await connection.rows(work_sizes);
  await connection.run(warm_table.make);
  if (minutes > 0) await warmCells(connection);
  await connection.run(yield_make);
  for (let stage = 1; stage <= stages; stage++) await connection.run(yield_sum, { stage });
  await connection.run(model_make);
  if (has_storage) await connection.run(storage_sum);
  await connection.run(model_integrate);
  if (kind.has_fallbacks && minutes > 0) await findLent(connection);
}

const edge_make = statement({ sql: weather_edge_sql });

/** How many edges there are, and the samples around them that are judged. */
const edge_span = statement({
  sql: `
    SELECT count(*)::INTEGER AS edges,
      coalesce(min(minute - 60 - carry), 0)::BIGINT * 60000000 AS from_us,
      coalesce(max(minute + 30 + carry + 1), 0)::BIGINT * 60000000 AS to_us
    FROM roll_edge`,
  row: { edges: "int32", from_us: "instant", to_us: "instant" },
});

const of_edges = {
  from_us: "instant",
  to_us: "instant",
  stored_us: "instant",
  since_minute: "int32",
} as const;

const weather_find = statement({
  sql: weather_find_sql,
  reach: "time",
  parameters: of_edges,
  row: { found: "bool" },
});

const weather_touch = statement({
  sql: weather_touch_sql,
  parameters: of_edges,
  reach: "time",
});

/**
 * Touches the quarter-hours before touched ones in which the irradiance follows from what is fresh:
 * samples stored after `stored_us`, and those of minutes from `since_minute` to `over_minute`.
 */
export async function touchWeather(
  connection: Connection,
  { over_minute, stored_us, since_minute }: {
    readonly over_minute: number;
    readonly stored_us: number;
    readonly since_minute: number;
  },
): Promise<void> {
  await connection.run(edge_make);
  const [{ edges, from_us, to_us }] = await connection.rows(edge_span);
  if (edges === 0) return;
  const over_us = Math.min(to_us, over_minute * minute_us);
  const span = { from_us, to_us: over_us, stored_us, since_minute };
  const [{ found }] = await connection.rows(weather_find, span);
  if (found) await connection.run(weather_touch, span);
}

/** How many minutes there are to compute, how many stages of sums, and whether any has storage. */
const work_sizes = statement({
  sql: `
    SELECT
      (SELECT count(*) FROM roll_axis)::INTEGER AS minutes,
      (SELECT coalesce(max(stage), 0) FROM roll_grid)::INTEGER AS stages,
      EXISTS (SELECT 1 FROM roll_storage) AS has_storage`,
  row: { minutes: "int32", stages: "int32", has_storage: "bool" },
});

/** How much light falls on cells, in W/m², and how warm they are. */
const warm_table = workTable("roll_warm", {
  cell_no: "int32",
  minute: "int32",
  poa: "float64",
  celsius: "float64",
});

const cell_warm = statement({ sql: cell_warm_sql });

const sky_make = statement({ sql: sky_make_sql });

const weather_make = statement({ sql: weather_make_sql });

const weather_pick = statement({ sql: weather_pick_sql });

/** Computes, from the weather, how much light falls on cells and how warm they are. */
async function warmCells(connection: Connection): Promise<void> {
  await connection.run(weather_make);
  await connection.run(weather_pick);
  await connection.run(sky_make);
  await putSun(connection);
  await connection.run(cell_warm);
}

/** An empty list of minutes with the sun as planes see it. */
const sun_make = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_sun (
      plane_no INTEGER, minute INTEGER, cos_zenith DOUBLE, extra_w_m2 DOUBLE, cos_aoi DOUBLE,
      cos_tilt DOUBLE
    )`,
});

/**
 * The minutes for which a plane must know the sun: no irradiance was measured in it, but two of the
 * three that it can be computed from.
 */
const sun_need = statement({
  sql: `
    SELECT DISTINCT c.plane_no, s.minute
    FROM roll_sky AS s
    JOIN roll_cell AS c ON c.area_no = s.area_no AND c.plane_no IS NOT NULL
    WHERE s.poa IS NULL
      AND (s.ghi IS NOT NULL)::INTEGER + (s.dni IS NOT NULL)::INTEGER +
        (s.dhi IS NOT NULL)::INTEGER > 1
    ORDER BY c.plane_no, s.minute`,
  row: { plane_no: "int32", minute: "int32" },
});

/** The planes of the plan. */
const plane_list = statement({
  sql: "SELECT plane_no, place FROM roll_plane ORDER BY plane_no",
  row: { plane_no: "int32", place: "text" },
});

/** Works the sun out for the planes and minutes that need it. */
async function putSun(connection: Connection): Promise<void> {
  await connection.run(sun_make);
  const needed = await connection.chunk(sun_need);
  if (needed.rows === 0) return;
  const planes = await connection.rows(plane_list);
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
