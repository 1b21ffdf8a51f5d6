// What differs between two site files by themselves: items by their keys, and which fields change.
import type { SiteFile } from "./file.ts";

/** One difference between two site files; its values are not told. */
export type FileDifference = {
  readonly action: "create" | "update" | "remove";
  /** The name of its list in the file, or of its table. */
  readonly kind: string;
  readonly key: string;
  /** What an update changes. */
  readonly fields: readonly string[];
};

type Item = Readonly<Record<string, unknown>>;

/** What tells the items of each list apart. */
const keys = {
  blocks: ({ key }) => `${key}`,
  device_models: ({ key }) => `${key}`,
  devices: ({ key }) => `${key}`,
  tags: ({ name }) => `${name}`,
  sensors: ({ tag, device, component, measure }) =>
    `${tag} > ${device ?? component ?? ""} ${measure}`,
  fallbacks: ({ site, tag }) => tag === undefined ? `${site}` : `${site} > ${tag}`,
  retention: ({ lane, tags }) => `${lane} ${tags}`,
  counter_resets: ({ tag, at }) => `${tag} ${at}`,
  rules: ({ key }) => `${key}`,
  sources: ({ key }) => `${key}`,
} satisfies { readonly [List in ListName]: (item: Item) => string };

type ListName = {
  [Name in keyof SiteFile]-?: SiteFile[Name] extends readonly unknown[] ? Name : never;
}[keyof SiteFile];

/** What of `after` is not as in `before`. */
export function fileDifferences(before: SiteFile, after: SiteFile): readonly FileDifference[] {
  const heads = (["organization", "project", "site"] as const).flatMap((kind) => {
    const fields = changed(before[kind], after[kind]);
    const key = after[kind].key;
    return fields.length === 0 ? [] : [{ action: "update" as const, kind, key, fields }];
  });
  const lists = Object.entries(keys).flatMap(([kind, keyOf]) => {
    const [old, wanted] = [before, after].map((file) => {
      const items = file[kind as ListName] as readonly Item[];
      return new Map(items.map((item) => [keyOf(item), item]));
    });
    return listDifferences({ kind, old, wanted });
  });
  return [...heads, ...lists];
}

function listDifferences(
  { kind, old, wanted }: {
    readonly kind: string;
    readonly old: ReadonlyMap<string, Item>;
    readonly wanted: ReadonlyMap<string, Item>;
  },
): readonly FileDifference[] {
  const put = Array.from(wanted, ([key, item]) => {
    const known = old.get(key);
    if (known === undefined) return [{ action: "create" as const, kind, key, fields: [] }];
    const fields = changed(known, item);
    return fields.length === 0 ? [] : [{ action: "update" as const, kind, key, fields }];
  }).flat();
  const gone = [...old.keys()].filter((key) => !wanted.has(key));
  return [
    ...put,
    ...gone.map((key) => ({ action: "remove" as const, kind, key, fields: [] })),
  ];
}

function changed(before: Item, after: Item): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
