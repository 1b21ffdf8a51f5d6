// Changes of one source by the API: put and removed, as far as no site file declares it.
import type { Effects } from "../../base/effects.ts";
import { Fault, type Flaw } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import type { Site } from "../../model/plant/plant.ts";
import { parseSourceBody, sourceFlaws, sourceRefusal } from "../../model/sources/check.ts";
import { parseSource, sourceText } from "../../model/sources/form.ts";
import { source_limits } from "../../model/sources/limits.ts";
import type { Source } from "../../model/sources/source.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { type Plant, readPlant } from "../../store/plant/plant.ts";
import { putSources, removeSources } from "../../store/site/site.ts";
import { readSiteGateways } from "../../store/upstream/version.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Follow } from "../rules/follow.ts";

/** What sources are changed on. */
type SourceParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly follow: Follow;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** A source of a site, and the name of the token that it is changed with. */
type SourceTarget = { readonly site: Site; readonly key: string; readonly author: string };

/** What a put did: the source as it stands now, and whether it was there before, or just so. */
type SourcePut = {
  readonly source: Source;
  readonly result: "created" | "updated" | "unchanged";
};

/**
 * Makes a source of a site what `data` says. Throws a `Fault`: invalid with every flaw, or conflict
 * where a site file or another site declares the source.
 */
export async function putSource(
  parts: SourceParts,
  data: unknown,
  { site, key, author }: SourceTarget,
): Promise<SourcePut> {
  const entry = parseSourceBody(data, key);
  const { site_no } = site;
  return await change<SourcePut>(parts, async (connection, plant) => {
    await refuseForGateway(connection, site);
    const old = findOwn(plant, { site, key });
    const definition = sourceText(entry);
    if (old?.definition === definition) return { result: { source: old, result: "unchanged" } };
    const others = plant.sources.filter((it) => it.site_no === site_no && it.key !== key);
    if (others.length >= source_limits.site_sources) {
      throw new Fault("conflict", `the site has ${source_limits.site_sources} sources already`);
    }
    if (old === undefined) refuseTooMany(plant, site);
    const place = {
      devices: plant.devices.filter((it) => it.site_no === site_no).map((it) => it.key),
      others: others.map((it) => parseSource(it.definition)),
      pathOf: () => "",
    };
    const flaws: readonly Flaw[] = sourceFlaws([entry], place);
    if (flaws.length > 0) throw sourceRefusal(flaws);
    const id = old?.id ?? newId(parts.effects);
    const source: Source = { id, site_no, key, origin: "api", definition, author };
    await putSources(connection, [source]);
    return { changed: true, result: { source, result: old ? "updated" : "created" } };
  });
}

/** Throws a `Fault` (conflict) for a site whose sources a gateway reads. */
async function refuseForGateway(connection: Connection, { key }: Site): Promise<void> {
  const gateways = await readSiteGateways(connection);
  if (!gateways.some(({ site_key }) => site_key === key)) return;
  const advice = "declare it in the file and publish that: `wattkeeper gateway site publish`";
  throw new Fault("conflict", `a gateway reads the sources of the site ${key}: ${advice}`);
}

/** Throws a `Fault` (conflict) where an organization can have no more sources. */
function refuseTooMany(plant: Plant, site: Pick<Site, "project_no">): void {
  const flaw = tooManySources(plant, { ...site, more: 1 });
  if (flaw !== undefined) throw new Fault("conflict", flaw);
}

/** Why an organization can't have so many more sources; undefined where it can. */
export function tooManySources(
  { projects, sites, sources }: Pick<Plant, "projects" | "sites" | "sources">,
  { project_no, more }: { readonly project_no: number; readonly more: number },
): string | undefined {
  const ownerOf = (no: number) => projects.find((it) => it.project_no === no)?.organization_id;
  const owner = ownerOf(project_no);
  const own = new Set(
    sites.filter((it) => ownerOf(it.project_no) === owner).map(({ site_no }) => site_no),
  );
  const count = sources.filter(({ site_no }) => own.has(site_no)).length + more;
  if (count <= source_limits.organization_sources) return undefined;
  return `the organization would have ${count} sources, more than ` +
    `${source_limits.organization_sources}`;
}

/**
 * Removes a source of a site; its samples stay. Throws a `Fault`: not_found, or conflict where a
 * site file declares the source.
 */
export async function removeSource(
  parts: SourceParts,
  { site, key }: SourceTarget,
): Promise<Source> {
  return await change<Source>(parts, async (connection, plant) => {
    const source = findOwn(plant, { site, key });
    if (!source) throw new Fault("not_found", `the site ${site.key} has no source ${key}`);
    await removeSources(connection, [source]);
    return { changed: true, result: source };
  });
}

/** The source of a key in a site; throws where it is not for the API to change. */
function findOwn(
  plant: Plant,
  { site, key }: Pick<SourceTarget, "site" | "key">,
): Source | undefined {
  const projects = new Map(plant.sites.map((it) => [it.site_no, it]));
  const source = plant.sources.find((it) =>
    it.key === key && projects.get(it.site_no)!.project_no === site.project_no
  );
  if (source === undefined) return undefined;
  if (source.site_no !== site.site_no) {
    const owner = projects.get(source.site_no)!.key;
    throw new Fault("conflict", `the site ${owner} of the project has a source ${key} already`);
  }
  if (source.origin === "api") return source;
  const where = `the site file of ${site.key} declares the source ${key}`;
  throw new Fault("conflict", `${where}: change it there (PUT /admin/v1/sites/${site.key})`);
}

type Outcome<T> = { readonly changed?: true; readonly result: T };

/** Runs `work` as the only writer, and lets everything follow that looks at sources. */
async function change<T>(
  { database, catalog, follow }: SourceParts,
  work: (connection: Connection, plant: Plant) => Promise<Outcome<T>>,
): Promise<T> {
  const { result, plant, followed } = await database.write(async (write) => {
    const { connection } = write;
    const { changed, result } = await work(connection, await readPlant(connection));
    if (!changed) return { result };
    const plant = await readPlant(connection);
    return { result, plant, followed: await follow(write, plant) };
  });
  if (plant === undefined) return result;
  catalog.replace(plant);
  await followed();
  return result;
}
