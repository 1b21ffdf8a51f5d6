// Keeps versions of site files: those that a centre publishes, and those that a gateway pulled.
import { omit } from "../../model/data/row.ts";
import {
  pulled_version_table,
  type PulledVersion,
  site_gateway_table,
  site_version_table,
  type SiteGateway,
  type SiteVersion,
} from "../../model/upstream/version.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const versions = table("site_version", site_version_table);

const head_columns = omit(site_version_table, "content");

/** A version without its content. */
export type SiteVersionHead = Omit<SiteVersion, "content">;

const versions_list = statement({
  sql: "SELECT {row} FROM site_version ORDER BY project_no, version",
  row: head_columns,
});

/** Every version of every project, the oldest first. */
export function readVersionHeads(connection: Connection): Promise<SiteVersionHead[]> {
  return connection.rows(versions_list);
}

const version_find = statement({
  sql: "SELECT {row} FROM site_version WHERE project_no = $project_no AND version = $version",
  parameters: { project_no: "int32", version: "int32" },
  row: site_version_table,
});

/** A version whole; undefined for none. */
export async function readVersion(
  connection: Connection,
  place: Pick<SiteVersion, "project_no" | "version">,
): Promise<SiteVersion | undefined> {
  const [found] = await connection.rows(version_find, place);
  return found;
}

const versions_drop = statement({
  sql: `
    DELETE FROM site_version
    WHERE project_no = $project_no AND version <= $last AND version NOT IN (
      SELECT max(version) FROM site_version WHERE project_no = $project_no GROUP BY site_key)`,
  parameters: { project_no: "int32", last: "int32" },
});

/** Keeps a version, and of those before it the newest of each site and the last ones. */
export async function addVersion(connection: Connection, version: SiteVersion): Promise<void> {
  await appendRows(connection, versions, [version]);
  const last = version.version - upstream_limits.versions;
  await connection.run(versions_drop, { project_no: version.project_no, last });
}

const gateways = table("site_gateway", site_gateway_table);

const gateways_list = statement({
  sql: "SELECT {row} FROM site_gateway ORDER BY project_no, site_key",
  row: site_gateway_table,
});

/** The sites whose sources gateways read. */
export function readSiteGateways(connection: Connection): Promise<SiteGateway[]> {
  return connection.rows(gateways_list);
}

const gateway_delete = statement({
  sql: "DELETE FROM site_gateway WHERE site_key = $site_key",
  parameters: { site_key: "text" },
});

/** Leaves the reading of a site's sources to gateways. */
export async function assignSite(connection: Connection, site: SiteGateway): Promise<void> {
  await withdrawSite(connection, site);
  await appendRows(connection, gateways, [site]);
}

/** No gateway reads the sources of a site from now on. */
export async function withdrawSite(
  connection: Connection,
  { site_key }: Pick<SiteGateway, "site_key">,
): Promise<void> {
  await connection.run(gateway_delete, { site_key });
}

const pulled = table("pulled_version", pulled_version_table);

const pulled_list = statement({
  sql: "SELECT {row} FROM pulled_version ORDER BY site_key, changed_at, version",
  row: pulled_version_table,
});

/** What a gateway has pulled, by site, the last change last. */
export function readPulled(connection: Connection): Promise<PulledVersion[]> {
  return connection.rows(pulled_list);
}

const pulled_sites_list = statement({
  sql: "SELECT DISTINCT site_key FROM pulled_version ORDER BY site_key",
  row: { site_key: "text" },
});

/** The sites that a gateway's centre publishes. */
export async function listPulledSites(connection: Connection): Promise<readonly string[]> {
  const rows = await connection.rows(pulled_sites_list);
  return rows.map(({ site_key }) => site_key);
}

const pulled_delete = statement({
  sql: "DELETE FROM pulled_version WHERE site_key = $site_key",
  parameters: { site_key: "text" },
});

/** Keeps the versions of a site in place of those before. */
export async function storePulled(
  connection: Connection,
  site_key: string,
  kept: readonly PulledVersion[],
): Promise<void> {
  await connection.run(pulled_delete, { site_key });
  await appendRows(connection, pulled, kept);
}
