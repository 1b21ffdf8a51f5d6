// Makes what is installed: a Debian package, an archive, the clients, checksums, a list of parts.
import { parseArgs } from "node:util";
import { compile, libraryFiles, libraryName, neededPackages, type Package } from "./compile.ts";

import { makeNpm } from "./npm.ts";
import { makeSdist, makeWheel } from "./wheel.ts";

const here = new URL("./", import.meta.url).pathname;

/** What Debian calls a machine's processor. */
const arch = { x86_64: "amd64", aarch64: "arm64" }[Deno.build.arch];

/** What is made. */
type Made = {
  /** The folder that everything is written to. */
  readonly folder: string;
  /** The compiled program. */
  readonly program: string;
  readonly version: string;
  /** Seconds since 1970 that files are dated with, so that the same sources make the same files. */
  readonly dated_s: number;
};

/** Runs a tool; throws what it said where it fails. */
async function run(command: string, args: readonly string[], dated_s: number): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    env: { SOURCE_DATE_EPOCH: String(dated_s) },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`${command} ${args[0]}: ${text(stderr)}`);
  return text(stdout);
}

/** Copies a file with its mode, and the folders above it. */
async function put(from: string, to: string, mode: number): Promise<void> {
  await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
  await Deno.copyFile(from, to);
  await Deno.chmod(to, mode);
}

/** What starts a fleet, once it has its own secrets and addresses. */
const fleet_files = [
  "compose.yaml",
  "node.conf",
  "node.toml",
  "store.env",
  "wattkeeper-store.service",
];

/** Lays the files of an installation out below `tree`. */
async function layOut(tree: string, { program, version }: Made): Promise<void> {
  const files = [
    [program, "usr/lib/wattkeeper/wattkeeper", 0o755],
    [`${here}linux/wattkeeper.service`, "usr/lib/systemd/system/wattkeeper.service", 0o644],
    [`${here}linux/sysusers.conf`, "usr/lib/sysusers.d/wattkeeper.conf", 0o644],
    [`${here}linux/wattkeeper.toml`, "etc/wattkeeper/wattkeeper.toml", 0o644],
    [`${here}../LICENSE`, "usr/share/doc/wattkeeper/copyright", 0o644],
    ...fleet_files.map((name) =>
      [`${here}fleet/${name}`, `usr/share/doc/wattkeeper/fleet/${name}`, 0o644] as const
    ),
  ] as const;
  for (const [from, to, mode] of files) await put(from, `${tree}/${to}`, mode);
  // Where the program looks for it first: it unpacks nothing then.
  const library = `${tree}/usr/lib/wattkeeper/.wattkeeper/${await libraryName()}`;
  for (const path of await libraryFiles()) {
    await put(path, `${library}/${path.slice(path.lastIndexOf("/") + 1)}`, 0o644);
  }
  await Deno.mkdir(`${tree}/usr/bin`);
  await Deno.symlink("../lib/wattkeeper/wattkeeper", `${tree}/usr/bin/wattkeeper`);
  const bom = materials(await neededPackages(), version);
  await Deno.writeTextFile(`${tree}/usr/share/doc/wattkeeper/${bom_name}`, bom);
}

/** KiB that a folder takes, as Debian counts: each file for itself, all else as one. */
async function installedKib(folder: string): Promise<number> {
  let kib = 1;
  for await (const { name, isFile, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) kib += await installedKib(path);
    else kib += isFile ? Math.ceil((await Deno.stat(path)).size / 1024) : 1;
  }
  return kib;
}

/** The files that Debian's tools read of a package. */
async function putControl(tree: string, version: string): Promise<void> {
  const size = await installedKib(tree);
  await Deno.mkdir(`${tree}/DEBIAN`);
  await Deno.writeTextFile(
    `${tree}/DEBIAN/control`,
    `Package: wattkeeper
Version: ${version}
Architecture: ${arch}
Installed-Size: ${size}
Maintainer: Wattkeeper <wattkeeper@localhost>
Section: science
Priority: optional
Depends: libc6 (>= 2.28), libstdc++6
Description: signals, performance and alarms of a solar or storage plant
 One program with its own database: it takes in a plant's signals, alarms and
 work, and answers with performance, availability, losses and open tasks.
`,
  );
  await Deno.writeTextFile(`${tree}/DEBIAN/conffiles`, "/etc/wattkeeper/wattkeeper.toml\n");
  for (const name of ["postinst", "prerm", "postrm"]) {
    await put(`${here}debian/${name}`, `${tree}/DEBIAN/${name}`, 0o755);
  }
}

