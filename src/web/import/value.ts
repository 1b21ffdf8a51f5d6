// Words and numbers of files that are imported.
import { isBusy } from "../../model/samples/import.ts";
import { numberText, percentText, scaledText } from "../frame/number.ts";
import { wordIn } from "../frame/words.ts";
import { say } from "./say.ts";
import type { ImportedFile } from "./store.ts";

/** What is with a file, and how far it is. */
export function stateText({ state, percent }: Pick<ImportedFile, "state" | "percent">): string {
  const text = say()[`state_${state}`];
  return isBusy(state) && state !== "waiting" ? `${text}, ${percentText(percent / 100, 0)}` : text;
}

/** Why a file was refused, failed or was cancelled; in the reader's language where it can be. */
export function detailText(
  { detail, refusal }: Pick<ImportedFile, "detail" | "refusal">,
): string | null {
  const text = refusal && wordOf("refused", refusal.name);
  return text?.replaceAll(/\{(\w+)\}/g, (_, key) => refusal!.values[key] ?? "") ?? detail;
}

function wordOf(prefix: string, name: string): string | undefined {
  return wordIn(say(), `${prefix}_${name}`);
}

const sizes = [["GiB", 1024 ** 3], ["MiB", 1024 ** 2], ["KiB", 1024]] as const;

/** The size of a file. */
export function sizeText(bytes: number): string {
  const [unit, divisor] = sizes.find(([, divisor]) => bytes >= divisor) ?? [];
  if (divisor === undefined) return `${numberText(bytes)}\u202fB`;
  return `${scaledText(bytes, { unit, divisor })}\u202f${unit}`;
}
