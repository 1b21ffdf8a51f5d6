// One answer of what several shards say of a noun that every shard has a part of.
import { compareText } from "../../base/bytes.ts";
import { kept_names } from "../../model/retention/keep.ts";

/** What of the JSON of each shard's answer becomes one, by noun; the home's comes first. */
export const merges = {
  retention: (said: readonly Retention[]) => mergeRetention(said),
  links: (said: readonly Links[]) => ({
    links: said.flatMap(({ links }) => links)
      .toSorted((a, b) => compareText(a.created_at, b.created_at)),
  }),
  gateways: (said: readonly (readonly Gateway[])[]) => mergeGateways(said),
} as const;

/** A noun whose parts are put together. */
export type GatheredNoun = keyof typeof merges;

/** Paths of which every shard has a part, by GET. */
export const gathered: Readonly<Record<string, GatheredNoun>> = {
  "/admin/v1/retention": "retention",
  "/platform/v1/links": "links",
  "/platform/v1/gateways": "gateways",
};

/** One list of what the shards with projects have of it, as the home would give it, by noun. */
export const lists = {
  projects: (said: readonly Projects[]) => ({
    projects: byId(said.flatMap((it) => it.projects), ({ project_id }) => project_id),
  }),
  sites: (said: readonly Sites[]) => ({
    sites: byId(said.flatMap((it) => it.sites), ({ site_id }) => site_id),
  }),
  organizations: (said: readonly Organizations[]) => ({
    organizations: byId(said.flatMap((it) => it.organizations), (it) => it.organization_id)
      .toSorted((a, b) => compareText(a.key, b.key)),
  }),
  session: (said: readonly (Session | null)[]) => mergeSession(said),
} as const;

/** The paths of these lists. */
export const list_paths: Readonly<Record<string, keyof typeof lists>> = {
  "/platform/v1/meta/projects": "projects",
  "/ingest/v1/projects": "projects",
  "/admin/v1/sites": "sites",
  "/admin/v1/organizations": "organizations",
  "/platform/v1/session": "session",
};

type Projects = { readonly projects: readonly { readonly project_id: string }[] };
type Sites = { readonly sites: readonly { readonly site_id: string }[] };
type Organizations = {
  readonly organizations: readonly { readonly organization_id: string; readonly key: string }[];
};
type Session = {
  readonly organization: object | null;
  readonly projects: readonly { readonly id: string }[];
};

/** Each once, in the order in which they were made: identifiers rise. */
function byId<Row>(rows: readonly Row[], idOf: (row: Row) => string): readonly Row[] {
  const by_id = new Map(rows.map((row) => [idOf(row), row]));
  return [...by_id.values()].toSorted((a, b) => compareText(idOf(a), idOf(b)));
}

/** Who is signed in, with what is in reach; null where one shard knows nobody. */
function mergeSession(said: readonly (Session | null)[]): Session | null {
  const known = said.flatMap((it) => it ?? []);
  if (known.length < said.length) return null;
  const [organization = null] = known.flatMap((it) => it.organization ?? []);
  const projects = byId(known.flatMap((it) => it.projects), ({ id }) => id);
  return { ...known[0], organization, projects };
}

type Due = {
  readonly kept: typeof kept_names[number];
  readonly tags: number;
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  readonly bytes: number;
};

type Retention = {
  readonly due: readonly Due[];
  readonly growth: { readonly bytes_per_day: number | null; readonly full_on: string | null };
};

type Links = { readonly links: readonly { readonly created_at: string }[] };

type Gateway = {
  readonly name: string;
  readonly token_name: string;
  readonly sites: readonly object[];
};

/** What goes of all shards, and how all of them grow; the first disk that is full counts. */
function mergeRetention(said: readonly Retention[]): Retention {
  const due = kept_names.flatMap((kept): readonly Due[] => {
    const parts = said.flatMap((it) => it.due).filter((it) => it.kept === kept);
    if (parts.length === 0) return [];
    const sum = (name: "tags" | "rows" | "bytes") => parts.reduce((all, it) => all + it[name], 0);
    const [from] = parts.map((it) => it.from).toSorted();
    const to = parts.map((it) => it.to).toSorted().at(-1)!;
    return [{ kept, tags: sum("tags"), from, to, rows: sum("rows"), bytes: sum("bytes") }];
  });
  const speeds = said.map(({ growth }) => growth.bytes_per_day);
  const [full_on = null] = said.flatMap(({ growth }) => growth.full_on ?? []).toSorted();
  const bytes_per_day = speeds.includes(null)
    ? null
    : speeds.reduce<number>((all, it) => all + it!, 0);
  return { due, growth: { bytes_per_day, full_on } };
}

