// Brings a database file to this program's version: numbered SQL files, each in one transaction;
// where the file is new, all in one.
import plant from "./migrations/001_plant.sql" with { type: "text" };
import expected from "./migrations/002_expected.sql" with { type: "text" };
import alarm from "./migrations/003_alarm.sql" with { type: "text" };
import work from "./migrations/004_work.sql" with { type: "text" };
import energy from "./migrations/005_energy.sql" with { type: "text" };
import counter from "./migrations/006_counter.sql" with { type: "text" };
import matched from "./migrations/007_matched.sql" with { type: "text" };
import availability from "./migrations/008_availability.sql" with { type: "text" };
import weather from "./migrations/009_weather.sql" with { type: "text" };
import grid from "./migrations/010_grid.sql" with { type: "text" };
import lent from "./migrations/011_lent.sql" with { type: "text" };
import photo from "./migrations/012_photo.sql" with { type: "text" };
import session from "./migrations/013_session.sql" with { type: "text" };
import view from "./migrations/014_view.sql" with { type: "text" };
import report from "./migrations/015_report.sql" with { type: "text" };
import retention from "./migrations/016_retention.sql" with { type: "text" };
import tier from "./migrations/017_tier.sql" with { type: "text" };
import secret from "./migrations/018_secret.sql" with { type: "text" };
import order from "./migrations/019_order.sql" with { type: "text" };
import read_link from "./migrations/020_read_link.sql" with { type: "text" };
import source from "./migrations/021_source.sql" with { type: "text" };
import upstream from "./migrations/022_upstream.sql" with { type: "text" };
import destination from "./migrations/029_destination.sql" with { type: "text" };
import twice from "./migrations/023_twice.sql" with { type: "text" };
import derived_setpoint from "./migrations/026_derived_setpoint.sql" with { type: "text" };
import gateway from "./migrations/027_gateway.sql" with { type: "text" };
import site_version from "./migrations/028_site_version.sql" with { type: "text" };
import work_change from "./migrations/030_work_change.sql" with { type: "text" };
import certificate from "./migrations/031_certificate.sql" with { type: "text" };
import asked_again from "./migrations/032_asked_again.sql" with { type: "text" };
import work_log from "./migrations/033_work_log.sql" with { type: "text" };
import photo_line from "./migrations/034_photo_line.sql" with { type: "text" };
import day_order from "./migrations/035_day_order.sql" with { type: "text" };
import whole_quarter from "./migrations/036_whole_quarter.sql" with { type: "text" };
import whole_gap from "./migrations/037_whole_gap.sql" with { type: "text" };
import { Fault } from "../base/fault.ts";
import type { Connection } from "./connection.ts";
import { keepFacts, readFact } from "./meta.ts";
import { statement } from "./statement.ts";

/** Every migration in order; its number is its place, counted from 1. Append only. */
const migrations: readonly string[] = [
  ...[plant, expected, alarm, work, energy, counter, matched, availability, weather, grid],
  ...[lent, photo, session, view, report, retention, tier, secret, order, read_link],
  ...[source, upstream, destination, twice, derived_setpoint, gateway, site_version],
  ...[work_change, certificate, asked_again, work_log, photo_line, day_order, whole_quarter],
  whole_gap,
];

/** The version of a file that this program has opened; it opens none of a later one. */
export const data_version = migrations.length;

/** From this version on, samples of old days may lie in files. */
export const tier_version = 1 + migrations.indexOf(tier);

/** From the version of a file that holds something to this program's. */
export type Migration = { readonly from: number; readonly to: number };

/** Is told the version after each migration. */
export type OnVersion = (version: number) => void;

type BeforeMigration = (migration: Migration) => Promise<OnVersion>;

/**
 * Applies what the file lacks and gives the version it has then. `before` is called where the file
 * holds something already, and what it gives after each migration. A file of a newer program is
 * refused with a `Fault` (conflict) and left as it is, and so is another program's.
 */
export async function migrate(
  connection: Connection,
  { before }: { readonly before?: BeforeMigration } = {},
): Promise<number> {
  const found = await versionOf(connection);
  if (found > migrations.length) {
    throw new Fault(
      "conflict",
      `the database is of version ${found}, this program knows ${migrations.length}: ` +
        "install the newer program, or restore a backup made by this one",
    );
  }
  if (found === migrations.length) return found;
  if (found === 0) {
    await raise(connection, migrations.length, migrations);
    return migrations.length;
  }
  const onVersion = await before?.({ from: found, to: migrations.length });
  for (let version = found + 1; version <= migrations.length; version++) {
    await raise(connection, version, [migrations[version - 1]]);
    onVersion?.(version);
  }
  return migrations.length;
}

/** Brings a database to a version, in one transaction. */
function raise(
  connection: Connection,
  version: number,
  scripts: readonly string[],
): Promise<void> {
  return connection.transaction(async () => {
    for (const script of scripts) await connection.script(script);
    await keepFacts(connection, { version });
  });
}

/** How many tables there are, and whether ours is among them. */
const tables_count = statement({
  sql: `
    SELECT
      count(*)::INTEGER AS tables,
      count(*) FILTER (table_name = 'meta')::INTEGER AS ours
    FROM duckdb_tables()`,
  row: { tables: "int32", ours: "int32" },
});

/** The version of a database; 0 for an empty one. Throws a `Fault` for another program's. */
export async function versionOf(connection: Connection): Promise<number> {
  const [{ tables, ours }] = await connection.rows(tables_count);
  if (tables === 0) return 0;
  if (ours === 0) throw new Fault("conflict", "the file is another program's database");
  return Number(await readFact(connection, "version") ?? 0);
}
