// Makes the client for Python into a wheel and a source archive; needs neither Python nor network.
import { strToU8, zipSync } from "fflate";
import { parse, stringify } from "smol-toml";
import * as z from "zod";
import { type Dated, packTree } from "./npm.ts";

const source = new URL("../clients/python/", import.meta.url).pathname;

/** What is read of `pyproject.toml`. */
const project_form = z.object({
  name: z.string(),
  description: z.string(),
  license: z.string(),
  "requires-python": z.string(),
  dependencies: z.array(z.string()),
  "optional-dependencies": z.record(z.string(), z.array(z.string())),
});

type Files = readonly (readonly [path: string, bytes: Uint8Array])[];

/** Writes the wheel; gives its path. */
export async function makeWheel({ folder, version, dated_s }: Dated): Promise<string> {
  const info = `wattkeeper-${version}.dist-info`;
  const wheel = "Wheel-Version: 1.0\nGenerator: wattkeeper\nRoot-Is-Purelib: true\n" +
    "Tag: py3-none-any\n";
  const files: Files = [
    ...await filesOf("src/wattkeeper", "wattkeeper"),
    [`${info}/METADATA`, strToU8(await metadata(version))],
    [`${info}/WHEEL`, strToU8(wheel)],
    [`${info}/licenses/LICENSE`, await Deno.readFile(`${source}../../LICENSE`)],
  ];
  const lines = await Promise.all(files.map(async ([path, bytes]) => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.slice()));
    const text = digest.toBase64({ alphabet: "base64url", omitPadding: true });
    return `${path},sha256=${text},${bytes.length}\n`;
  }));
  const record = `${info}/RECORD`;
  const all = [...files, [record, strToU8(`${lines.join("")}${record},,\n`)] as const];
  // A zip file has times of its place without saying which, from 1980 on.
  const mtime = new Date(Math.max(dated_s * 1000, Date.UTC(1981, 0)));
  const path = `${folder}/wattkeeper-${version}-py3-none-any.whl`;
  const zipped = zipSync(Object.fromEntries(all), { mtime: zoneless(mtime), level: 9 });
  await Deno.writeFile(path, zipped);
  return path;
}

/** Writes the source archive by `tar`; gives its path. */
export async function makeSdist({ folder, version, dated_s }: Dated): Promise<string> {
  const root = `wattkeeper-${version}`;
  const tree = await Deno.makeTempDir();
  try {
    const files: Files = [
      ...await filesOf("src/wattkeeper", "src/wattkeeper"),
      ...await filesOf("tests", "tests"),
      ["pyproject.toml", strToU8(await ownProject(version))],
      ["PKG-INFO", strToU8(await metadata(version))],
      ["README.md", await Deno.readFile(`${source}README.md`)],
      ["LICENSE", await Deno.readFile(`${source}../../LICENSE`)],
    ];
    for (const [path, bytes] of files) {
      const to = `${tree}/${root}/${path}`;
      await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
      await Deno.writeFile(to, bytes);
    }
    return await packTree({ tree, root, path: `${folder}/${root}.tar.gz`, dated_s });
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
}

/** The files of a folder, and of those in it, by their path below `to`, in their order. */
async function filesOf(folder: string, to: string): Promise<Files> {
  const files: [string, Uint8Array][] = [];
  for await (const { name, isFile } of Deno.readDir(source + folder)) {
    if (isFile) files.push([`${to}/${name}`, await Deno.readFile(`${source}${folder}/${name}`)]);
  }
  return files.toSorted(([a], [b]) => a < b ? -1 : 1);
}

async function readProject() {
  return parse(await Deno.readTextFile(`${source}pyproject.toml`));
}

/** The file in a source archive, which is away from where the version is written. */
async function ownProject(version: string): Promise<string> {
  const { project, tool: _, ...all } = await readProject();
  const { dynamic: _dynamic, ...said } = Object(project);
  const wheel = { packages: ["src/wattkeeper"] };
  const hatch = { build: { targets: { wheel } } };
  return stringify({ ...all, project: { ...said, version }, tool: { hatch } });
}

/** What installers read of a package (core metadata 2.4). */
async function metadata(version: string): Promise<string> {
  const project = project_form.parse((await readProject()).project);
  const extras = Object.entries(project["optional-dependencies"]);
  const lines = [
    ...["Metadata-Version: 2.4", `Name: ${project.name}`, `Version: ${version}`],
    `Summary: ${project.description}`,
    `License-Expression: ${project.license}`,
    "License-File: LICENSE",
    `Requires-Python: ${project["requires-python"]}`,
    ...project.dependencies.map((it) => `Requires-Dist: ${it}`),
    ...extras.flatMap(([name, needs]) => [
      `Provides-Extra: ${name}`,
      ...needs.map((it) => `Requires-Dist: ${it}; extra == "${name}"`),
    ]),
    "Description-Content-Type: text/markdown",
  ];
  return `${lines.join("\n")}\n\n${await Deno.readTextFile(`${source}README.md`)}`;
}

/** The time that has in this place the figures which `at` has in UTC. */
function zoneless(at: Date): Date {
  return new Date(at.getTime() + at.getTimezoneOffset() * 60_000);
}
