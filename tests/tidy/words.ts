// Rules of the screens' words and classes: what a catalogue or a sheet has, a page uses.
import { importsOf, type Source } from "../help/source.ts";
import type { HouseRule } from "./house.ts";

/** A class as a sheet names it. */
const class_pattern = /\.([a-zA-Z][\w-]*)(?=[^{};]*\{)/g;

/** The files that can say what `path` holds: past other catalogues and the rooms' `say`. */
function speakersOf(path: string, code: readonly Source[]): Source[] {
  return code.filter((source) => importsOf(source).includes(path)).flatMap((source) =>
    /\/words\/en\/|\/say\.ts$/.test(source.path)
      ? [source, ...speakersOf(source.path, code)]
      : [source]
  );
}

/** The keys that some files name, and of those they make, the beginning with its `_`. */
function saidBy(sources: readonly Source[]): Set<string> {
  const said = new Set<string>();
  for (const { text } of sources) {
    for (const [, name] of text.matchAll(/(?:(?<!\.)\.|"|`(?=\w+_\$))(\w+)/g)) said.add(name);
    for (const [, prefix] of text.matchAll(/wordOf\("(\w+)"/g)) said.add(`${prefix}_`);
  }
  return said;
}

export const word_rules: readonly HouseRule[] = [
  {
    name: "every word of a catalogue is said",
    find: ({ code }) => {
      const screens = code.filter(({ path }) => path.startsWith("src/web/"));
      return screens.filter(({ path }) => path.startsWith("src/web/words/en/")).flatMap((it) => {
        const speakers = speakersOf(it.path, screens);
        // Some keys are the words of the model that a page shows.
        const named = new Set(speakers.flatMap(importsOf));
        const model = code.filter(({ path }) => path.startsWith("src/model/") && named.has(path));
        const said = saidBy([...speakers, ...model]);
        const isSaid = (key: string) =>
          said.has(key) ||
          Array.from(key.matchAll(/_/g)).some(({ index }) => said.has(key.slice(0, index + 1)));
        return Array.from(it.text.matchAll(/^ {2}(\w+):/gm), ([, key]) => key)
          .filter((key) => !isSaid(key)).map((key) => `${it.path}: ${key}`);
      });
    },
    broken: {
      "src/web/words/en/work.ts": 'export const work_en = {\n  title: "Work",\n};\n',
      "src/web/work/say.ts": 'import { work_en } from "../words/en/work.ts";\n',
    },
  },
  {
    name: "every class of a style is given to something",
    find: ({ code, css }) => {
      const given = new Set(
        code.filter(({ path }) => path.startsWith("src/web/"))
          .flatMap(({ text }) => text.match(/[a-zA-Z][\w-]*/g) ?? []),
      );
      const isGiven = (name: string) => given.has(name) || given.has(name.replace(/[^-]*$/, ""));
      return css.filter(({ path }) => path.startsWith("src/web/")).flatMap(({ path, text }) =>
        Array.from(text.replaceAll(/\/\*[^]*?\*\//g, "").matchAll(class_pattern), ([, it]) => it)
          .filter((it) => !isGiven(it)).map((it) => `${path}: .${it}`)
      );
    },
    broken: { "src/web/work/work.css": ".work-gone { color: red }" },
  },
];
