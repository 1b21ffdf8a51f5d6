// Topics of a broker as templates: which messages one takes, and the names it gives their levels.
import type { Flaw } from "../../base/fault.ts";
import { source_limits } from "./limits.ts";

/** A topic's template, such as `plant/{device}/{point}`. */
export type TopicTemplate = {
  /** What the broker is asked for: `plant/+/+`. */
  readonly filter: string;
  readonly levels: readonly TopicLevel[];
};

/** A level: a word, any one level, or all that follow; what is named may be used in a tag. */
type TopicLevel =
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "one" | "rest"; readonly name?: string };

/** What was read from a topic or a payload, by name. */
export type TagWords = ReadonlyMap<string, string>;

const name_form = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reads a template, or says what is wrong with it: the end of a sentence about the topic. */
export function parseTopic(text: string): TopicTemplate | string {
  if (text.startsWith("$share/")) {
    return "is a shared subscription, whose messages go to others too: give the topic alone";
  }
  const words = text.split("/");
  if (words.length > source_limits.topic_levels) {
    return `has more than ${source_limits.topic_levels} levels`;
  }
  const levels: TopicLevel[] = [];
  for (const [i, word] of words.entries()) {
    const level = parseLevel(word);
    if (typeof level === "string") return level;
    if (level.kind === "rest" && i < words.length - 1) return `has ${word} before its end`;
    levels.push(level);
  }
  const names = topicNames({ levels });
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) return `has {${twice}} twice`;
  return { filter: levels.map(wordOf).join("/"), levels };
}

function parseLevel(word: string): TopicLevel | string {
  if (word === "+") return { kind: "one" };
  if (word === "#") return { kind: "rest" };
  if (/[+#]/.test(word)) return `has ${word}: + and # stand for whole levels`;
  if (!/[{}]/.test(word)) return { kind: "word", word };
  const [, inner = "", dots] = /^\{([^{}]*?)(\.\.\.)?\}$/.exec(word) ?? [];
  if (!name_form.test(inner)) {
    return `has ${word}: a name stands for a whole level, as {device}, or as {rest...} at the end`;
  }
  return { kind: dots === undefined ? "one" : "rest", name: inner };
}

function wordOf(level: TopicLevel): string {
  if (level.kind === "word") return level.word;
  return level.kind === "one" ? "+" : "#";
}

/** The names that a template gives to levels. */
export function topicNames({ levels }: Pick<TopicTemplate, "levels">): readonly string[] {
  return levels.flatMap((it) => it.kind !== "word" && it.name !== undefined ? [it.name] : []);
}

/** What a topic says by a template's names; undefined where it is not one of the template's. */
export function readTopic({ levels }: TopicTemplate, topic: string): TagWords | undefined {
  const words = topic.split("/");
  const last = levels[levels.length - 1];
  const is_open = last.kind === "rest";
  // A bare # takes the level above it, too; a name has to stand for something.
  const fewest = is_open && last.name === undefined ? levels.length - 1 : levels.length;
  if (words.length < fewest || (!is_open && words.length > levels.length)) return undefined;
  const found = new Map<string, string>();
  for (const [i, level] of levels.entries()) {
    if (level.kind === "word") {
      if (level.word !== words[i]) return undefined;
    } else if (level.name !== undefined) {
      found.set(level.name, level.kind === "one" ? words[i] : words.slice(i).join("/"));
    }
  }
  return found;
}

const placeholder = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names that the template of a tag uses. */
export function tagNames(template: string): readonly string[] {
  return Array.from(template.matchAll(placeholder), ([, name]) => name);
}

/** The name of a tag by its template; a name that is not known stays as it is written. */
export function fillTag(template: string, words: TagWords): string {
  return template.replaceAll(placeholder, (whole, name) => words.get(name) ?? whole);
}

/** Whether a tag can come of a template, each of whose names stands for something. */
export function isFilledBy(template: string, tag: string): boolean {
  const [first, ...words] = template.split(placeholder).filter((_, i) => i % 2 === 0);
  const last = words.pop();
  if (last === undefined) return tag === first;
  let at = tag.startsWith(first) ? first.length : Infinity;
  for (const word of words) {
    const found = tag.indexOf(word, at + 1);
    at = found < 0 ? Infinity : found + word.length;
  }
  return tag.endsWith(last) && tag.length - last.length > at;
}

/** The template of a tag: where it stands, which names it may use, and which it must. */
type TagTemplate = {
  readonly path: string;
  readonly known: readonly string[];
  readonly needed?: readonly string[];
};

/** What is wrong with the template of a tag. */
export function tagTemplateFlaws(
  template: string,
  { path, known, needed = [] }: TagTemplate,
): Flaw[] {
  const used = tagNames(template);
  const strange = used.filter((name) => !known.includes(name));
  const may = known.length === 0
    ? "nothing can be filled in"
    : `there is ${known.map((name) => `{${name}}`).join(", ")}`;
  const unused = needed.filter((name) => !used.includes(name));
  return [
    ...strange.map((name) => ({ path, message: `has {${name}}, but ${may}` })),
    ...unused.map((name) => ({
      path,
      message: `leaves out {${name}}: what differs by it would be one tag. Write {${name}} into ` +
        "it, or + in the topic",
    })),
  ];
}
