// A project with a plant and an ingest of alarms, for tests: rows in, occurrences and events out.
import { Alarms } from "../../../src/engine/alarms/alarm.ts";
import { AlarmIngest } from "../../../src/engine/alarms/ingest.ts";
import { Catalog } from "../../../src/engine/catalog/catalog.ts";
import { Users } from "../../../src/engine/access/user.ts";
import type { Occurrence } from "../../../src/model/alarms/alarm.ts";
import type { AlarmAnswer } from "../../../src/model/alarms/row.ts";
import { listOccurrences, readOccurrence, readTimelines } from "../../../src/store/alarms/alarm.ts";
import { Database } from "../../../src/store/database.ts";
import { decodeAlarms } from "../../../src/wire/alarms/decode.ts";
import { fakeEffects } from "../../help/effects.ts";
import { queryRows } from "../../help/query.ts";

/** A plant with two projects; project 1 has one site, project 2 has two. */
const tenants = `
  INSERT INTO organization VALUES ('o1', 'o1', 'O 1');
  INSERT INTO project VALUES (1, 'p1', 'o1', 'p1', 'P 1', NULL, 'UTC'),
    (2, 'p2', 'o1', 'p2', 'P 2', NULL, 'UTC');
  INSERT INTO site VALUES (1, 's1', 1, 'north', 'North', 35, 0),
    (2, 's2', 2, 'east', 'East', 35, 0), (3, 's3', 2, 'west', 'West', 35, 0)`;

/** Minutes after 11:00 of the day on which the clock stands at noon. */
export const at = (minute: number) => new Date(Date.UTC(2026, 5, 1, 11, minute)).toISOString();

/** The same in microseconds. */
export const at_us = (minute: number) => Date.UTC(2026, 5, 1, 11, minute) * 1000;

/** A snapshot as a source sends it. */
export function snapshotRow(occurrence_id: string, said: Readonly<Record<string, unknown>> = {}) {
  return {
    occurrence_id,
    source: "scada:north",
    rule_name: "Over frequency",
    kind: "threshold",
    severity: "high",
    status: "open",
    resolution_policy: "require_both",
    raised_at: at(0),
    updated_at: at(0),
    raised_value: 50.6,
    source_tag: "m1.f",
    ...said,
  };
}

/** An event as a source sends it. */
export function eventRow(
  occurrence_id: string,
  event_id: string,
  said: Readonly<Record<string, unknown>> = {},
) {
  return { occurrence_id, event_id, type: "commented", created_at: at(1), ...said };
}

export type TestAlarms = Awaited<ReturnType<typeof openAlarms>>;

/** Opens a database (in memory unless `path` says where) with its ingest of alarms. */
export async function openAlarms(path = ":memory:") {
  const { effects, clock } = fakeEffects("2026-06-01T12:00:00Z");
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 512 });
  const [{ sites }] = await database.read((connection) =>
    queryRows<{ sites: number }>(connection, "SELECT count(*) AS sites FROM site")
  );
  if (Number(sites) === 0) await database.write(({ connection }) => connection.script(tenants));
  const catalog = await Catalog.load(database);
  const users = await Users.open({ database, catalog, effects });
  const alarms = await Alarms.open({ database });
  const ingest = new AlarmIngest({ database, catalog, users, alarms });
  return {
    ...{ database, catalog, users, alarms, ingest, clock },
    /** Ingests rows as NDJSON. */
    async send(rows: readonly object[], project_id = "p1"): Promise<AlarmAnswer> {
      const text = rows.map((row) => JSON.stringify(row)).join("\n") + "\n";
      const options = { media_type: "application/x-ndjson", encoding: null };
      const now_us = effects.now_us();
      const decoded = await decodeAlarms(bodyOf(text), { ...options, now_us });
      return await ingest.add(catalog.project(project_id)!, decoded);
    },
    /** An occurrence; undefined: there is none. */
    one(occurrence_id: string, project_no = 1): Promise<Occurrence | undefined> {
      return database.read((it) => readOccurrence(it, { project_no, occurrence_id }));
    },
    all(): Promise<readonly Occurrence[]> {
      return database.read((it) => listOccurrences(it, {}));
    },
    /** The timeline of an occurrence. */
    async events(occurrence_id: string, project_no = 1) {
      return await database.read(async (it) => {
        const occurrence = await readOccurrence(it, { project_no, occurrence_id });
        return await readTimelines(it, occurrence ? [occurrence] : []);
      });
    },
    close: () => database.close(),
  };
}

/** Runs a test on a database in memory. */
export async function withAlarms(work: (alarms: TestAlarms) => Promise<void>): Promise<void> {
  const alarms = await openAlarms();
  try {
    await work(alarms);
  } finally {
    await alarms.close();
  }
}

async function* bodyOf(text: string) {
  yield new TextEncoder().encode(text);
}
