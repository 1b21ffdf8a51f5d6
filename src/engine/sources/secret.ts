// Reads the files with secrets of sources, which people put into the folder of an organization.
import { source_limits } from "../../model/sources/limits.ts";
import { SourceFault } from "../devices/driver.ts";

/** The text of a file that a person has put there. Throws a `SourceFault`. */
export async function readSecret(path: string): Promise<string> {
  const denied = (message: string) => new SourceFault({ kind: "denied", message });
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) throw denied(`${path} is no file`);
    if (size > source_limits.secret_bytes) throw denied(`${path} is no secret: it is too long`);
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    if (error instanceof Deno.errors.NotFound) throw denied(`there is no file ${path}`);
    throw denied(`the file ${path} can't be read: is it of the service's own user?`);
  }
}
