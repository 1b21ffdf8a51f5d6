// The days of inverters: which are to be computed, and how what is computed is stored.
import day_change_sql from "./inverter_day_change.sql" with { type: "text" };
import day_insert_sql from "./inverter_day_insert.sql" with { type: "text" };
import day_update_sql from "./inverter_day_update.sql" with { type: "text" };
import loss_change_sql from "./inverter_loss_change.sql" with { type: "text" };
import site_mark_sql from "./inverter_site_mark.sql" with { type: "text" };
import stale_delete_sql from "./inverter_stale_delete.sql" with { type: "text" };
import state_change_sql from "./inverter_state_change.sql" with { type: "text" };
import state_merge_sql from "./inverter_state_merge.sql" with { type: "text" };
import { type DaySums, evidences, type StateSpan } from "../../model/availability/availability.ts";
import { loss_evidences, loss_parts, type LossSpan } from "../../model/availability/loss.ts";
import type { DayEnergy } from "../../model/availability/loss_energy.ts";
import { state_names } from "../../model/availability/timeline.ts";
import { oneOf } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import type { Database, Write } from "../database.ts";
import { runAll, statement } from "../statement.ts";
import { appendRows, table, workTable } from "../table.ts";

/** A local day of a site that is to be computed, and how often it was marked so far. */
export type StaleDay = { readonly site_no: number; readonly day: number; readonly marks: number };

/** Local days, both ends included. */
export type DayRange = { readonly from_day: number; readonly to_day: number };

/** One inverter's local day as it was computed. */
export type InverterDayRow = DaySums & DayEnergy & {
  readonly day: number;
  readonly sensor_no: number;
  readonly spans: readonly StateSpan[];
  readonly lost: readonly LossSpan[];
};

/** Local days of sites whose inverters' states must be computed again. */
table("inverter_stale", {
  site_no: "int32",
  day: "int32",
});

/** Inverters' days: seconds of daylight, with a basis and unavailable, then energy. */
const day_table = table("inverter_day", {
  day: "int32",
  sensor_no: "int32",
  daylight_s: "float64",
  basis_s: "float64",
  unavailable_s: "float64",
  expected_wh: "float64?",
  produced_wh: "float64?",
  unavailable_wh: "float64?",
  curtailed_wh: "float64?",
  clipped_wh: "float64?",
  grid_wh: "float64?",
  dc_wh: "float64?",
  derate_wh: "float64?",
  snow_wh: "float64?",
  soiling_wh: "float64?",
  unmeasured_wh: "float64?",
});

/** The states of inverters over their daylight. */
const state_table = table("inverter_state", {
  day: "int32",
  sensor_no: "int32",
  from_us: "instant",
  to_us: "instant",
  state: oneOf(state_names),
  evidence: oneOf(evidences),
  detail: "text?",
  /** How much of the span counts as unavailable, 0 to 1; null where the state is unknown. */
  unavailable: "float64?",
});

/** Where the energy of inverters went, with what tells of it. */
const loss_table = table("inverter_loss", {
  day: "int32",
  sensor_no: "int32",
  from_us: "instant",
  to_us: "instant",
  part: oneOf(loss_parts),
  energy_wh: "float64",
  evidence: oneOf([...evidences, ...loss_evidences]),
  detail: "text?",
});

const fresh_days = workTable("inverter_fresh_day", day_table.columns);
const fresh_states = workTable("inverter_fresh_state", state_table.columns);
const fresh_losses = workTable("inverter_fresh_loss", loss_table.columns);

/** A connection of one's own for computing availability. Close it at the end. */
export async function openAvailabilitySession(database: Database): Promise<Connection> {
  const session = await database.session();
  await runAll(session, [fresh_days, fresh_states, fresh_losses].map(({ make }) => make));
  return session;
}

/** Marks some days of a site. */
const range_mark = statement({
  sql: `
    INSERT INTO inverter_stale (site_no, day)
    SELECT site_no, unnest(range(from_day, to_day + 1))::INTEGER AS day
    FROM (
      SELECT $site_no::INTEGER AS site_no, $from_day::INTEGER AS from_day,
        $to_day::INTEGER AS to_day
    )
    ORDER BY day`,
  parameters: { site_no: "int32", from_day: "int32", to_day: "int32" },
});

/** Marks days of a site whose inverters are to be computed again. */
export function markInverterRange(
  write: Write,
  range: DayRange & { readonly site_no: number },
): Promise<void> {
  return write.connection.run(range_mark, range);
}

