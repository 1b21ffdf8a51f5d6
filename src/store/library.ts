// DuckDB's library in the compiled program: carried packed, unpacked where it is first needed.
import { Fault } from "../base/fault.ts";

/** Where the library is, once it is; `package/bindings.cjs` loads it in place of a package. */
export const library = { folder: "" };

/** Beside the program. */
const own_place = () => `${Deno.execPath().replace(/[^/\\]*$/, "")}.wattkeeper`;

/**
 * Finds the library or unpacks it: below `library_dir`, or, where that is `none`, beside the
 * program or, where it may not write there, below `data_dir`. Does nothing in a program that is not
 * compiled.
 */
export async function unpackLibrary(
  { library_dir, data_dir }: { readonly library_dir: string; readonly data_dir: string },
): Promise<void> {
  if (!Deno.build.standalone || library.folder) return;
  const packed = `${import.meta.dirname}/library`;
  const [{ name }] = Deno.readDirSync(packed);
  const places = library_dir === "none" ? [own_place(), `${data_dir}/library`] : [library_dir];
  let failure: unknown;
  for (const place of places) {
    const folder = `${place}/${name}`;
    try {
      if (!await isReadable(folder)) await unpack(`${packed}/${name}`, folder);
      library.folder = folder;
      return;
    } catch (error) {
      failure = error;
    }
  }
  const { message } = failure as Error;
  throw new Fault(
    "invalid",
    `the database's library can't be unpacked, set library_dir: ${message}`,
  );
}

async function isReadable(folder: string): Promise<boolean> {
  try {
    (await Deno.open(`${folder}/duckdb.node`)).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Unpacks into a folder that is whole or not there; then removes what older programs unpacked. */
async function unpack(packed: string, folder: string): Promise<void> {
  const beside = `${folder}.${Deno.pid}.new`;
  await Deno.mkdir(beside, { recursive: true });
  for await (const { name } of Deno.readDir(packed)) {
    const { readable } = await Deno.open(`${packed}/${name}`);
    const path = `${beside}/${name.replace(/\.gz$/, "")}`;
    using file = await Deno.open(path, { write: true, createNew: true });
    const bytes = readable.pipeThrough(new DecompressionStream("gzip"));
    await bytes.pipeTo(file.writable, { preventClose: true });
    await file.syncData();
  }
  // Another process may have been faster.
  await Deno.rename(beside, folder).catch(() => Deno.remove(beside, { recursive: true }));
  const [, place, own] = /^(.*)\/([^/]+)$/.exec(folder)!;
  const made_ms = await madeAt(folder);
  for await (const { name } of Deno.readDir(place)) {
    if (!/^[0-9a-f]{16}(\.cache|\.\d+\.new)?$/.test(name) || name === own) continue;
    // Another process may still unpack there.
    if (name.endsWith(".new") && made_ms - await madeAt(`${place}/${name}`) < unpacking_ms) {
      continue;
    }
    await Deno.remove(`${place}/${name}`, { recursive: true }).catch(() => {});
  }
}

/** What a process that was killed left is older than any unpacking takes. */
const unpacking_ms = 600_000;

async function madeAt(path: string): Promise<number> {
  const { mtime } = await Deno.stat(path).catch(() => ({ mtime: null }));
  return mtime?.getTime() ?? 0;
}
