// Builds the screens of `src/web` into the two files that the program embeds.
import { build, stop } from "esbuild";

const root = new URL("./", import.meta.url).pathname;

/** Where the built screens lie: what there is, and the texts, which few starts need. */
export const build_paths = {
  built: "src/http/screens/built.json",
  files: "src/http/screens/files.json",
};

/**
 * The screens as JSON documents: which files start them, and which further ones each page loads;
 * and the texts of files by name. The same sources always give the same documents.
 */
export async function buildWeb(): Promise<Record<keyof typeof build_paths, string>> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/web/main.tsx", "src/web/style.css", "src/web/docs/docs.tsx"],
    outdir: "web",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    metafile: true,
    write: false,
  });
  await stop();
  const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const outputs = Object.entries(metafile.outputs);
  const entryOf = (source: string) =>
    nameOf(outputs.find(([, { entryPoint }]) => entryPoint === source)![0]);
  const pages = outputs.flatMap(([path, { entryPoint, imports }]) => {
    const [, room] = /^src\/web\/(\w+)\/page\.tsx$/.exec(entryPoint ?? "") ?? [];
    if (room === undefined) return [];
    const needed = imports.filter(({ kind }) => kind === "import-statement");
    return [[room, [path, ...needed.map((it) => it.path)].map(nameOf).toSorted()] as const];
  });
  const files = outputFiles.map(({ path, text }) => [nameOf(path), text] as const);
  const byName = <T>(entries: readonly (readonly [string, T])[]) =>
    Object.fromEntries(entries.toSorted(([a], [b]) => a < b ? -1 : 1));
  const icon = await Deno.readTextFile(`${root}src/web/icon.svg`);
  const built = {
    script: entryOf("src/web/main.tsx"),
    style: entryOf("src/web/style.css"),
    docs: entryOf("src/web/docs/docs.tsx"),
    pages: byName(pages),
  };
  return { built: textOf(built), files: textOf(byName([...files, ["icon.svg", icon]])) };
}

const textOf = (document: unknown) => JSON.stringify(document, null, 1) + "\n";

if (import.meta.main) {
  const { built, files } = await buildWeb();
  await Deno.writeTextFile(root + build_paths.built, built);
  await Deno.writeTextFile(root + build_paths.files, files);
}
