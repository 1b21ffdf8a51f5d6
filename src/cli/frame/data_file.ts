// A file that is written as TOML or JSON, such as a site file, as plain data.
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
    throw new Fault("invalid", `${path} can't be read: ${(error as Error).message}`);
  }
}
