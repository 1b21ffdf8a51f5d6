// The house rules, read from the sources: floors, packages, doors to the world, sizes, names.
import { fail } from "node:assert/strict";
import {
  functionsOf,
  importsOf,
  readSource,
  readSources,
  signaturesOf,
  type Source,
} from "./help/source.ts";

const code = [readSource("main.ts"), ...readSources("src", [".ts"])];
const tests = readSources("tests", [".ts"]);
const sql = readSources("src", [".sql"]);

function none(wrong: readonly string[]): void {
  if (wrong.length > 0) fail(`\n${wrong.join("\n")}`);
}

/** Each place where `rule` finds something wrong, as `path:line what`. */
function offences(
  sources: readonly Source[],
  rule: (line: string, source: Source) => string | false | undefined | null,
): string[] {
  return sources.flatMap((source) =>
    source.lines.flatMap((line, i) => {
      const wrong = rule(line, source);
      return wrong ? [`${source.path}:${i + 1} ${wrong}`] : [];
    })
  );
}

const floors = ["base", "model", "store", "wire", "engine", "http", "app"];

/** The floor that a path stands on; http and cli are one storey, app and main the roof. */
function floorOf(path: string): number {
  const folder = /^src\/(\w+)\//.exec(path)?.[1].replace("cli", "http") ?? "app";
  return floors.indexOf(folder);
}

