// `extension`: what a lake needs of the database's library, installed and looked at.
import type { Command } from "commander";
import type { Effects } from "../../base/effects.ts";
import { meantOrKnown } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import type { Settings } from "../../model/setting.ts";
import { moveFile, refusedAt } from "../../store/folder.ts";
import {
  extension_names,
  extensionFlaw,
  type ExtensionName,
  extensionPath,
  extensionsPath,
  type Library,
  libraryHere,
  requireLoads,
} from "../../store/retention/extension.ts";
import { lake_limits } from "../../store/retention/limits.ts";
import type { Context } from "../frame/context.ts";

/** Where the library's makers publish its extensions. */
const published = "https://extensions.duckdb.org";

type Flags = { readonly from: string };

const help = `
Only a lake (tier = "ducklake:…") needs them. Where the machine has no internet, bring their files
in a directory.

  wattkeeper extension install                     all of them, from their makers
  wattkeeper extension install --from DIRECTORY`;

/** Adds `extension`. */
export function addExtensionCommand(program: Command, context: Context): void {
  const { effects } = context;
  const extension = program.command("extension")
    .description("what a lake (setting tier) needs of the database's library")
    .addHelpText("after", help);
  extension.command("list").description("show which are there").action(async () => {
    const { settings } = await context.resolve();
    const { platform } = await libraryHere(settings);
    for (const name of extension_names) {
      const path = extensionPath(extensionsPath(settings), name);
      const flaw = await extensionFlaw(path, { name, platform }) ?? "good";
      effects.out(`${name.padEnd(17)} ${flaw.padEnd(14)} ${path}\n`);
    }
  });
  extension.command("install").argument("[names...]", `of ${extension_names.join(", ")}`)
    .description("fetch them, prove and keep them; all of them where none is named")
    .option("--from <place>", "a directory with their files, or an address in place of", published)
    .action(async (names: readonly string[], { from }: Flags) => {
      const { settings } = await context.resolve();
      const wanted = names.length === 0 ? extension_names : names.map(nameOf);
      const library = await libraryHere(settings);
      for (const name of wanted) {
        const path = await install({ name, from, settings, library, effects });
        effects.out(`${name} is installed: ${path}\n`);
      }
    });
}

function nameOf(name: string): ExtensionName {
  const found = extension_names.find((it) => it === name);
  if (found !== undefined) return found;
  throw new Fault("invalid", `there is no extension ${name}${meantOrKnown(name, extension_names)}`);
}

type Installing = {
  readonly name: ExtensionName;
  readonly from: string;
  readonly settings: Settings;
  readonly library: Library;
  readonly effects: Pick<Effects, "request">;
};

/** Takes an extension into the folder, whole or not at all; gives its path. */
async function install({ name, from, settings, library, effects }: Installing): Promise<string> {
  const folder = extensionsPath(settings);
  const path = extensionPath(folder, name);
  // The library goes by the name of a file: the new one has the same, elsewhere.
  const beside = `${folder}/new`;
  const new_path = extensionPath(beside, name);
  const bytes = await unpacked(
    /^https?:/.test(from)
      ? await fetched(`${from}/${library.version}/${library.platform}/${name}`, effects)
      : await readFrom(from, name),
  );
  try {
    await Deno.mkdir(beside, { recursive: true, mode: 0o700 });
    await Deno.writeFile(new_path, bytes, { mode: 0o600 });
    const flaw = await extensionFlaw(new_path, { name, platform: library.platform });
    if (flaw !== undefined) throw new Fault("invalid", `the extension ${name} of ${from} ${flaw}`);
    await requireLoads(new_path, { name, settings });
    await moveFile(new_path, path);
  } catch (error) {
    throw refusedAt(path, error);
  } finally {
    await Deno.remove(beside, { recursive: true }).catch(() => {});
  }
  return path;
}

async function fetched(
  base: string,
  effects: Pick<Effects, "request">,
): Promise<Uint8Array<ArrayBuffer>> {
  const url = `${base}.duckdb_extension.gz`;
  const remedy = "fetch it elsewhere, and give its directory as --from";
  const answer = await effects.request(new Request(url)).catch((error) => {
    throw new Fault("invalid", `${url} can't be reached (${error.message}): ${remedy}`);
  });
  if (!answer.ok) throw new Fault("invalid", `${url} answers ${answer.status}: ${remedy}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** The file of an extension in a directory, packed or not. */
async function readFrom(folder: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  for (const ending of ["", ".gz"]) {
    try {
      return await Deno.readFile(`${folder}/${name}.duckdb_extension${ending}`);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  throw new Fault("invalid", `${folder} has no ${name}.duckdb_extension and none with .gz`);
}

/** What may be packed by gzip; throws a `Fault` where it is no such file, or far too large. */
async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const pieces: Uint8Array[] = [];
  let size = 0;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    for await (const piece of stream) {
      size += piece.length;
      if (size > lake_limits.extension_bytes) throw new Error("it is too large");
      pieces.push(piece);
    }
  } catch (error) {
    throw new Fault("invalid", `the file can't be unpacked: ${(error as Error).message}`);
  }
  return new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer());
}
