// Words of rules in the reader's language.
import { devices } from "../frame/plant.ts";
import type { Definition } from "./draft.ts";
import { wordIn } from "../frame/words.ts";
import { say } from "./say.ts";

/** A word that the catalogue may have under a prefix; as it is where it has not. */
export function wordOf(prefix: string, word: string): string {
  return wordIn(say(), `${prefix}_${word}`) ?? word.replaceAll("_", " ");
}

/** What a rule watches. */
export function watchText({ tag, measure, component, device, device_model }: Definition): string {
  const what = typeof tag === "string"
    ? tag
    : typeof measure === "string"
    ? measure.replaceAll("_", " ")
    : say().event_words;
  const name = devices.value.find(({ key }) => key === device)?.name ?? device;
  const of = [name, component, device_model].filter((it) => typeof it === "string");
  return of.length === 0 ? what : `${what} · ${of.join(", ").replaceAll("_", " ")}`;
}
