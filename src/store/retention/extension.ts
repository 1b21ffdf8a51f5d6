// Extensions of the database's library that a lake needs: which, where they lie, how they load.
import { Fault } from "../../base/fault.ts";
import type { Settings } from "../../model/setting.ts";
import { libraryOf } from "../backup/digest.ts";
import type { Connection } from "../connection.ts";
import { unpackLibrary } from "../duckdb/library.ts";
import { digestOf } from "../far_folder.ts";
import { Instance } from "../instance.ts";
import { filled, quoted } from "../statement.ts";

/** The extensions of this version's library, each proved by its SHA-256 where that is known. */
export const extensions = {
  ducklake: {
    linux_amd64: "e51bf9e8d933d0e83780ae096455501b542cf962569a2ce5613532d702c08302",
  },
  postgres_scanner: {
    linux_amd64: "b1ced4cfc6311313e117c2afb3eac76508718778dde0716421503c7dbfb5605c",
  },
  httpfs: {
    linux_amd64: "887c392b1e49128d11667c81e3698d8b00dfdeb456771acf66d05a0f74f7b7d8",
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type ExtensionName = keyof typeof extensions;

export const extension_names = Object.keys(extensions) as readonly ExtensionName[];

/** The folder of the extensions. */
export function extensionsPath(
  { extension_dir, data_dir }: Pick<Settings, "extension_dir" | "data_dir">,
): string {
  return extension_dir === "none" ? `${data_dir}/extensions` : extension_dir;
}

/** The file of an extension in the folder of all of them. */
export function extensionPath(folder: string, name: ExtensionName): string {
  return `${folder}/${name}.duckdb_extension`;
}

/** What is wrong with an extension's file for this library; undefined for nothing. */
export async function extensionFlaw(
  path: string,
  { name, platform }: { readonly name: ExtensionName; readonly platform: string },
): Promise<string | undefined> {
  const known: Readonly<Record<string, string>> = extensions[name];
  try {
    const digest = await digestOf(path);
    if (known[platform] === undefined || known[platform] === digest) return undefined;
    return "is of another version, or damaged";
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "is not there" : (error as Error).message;
  }
}

/** The version of the library, such as `v1.5.5`, and what kind of machine it is for. */
export type Library = { readonly version: string; readonly platform: string };

/** The library of this program. */
export function libraryHere(settings: InHand): Promise<Library> {
  return withLibrary(settings, libraryOf);
}

/** Throws a `Fault` (invalid) unless the library takes an extension's file. */
export async function requireLoads(
  path: string,
  { name, settings }: { readonly name: ExtensionName; readonly settings: InHand },
): Promise<void> {
  try {
    await withLibrary(settings, (connection) => connection.script(loadOf(path)));
  } catch (error) {
    const [reason] = (error as Error).message.split("\n");
    throw new Fault("invalid", `the extension ${name} can't be loaded: ${reason}`);
  }
}

type InHand = Pick<Settings, "library_dir" | "data_dir">;

/** Does `work` on a database in memory. */
async function withLibrary<T>(
  settings: InHand,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  await unpackLibrary(settings);
  const instance = await Instance.open({ path: ":memory:", memory_mb: 128, threads: 1 });
  const connection = instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.close();
    instance.close();
  }
}

function loadOf(path: string): string {
  return filled("LOAD {path}", { path: quoted(path) });
}

/** Loads an extension; throws a `Fault` (unavailable) that says what to do. */
export async function loadExtension(
  connection: Connection,
  { name, folder }: { readonly name: ExtensionName; readonly folder: string },
): Promise<void> {
  const path = extensionPath(folder, name);
  const library = await libraryOf(connection);
  const refuse = (flaw: string) =>
    new Fault(
      "unavailable",
      `the extension ${name} ${flaw} (${path}, for ${library.version} on ${library.platform}): ` +
        `wattkeeper extension install ${name}`,
    );
  const flaw = await extensionFlaw(path, { name, platform: library.platform });
  if (flaw !== undefined) throw refuse(flaw);
  try {
    await connection.script(loadOf(path));
  } catch (error) {
    throw refuse(`can't be loaded: ${(error as Error).message.split("\n")[0]}`);
  }
}
