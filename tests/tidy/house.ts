// The house as its tidy rules see it: its sources, who imports whom, and where each file stands.
import { importsOf, readSource, readSources, type Source, sourceOf } from "../help/source.ts";

/** The sources of the product, its tests and its statements. */
export type House = {
  readonly code: readonly Source[];
  readonly tests: readonly Source[];
  readonly sql: readonly Source[];
  readonly css: readonly Source[];
};

/** A rule of the house: what it finds wrong, and files that break it. */
export type HouseRule = {
  readonly name: string;
  /** Each fault as text, with its place. */
  readonly find: (house: House) => readonly string[];
  /** The smallest files, text by path, in which the rule finds something. */
  readonly broken: Readonly<Record<string, string>>;
};

/** The project as it stands. */
export function readHouse(): House {
  return {
    code: [
      readSource("main.ts"),
      readSource("one_query.ts"),
      ...readSources("src", [".ts", ".tsx"]),
    ],
    tests: readSources("tests", [".ts"]),
    sql: readSources("src", [".sql"]),
    css: readSources("src", [".css"]),
  };
}

/** A house of some files, text by path. */
export function houseOf(files: Readonly<Record<string, string>>): House {
  const sources = Object.entries(files).map(([path, text]) => sourceOf(path, text));
  return {
    code: sources.filter(({ path }) => /^(src\/.*|main)\.tsx?$/.test(path)),
    tests: sources.filter(({ path }) => /^tests\/.*\.ts$/.test(path)),
    sql: sources.filter(({ path }) => path.endsWith(".sql")),
    css: sources.filter(({ path }) => path.endsWith(".css")),
  };
}

/** Where a file of `src` stands: its floor and its room there, `·` for the floor's own files. */
export function placeOf(path: string): { readonly floor: string; readonly room: string } {
  const [, floor, room] = /^src\/(\w+)\/(?:(\w+)\/)?/.exec(path) ?? [];
  return { floor: floor ?? "app", room: room ?? "·" };
}

/** Each import of a file of ours by another: `[who, whom]`. */
export function importPairs(sources: readonly Source[]): (readonly [string, string])[] {
  return sources.flatMap((source) =>
    [...new Set(importsOf(source))].filter((target) => target.startsWith("src/"))
      .map((target) => [source.path, target] as const)
  );
}

/** Each place where `rule` finds something wrong, as `path:line what`. */
export function offences(
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