const site_mark = statement({
  sql: site_mark_sql,
  parameters: { site_no: "int32" },
});

/** The same of all its days: after a change of the site, in the transaction that makes it. */
export function markInverterDays(write: Write, site_no: number): Promise<void> {
  return write.connection.run(site_mark, { site_no });
}

/** The marked days of sites, and how often each was marked. */
const stale_list = statement({
  sql: `
    SELECT site_no, day, count(*)::INTEGER AS marks
    FROM inverter_stale
    GROUP BY site_no, day
    ORDER BY site_no, day`,
  row: { site_no: "int32", day: "int32", marks: "int32" },
});

/** All marks, by site and day. */
export function listStaleDays(connection: Connection): Promise<StaleDay[]> {
  return connection.rows(stale_list);
}

const judged_list = statement({
  sql: `
    SELECT DISTINCT project_no, day
    FROM inverter_stale JOIN site USING (site_no)
    WHERE day BETWEEN $from_day AND $to_day
      AND project_no IN (SELECT unnest($project_nos::INTEGER[]))
    ORDER BY project_no, day`,
  parameters: { project_nos: "int32[]", from_day: "int32", to_day: "int32" },
  row: { project_no: "int32", day: "int32" },
});

/** The marked local days of some projects. */
export function listJudgedDays(
  connection: Connection,
  query: DayRange & { readonly project_nos: readonly number[] },
) {
  return connection.rows(judged_list, query);
}

/** The last day of each site on which its inverters have states. */
const last_list = statement({
  sql: `
    SELECT s.site_no, max(d.day) AS day
    FROM inverter_day AS d
    JOIN sensor AS s USING (sensor_no)
    GROUP BY s.site_no
    ORDER BY s.site_no`,
  row: { site_no: "int32", day: "int32" },
});

/** The last day of each site that has states. */
export function listLastDays(connection: Connection): Promise<{ site_no: number; day: number }[]> {
  return connection.rows(last_list);
}

/** The days of a range on which some of the inverters have states. */
const day_known = statement({
  sql: `
    SELECT DISTINCT day
    FROM inverter_day
    WHERE day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
      AND sensor_no IN (SELECT unnest($sensors::INTEGER[]))
    ORDER BY day`,
  parameters: { from_day: "int32", to_day: "int32", sensors: "int32[]" },
  row: { day: "int32" },
});

/** The days of a range on which some of the inverters have states. */
export async function knownDays(
  connection: Connection,
  range: DayRange & { readonly sensors: Int32Array },
): Promise<readonly number[]> {
  return (await connection.rows(day_known, range)).map(({ day }) => day);
}

/** What is computed of a site, and the marks that it answers. */
export type Worked = {
  readonly site_no: number;
  /** Every inverter of the site, by the sensor that stands for it. */
  readonly sensors: Int32Array;
  readonly rows: readonly InverterDayRow[];
  readonly taken: readonly StaleDay[];
};

/** Removes the days of sensors that are no more, or that stand for none of a site's inverters. */
const day_forget = statement({
  sql: `
    DELETE FROM inverter_day
    WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor WHERE site_no <> $site_no::INTEGER)
      AND sensor_no NOT IN (SELECT unnest($sensors::INTEGER[]))`,
  parameters: { site_no: "int32", sensors: "int32[]" },
});

/** Stores new days of inverters, in the order in which the changes lie. */
const day_insert = statement({ sql: day_insert_sql });

const day_update = statement({
  sql: day_update_sql,
  parameters: { from_day: "int32", to_day: "int32" },
});

const stale_delete = statement({
  sql: stale_delete_sql,
  parameters: { site_no: "int32", days: "int32[]", marks: "int32[]" },
});

/** Removes the states of sensors that are no more, or that stand for none of a site's inverters. */
const state_forget = statement({
  sql: `
    DELETE FROM inverter_state
    WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor WHERE site_no <> $site_no::INTEGER)
      AND sensor_no NOT IN (SELECT unnest($sensors::INTEGER[]))`,
  parameters: { site_no: "int32", sensors: "int32[]" },
});

/** Stores new states, in the order in which the changes lie. */
const state_insert = statement({
  sql: `
    INSERT INTO inverter_state (
      day, sensor_no, from_us, to_us, state, evidence, detail, unavailable
    )
    SELECT day, sensor_no, from_us, to_us, state, evidence, detail, unavailable
    FROM inverter_state_change
    WHERE op = 'insert'`,
});

