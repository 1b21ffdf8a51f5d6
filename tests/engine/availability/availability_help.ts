// A small plant of inverters for tests of availability: its devices, its samples, its states.
import { Availability } from "../../../src/engine/availability/availability.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { openPlant, type PlantOptions, type PlantSample, type PlantTag } from "../../help/plant.ts";
import { runQuery } from "../../help/query.ts";

type Options = PlantOptions & {
  /** Device models by key: what their status codes and event bits mean. */
  readonly models?: Readonly<
    Record<string, { readonly status?: unknown; readonly events?: unknown }>
  >;
};

/** Opens a plant of inverters and its availability. */
export async function openInverters({ models = {}, ...options }: Options) {
  const plant = await openPlant(options);
  const { database, catalog } = plant;
  await database.write(async ({ connection }) => {
    for (const [key, { status, events }] of Object.entries(models)) {
      await runQuery(
        connection,
        "INSERT INTO device_model VALUES ($key, 1, $key, NULL, $status, $events, NULL)",
        {
          key,
          status: status === undefined ? null : JSON.stringify(status),
          events: events === undefined ? null : JSON.stringify(events),
        },
      );
    }
  });
  await catalog.reload();
  const world = {
    ...plant,
    availability: await Availability.open(plant),
    /** Rolls up and computes everything. */
    async settle() {
      await plant.roll.settle();
      await world.availability.settle();
    },
    /** States in words, `HH:MM..HH:MM state evidence`, UTC, of the inverter of a sensor. */
    async states(sensor_no: number, day: string) {
      const rows = await plant.rows(
        `SELECT from_us, to_us, state, evidence FROM inverter_state
        WHERE sensor_no = ${sensor_no} AND day = ${dayNumber(day)} ORDER BY from_us`,
      );
      const clock = (at: unknown) => new Date(Number(at) / 1000).toISOString().slice(11, 16);
      return rows.map(({ from_us, to_us, state, evidence }) =>
        `${clock(from_us)}..${clock(to_us)} ${state} ${evidence}`
      );
    },
    /** Every row of the inverters' days and states, to tell whether anything changed. */
    async snapshot() {
      return [
        ...await plant.rows("SELECT * FROM inverter_day ORDER BY ALL"),
        ...await plant.rows("SELECT * FROM inverter_state ORDER BY ALL"),
      ];
    },
    sums: (sensor_no: number, day: string) =>
      plant.rows(
        `SELECT daylight_s, basis_s, unavailable_s FROM inverter_day
        WHERE sensor_no = ${sensor_no} AND day = ${dayNumber(day)}`,
      ).then(([row]) => row as Record<string, number> | undefined),
    async reopen() {
      await world.availability.close();
      world.availability = await Availability.open(plant);
    },
    async close() {
      await world.availability.close();
      await plant.close();
    },
  };
  return world;
}

/** A tag of one sensor, of the same number. */
export function tagOf(
  tag_no: number,
  sensor: NonNullable<PlantTag["sensors"]>[number],
  tag: Partial<PlantTag> = {},
): PlantTag {
  return { tag_no, ...tag, sensors: [sensor] };
}

/** Samples every five minutes of `[from, to)`, ISO 8601. */
export function every5(
  tag: number,
  [from, to]: readonly [string, string],
  value: PlantSample["value"] | ((at_ms: number) => PlantSample["value"]),
): PlantSample[] {
  const samples: PlantSample[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += 300_000) {
    samples.push({ tag, at: at * 1000, value: typeof value === "function" ? value(at) : value });
  }
  return samples;
}
