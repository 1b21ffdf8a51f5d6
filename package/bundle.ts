// Bundles the program's code for its compiled form: what a start needs is one script.
import { builtinModules } from "node:module";
import { build, type BuildOptions, type Metafile, stop } from "esbuild";

/** The project's folder. */
export const root = new URL("../", import.meta.url).pathname;

/** Beside the script: what V8 compiled of it. */
export const compiled_name = "start.compiled";

/** The runtime's own modules, which some packages name without saying so. */
const builtins = Object.fromEntries(
  builtinModules.filter((name) => /^[a-z]\w*$/.test(name)).map((name) => [name, `node:${name}`]),
);

/** A way to lock files that @ster5/global-mutex uses only where it is installed. */
const not_there = "proper-lockfile";

const common = {
  bundle: true,
  platform: "node",
  target: "esnext",
  // The runtime keeps the code as it is read: 4 MB less. Lines stay short: messages name them.
  minifyWhitespace: true,
  lineLimit: 200,
  logLevel: "warning",
} as const;

/** What is made of the sources: files that load others of them when they need these. */
const of_sources = {
  ...common,
  absWorkingDir: root,
  splitting: true,
  format: "esm" as const,
  loader: {
    ...{ ".sql": "text", ".md": "text", ".toml": "text", ".service": "text", ".conf": "text" },
  },
  external: [not_there],
  alias: { "@hono/hono": "hono", ...builtins },
  // Packages expect the timers of Node, which the runtime gives only to what is not bundled.
  inject: ["package/timers.ts"],
  // Packages of the older kind of module ask for the runtime's by `require`.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; ' +
      "const require = requireFrom(import.meta.url);",
  },
} satisfies BuildOptions;

/** What every process begins with, and what the process of one question is. */
const [first, question] = ["main.ts", "one_query.ts"];

/** What a start of the service asks for: these and all that they import. */
const started = [
  "src/base/effects.ts",
  "src/app.ts",
  "src/cli/cli.ts",
  "src/cli/service/serve.ts",
  "src/http/app.ts",
  "src/http/routes.ts",
];

/** Bundles the program into `folder`: `main.js`, and what it loads when it needs it. */
export async function bundle(folder: string): Promise<void> {
  const options = { ...of_sources, outdir: folder };
  const { metafile } = await build({ ...options, entryPoints: [first], metafile: true });
  const files = Object.entries(metafile.outputs)
    .map(([path, output]) => ({ ...output, name: nameOf(path) }));
  await joinStarted(folder, files);
  // Its process has no use for what others start with.
  const { name } = files.find(({ entryPoint }) => entryPoint === question)!;
  await build({ ...options, entryPoints: { [name.replace(/\.js$/, "")]: question } });
  await build({ ...options, entryPoints: ["package/start.ts"], inject: [], banner: {} });
  await stop();
}

type File = { readonly name: string } & Metafile["outputs"][string];

/**
 * Joins the files that a start loads into one script, `start.script`. Of each that others ask for,
 * one stays that takes what it exports from the script: as it is once it ran. What every process
 * begins with stays, too: it keeps nothing in memory, so that there may be two of it.
 */
async function joinStarted(folder: string, files: readonly File[]): Promise<void> {
  const entries = (...names: readonly string[]) =>
    files.filter(({ entryPoint }) => entryPoint !== undefined && names.includes(entryPoint));
  const joined = importedBy(entries(...started), files);
  const begun = importedBy(entries(first), files);
  const others = files.filter((file) => !joined.has(file));
  const asked = new Set(others.flatMap(({ imports }) => imports.map(({ path }) => nameOf(path))));
  const shown = [...joined].filter((file) => asked.has(file.name) && !begun.has(file));
  const exports = shown.map(({ name }) => `${JSON.stringify(name)}: () => require("./${name}")`);
  const { outputFiles: [script] } = await build({
    ...common,
    stdin: { contents: `module.exports = {${exports.join()}};`, resolveDir: folder },
    write: false,
    format: "cjs",
    external: ["node:*", not_there, ...others.map(({ name }) => `./${name}`)],
    define: { "import.meta": "import_meta" },
    banner: { js: "(function (module, require, import_meta) {" },
    footer: { js: "})" },
  });
  await Deno.writeTextFile(`${folder}/start.script`, inAscii(script.text));
  const gone = joined.difference(begun);
  await Promise.all(Array.from(gone, ({ name }) => Deno.remove(`${folder}/${name}`)));
  await Promise.all(
    shown.map((file) => Deno.writeTextFile(`${folder}/${file.name}`, taking(file))),
  );
}

/** Escapes what is left in patterns: V8 keeps a text in half the memory where all of it is ASCII. */
function inAscii(script: string): string {
  // deno-lint-ignore no-control-regex -- the range of ASCII
  return script.replaceAll(/[^\x00-\x7f]/g, (it) => `\\u${hex(it)}`);
}

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(4, "0");

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** Some files and all that they import, but for what they ask for later. */
function importedBy(some: readonly File[], files: readonly File[]): ReadonlySet<File> {
  const found = new Set(some);
  for (const { imports } of found) {
    const names = imports.filter(({ kind }) => kind !== "dynamic-import").map(({ path }) => path);
    for (const file of files) if (names.map(nameOf).includes(file.name)) found.add(file);
  }
  return found;
}

/** The text of a file that takes its exports from the script. */
function taking({ name, exports }: File): string {
  const given = exports.map((it, at) => `${it}: e${at}`);
  const taken = exports.map((it, at) => `e${at} as ${it}`);
  return `import { fromScript } from "./start.js";
const { ${given.join(", ")} } = fromScript("${name}");
export { ${taken.join(", ")} };
`;
}
