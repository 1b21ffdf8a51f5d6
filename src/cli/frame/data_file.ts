// A file that is written as TOML or JSON, such as a site file, as plain data.
import { meant } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import { site_limits } from "../../model/site/limits.ts";
import { readSiteText } from "../../model/site/text.ts";

/** The data of a TOML or (*.json) JSON file. Throws a `Fault` that names the place of a mistake. */
export async function readDataFile(path: string): Promise<unknown> {
  const bytes = await readBytes(path);
  try {
    return readSiteText(bytes, path.endsWith(".json") ? "json" : "toml");
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.code, `${path}: ${error.message}`);
  }
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    const { size } = await Deno.stat(path);
    if (size > site_limits.file_bytes) {
      throw new Fault("too_large", `${path} has more than ${site_limits.file_bytes} bytes`);
    }
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw await fileRefusal(path, error);
  }
}

/** Why a file can't be read, in words, with the nearest name beside it. */
export async function fileRefusal(path: string, error: unknown): Promise<Fault> {
  if (error instanceof Deno.errors.IsADirectory) {
    return new Fault("invalid", `${path} is a directory: name a file`);
  }
  if (!(error instanceof Deno.errors.NotFound)) {
    return new Fault("invalid", `${path} can't be read: ${(error as Error).message}`);
  }
  const [, folder = "", name] = /^(.*\/)?([^/]*)$/.exec(path)!;
  const names = await namesIn(folder || ".");
  if (names === undefined) return new Fault("invalid", `there is no directory ${folder}`);
  return new Fault("invalid", `there is no file ${path}${meant(name, names)}`);
}

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    const all = await Array.fromAsync(Deno.readDir(folder));
    return all.filter((it) => it.isFile).map(({ name }) => name);
  } catch {
    return undefined;
  }
}
