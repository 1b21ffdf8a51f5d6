// Finds curves by what a person types of their names.

/** Something to add to a view. */
export type Entry = {
  readonly words: readonly string[];
  readonly title: string;
  readonly detail: string;
};

/**
 * The first `most` entries in which every part of the query stands, those that begin with it first;
 * and in how many it does.
 */
export function found(
  entries: readonly Entry[],
  { query, most }: { readonly query: string; readonly most: number },
): { readonly hits: readonly Entry[]; readonly count: number } {
  // "Inverters" means each inverter.
  const parts = plain(query).split(/\s+/).filter(Boolean).map((it) => it.replace(/(?<=...)s$/, ""));
  const all = entries.flatMap((entry, i) => {
    const text = plain(`${entry.title} ${entry.detail}`);
    if (!parts.every((part) => text.includes(part))) return [];
    const starts = parts.filter((part) => ` ${text}`.includes(` ${part}`)).length;
    return [{ entry, i, starts }];
  });
  all.sort((a, b) => b.starts - a.starts || a.i - b.i);
  return { hits: all.slice(0, most).map(({ entry }) => entry), count: all.length };
}

/** Without accents and capitals. */
function plain(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
