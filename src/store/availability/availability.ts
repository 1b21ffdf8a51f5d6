// States and losses of inverters by day: what they are worked out from, where they are kept.
import bit_list from "./inverter_bit_list.sql" with { type: "text" };
import change_count from "./inverter_change_count.sql" with { type: "text" };
import code_list from "./inverter_code_list.sql" with { type: "text" };
import day_change from "./inverter_day_change.sql" with { type: "text" };
import day_forget from "./inverter_day_forget.sql" with { type: "text" };
import day_insert from "./inverter_day_insert.sql" with { type: "text" };
import day_known from "./inverter_day_known.sql" with { type: "text" };
import day_update from "./inverter_day_update.sql" with { type: "text" };
import dip_list from "./inverter_dip_list.sql" with { type: "text" };
import heard_find from "./inverter_heard_find.sql" with { type: "text" };
import last_list from "./inverter_last_list.sql" with { type: "text" };
import override_list from "./inverter_override_list.sql" with { type: "text" };
import quarter_list from "./inverter_quarter_list.sql" with { type: "text" };
import range_mark from "./inverter_range_mark.sql" with { type: "text" };
import sent_list from "./inverter_sent_list.sql" with { type: "text" };
import site_mark from "./inverter_site_mark.sql" with { type: "text" };
import stale_delete from "./inverter_stale_delete.sql" with { type: "text" };
import stale_list from "./inverter_stale_list.sql" with { type: "text" };
import state_change from "./inverter_state_change.sql" with { type: "text" };
import state_forget from "./inverter_state_forget.sql" with { type: "text" };
import state_insert from "./inverter_state_insert.sql" with { type: "text" };
import state_merge from "./inverter_state_merge.sql" with { type: "text" };
import type { DaySums, State, StateSpan } from "../../model/availability/availability.ts";
import type { DayEnergy } from "../../model/availability/loss_energy.ts";
import { type Chunk, noneValid, setValid, type Vector, wordsOf } from "../../model/data/chunk.ts";
import type { TimeSpan } from "../../model/time/daylight.ts";
import type { Connection } from "../connection.ts";
import type { Database, Write } from "../database.ts";
import type { Parameters } from "../value.ts";

/** A local day of a site that is to be worked out, and how often it was marked so far. */
export type StaleDay = { readonly site_no: number; readonly day: number; readonly marks: number };

/** Local days, both ends included. */
export type DayRange = { readonly from_day: number; readonly to_day: number };

/** An operator's word on an inverter. */
export type OverrideRow = TimeSpan & {
  readonly hierarchy_id: string;
  readonly state: State;
  readonly reason: string;
  readonly author: string;
};

/** One inverter's local day as it was worked out. */
export type InverterDayRow = DaySums & DayEnergy & {
  readonly day: number;
  readonly sensor_no: number;
  readonly spans: readonly StateSpan[];
};

/** A connection of one's own for working out availability. Close it at the end. */
export async function openAvailabilitySession(database: Database): Promise<Connection> {
  const session = await database.session();
  await session.run("CREATE TEMP TABLE inverter_fresh_day AS SELECT * FROM inverter_day LIMIT 0");
  await session.run(
    "CREATE TEMP TABLE inverter_fresh_state AS SELECT * FROM inverter_state LIMIT 0",
  );
  return session;
}

/** Marks days of a site whose inverters are to be worked out anew. */
export function markInverterRange(
  write: Write,
  range: DayRange & { readonly site_no: number },
): Promise<void> {
  return write.connection.run(range_mark, range);
}

/** The same of all its days: after a change of the site, in the transaction that makes it. */
export function markInverterDays(write: Write, site_no: number): Promise<void> {
  return write.connection.run(site_mark, { site_no });
}

/** All marks, by site and day. */
export function listStaleDays(connection: Connection): Promise<StaleDay[]> {
  return connection.rows(stale_list);
}

/** The last day of each site that has states. */
export function listLastDays(connection: Connection): Promise<{ site_no: number; day: number }[]> {
  return connection.rows(last_list);
}

/** The days of a range on which some of the inverters have states. */
export async function knownDays(
  connection: Connection,
  range: DayRange & { readonly sensors: Int32Array },
): Promise<readonly number[]> {
  return (await connection.rows<{ day: number }>(day_known, range)).map(({ day }) => day);
}

/** The days nearest to a range, within bounds, on which each of some sensors was heard. */
export function findHeard(
  connection: Connection,
  where: DayRange & {
    readonly sensors: Int32Array;
    readonly least_day: number;
    readonly most_day: number;
  },
): Promise<{ before_day: number | null; after_day: number | null }[]> {
  return connection.rows(heard_find, where);
}

/**
 * Pieces of the quarter-hours of sensors: sensor_no, quarter, light, n, value, model,
 * model_setpoint, clipped; unordered.
 */
export function readQuarters(
  connection: Connection,
  range: DayRange & { readonly sensors: Int32Array },
): Promise<Iterable<Chunk>> {
  return connection.pieces(quarter_list, range);
}

/**
 * Codes of tags: tag_no, quarter, code, minutes (a bit each), heard; by tag and quarter-hour. Only
 * of `minutes` from `from_minute` on, which lies before them all, and the same of every day.
 */
export function readCodes(
  connection: Connection,
  range: DayRange & {
    readonly tags: Int32Array;
    readonly from_minute: number;
    readonly minutes: number;
  },
): Promise<Chunk> {
  return connection.chunk(code_list, range);
}

