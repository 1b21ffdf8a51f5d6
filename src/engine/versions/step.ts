// Applies a version of a site file at a gateway, and takes it back: each step in one transaction.
import { Fault } from "../../base/fault.ts";
import { checkSiteFile } from "../../model/site/check.ts";
import { sourceText } from "../../model/sources/form.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { awaitedOf } from "../../model/upstream/trial.ts";
import type { PulledVersion } from "../../model/upstream/version.ts";
import type { Connection } from "../../store/connection.ts";
import { readSiteState, type SiteState } from "../../store/site/site.ts";
import { readPulled, storePulled } from "../../store/upstream/version.ts";
import { declaredSite } from "../site/declared.ts";
import { applySite, type SiteParts } from "../site/site.ts";
import type { Sources } from "../sources/sources.ts";
import { digestOf, packFile, unpackFile, unpackOwn } from "../upstream/content.ts";

type StepParts = SiteParts & { readonly sources: Pick<Sources, "factsOf"> };

/** What a site file has of sources, whatever else is in it. */
type FileSources = { readonly sources?: readonly unknown[] };

/**
 * Applies a version, and begins its trial with the same transaction; what does not fit is refused,
 * and nothing of it is applied.
 */
export async function applyVersion(parts: StepParts, row: PulledVersion): Promise<void> {
  try {
    const file = unpackFile(row);
    const checked = checkSiteFile(file);
    const { key } = checked.site;
    if (key !== row.site_key) {
      throw new Fault("invalid", `it was offered for ${row.site_key}, and is of ${key}`);
    }
    const wanted = checked.sources.filter(({ enabled }) => enabled)
      .map((entry) => ({ key: entry.key, definition: sourceText(entry) }));
    await applySite(parts, file, {
      ...{ dry_run: false, remap: row.remap, origin: "centre" },
      also: async ({ connection }, { before, site_no }) => {
        const old = declaredIn(before, row.site_key);
        const rows = await readPulled(connection);
        const in_force = rows.find((it) => isOf(it, row) && it.state === "in_force");
        await changeVersion(connection, row, {
          state: "trying",
          reason: null,
          changed_at: parts.effects.now_us(),
          before: old === undefined ? null : packFile(old).content,
          before_version: in_force?.version ?? null,
          awaited: JSON.stringify(awaitedOf(parts.sources.factsOf(site_no), wanted)),
          starts: 1,
          applied: declaredDigest(await readSiteState(connection), row.site_key) ?? null,
        });
      },
    });
  } catch (error) {
    if (!(error instanceof Fault) || error.code === "unavailable") throw error;
    await setVersion(parts, row, { state: "refused", reason: wordsOf(error) });
  }
}

/** Puts the file back that a version took the place of. What it brought of samples stays. */
export async function rollBackVersion(
  parts: StepParts,
  { row, reason }: { readonly row: PulledVersion; readonly reason: string },
): Promise<void> {
  const file = unpackFile(row) as FileSources;
  const before = row.before === null
    ? { ...file, sources: [] }
    : unpackOwn(row.before) as FileSources;
  const restore = (wanted: unknown, why: string) =>
    applySite(parts, wanted, {
      ...{ dry_run: false, remap: true, origin: "before" },
      also: async ({ connection }) => {
        const changed_at = parts.effects.now_us();
        const rows = await readPulled(connection);
        const earlier = rows.find((it) => isOf(it, row) && it.version === row.before_version);
        if (earlier) await changeVersion(connection, earlier, { state: "in_force", changed_at });
        await changeVersion(connection, row, { state: "rolled_back", reason: why, changed_at });
      },
    });
  try {
    await restore(before, reason);
  } catch (error) {
    if (!(error instanceof Fault) || error.code === "unavailable") throw error;
    // Such as a tag whose samples have another encoding by now: what is read is put back at least.
    const why = `${reason}; only its sources were taken back: ${wordsOf(error)}`;
    await restore({ ...file, sources: before.sources ?? [] }, why);
  }
}

/** The version is in force; the one before it is not. */
export async function keepVersion(parts: StepParts, row: PulledVersion): Promise<void> {
  const changed_at = parts.effects.now_us();
  await parts.database.write(async ({ connection }) => {
    for (const other of await readPulled(connection)) {
      if (!isOf(other, row) || other.state !== "in_force") continue;
      await changeVersion(connection, other, { state: "replaced", changed_at });
    }
    await changeVersion(connection, row, { state: "in_force", changed_at });
  });
}

/** Keeps what became of a version. */
export async function setVersion(
  parts: Pick<StepParts, "database" | "effects">,
  row: PulledVersion,
  change: Partial<PulledVersion>,
): Promise<void> {
  const changed_at = parts.effects.now_us();
  await parts.database.write(({ connection }) =>
    changeVersion(connection, row, { ...change, changed_at })
  );
}

/** Counts a start of the service in which a version is tried. */
export async function countStart(
  parts: Pick<StepParts, "database">,
  row: PulledVersion,
): Promise<void> {
  await parts.database.write(({ connection }) =>
    changeVersion(connection, row, { starts: row.starts + 1 })
  );
}

/** Changes or adds a version of a site; of those that are over, the last ones stay. */
export async function changeVersion(
  connection: Connection,
  row: PulledVersion,
  change: Partial<PulledVersion>,
): Promise<void> {
  const own = (await readPulled(connection)).filter((it) => isOf(it, row));
  const others = own.filter(({ version }) => version !== row.version);
  // Later than every other change, whatever the clock says: the last one is told.
  const least = 1 + Math.max(0, ...own.map(({ changed_at }) => changed_at));
  const reason = change.reason?.slice(0, upstream_limits.reason_length) ?? change.reason;
  const changed = {
    ...{ ...row, ...change },
    ...(reason === undefined ? {} : { reason }),
    ...(change.changed_at === undefined ? {} : { changed_at: Math.max(least, change.changed_at) }),
  };
  const is_over = ({ state }: PulledVersion) => state !== "in_force" && state !== "trying";
  // One that waits gives way to the next.
  const over = others.filter((it) => is_over(it) && it.state !== "pulled").slice(
    -upstream_limits.pulled,
  );
  const kept = others.filter((it) => !is_over(it) || over.includes(it));
  await storePulled(connection, row.site_key, [...kept, changed]);
}

/** A refusal with its first flaws. */
export function wordsOf({ message, flaws }: Fault): string {
  const told = flaws.slice(0, 3).map(({ path, message }) => `${path} ${message}`)
    .filter((text) => !message.includes(text));
  return [message, ...told].join("; ").slice(0, upstream_limits.reason_length);
}

/**
 * The digest of what is declared of a site now; undefined where there is none. Without the encoding
 * of tags: their first value settles it, and nobody has changed anything.
 */
export function declaredDigest(
  { plant, ...state }: SiteState,
  site_key: string,
): string | undefined {
  const tags = plant.tags.map((tag) => ({ ...tag, encoding: null }));
  const file = declaredIn({ ...state, plant: { ...plant, tags } }, site_key);
  return file && digestOf(file);
}

function declaredIn(state: SiteState, site_key: string) {
  const site = state.plant.sites.find(({ key }) => key === site_key);
  return site && declaredSite(state, site);
}

function isOf(a: PulledVersion, b: PulledVersion): boolean {
  return a.site_key === b.site_key;
}
