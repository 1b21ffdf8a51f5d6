// Workload W7: the feed of a million events, the list, one alarm, read over HTTP.
import alarm_world_sql from "./alarm_world.sql" with { type: "text" };
import { refOf } from "../../src/model/alarms/alarm.ts";
import type { Connection } from "../../src/store/connection.ts";
import type { Database } from "../../src/store/database.ts";
import type { Server } from "../help/process.ts";
import { bestMs, type Figure } from "./figure.ts";
import { Reader } from "./read.ts";
import type { World } from "./world.ts";
import { query, queryRows } from "../help/query.ts";

const page = 10_000;
const pages = 5;
const places = { start: 0, middle: 500_000, end: 1_000_000 - pages * page } as const;
/** Where pages are read before any is measured, until the program is compiled. */
const warm_places = [100_000, 200_000, 300_000, 400_000];
type Place = keyof typeof places;

/** The event after which a page begins. */
type Mark = {
  readonly synced_at: number;
  readonly occurrence_no: number;
  readonly event_id: string;
};

/** Some pages that follow each other, and what the database alone takes for the first. */
type Stretch = { readonly marks: readonly Mark[]; readonly page_ms: number };

/** What the database alone takes, in milliseconds, and where the feed's pages begin. */
export type AlarmLimits = {
  readonly stretches: Readonly<Record<Place, Stretch>>;
  readonly warm: readonly Stretch[];
  readonly list_ms: number;
  readonly one_ms: number;
};

/** Puts a million events of alarms into the plant. */
export async function putAlarms(database: Database): Promise<void> {
  for (const statement of alarm_world_sql.split(/;\n\n/)) {
    await database.write(({ connection }) => connection.script(statement));
    await database.checkpoint();
  }
}

/** Asks the database itself: nothing around it, results as the binding gives them. */
export async function measureAlarmLimits(database: Database): Promise<AlarmLimits> {
  return await database.read(async (connection) => {
    const entries = await Array.fromAsync(
      Object.entries(places),
      async ([place, feed_no]) => [place, await stretchAt(connection, feed_no)] as const,
    );
    return {
      stretches: Object.fromEntries(entries) as Record<Place, Stretch>,
      warm: await Array.fromAsync(warm_places, (feed_no) => stretchAt(connection, feed_no)),
      list_ms: await bestMs(5, () => connection.chunk(query(list_sql))),
      one_ms: await bestMs(5, () => connection.chunk(query(one_sql))),
    };
  });
}

const event_columns =
  "feed_no, synced_at, occurrence_no, event_id, type, kind, created_at, body, " +
  "user_id, user_email, external_user_id, detail";
const list_sql = "SELECT * FROM occurrence WHERE project_no = 1 AND severity = 'high' " +
  "AND cleared_at IS NULL ORDER BY synced_at, occurrence_no LIMIT 1000";
const one_sql = `SELECT ${event_columns} FROM occurrence_event ` +
  "JOIN (SELECT occurrence_no, first_feed_no, last_feed_no FROM occurrence " +
  "WHERE project_no = 1 AND occurrence_id = 'alarm-000000125000') USING (occurrence_no) " +
  "WHERE feed_no BETWEEN first_feed_no AND last_feed_no ORDER BY feed_no";

async function stretchAt(connection: Connection, feed_no: number): Promise<Stretch> {
  const marks = await Array.fromAsync({ length: pages }, async (_, i) => {
    const [mark] = await queryRows<Mark>(
      connection,
      "SELECT synced_at, occurrence_no, event_id FROM occurrence_event WHERE feed_no = $at",
      { at: Math.max(1, feed_no + i * page) },
    );
    return mark;
  });
  const sql = `SELECT ${event_columns} FROM occurrence_event WHERE project_no = 1 ` +
    `AND feed_no BETWEEN ${feed_no} + 1 AND ${feed_no + page} ORDER BY feed_no`;
  return { marks, page_ms: await bestMs(5, () => connection.chunk(query(sql))) };
}

/** W7 against a running server. */
export async function* measureAlarms(
  server: Server,
  world: World,
  { stretches, warm, list_ms, one_ms }: AlarmLimits,
): AsyncGenerator<Figure> {
  const client = new Reader(server, world);
  const read = (mark: Mark) => client.get("/platform/v1/alarms/events", feedQuery(mark));
  for (const mark of warm.flatMap(({ marks }) => marks)) await read(mark);
  for (const [place, { marks, page_ms }] of Object.entries(stretches)) {
    const unread = marks.values();
    const first = await bestMs(marks.length, () => read(unread.next().value!));
    const again = await bestMs(marks.length, () => read(marks.at(-1)!));
    for (const [value, how] of [[first, "for the first time"], [again, "again"]] as const) {
      yield {
        workload: "W7",
        what: `10 000 of a million events, ${place}, ${how}`,
        ...{ value, unit: "ms", target: "≤ 10 ms", met: value <= 10 },
        limit: { what: "bare query in columns", value: page_ms },
      };
    }
  }
  const one = await bestMs(20, () => client.get(one_path, [["project_id", "p0"]]));
  yield {
    workload: "W7",
    what: "one alarm of 250 000 with its events",
    ...{ value: one, unit: "ms", target: "≤ 5 ms", met: one <= 5 },
    limit: { what: "bare query in columns", value: one_ms },
  };
  const filter = { project_id: "p0", severity: "high", active: "true", limit: "1000" };
  const list = await bestMs(5, () => client.get("/platform/v1/alarms", Object.entries(filter)));
  yield {
    workload: "W7",
    what: "the active ones of a severity, out of 250 000",
    ...{ value: list, unit: "ms", target: "≤ 10 ms", met: list <= 10 },
    limit: { what: "bare query in columns, no events", value: list_ms },
  };
}

/** The path of an alarm in the middle. */
export const one_path = "/platform/v1/alarms/alarm-000000125000";

function feedQuery({ synced_at, occurrence_no, event_id }: Mark) {
  return [
    ["project_id", "p0"],
    ["updated_since", new Date(synced_at / 1000).toISOString()],
    ["after", refOf(occurrence_no)],
    ["after_event_id", event_id],
    ["limit", String(page)],
  ] as const;
}
