// The versions of site files that a centre publishes for gateways, whose sources it never reads.
import { meant } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import { allows, type Grant, reaches } from "../../model/access/token.ts";
import type { Project } from "../../model/plant/plant.ts";
import { checkSiteFile } from "../../model/site/check.ts";
import { type FileDifference, fileDifferences } from "../../model/site/diff.ts";
import type { SiteInput } from "../../model/site/file.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { SiteGateway, SiteOffer } from "../../model/upstream/version.ts";
import type { Connection } from "../../store/connection.ts";
import {
  addVersion,
  assignSite,
  readSiteGateways,
  readVersion,
  readVersionHeads,
  type SiteVersionHead,
  withdrawSite,
} from "../../store/upstream/version.ts";
import type { Access } from "../access/access.ts";
import { applySite, type SiteParts, type SiteReport } from "../site/site.ts";
import { misfit } from "../site/plan.ts";
import { packFile, unpackFile } from "../upstream/content.ts";
import type { Gateways } from "../upstream/gateway.ts";

type PublishedParts = SiteParts & {
  readonly access: Pick<Access, "list">;
  readonly gateways: Gateways;
};

/** How a file is published: for the gateway whose token has a name, or for every one in reach. */
type PublishOptions = {
  readonly grant: Grant;
  readonly dry_run: boolean;
  readonly remap: boolean;
  /** Whether it is a new version although it says the same as the newest. */
  readonly again: boolean;
  readonly gateway: string | null;
};

/** What publishing did: the version, and what of the file is the centre's own. */
export type PublishedSite = SiteReport & {
  readonly version: number | null;
  readonly result: "published" | "unchanged" | "dry_run";
};

/** A version, and whether it is what gateways are offered of its site. */
export type ListedVersion = SiteVersionHead & {
  readonly is_newest: boolean;
  /** Whose gateway reads the site; undefined where none does any more. */
  readonly site: SiteGateway | undefined;
};

/** Publishes, lists, compares; what gateways tell of versions is with the gateways. */
export class PublishedSites {
  readonly #parts: PublishedParts;

  constructor(parts: PublishedParts) {
    this.#parts = parts;
  }

