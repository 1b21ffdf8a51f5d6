// A project with tags of every sort and their samples and minutes, for the tests of signals.
import { signalRoutes } from "../../src/http/samples/signal.ts";
import { openFrame } from "./frame.ts";
import { runQuery } from "./query.ts";

/** 2026-06-01T00:00:00Z, the fixture's first sample; the clock then stands at 12:00. */
export const start_us = Date.UTC(2026, 5, 1) * 1000;

const plant = `
  INSERT INTO site VALUES (1, 'site', 1, 'site', 'Site', 40, 10);
  INSERT INTO tag VALUES
    (1, 1, 'signal', 'p', 'measurement', 'float', 'kW', 900, 'INV1', 'Inverter 1', true, NULL),
    (2, 1, 'signal', 'code', 'alarms', 'integer', NULL, 900, NULL, NULL, true, NULL),
    (3, 1, 'signal', 'text', NULL, 'string', NULL, 900, NULL, NULL, true, NULL),
    (4, 1, 'signal', 'ghi', NULL, 'float', '', 900, NULL, NULL, false, NULL),
    (5, 1, 'signal', 'blank', NULL, NULL, NULL, 900, NULL, NULL, false, NULL),
    (6, 1, 'model', 'p', NULL, 'float', 'kW', 900, NULL, NULL, true, NULL),
    (7, 2, 'signal', 'p', NULL, 'float', 'kW', 900, NULL, NULL, true, NULL);
  INSERT INTO sensor VALUES
    (1, 'h-p', 1, 1, 1, 'device-1', NULL, 'default', 'inverter', 'active_power', 1000, 5, NULL,
     'none', NULL, 'start', NULL, true, NULL),
    (2, 'h-e', 1, 1, 1, 'device-1', NULL, 'default', 'inverter', 'energy', 1000, 0, NULL,
     'none', NULL, 'start', NULL, false, NULL),
    (3, 'h-code', 1, 1, 2, 'device-2', NULL, 'default', 'inverter', 'operating_status', 1, 0, NULL,
     'none', NULL, 'start', NULL, true, NULL),
    (4, 'h-ghi', 1, 1, 4, NULL, NULL, 'default', 'met', 'ghi', 1, 0, NULL,
     'none', NULL, 'start', NULL, true, NULL)`;

/** Samples of one second and tag: float, bad float, integer, string, valueless, others' rows. */
const samples = `
  INSERT INTO sample VALUES
    (1, $ts, $at, 1.5, NULL, NULL, 0, 0),
    (1, $ts + 1, $at, 2.5, NULL, NULL, 2, 2150891520),
    (1, $ts + 2, $at, 3.5, NULL, NULL, 1, 1083310080),
    (2, $ts, $at, NULL, 9223372036854775807, NULL, 0, 1152),
    (3, $ts, $at, NULL, NULL, 'grüße', NULL, NULL),
    (4, $ts, $at, -0.25, NULL, NULL, NULL, 2415853568),
    (5, $ts, $at, NULL, NULL, NULL, 2, 2147483648),
    (6, $ts, $at, 99, NULL, NULL, 0, 0),
    (7, $ts, $at, 77, NULL, NULL, 0, 0)`;

const minutes = `
  INSERT INTO minute VALUES
    (20605, 1, $minute, $at, 2.5, NULL, NULL, 1.5, 3.5, 3, NULL, false, 1, 1, 1),
    (20605, 2, $minute, $at, NULL, -7, NULL, NULL, NULL, 0, 0, true, 0, 0, 0)`;

/** A frame with the signals route and that plant, its rows stored at 00:00:10 and 00:01:10. */
export async function openSignals() {
  const frame = await openFrame(signalRoutes, "2026-06-01T00:00:01Z");
  const { database, services, clock } = frame;
  await database.write(({ connection }) => connection.script(plant));
  clock.now_us = start_us + 10_000_000;
  await database.write(({ connection, stamp_us }) =>
    runQuery(connection, samples, { ts: start_us, at: stamp_us })
  );
  clock.now_us = start_us + 70_000_000;
  await database.write(({ connection, stamp_us }) =>
    runQuery(connection, minutes, { minute: start_us / 60_000_000, at: stamp_us })
  );
  clock.now_us = start_us + 43_200_000_000;
  await services.catalog.reload();
  return {
    ...frame,
    /** The rows of a request, as JSON prints them. */
    async rows(query: string): Promise<SignalRow[]> {
      const path = `/platform/v1/signals?project_id=project-1&format=json&${query}`;
      const answer = await frame.fetch(path);
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(text);
      return JSON.parse(text);
    },
  };
}

/** A row as JSON prints it. */
export type SignalRow = Readonly<Record<string, string | number | boolean | null>>;

/** An instant as the service prints it. */
export function printed(us: number): string {
  return new Date(Math.floor(us / 1000)).toISOString().slice(0, -1) +
    String(us % 1000).padStart(3, "0") + "Z";
}