/** Bits of event words that were set: tag_no, quarter, code (the bit), minutes; in that order. */
export function readBits(
  connection: Connection,
  range: DayRange & { readonly tags: Int32Array },
): Promise<Chunk> {
  return connection.chunk(bit_list, range);
}

/** The quarter-hours in which tags sent a value: tag_no, quarter. */
export function readSent(
  connection: Connection,
  range: DayRange & { readonly tags: Int32Array },
): Promise<Iterable<Chunk>> {
  return connection.pieces(sent_list, range);
}

/** The minutes, by quarter-hour a bit each, in which voltages were under their least. */
export function listDips(
  connection: Connection,
  range: DayRange & { readonly sensors: Int32Array; readonly least_v: readonly number[] },
): Promise<{ sensor_no: number; quarter: number; minutes: number }[]> {
  return connection.rows(dip_list, range);
}

/** Operators' words on a project's inverters in a range of time, one row an inverter. */
export function listOverrides(
  connection: Connection,
  range: TimeSpan & { readonly project_no: number },
): Promise<OverrideRow[]> {
  return connection.rows(override_list, range);
}

/** What is worked out of a site, and the marks that it answers. */
export type Worked = {
  readonly site_no: number;
  /** Every inverter of the site, by the sensor that stands for it. */
  readonly sensors: Int32Array;
  readonly rows: readonly InverterDayRow[];
  readonly taken: readonly StaleDay[];
};

/** Stores what differs and forgets the marks, unless a day was marked again meanwhile. */
export async function storeWorked(
  database: Database,
  session: Connection,
  { site_no, sensors, rows, taken }: Worked,
): Promise<void> {
  const range = rangeOf(rows);
  const found = rows.length > 0 ? await differences(session, { rows, range }) : no_differences;
  await database.writeOn(session, async ({ connection }) => {
    await connection.run(day_forget, { site_no, sensors });
    await connection.run(state_forget, { site_no, sensors });
    if (found.other_days > 0) await connection.run(day_update, range);
    if (found.fresh_days > 0) await connection.run(day_insert);
    if (found.other_states > 0) await connection.run(state_merge, range);
    if (found.fresh_states > 0) await connection.run(state_insert);
    const days = Int32Array.from(taken, ({ day }) => day);
    const marks = Int32Array.from(taken, ({ marks }) => marks);
    await connection.run(stale_delete, { site_no, days, marks });
  });
}

type Differences = {
  readonly fresh_days: number;
  readonly other_days: number;
  readonly fresh_states: number;
  readonly other_states: number;
};

const no_differences: Differences = {
  fresh_days: 0,
  other_days: 0,
  fresh_states: 0,
  other_states: 0,
};

async function differences(
  session: Connection,
  { rows, range }: { readonly rows: readonly InverterDayRow[]; readonly range: Parameters },
): Promise<Differences> {
  await session.run("DELETE FROM inverter_fresh_day; DELETE FROM inverter_fresh_state");
  await session.append("inverter_fresh_day", dayChunk(rows));
  await session.append("inverter_fresh_state", stateChunk(rows));
  await session.run(day_change, range);
  await session.run(state_change, range);
  const [found] = await session.rows<Differences>(change_count);
  return found;
}

function rangeOf(rows: readonly InverterDayRow[]) {
  return {
    from_day: rows.reduce((least, { day }) => Math.min(least, day), Infinity),
    to_day: rows.reduce((most, { day }) => Math.max(most, day), -Infinity),
  };
}

function dayChunk(rows: readonly InverterDayRow[]): Chunk {
  const names = [
    "daylight_s",
    "basis_s",
    "unavailable_s",
    "expected_wh",
    "produced_wh",
    "unavailable_wh",
    "curtailed_wh",
    "clipped_wh",
  ] as const;
  return {
    rows: rows.length,
    vectors: [
      { kind: "int32", values: Int32Array.from(rows, ({ day }) => day) },
      { kind: "int32", values: Int32Array.from(rows, ({ sensor_no }) => sensor_no) },
      ...names.map((name) => numbers(rows.map((row) => row[name]))),
    ],
  };
}

function stateChunk(days: readonly InverterDayRow[]): Chunk {
  const rows = days.flatMap(({ day, sensor_no, spans }) =>
    spans.map((span) => ({ day, sensor_no, ...span }))
  );
  const instants = (get: (row: StateSpan) => number) =>
    BigInt64Array.from(rows, (row) => BigInt(get(row)));
  return {
    rows: rows.length,
    vectors: [
      { kind: "int32", values: Int32Array.from(rows, ({ day }) => day) },
      { kind: "int32", values: Int32Array.from(rows, ({ sensor_no }) => sensor_no) },
      { kind: "int64", values: instants(({ from_us }) => from_us) },
      { kind: "int64", values: instants(({ to_us }) => to_us) },
      texts(rows.map(({ state }) => state)),
      texts(rows.map(({ evidence }) => evidence)),
      texts(rows.map(({ detail }) => detail)),
      numbers(rows.map(({ unavailable }) => unavailable)),
    ],
  };
}

function numbers(items: readonly (number | null)[]): Vector {
  const values = Float64Array.from(items, (item) => item ?? 0);
  return { kind: "float64", values, valid: validityOf(items) };
}

function texts(items: readonly (string | null)[]): Vector {
  return {
    kind: "text",
    words: wordsOf(items.map((item) => item ?? "")),
    valid: validityOf(items),
  };
}

function validityOf(items: readonly unknown[]) {
  const valid = noneValid(items.length);
  items.forEach((item, i) => item !== null && setValid(valid, i));
  return valid;
}
