// Settings while they are written: texts of fields, tags and what is left out.
import type { Check, Column, Setting, Settings } from "./store.ts";

/** What stands in the fields, and what is said of columns by their names. */
export type Draft = {
  readonly texts: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string | false>>;
};

/** A column to take or to leave. */
export type ColumnRow = Column & { readonly is_taken: boolean };

/** The draft of settings: a list's values stand one a line. */
export function draftOf({ tags = {}, ...own }: Settings): Draft {
  const texts = Object.entries(own).map(([name, value]) => [name, textOf(value)]);
  return { texts: Object.fromEntries(texts), tags };
}

/** The settings of a draft; what is empty is left out. */
export function settingsOf({ texts, tags }: Draft, known: readonly Setting[]): Settings {
  const said = Object.entries(texts).filter(([, text]) => text !== "").map(([name, text]) => {
    const { kind } = known.find((it) => it.name === name) ?? { kind: "text" };
    return [name, kind === "list" ? linesOf(text) : kind === "count" ? Number(text) : text];
  });
  return { ...Object.fromEntries(said), ...Object.keys(tags).length > 0 ? { tags } : {} };
}

/** Whether a draft says other settings. */
export function isChanged(draft: Draft, settings: Settings, known: readonly Setting[]): boolean {
  const plain = (draft: Draft) =>
    JSON.stringify(
      [settingsOf(draft, known)],
      (_, value) =>
        value?.constructor === Object
          ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1))
          : value,
    );
  return plain(draft) !== plain(draftOf(settings));
}

/** What was found of a setting, as a field would say it. */
export function foundText({ proposed, time }: Pick<Check, "proposed" | "time">, name: string) {
  const value = proposed[name] ?? (name === "timezone" ? time?.timezone : undefined);
  return value === undefined || value === null ? "" : textOf(value);
}

/** The columns to take, and behind them those that were left out. */
export function columnRows(
  { columns }: Pick<Check, "columns">,
  { tags }: Draft,
): readonly ColumnRow[] {
  const taken = columns.map((column) => {
    const said = tags[column.name];
    return { ...column, tag: said || column.tag, is_taken: said !== false };
  });
  const names = new Set(columns.map(({ name }) => name));
  const left = Object.entries(tags).filter(([name, tag]) => tag === false && !names.has(name));
  return [
    ...taken,
    ...left.map(([name]) => (
      { name, tag: name, kind: null, unit: null, is_new: false, measures: [], is_taken: false }
    )),
  ];
}

/** The draft with the tag of a column, or without the column. */
export function withTag(
  draft: Draft,
  { name, tag }: { readonly name: string; readonly tag: string | false },
): Draft {
  return { ...draft, tags: { ...draft.tags, [name]: tag } };
}

/** The draft where a column is taken again, under its own name. */
export function taking({ tags, ...draft }: Draft, { name }: Column): Draft {
  const { [name]: _, ...others } = tags;
  return { ...draft, tags: others };
}

/** The draft with one more text that means no value. */
export function withNoValue(draft: Draft, value: number): Draft {
  const lines = linesOf(draft.texts.no_value ?? "");
  const text = [...new Set([...lines, String(value)])].join("\n");
  return { ...draft, texts: { ...draft.texts, no_value: text } };
}

function textOf(value: Settings[string]): string {
  return typeof value === "object" ? value.join("\n") : String(value).replace("\t", "\\t");
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
