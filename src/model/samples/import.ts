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
