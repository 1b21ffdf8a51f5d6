// Rules of use: no file or limit without a user, and few files that serve only one other.
import { importsOf } from "../help/source.ts";
import { type HouseRule, importPairs } from "./house.ts";

/** The most files, of a hundred, that exactly one other file may import. */
const one_importer_percent = 25;

export const use_rules: readonly HouseRule[] = [
  {
    name: "every file is reached from main, or from those of the browser",
    find: ({ code, sql }) => {
      const by_path = new Map(code.map((source) => [source.path, source]));
      const reached = new Set(["main.ts", "src/web/main.tsx", "src/web/docs/docs.tsx"]);
      for (const path of reached) {
        const source = by_path.get(path);
        if (source) { for (const target of importsOf(source)) reached.add(target); }
      }
      return [...code, ...sql].map(({ path }) => path).filter((path) => !reached.has(path));
    },
    broken: { "main.ts": "", "src/model/work/a.ts": "" },
  },
  {
    name: "every limit is used",
    find: ({ code }) => {
      const declared = code.filter(({ path }) => path.endsWith("limits.ts"))
        .flatMap(({ path, text }) => {
          const list = /export const (\w*limits) = \{/.exec(text)?.[1];
          return Array.from(text.matchAll(/^ {2}(\w+):/gm), ([, name]) => ({ path, list, name }));
        });
      const used = new Set(
        code.flatMap(({ text }) =>
          Array.from(
            text.matchAll(/\b(\w*limits)\s*\.(\w+)/g),
            ([, list, name]) => `${list}.${name}`,
          )
        ),
      );
      const taken = code.flatMap(({ text }) =>
        Array.from(
          text.matchAll(/\{([^}]*)\} = (\w*limits);/g),
          ([, names, list]) =>
            names.split(",").map((name) => `${list}.${name.split(":")[0].trim()}`),
        )
      ).flat();
      for (const name of taken) used.add(name);
      return declared.filter(({ list, name }) => !used.has(`${list}.${name}`))
        .map(({ path, name }) => `${path}: ${name}`);
    },
    broken: { "src/base/limits.ts": "export const limits = {\n  unused_ms: 1,\n} as const;\n" },
  },
  {
    name: `at most ${one_importer_percent} % of the files serve exactly one other file`,
    find: ({ code }) => {
      const users = new Map<string, number>();
      for (const [, whom] of importPairs(code)) users.set(whom, (users.get(whom) ?? 0) + 1);
      // A component of the screens is a file of its own, however many pages it is on.
      const files = code.filter(({ path }) => /^src\/(?!web\/)/.test(path));
      const single = files.filter(({ path }) => users.get(path) === 1);
      const percent = 100 * single.length / files.length;
      if (percent <= one_importer_percent) return [];
      return [`${single.length} of ${files.length}`, ...single.map(({ path }) => path)];
    },
    broken: {
      "main.ts": 'import { a } from "./src/app.ts";\n',
      "src/app.ts": 'import { b } from "./base/b.ts";\n',
      "src/base/b.ts": "",
    },
  },
];
