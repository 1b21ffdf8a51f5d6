// Makes the client for TypeScript into a package of npm: plain JavaScript with its types.
import ts from "typescript";

const source = new URL("../clients/typescript/", import.meta.url).pathname;

/** What a package is made of, beside its sources. */
export type Dated = {
  /** The folder that it is written to. */
  readonly folder: string;
  readonly version: string;
  /** Seconds since 1970 that its files are dated with. */
  readonly dated_s: number;
};

/** Writes the tarball by `tar`; gives its path. */
export async function makeNpm({ folder, version, dated_s }: Dated): Promise<string> {
  const tree = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${tree}/package/dist`, { recursive: true });
    for (const [path, text] of await filesOf(version)) {
      await Deno.writeTextFile(`${tree}/package/${path}`, text);
    }
    return await packTree({
      ...{ tree, root: "package", dated_s },
      path: `${folder}/wattkeeper-${version}.tgz`,
    });
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
}

/** Packs the folder `root` of `tree` by `tar`, the same for the same files; gives its path. */
export async function packTree(
  { tree, root, path, dated_s }: {
    readonly tree: string;
    readonly root: string;
    readonly path: string;
    readonly dated_s: number;
  },
): Promise<string> {
  const same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX"];
  const { success, stderr } = await new Deno.Command("tar", {
    args: [
      ...["--create", "--file", path, `--mtime=@${dated_s}`, ...same],
      // Without the time in its head.
      ...["--use-compress-program", "gzip -n9", "-C", tree, root],
    ],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return path;
}

async function filesOf(version: string): Promise<readonly (readonly [string, string])[]> {
  const names = (await Array.fromAsync(Deno.readDir(`${source}src`))).map(({ name }) => name);
  const compiled = await Promise.all(
    names.toSorted().map(async (name) => {
      const text = await Deno.readTextFile(`${source}src/${name}`);
      const stem = `dist/${name.replace(/\.ts$/, "")}`;
      return [[`${stem}.js`, compile(text)], [`${stem}.d.ts`, declare(text, name)]] as const;
    }),
  );
  return [
    ["package.json", `${JSON.stringify(manifest(version), null, 2)}\n`],
    ["README.md", await Deno.readTextFile(`${source}README.md`)],
    ["LICENSE", await Deno.readTextFile(`${source}../../LICENSE`)],
    ...compiled.flat(),
  ];
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
};

function compile(text: string): string {
  return toJs(ts.transpileModule(text, { compilerOptions: options }).outputText);
}

function declare(text: string, fileName: string): string {
  const { diagnostics = [], outputText } = ts.transpileDeclaration(text, {
    compilerOptions: { ...options, declaration: true, isolatedDeclarations: true },
    fileName,
    reportDiagnostics: true,
  });
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, host));
  return toJs(outputText);
}

const host: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => source,
  getNewLine: () => "\n",
};

/** Other files by the names that they have in the package. */
function toJs(text: string): string {
  return text.replaceAll(/(from|import)(\s*\(?)"(\.\/\w+)\.ts"/g, '$1$2"$3.js"');
}

function manifest(version: string): object {
  const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
  return {
    name: "wattkeeper",
    version,
    description: "Client of Wattkeeper: signals, performance, alarms and work of solar plants",
    license: "Apache-2.0",
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    exports: { ".": entry("mod"), "./arrow": entry("arrow") },
    files: ["dist"],
    peerDependencies: { "apache-arrow": ">=15" },
    peerDependenciesMeta: { "apache-arrow": { optional: true } },
  };
}
