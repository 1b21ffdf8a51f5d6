// DuckDB's library in the compiled program: carried packed, unpacked where it is first needed.
import { createRequire } from "node:module";
import { textOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";

/**
 * The library as the program carries it: its files one behind the other, each packed by gzip, then
 * `library_mark`. They end where the program ends, or where the runtime's code begins.
 */
export type PackedLibrary = {
  /** Says which library it is. */
  readonly name: string;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
};

/** Eight bytes of ASCII. */
export const library_mark = "wklib001";

/** Where the library was unpacked, once it is. */
export const library = { folder: "" };

const file_names: Partial<Record<typeof Deno.build.os, string>> = {
  darwin: "libduckdb.dylib",
  windows: "duckdb.dll",
};

/** Its file's name on this kind of machine. */
export const library_file = file_names[Deno.build.os] ?? "libduckdb.so";

/** The library's file: where it was unpacked, or in the package for this kind of machine. */
export function libraryPath(): string {
  if (library.folder) return `${library.folder}/${library_file}`;
  const { os, arch } = Deno.build;
  const system = os === "windows" ? "win32" : os;
  const machine = arch === "aarch64" ? "arm64" : "x64";
  // The package is a part of another one, from where it is found.
  const whole = createRequire(import.meta.url).resolve("@duckdb/node-bindings");
  return createRequire(whole).resolve(
    `@duckdb/node-bindings-${system}-${machine}/${library_file}`,
  );
}

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
  const packed: PackedLibrary = JSON.parse(
    await Deno.readTextFile(`${import.meta.dirname}/library.json`),
  );
  const places = library_dir === "none" ? [own_place(), `${data_dir}/library`] : [library_dir];
  let failure: unknown;
  for (const place of places) {
    const folder = `${place}/${packed.name}`;
    try {
      if (!await isReadable(folder)) await unpack(packed, folder);
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
    (await Deno.open(`${folder}/${library_file}`)).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Unpacks into a folder that is whole or not there; then removes what older programs unpacked. */
async function unpack({ files }: PackedLibrary, folder: string): Promise<void> {
  const beside = `${folder}.${Deno.pid}.new`;
  await Deno.mkdir(beside, { recursive: true });
  using program = await Deno.open(Deno.execPath());
  const end = await libraryEnd(program);
  await program.seek(end - files.reduce((sum, { bytes }) => sum + bytes, 0), Deno.SeekMode.Start);
  for (const { name, bytes } of files) {
    using file = await Deno.open(`${beside}/${name}`, { write: true, createNew: true });
    await ReadableStream.from(readPieces(program, bytes))
      .pipeThrough(new DecompressionStream("gzip"))
      .pipeTo(file.writable, { preventClose: true });
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

/** Where the library's files end in the program. */
async function libraryEnd(program: Deno.FsFile): Promise<number> {
  const size = await program.seek(0, Deno.SeekMode.End);
  const last = await program.seek(-library_mark.length, Deno.SeekMode.End);
  const [bytes] = await Array.fromAsync(readPieces(program, library_mark.length));
  if (textOf(bytes) === library_mark) return last;
  // The length of the code, by which such a runtime finds it.
  const code_bytes = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  return size - code_bytes - library_mark.length;
}

/** The next `bytes` bytes of a file. */
async function* readPieces(
  file: Deno.FsFile,
  bytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for (let left = bytes; left > 0;) {
    const piece = new Uint8Array(Math.min(left, 65_536));
    const count = await file.read(piece);
    if (count === null) throw new Deno.errors.UnexpectedEof("the program was cut");
    left -= count;
    yield piece.subarray(0, count);
  }
}

/** What a process that was killed left is older than any unpacking takes. */
const unpacking_ms = 600_000;

async function madeAt(path: string): Promise<number> {
  const { mtime } = await Deno.stat(path).catch(() => ({ mtime: null }));
  return mtime?.getTime() ?? 0;
}
