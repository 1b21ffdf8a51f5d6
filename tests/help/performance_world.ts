// A plant of two projects in two zones with four days of scattered minutes, for performance tests.
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { dayNumber } from "../../src/model/time/calendar.ts";
import type { ComponentName, MeasureName } from "../../src/model/plant/measure.ts";
import type { Project, Sensor, Site } from "../../src/model/plant/plant.ts";
import { Database } from "../../src/store/database.ts";
import { fakeEffects } from "./effects.ts";
import type { ReferencePlant } from "./performance_reference.ts";
import {
  lightAt,
  type PlacedReading,
  putPlant,
  putReadings,
  type TestReading,
  testSensor,
} from "./reading.ts";

/** An open plant of two projects, and what is in it. */
export type World = ReferencePlant & { readonly database: Database; readonly catalog: Catalog };

function projectOf(project_no: number, timezone: string): Project {
  const name = `project-${project_no}`;
  return {
    ...{ project_no, id: name, organization_id: "org", key: name, name, timezone },
    portfolio: project_no === 1 ? "north" : "south",
  };
}

/** Solar in both projects, storage in the first; two blocks and a sensor without one. */
function sensorsOf(): readonly Sensor[] {
  const kinds: readonly (readonly [ComponentName, MeasureName])[] = [
    ["inverter", "active_power"],
    ["inverter", "energy"],
    ["inverter", "power_factor"],
    ["inverter", "operating_status"],
    ["inverter", "internal_temp"],
    ["bess_rack", "soc"],
    ["bess_rack", "max_battery_temp"],
    ["bess_rack", "min_temp"],
  ];
  const places = [[1, "block-a"], [1, "block-a"], [1, "block-b"], [2, null], [2, "block-c"]];
  return kinds.flatMap(([component, measure], kind) =>
    places.map(([project_no, block_id], place) =>
      testSensor({
        ...{ sensor_no: 1 + kind * places.length + place, component, measure },
        project_no: project_no as number,
        site_no: project_no as number,
      }, {
        device_id: `device-${component}-${place}`,
        block_id: block_id as string | null,
        capacity: measure === "soc" && place < 3 ? 1000 * (place + 1) : null,
      })
    )
  );
}

/** A number in [0, 1) that any two keys scatter. */
function chance(a: number, b: number): number {
  const mixed = Math.imul(a * 2654435761 ^ b * 40503, 2246822519) >>> 0;
  return (Math.imul(mixed ^ mixed >>> 15, 3266489917) >>> 0) / 2 ** 32;
}

/** One in ten minutes is missing, whole hours too; power and energy have a model and setpoints. */
function readingAt({ sensor_no, measure }: Sensor, minute: number): TestReading | undefined {
  const dice = chance(sensor_no, minute);
  if (dice < 0.1 || chance(sensor_no, Math.floor(minute / 60)) < 0.08) return undefined;
  if (measure === "operating_status") {
    const value = Math.floor(chance(7, Math.floor(minute / 200)) * 3) + (dice > 0.98 ? 5 : 0);
    return { sensor_no, minute, value, value_setpoint: value };
  }
  const value = Math.round(dice * 1000) - (measure === "active_power" ? 200 : 0);
  if (measure !== "active_power" && measure !== "energy") {
    return { sensor_no, minute, value, value_setpoint: value };
  }
  const model = Math.round(chance(sensor_no + 99, minute) * 900);
  const model_setpoint = Math.min(model, 500);
  if (dice > 0.95) return { sensor_no, minute, model, model_setpoint };
  const value_setpoint = value + model - model_setpoint;
  return dice > 0.9
    ? { sensor_no, minute, value, value_setpoint: value }
    : { sensor_no, minute, value, model, value_setpoint, model_setpoint };
}

/**
 * Opens a plant in two zones, with four days of minutes: from a day and a half before the start of
 * `day` (UTC) on.
 */
export async function openWorld(
  zones: readonly [string, string],
  day: string,
): Promise<World> {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", memory_mb: 512, threads: 1, effects });
  const projects = [projectOf(1, zones[0]), projectOf(2, zones[1])];
  const place = { id: "site", key: "site", name: "Site" };
  const sites: readonly Site[] = [
    { ...place, site_no: 1, project_no: 1, latitude: 41.9, longitude: -87.6 },
    { ...place, site_no: 2, project_no: 2, latitude: -31.5, longitude: 159.1 },
  ];
  const sensors = sensorsOf();
  const first = dayNumber(day) * 1440 - 2160;
  const clock = sites.map((site) =>
    Array.from({ length: 4 * 1440 }, (_, i) => lightAt(site, zones[site.site_no - 1], first + i))
  );
  const readings = new Map(sensors.map((sensor) => [
    sensor.sensor_no,
    clock[sensor.site_no - 1].flatMap((light, i): PlacedReading[] => {
      const reading = readingAt(sensor, first + i);
      return reading ? [{ ...reading, ...light }] : [];
    }),
  ]));
  const lit = new Map(sites.map((site, at) => {
    const minutes = clock[at].flatMap(({ light }, i) => light ? [first + i] : []);
    return [site.site_no, new Set(minutes)];
  }));
  await putPlant(database, { projects, sites, sensors });
  await putReadings(database, [...readings.values()].flat());
  const catalog = await Catalog.load(database);
  return { database, catalog, projects, sites, sensors, readings, lit };
}
