// Rules of a file's text: its size, its first line, its names, what it may not say.
import { functionsOf, signaturesOf } from "../help/source.ts";
import { type HouseRule, offences, placeOf } from "./house.ts";

const bare = /: (readonly )?(string|number|bigint|boolean)\b/;

const banned = new RegExp(
  "\\bas any\\b|: any\\b|<any>|^(export )?(const )?enum |^export default |^export \\* |" +
    "@ts-|deno-lint-ignore no-explicit-any",
);

/** Declarations that other files can import. */
const exported =
  /^export (?:async )?(?:abstract )?(?:function\*?|class|const|let|type|interface) (\w+)/gm;

export const text_rules: readonly HouseRule[] = [
  {
    name: "a file has at most 400 lines",
    find: (house) =>
      allOf(house).filter(({ lines }) => lines.length > 400)
        .map(({ path, lines }) => `${path} has ${lines.length}`),
    broken: { "src/model/work/a.ts": "// Long.\n".repeat(401) },
  },
  {
    name: "a line has at most 100 columns",
    find: (house) => offences(allOf(house), (line) => [...line].length > 100 && "is too long"),
    broken: { "src/model/work/a.ts": `// ${"a".repeat(100)}\n` },
  },
  {
    name: "a function has at most 60 lines",
    find: ({ code, tests }) =>
      [...code, ...tests].flatMap((source) =>
        functionsOf(source).filter(({ lines }) => lines > 60)
          .map(({ line, lines, head }) => `${source.path}:${line} ${lines} lines: ${head}`)
      ),
    broken: { "src/model/work/a.ts": `function a() {\n${"  b();\n".repeat(60)}}\n` },
  },
  {
    name: "assertions of tests are the strict ones, and the product has its own",
    find: ({ code, tests }) => [
      ...offences(code, (line) => /["'](node:)?assert\b/.test(line) && "is for tests"),
      ...offences(
        tests.filter(({ path }) => path !== "tests/help/strict.ts"),
        (line) =>
          /^(import|\} from)\b.*["'](node:)?assert["']/.test(line) &&
          "takes 1 for true and -0 for 0",
      ),
    ],
    broken: { "tests/base/a_test.ts": 'import { equal } from "node:assert";\n' },
  },
  {
    name: "a file's first line says its one job",
    find: (house) =>
      allOf(house).filter(({ text }) => !/^((\/\/|--) .+\n)*(\/\/|--) .+[.:]\n/.test(text))
        .map(({ path }) => path),
    broken: { "src/model/work/a.ts": "export const a = 1;\n" },
  },
  {
    name: "names of files are snake_case and say what is inside",
    find: (house) =>
      allOf(house).map(({ path }) => path).filter((path) =>
        !/^[a-z0-9_/]+\.(tsx?|sql)$/.test(path) || /\b(utils?|helpers?|index|mod)\.ts/.test(path)
      ),
    broken: { "src/model/work/utils.ts": "" },
  },
  {
    name: "an exported name stands once on a floor; once in a room where rooms are pages",
    find: ({ code }) => {
      const places = new Map<string, string[]>();
      for (const { path, text } of code) {
        for (const name of new Set(Array.from(text.matchAll(exported), ([, it]) => it))) {
          const { floor, room } = placeOf(path);
          const key = `${floor === "web" ? `web/${room}` : floor}: ${name}`;
          places.set(key, [...places.get(key) ?? [], path]);
        }
      }
      return [...places].filter(([, paths]) => paths.length > 1)
        .map(([name, paths]) => `${name} in ${paths.join(", ")}`);
    },
    broken: {
      "src/model/work/a.ts": "export type Waiting = 1;\n",
      "src/model/rules/a.ts": "export type Waiting = 2;\n",
    },
  },
  {
    name: "exported functions take two arguments and options at most, none a bare boolean",
    find: ({ code }) =>
      code.flatMap((source) =>
        signaturesOf(source).filter(({ exported, params }) =>
          params.length > 3 || (exported && bare.test(params[2] ?? "")) ||
          params.some((param) => /^\w+\??: boolean$/.test(param))
        ).map(({ name, params }) => `${source.path} ${name}(${params.join(", ")})`)
      ),
    broken: { "src/model/work/a.ts": "export function a(b: boolean) {}\n" },
  },
  {
    name: "no any, enum, default export, barrel, or suppressed check",
    find: ({ code }) => offences(code, (line) => banned.exec(line)?.[0]),
    broken: { "src/model/work/a.ts": "export default 1;\n" },
  },
  {
    name: "every exported function and class has a sentence",
    find: ({ code }) =>
      offences(code, (line, { lines }) => {
        const declared = /^export (?:async )?(?:function\*?|class) (\w+)/.exec(line)?.[1];
        return declared && !lines[lines.indexOf(line) - 1]?.endsWith("*/") && declared;
      }),
    broken: { "src/model/work/a.ts": "export function a() {}\n" },
  },
];

function allOf({ code, tests, sql }: Parameters<HouseRule["find"]>[0]) {
  return [...code, ...tests, ...sql];
}