/** Removes what is known of days of which other losses are. */
const loss_delete = statement({
  sql: `
    DELETE FROM inverter_loss
    WHERE day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
      AND (day, sensor_no) IN (SELECT (day, sensor_no) FROM inverter_loss_day)`,
  parameters: { from_day: "int32", to_day: "int32" },
});

/** Removes the losses of sensors that are no more, or that stand for none of a site's inverters. */
const loss_forget = statement({
  sql: `
    DELETE FROM inverter_loss
    WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor WHERE site_no <> $site_no::INTEGER)
      AND sensor_no NOT IN (SELECT unnest($sensors::INTEGER[]))`,
  parameters: { site_no: "int32", sensors: "int32[]" },
});

const loss_insert = statement({
  sql: `
    INSERT INTO inverter_loss (day, sensor_no, from_us, to_us, part, energy_wh, evidence, detail)
    SELECT day, sensor_no, from_us, to_us, part, energy_wh, evidence, detail
    FROM inverter_fresh_loss
    SEMI JOIN inverter_loss_day USING (day, sensor_no)
    ORDER BY day, sensor_no, from_us, part`,
});

const state_merge = statement({
  sql: state_merge_sql,
  parameters: { from_day: "int32", to_day: "int32" },
});

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
    await connection.run(loss_forget, { site_no, sensors });
    if (found.other_days > 0) await connection.run(day_update, range);
    if (found.fresh_days > 0) await connection.run(day_insert);
    if (found.other_states > 0) await connection.run(state_merge, range);
    if (found.fresh_states > 0) await connection.run(state_insert);
    if (found.other_losses > 0) {
      await connection.run(loss_delete, range);
      await connection.run(loss_insert);
    }
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
  readonly other_losses: number;
};

const no_differences: Differences = {
  fresh_days: 0,
  other_days: 0,
  fresh_states: 0,
  other_states: 0,
  other_losses: 0,
};

/** How many rows differ: new ones, and others. */
const change_count = statement({
  sql: `
    SELECT
      (SELECT count(*) FILTER (fresh) FROM inverter_day_change)::INTEGER AS fresh_days,
      (SELECT count(*) FILTER (NOT fresh) FROM inverter_day_change)::INTEGER AS other_days,
      (SELECT count(*) FILTER (op = 'insert') FROM inverter_state_change)::INTEGER AS fresh_states,
      (SELECT count(*) FILTER (op <> 'insert') FROM inverter_state_change)::INTEGER
        AS other_states,
      (SELECT count(*) FROM inverter_loss_day)::INTEGER AS other_losses`,
  row: {
    fresh_days: "int32",
    other_days: "int32",
    fresh_states: "int32",
    other_states: "int32",
    other_losses: "int32",
  },
});

const day_change = statement({
  sql: day_change_sql,
  parameters: { from_day: "int32", to_day: "int32" },
});

const loss_change = statement({
  sql: loss_change_sql,
  parameters: { from_day: "int32", to_day: "int32" },
});

const state_change = statement({
  sql: state_change_sql,
  parameters: { from_day: "int32", to_day: "int32" },
});

async function differences(
  session: Connection,
  { rows, range }: { readonly rows: readonly InverterDayRow[]; readonly range: DayRange },
): Promise<Differences> {
  await session.run(fresh_days.make);
  await appendRows(session, fresh_days, rows);
  await session.run(fresh_states.make);
  await appendRows(
    session,
    fresh_states,
    rows.flatMap(({ day, sensor_no, spans }) => spans.map((span) => ({ day, sensor_no, ...span }))),
  );
  await session.run(day_change, range);
  await session.run(state_change, range);
  await session.run(fresh_losses.make);
  await appendRows(
    session,
    fresh_losses,
    rows.flatMap(({ day, sensor_no, lost }) => lost.map((span) => ({ day, sensor_no, ...span }))),
  );
  await session.run(loss_change, range);
  const [found] = await session.rows(change_count);
  return found;
}

function rangeOf(rows: readonly InverterDayRow[]) {
  return {
    from_day: rows.reduce((least, { day }) => Math.min(least, day), Infinity),
    to_day: rows.reduce((most, { day }) => Math.max(most, day), -Infinity),
  };
}
