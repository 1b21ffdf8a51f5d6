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