  /**
   * Applies what of a site file is the centre's own, and keeps the file as the next version of its
   * project, in one transaction. Throws the `Fault` of a file that does not fit.
   */
  async publish(file: unknown, options: PublishOptions): Promise<PublishedSite> {
    const { grant, dry_run, remap, again, gateway } = options;
    const site_key = checkSiteFile(file).site.key;
    const packed = packFile(file);
    let version: number | null = null;
    let result: PublishedSite["result"] = "dry_run";
    const report = await applySite(this.#parts, file, {
      ...{ dry_run, remap, grant, origin: "gateway" },
      also: async ({ connection }, { before, site_no, project_no }) => {
        const made = before.plant.sources.find((it) =>
          it.site_no === site_no && it.origin === "api"
        );
        if (made !== undefined) {
          const message = `the source ${made.key} was made by the API and is read here: declare ` +
            "it in the file, and delete it at the centre";
          throw misfit([{ path: "sources", message }]);
        }
        const projects = before.plant.projects;
        this.#requireGateway(gateway, {
          project: projects.find((it) => it.project_no === project_no),
        });
        await assignSite(connection, { project_no, site_key, gateway });
        const heads = (await readVersionHeads(connection)).filter((it) =>
          it.project_no === project_no
        );
        const newest = heads.findLast((it) => it.site_key === site_key);
        const is_same = newest?.digest === packed.digest && newest.remap === remap;
        result = is_same && !again ? "unchanged" : "published";
        version = result === "unchanged" ? newest!.version : 1 + (heads.at(-1)?.version ?? 0);
        if (result === "unchanged") return;
        const published_at = this.#parts.effects.now_us();
        const place = { project_no, version, site_key };
        await addVersion(connection, {
          ...{ ...place, ...packed, remap, author: grant.name, published_at },
        });
      },
    });
    return { ...report, version, result };
  }

  /** Every version that a project keeps, the newest first. */
  async list({ project_no }: Pick<Project, "project_no">): Promise<readonly ListedVersion[]> {
    const { heads, sites } = await this.#parts.database.read(readPublished);
    const own = heads.filter((it) => it.project_no === project_no).toReversed();
    return own.map((head) => ({
      ...head,
      is_newest: own.find((it) => it.site_key === head.site_key) === head,
      site: sites.find((it) => it.site_key === head.site_key),
    }));
  }

  /** The file of a version, as it was published. Throws a `Fault` (not_found). */
  async file(project: Project, version: number): Promise<SiteInput> {
    return unpackFile(await this.content(project, version)) as SiteInput;
  }

  /** The same, packed. Throws a `Fault` (not_found). */
  async content({ project_no, key }: Project, version: number) {
    const found = await this.#parts.database.read((connection) =>
      readVersion(connection, { project_no, version })
    );
    if (found !== undefined) return found;
    const list = `\`wattkeeper gateway site list --project ${key}\` shows those that are kept`;
    throw new Fault("not_found", `the project ${key} has no version ${version}; ${list}`);
  }

  /**
   * What a version changes against another one, by default the one before it of its site. Values
   * are not told. Throws a `Fault` (not_found).
   */
  async compare(
    project: Project,
    { version, against }: { readonly version: number; readonly against: number | undefined },
  ): Promise<{ readonly against: number; readonly changes: readonly FileDifference[] }> {
    const { site_key } = await this.content(project, version);
    const older = (await this.list(project)).find((it) =>
      it.site_key === site_key && it.version < version
    );
    const other = against ?? older?.version;
    if (other === undefined) {
      throw new Fault("not_found", `version ${version} is the first of the site ${site_key}`);
    }
    const [before, after] = [
      await this.file(project, other),
      await this.file(project, version),
    ].map(checkSiteFile);
    return { against: other, changes: fileDifferences(before, after) };
  }

  /** No gateway reads a site from now on; what gateways have, they keep. Throws (not_found). */
  async withdraw({ project_no, key }: Project, site_key: string): Promise<void> {
    await this.#parts.database.write(async ({ connection }) => {
      const sites = (await readSiteGateways(connection))
        .filter((it) => it.project_no === project_no).map((it) => it.site_key);
      if (!sites.includes(site_key)) {
        const hint = meant(site_key, sites);
        throw new Fault("not_found", `no gateway reads a site ${site_key} of ${key}${hint}`);
      }
      await withdrawSite(connection, { site_key });
    });
  }

  /** What a gateway is offered: the newest version of each site that it reads. */
  async offers(grant: Grant, name: string): Promise<readonly SiteOffer[]> {
    const { catalog, gateways, database } = this.#parts;
    const { heads, sites } = await database.read(readPublished);
    return sites.filter(({ gateway }) => gateway === null || gateway === grant.name)
      .flatMap(({ site_key, project_no }) => {
        const project = catalog.projectByNo(project_no);
        const newest = heads.findLast((it) =>
          it.site_key === site_key && it.project_no === project_no
        );
        if (newest === undefined || !project || !reaches(grant, project)) return [];
        const { version, digest, remap, author, published_at } = newest;
        const told = gateways.reportOf(grant, { name, project_id: project.id, site: site_key });
        return [{
          ...{ project_id: project.id, site: site_key, version, digest, remap, author },
          ...{ published_us: published_at, told_us: told?.changed_us ?? null },
        }];
      }).slice(0, upstream_limits.offers);
  }

  /** Throws a `Fault` (invalid) unless it is plain which gateway is to read the site. */
  #requireGateway(
    gateway: string | null,
    { project }: { readonly project: Project | undefined },
  ): void {
    if (project === undefined) return;
    const names = this.#parts.access.list().filter((token) =>
      token.revoked_at === null && token.project_ids !== null &&
      allows({ ...token, token_id: token.id }, "ingest") &&
      reaches({ ...token, token_id: token.id }, project)
    ).map(({ name }) => name);
    if (gateway !== null && !names.includes(gateway)) {
      const message = `there is no gateway ${gateway} for ${project.key}${meant(gateway, names)}`;
      throw new Fault("invalid", message, { flaws: [{ path: "gateway", message }] });
    }
    const heard = new Set(
      this.#parts.gateways.list().filter(({ token_name }) => names.includes(token_name))
        .map(({ token_name }) => token_name),
    );
    if (gateway !== null || heard.size < 2) return;
    const message = `several gateways send to ${project.key}, and each would read the sources: ` +
      `name one of ${[...heard].slice(0, 5).join(", ")}`;
    throw new Fault("invalid", message, { flaws: [{ path: "gateway", message }] });
  }
}

async function readPublished(connection: Connection) {
  return { heads: await readVersionHeads(connection), sites: await readSiteGateways(connection) };
}
