// Compiles the program into one executable file: its code bundled, DuckDB's library packed.
import { parseArgs, promisify } from "node:util";
import { gzip } from "node:zlib";
import { bundle, compiled_name, root } from "./bundle.ts";
import { library_file, library_mark, type PackedLibrary } from "../src/store/duckdb/library.ts";
import project from "../deno.json" with { type: "json" };

const packages = "node_modules/.deno";

/** A package from the registry, by its id. */
export type Package = {
  readonly name: string;
  readonly version: string;
  /** Ids. */
  readonly dependencies: readonly string[];
};

/** What `deno info --json` says of a program. */
type Info = {
  readonly modules: readonly { readonly npmPackage?: string }[];
  readonly npmPackages: Readonly<Record<string, Package>>;
};

/** What the running program has no use for: types, and binaries for another C library. */
const needless = /^@types\/|^undici-types$|-musl$/;

/** DuckDB's library for each kind of machine. */
const library_package = /^@duckdb\/node-bindings-/;

const folderOf = ({ name, version }: Package) => `${packages}/${name.replace("/", "+")}@${version}`;

/** The packages that the program needs on this kind of machine. */
export async function neededPackages(): Promise<readonly Package[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "main.ts"],
    cwd: root,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { modules, npmPackages }: Info = JSON.parse(new TextDecoder().decode(stdout));
  const reached = new Set<string>();
  const reach = (id: string) => {
    if (reached.has(id) || needless.test(npmPackages[id].name)) return;
    reached.add(id);
    npmPackages[id].dependencies.forEach(reach);
  };
  for (const { npmPackage } of modules) if (npmPackage !== undefined) reach(npmPackage);
  // Its file is loaded, not its code.
  for (const id of Object.keys(npmPackages)) if (library_package.test(id)) reach(id);
  const installed = new Set(
    (await Array.fromAsync(Deno.readDir(root + packages))).map(({ name }) => `${packages}/${name}`),
  );
  return Array.from(reached, (id) => npmPackages[id]).filter((it) => installed.has(folderOf(it)));
}

/** The folder of DuckDB's library for this kind of machine. */
async function libraryFolder(): Promise<string> {
  const found = (await neededPackages()).find((it) => library_package.test(it.name));
  if (found === undefined) throw new Error("DuckDB has no library for this kind of machine");
  return `${root}${folderOf(found)}/node_modules/${found.name}`;
}

/** The library's files. */
export async function libraryFiles(): Promise<readonly string[]> {
  const folder = await libraryFolder();
  return [`${folder}/${library_file}`];
}

/** A name that says which library it is. */
export async function libraryName(): Promise<string> {
  const files = await Promise.all((await libraryFiles()).map((path) => Deno.readFile(path)));
  const digest = await crypto.subtle.digest("SHA-256", await new Blob(files).arrayBuffer());
  return new Uint8Array(digest).toHex().slice(0, 16);
}

/** The library's files, packed. */
async function packLibrary(): Promise<readonly { name: string; packed: Uint8Array }[]> {
  return await Promise.all((await libraryFiles()).map(async (path) => {
    const packed = await promisify(gzip)(await Deno.readFile(path), { level: 9 });
    return { name: path.slice(path.lastIndexOf("/") + 1), packed };
  }));
}

/**
 * Adds the library to a program, where the runtime does not read it: some runtimes read all that
 * lies behind them at each start, and keep it.
 */
async function addLibrary(program: string, files: readonly Uint8Array[]): Promise<void> {
  const bytes = await Deno.readFile(program);
  const at = codeAt(bytes);
  const mark = new TextEncoder().encode(library_mark);
  const parts = [bytes.subarray(0, at), ...files, mark, bytes.subarray(at)];
  await Deno.writeFile(program, new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer()));
}

/** Where in a program the code begins that its runtime finds by the length at the end. */
function codeAt(program: Uint8Array<ArrayBuffer>): number {
  const [magic, length_bytes] = ["d3n0l4nd", 8];
  const length = new DataView(program.buffer).getBigUint64(program.length - length_bytes, true);
  const at = program.length - Number(length);
  const found = at > 0 && new TextDecoder().decode(program.subarray(at, at + magic.length));
  return found === magic ? at : program.length;
}

/**
 * What the program may do: everything but to start programs other than itself and to load code
 * from afar. The runtime's cache of code would lie in the folder of temporary files, where others
 * may write. It collects its garbage itself when all is quiet.
 */