const bom_name = "sbom.cdx.json";

/** The packages inside the program, as a CycloneDX document. */
function materials(packages: readonly Package[], version: string): string {
  const purlOf = ({ name, version }: Package) => `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const components = packages.map((it) => ({
    type: "library",
    "bom-ref": purlOf(it),
    name: it.name,
    version: it.version,
    purl: purlOf(it),
  }));
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name: "wattkeeper", version } },
    components: components.toSorted((a, b) => a.purl < b.purl ? -1 : 1),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Lets everyone read what is installed, whatever mode this process gives to what it makes. */
async function letRead(tree: string, dated_s: number): Promise<void> {
  await run("chmod", ["--recursive", "go=rX", tree], dated_s);
}

/** Does `make` with the files of an installation in a folder that is gone afterwards. */
async function withTree<T>(made: Made, make: (tree: string) => Promise<T>): Promise<T> {
  const tree = await Deno.makeTempDir();
  try {
    await layOut(tree, made);
    return await make(tree);
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
}

/** Makes the Debian package by `dpkg-deb`; gives its path. */
export function makeDebian(made: Made): Promise<string> {
  const { folder, version, dated_s } = made;
  return withTree(made, async (tree) => {
    await putControl(tree, version);
    await letRead(tree, dated_s);
    const path = `${folder}/wattkeeper_${version}_${arch}.deb`;
    // Every release of Debian reads gzip, and a small machine unpacks it fast.
    await run("dpkg-deb", ["--root-owner-group", "-Zgzip", "-z3", "--build", tree, path], dated_s);
    return path;
  });
}

/** Makes the archive by `tar`; gives its path. */
function makeArchive(made: Made): Promise<string> {
  const { folder, version, dated_s } = made;
  return withTree(made, async (tree) => {
    await letRead(tree, dated_s);
    const path = `${folder}/wattkeeper-${version}-linux-${arch}.tar.gz`;
    const same = [
      "--sort=name",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      `--mtime=@${dated_s}`,
    ];
    await run("tar", ["--create", "--gzip", ...same, "--file", path, "-C", tree, "."], dated_s);
    return path;
  });
}

/** A line as `sha256sum --check` reads it. */
async function sumOf(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return `${new Uint8Array(digest).toHex()}  ${path.slice(path.lastIndexOf("/") + 1)}\n`;
}

if (import.meta.main) {
  const dist = new URL("../dist", import.meta.url).pathname;
  const options = { output: { type: "string", default: dist } } as const;
  const { values: { output: folder } } = parseArgs({ args: Deno.args, options });
  await Deno.mkdir(folder, { recursive: true });
  const program = `${folder}/wattkeeper`;
  const said = await compile(program);
  if (said !== undefined) throw new Error(said);
  const { version } = JSON.parse(await Deno.readTextFile(`${here}../deno.json`));
  const dated = await run("git", ["-C", here, "log", "-1", "--format=%ct"], 0);
  const made = { folder, program, version, dated_s: Number(dated) };
  const bom = `${folder}/${bom_name}`;
  await Deno.writeTextFile(bom, materials(await neededPackages(), version));
  const clients = await Promise.all([makeNpm(made), makeWheel(made), makeSdist(made)]);
  const paths = [await makeDebian(made), await makeArchive(made), program, bom, ...clients];
  const sums = await Promise.all(paths.map(sumOf));
  await Deno.writeTextFile(`${folder}/SHA256SUMS`, sums.join(""));
  for (const path of paths) {
    const { size } = await Deno.stat(path);
    // deno-lint-ignore no-console -- it is run for what it prints
    console.log(`${path}: ${Math.ceil(size / 1000).toLocaleString("en")} kB`);
  }
}
