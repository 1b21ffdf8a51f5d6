// Compiles the program into one executable file, with no more of the packages than it needs.
import { parseArgs } from "node:util";

const root = new URL("../", import.meta.url).pathname;
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
  const installed = new Set(await foldersOfPackages());
  return Array.from(reached, (id) => npmPackages[id]).filter((it) => installed.has(folderOf(it)));
}

async function foldersOfPackages(): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(`${root}${packages}`));
  return entries.filter(({ name, isDirectory }) => isDirectory && name !== "node_modules")
    .map(({ name }) => `${packages}/${name}`);
}

/** Folders of packages that the program does without, and the links to them. */
async function excludedPaths(): Promise<readonly string[]> {
  const needed = new Set((await neededPackages()).map(folderOf));
  const folders = (await foldersOfPackages()).filter((it) => !needed.has(it));
  const links: string[] = [];
  for await (const link of linksIn("node_modules")) {
    const target = await Deno.realPath(`${root}${link}`);
    if (folders.some((it) => target.startsWith(`${root}${it}/`))) links.push(link);
  }
  return [...folders, ...links];
}

/** The links between packages; what lies inside a package is left out. */
async function* linksIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isSymlink, isDirectory } of Deno.readDir(`${root}${folder}`)) {
    const path = `${folder}/${name}`;
    const holds_packages = name === "node_modules" || /^[@.]/.test(name) || folder === packages;
    if (isSymlink) yield path;
    else if (isDirectory && holds_packages) yield* linksIn(path);
  }
}

/** What the program may do: everything but to start other programs and to load code from afar. */
const permissions = [
  ...["--allow-net", "--allow-read", "--allow-write", "--allow-env", "--allow-sys", "--allow-ffi"],
  "--no-prompt",
];

/**
 * Compiles the program to `output`; gives what was said where that failed. A Deno of `COMPILE_DENO`
 * (a script for Node) with the runtime of `DENORT_BIN` is used if they are set, else this Deno,
 * which downloads a runtime.
 */
export async function compile(output: string): Promise<string | undefined> {
  const script = Deno.env.get("COMPILE_DENO");
  const excluded = (await excludedPaths()).flatMap((path) => ["--exclude", path]);
  const { success, stderr } = await new Deno.Command(script ? "node" : Deno.execPath(), {
    args: [
      ...(script ? [script] : []),
      ...["compile", "--no-check", "--self-extracting", ...permissions, ...excluded],
      ...["--output", output, "main.ts"],
    ],
    cwd: root,
    // The compiler's own recursion over the many files of packages needs a deep stack.
    env: { RUST_MIN_STACK: "67108864" },
    stdout: "null",
    stderr: "piped",
  }).output();
  return success ? undefined : new TextDecoder().decode(stderr);
}

if (import.meta.main) {
  const options = { output: { type: "string", default: `${root}dist/wattkeeper` } } as const;
  const { values } = parseArgs({ args: Deno.args, options });
  const said = await compile(values.output);
  if (said !== undefined) {
    // deno-lint-ignore no-console -- it is run for what it prints
    console.error(said);
    Deno.exit(1);
  }
  const { size } = await Deno.stat(values.output);
  // deno-lint-ignore no-console -- it is run for what it prints
  console.log(`${values.output}: ${(size / 1e6).toFixed(0)} MB`);
}
