// The life of a file that is sent to be imported.

/** What can be with a file: those of `isBusy` change by themselves, `sending` by its sender. */
export const import_states = [
  "sending",
  "sent",
  "waiting",
  "checking",
  "checked",
  "importing",
  "imported",
  "refused",
  "failed",
  "cancelled",
] as const;
export type ImportState = typeof import_states[number];

/** Whether something is being done with the file, or will be. */
export function isBusy(state: ImportState): boolean {
  return state === "waiting" || state === "checking" || state === "importing";
}

/** The refusals that have words in every language of the screens, and the values in each. */
export const import_refusals = {
  day_order: ["example"],
  time_unknown: ["example"],
  no_time: [],
  times_paired: ["names"],
  zone_strange: ["mark", "offset", "zone"],
  decimal_mixed: ["example"],
  decimal_unclear: ["example", "one", "other"],
  repeats: ["differing", "rows", "tag", "line"],
  one_column: [],
  no_rows: [],
  no_header: [],
  no_values: [],
  sheets: ["names"],
  parquet: [],
  arrow_file: [],
  archive: [],
  old_sheet: [],
  pdf: [],
  web_page: [],
} as const;
export type ImportRefusal = keyof typeof import_refusals;

/** What a refusal is called with, each of its values. */
export type RefusalValues<Name extends ImportRefusal> = Readonly<
  Record<typeof import_refusals[Name][number], string | number>
>;