/** The gateways that the home heard, each with its sites in all shards. */
function mergeGateways([heard, ...others]: readonly (readonly Gateway[])[]) {
  const nameOf = ({ name, token_name }: Gateway) => JSON.stringify([name, token_name]);
  const by_name = Map.groupBy(others.flat(), nameOf);
  return heard.map((gateway) => ({
    ...gateway,
    sites: [gateway, ...by_name.get(nameOf(gateway)) ?? []].flatMap(({ sites }) => sites),
  }));
}

/** A service's state, as `/admin/v1/status` tells it. */
export type Status = {
  readonly not_ready: string | null;
  readonly memory_mb: number;
  readonly broken_files: readonly string[];
  readonly metrics: Readonly<Record<string, Readings>>;
};

type Readings = Readonly<Record<string, number>>;

/** A shard, and its state; undefined where it does not answer. */
type StatusOf = { readonly no: number; readonly status: Status | undefined };

/** Gauges that are no sums: the one that tells most of the fleet. */
const least = /^(disk_free_bytes|disk_full_time_seconds|backup_time_seconds|.*_connected)$/;
const greatest = /^(start_time_seconds|stamps_ahead_seconds|sessions|.*_lag_seconds)$/;
/** Gauges that are known where all shards know them. */
const of_all = /^(backup_time_seconds|database_growth_bytes)$/;

/** The state of all shards as one, the home's first; what is wrong says in which shard. */
export function mergeStatus(all: readonly StatusOf[]): Status {
  const heard = all.flatMap(({ no, status }) => status ? [{ no, status }] : []);
  const [{ status: home }] = heard;
  const refusals = all.flatMap(({ no, status }) => {
    if (status === undefined) return [`shard ${no} does not answer`];
    return status.not_ready === null ? [] : [`shard ${no}: ${status.not_ready}`];
  });
  const names = [...new Set(heard.flatMap(({ status }) => Object.keys(status.metrics)))];
  return {
    ...home,
    not_ready: refusals.join("; ") || null,
    memory_mb: heard.reduce((sum, { status }) => sum + status.memory_mb, 0),
    broken_files: heard.flatMap(({ no, status }) =>
      status.broken_files.map((it) => `shard ${no}: ${it}`)
    ),
    metrics: Object.fromEntries(names.map((name) => [
      name,
      mergeReadings(name, heard.map(({ status }) => status.metrics[name] ?? {})),
    ])),
  };
}

function mergeReadings(name: string, all: readonly Readings[]): Readings {
  const labels = [...new Set(all.flatMap((it) => Object.keys(it)))];
  return Object.fromEntries(labels.flatMap((label) => {
    const values = all.flatMap((it) => it[label] ?? []);
    if (of_all.test(name) && values.length < all.length) return [];
    const value = least.test(name)
      ? Math.min(...values)
      : greatest.test(name)
      ? Math.max(...values)
      : values.reduce((sum, it) => sum + it, 0);
    return [[label, value]];
  }));
}

/**
 * The metrics of several shards as one page: each family once, its samples with the shard as their
 * first label (prometheus.io/docs/instrumenting/exposition_formats).
 */
export function mergeMetrics(
  pages: readonly { readonly shard: number; readonly text: string }[],
): string {
  const families = new Map<string, { readonly about: string[]; readonly samples: string[] }>();
  for (const { shard, text } of pages) {
    let family = { about: [] as string[], samples: [] as string[] };
    let is_new = false;
    for (const line of text.split("\n")) {
      const [, word, name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (word === "HELP" || word === "TYPE" && !families.has(name)) {
        is_new = !families.has(name);
        family = families.get(name) ?? { about: [], samples: [] };
        families.set(name, family);
      }
      if (word !== undefined && is_new) family.about.push(line);
      if (line !== "" && !line.startsWith("#")) family.samples.push(withShard(line, shard));
    }
  }
  const lines = [...families.values()].flatMap(({ about, samples }) => [...about, ...samples]);
  return lines.map((line) => `${line}\n`).join("");
}

function withShard(sample: string, shard: number): string {
  const [, name, labels, rest] = /^([^\s{]+)(?:\{(.*)\})?(\s.*)$/.exec(sample)!;
  return `${name}{shard="${shard}"${labels ? `,${labels}` : ""}}${rest}`;
}