Deno.test("a file imports from its own floor or a lower one", () => {
  const wrong = code.flatMap((source) =>
    importsOf(source).filter((target) => /^src\/.*\.ts$/.test(target)).filter((target) => {
      const faces = [source.path, target].map((path) => /^src\/(http|cli)\//.exec(path)?.[1]);
      const across = faces[0] && faces[1] && faces[0] !== faces[1];
      return across || floorOf(target) > floorOf(source.path);
    }).map((target) => `${source.path} imports ${target}`)
  );
  none(wrong);
});

const packages: readonly (readonly [RegExp, RegExp])[] = [
  [/^@duckdb\/node-api$/, /^src\/store\//],
  [/^apache-arrow$/, /^src\/wire\//],
  [/^@hono\//, /^src\/http\//],
  [/^marked$/, /^src\/http\//],
  [/^negotiator$/, /^src\/(wire|http)\//],
  [/^prom-client$/, /^src\/http\//],
  [/^zod$/, /^src\/(model|store|wire|engine|http|cli)\//],
  [/^suncalc$/, /^src\/(model|engine)\//],
  [/^node-opcua-status-code$/, /^src\/model\//],
  [/^@logtape\/logtape$/, /^src\/engine\//],
  [/^(commander|cli-progress|@bomb\.sh\/tab\/commander)$/, /^src\/cli\//],
  [/^ipaddr\.js$/, /^src\/model\/webhooks\/address\.ts$/],
  [/^(undici|node:dns\/promises)$/, /^src\/base\/effects_(post|line)\.ts$/],
  [/^smol-toml$/, /^src\/(model|engine|cli|http)\//],
  [/^node:crypto$/, /^src\/model\/webhooks\/signature(_key)?\.ts$/],
  [/^node:(fs\/promises|os|zlib|stream)$/, /^src\//],
  [/^node:timers$/, /^src\/base\/effects\.ts$/],
];

Deno.test("a package is imported only on its floor", () => {
  const wrong = code.flatMap((source) =>
    importsOf(source)
      .filter((target) => !/\.(ts|sql|toml|json|csv|css|md)$/.test(target))
      .filter((name) => !packages.some(([known, at]) => known.test(name) && at.test(source.path)))
      .map((name) => `${source.path} imports ${name}`)
  );
  none(wrong);
});

const doors: readonly (readonly [RegExp, RegExp])[] = [
  [/\bDate\.now\(|new Date\(\)|Temporal\.Now|performance\.now\(/, /^src\/base\/effects/],
  [/\bset(Timeout|Interval)\(|Math\.random\(|getRandomValues|randomUUID/, /^src\/base\/effects/],
  [/\bconsole\.|Deno\.(env|stdin|stdout|stderr)\b/, /^src\/base\/effects/],
  [/\bDeno\.serve\(/, /^src\/cli\/(service\/serve|webhooks\/listen)\.ts/],
  [/\bDeno\.(addSignalListener|removeSignalListener)\(/, /^src\/cli\/service\/serve/],
  [/\bDeno\.exit\(/, /^(main|src\/cli\/service\/serve)/],
  [/(?<![.\w#])fetch\(/, /^src\/base\/effects/],
  [/\bDeno\.(connect|listen|Command)\b/, /^$/],
];

Deno.test("clock, chance, timers, environment, console and network have one door each", () => {
  const wrong = offences(code, (line, { path }) => {
    if (/^\s*(\/\/|\*|\/\*)/.test(line) || /^\s+(readonly )?fetch\(/.test(line)) return;
    return doors.find(([call, at]) => call.test(line) && !at.test(path))?.[0].exec(line)?.[0];
  });
  none(wrong);
});

Deno.test("files are at most 400 lines, lines 100 columns, functions 60 lines", () => {
  const all = [...code, ...tests, ...sql];
  const long_files = all.filter(({ lines }) => lines.length > 400).map(({ path }) => path);
  const long_lines = offences(all, (line) => [...line].length > 100 && "is too long");
  const long_functions = [...code, ...tests].flatMap((source) =>
    functionsOf(source).filter(({ lines }) => lines > 60)
      .map(({ line, lines, head }) => `${source.path}:${line} ${lines} lines: ${head}`)
  );
  none([...long_files, ...long_lines, ...long_functions]);
});

Deno.test("a file's first line says its one job", () => {
  const wrong = [...code, ...tests, ...sql]
    .filter(({ text }) => !/^((\/\/|--) .+\n)*(\/\/|--) .+[.:]\n/.test(text))
    .map(({ path }) => path);
  none(wrong);
});

Deno.test("names of files are snake_case and say what is inside", () => {
  const wrong = [...code, ...tests, ...sql].map(({ path }) => path)
    .filter((path) =>
      !/^[a-z0-9_/]+\.(ts|sql)$/.test(path) || /\b(utils?|helpers?|index|mod)\.ts/.test(path)
    );
  none(wrong);
});

Deno.test("every file is reached from main, every limit is used", () => {
  const by_path = new Map(code.map((source) => [source.path, source]));
  const reached = new Set(["main.ts"]);
  for (const path of reached) {
    const source = by_path.get(path);
    if (source) { for (const target of importsOf(source)) reached.add(target); }
  }
  const dead = [...code, ...sql].map(({ path }) => path).filter((path) => !reached.has(path));
  const unused = Object.keys(limits).filter((name) =>
    !code.some(({ text }) => new RegExp(`limits\\.${name}\\b`).test(text))
  );
  none([...dead, ...unused]);
});

const bare = /: (readonly )?(string|number|bigint|boolean)\b/;

Deno.test("exported functions take two arguments and options at most, none a bare boolean", () => {
  const wrong = code.flatMap((source) =>
    signaturesOf(source).filter(({ exported, params }) =>
      params.length > 3 || (exported && bare.test(params[2] ?? "")) ||
      params.some((param) => /^\w+\??: boolean$/.test(param))
    ).map(({ name, params }) => `${source.path} ${name}(${params.join(", ")})`)
  );
  none(wrong);
});

Deno.test("no any, enum, default export, barrel, or suppressed check", () => {
  const banned = new RegExp(
    "\\bas any\\b|: any\\b|<any>|^(export )?(const )?enum |^export default |^export \\* |" +
      "@ts-|deno-lint-ignore no-explicit-any",
  );
  none(offences(code, (line) => banned.exec(line)?.[0]));
});

Deno.test("every exported function and class has a sentence", () => {
  const wrong = offences(code, (line, { lines }) => {
    const declared = /^export (?:async )?(?:function\*?|class) (\w+)/.exec(line)?.[1];
    return declared && !lines[lines.indexOf(line) - 1].endsWith("*/") && declared;
  });
  none(wrong);
});

Deno.test("a statement stands whole in its file or line, never glued", () => {
  const glued = /`[^`]*\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ATTACH|COPY)\b[^`]*\$\{/;
  // ATTACH and COPY FROM DATABASE take names, never parameters.
  const names_only = "src/store/backup.ts";
  none(offences(code, (line, { path }) => path !== names_only && glued.exec(line)?.[1]));
  const several = sql.filter(({ path }) => !path.includes("/migrations/"))
    .filter(({ text }) =>
      text.replaceAll(/--.*|'[^']*'/g, "").trim().replace(/;$/, "").includes(";")
    );
  none(several.map(({ path }) => path));
});

Deno.test("SQL keywords are upper case", () => {
  const words = "select|from|where|group by|order by|insert into|with|join|on|as|and|or|union all";
  const keyword = new RegExp(`(?<![\\w".$])(${words})(?![\\w"(])`);
  const wrong = offences(
    sql,
    (line) => keyword.exec(line.replace(/--.*/, "").replaceAll(/'[^']*'/g, ""))?.[0],
  );
  none(wrong);
});