export const restrictions = [
  ...["--allow-net", "--allow-read", "--allow-write", "--allow-env", "--allow-sys", "--allow-ffi"],
  "--allow-run=/proc/self/exe",
  ...["--no-prompt", "--no-code-cache", "--v8-flags=--expose-gc"],
];

/** Puts the code in `folder` behind a runtime; gives what was said where that failed. */
async function putTogether(folder: string, output: string): Promise<string | undefined> {
  const script = Deno.env.get("COMPILE_DENO");
  const unstable = project.unstable.map((name) => `--unstable-${name}`);
  const { success, stderr } = await new Deno.Command(script ? "node" : Deno.execPath(), {
    args: [
      ...(script ? [script] : []),
      ...["compile", "--no-check", ...unstable, ...restrictions, "--include", "."],
      ...["--output", output, "main.js"],
    ],
    cwd: folder,
    stdout: "null",
    stderr: "piped",
  }).output();
  return success ? undefined : new TextDecoder().decode(stderr);
}

/**
 * Starts a program that was made so in a folder of its own, `trial`, until it has answered once;
 * keeps at `kept` what its runtime compiled for that. Gives what it said where it kept nothing.
 */
async function keepCompiled(
  program: string,
  { trial, kept, library }: Readonly<Record<"trial" | "kept" | "library", string>>,
): Promise<string | undefined> {
  await Deno.mkdir(`${trial}/library/${library}`, { recursive: true });
  for (const path of await libraryFiles()) {
    await Deno.symlink(
      path,
      `${trial}/library/${library}/${path.slice(path.lastIndexOf("/") + 1)}`,
    );
  }
  const child = new Deno.Command(program, {
    args: ["serve", "--port=0", "--data-dir=data", "--library-dir=library", "--stop-notice-ms=0"],
    cwd: trial,
    env: { START_COMPILED: kept },
    clearEnv: true,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    const was_open = said.includes("listening on");
    said += text;
    const [, address] = /listening on (http:[^"]+)"/.exec(said) ?? [];
    if (was_open || !address) continue;
    await (await fetch(`${address}/readyz`)).text();
    child.kill("SIGTERM");
  }
  const has_kept = await Deno.stat(kept).then(() => true, () => false);
  return has_kept ? undefined : said;
}

/**
 * Compiles the program to `output`; gives what was said where that failed. A Deno of `COMPILE_DENO`
 * (a script for Node) with the runtime of `DENORT_BIN` is used if they are set, else this Deno,
 * which downloads a runtime. Each of its steps, of up to half a minute, is told before.
 */
export async function compile(
  output: string,
  tell: (step: string) => void = () => {},
): Promise<string | undefined> {
  const folder = await Deno.makeTempDir();
  const trial = await Deno.makeTempDir();
  try {
    tell("bundles the code");
    await bundle(folder);
    tell("packs DuckDB's library");
    const files = await packLibrary();
    const index: PackedLibrary = {
      name: await libraryName(),
      files: files.map(({ name, packed }) => ({ name, bytes: packed.length })),
    };
    await Deno.writeTextFile(`${folder}/library.json`, JSON.stringify(index));
    tell("puts the code behind the runtime");
    const program = `${trial}/wattkeeper`;
    const kept = `${folder}/${compiled_name}`;
    const said = await putTogether(folder, program) ??
      await keepCompiled(program, { trial, kept, library: index.name }) ??
      await putTogether(folder, output);
    if (said !== undefined) return said;
    tell("adds the library");
    await addLibrary(output, files.map(({ packed }) => packed));
  } finally {
    for (const made of [folder, trial]) await Deno.remove(made, { recursive: true });
  }
}

if (import.meta.main) {
  const options = {
    output: { type: "string", default: `${root}dist/wattkeeper` },
    help: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ args: Deno.args, options });
  if (values.help) {
    // deno-lint-ignore no-console -- it is run for what it prints
    console.log("deno task compile [--output=dist/wattkeeper]: one file with all that it needs");
    Deno.exit(0);
  }
  // deno-lint-ignore no-console -- it takes a minute
  const said = await compile(values.output, (step) => console.error(step));
  if (said !== undefined) {
    // deno-lint-ignore no-console -- it is run for what it prints
    console.error(said);
    Deno.exit(1);
  }
  const { size } = await Deno.stat(values.output);
  // deno-lint-ignore no-console -- it is run for what it prints
  console.log(`${values.output}: ${(size / 1e6).toFixed(0)} MB`);
}
