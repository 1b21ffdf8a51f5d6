// The form of a backup: a plain tar file, in which no bit can change without being noticed.
import { createHash } from "node:crypto";
import * as z from "zod";
import { assert } from "../../base/assert.ts";
import { concat, textOf, utf8 } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { backup_limits } from "./limits.ts";

/** What lies in a backup, its last member but one; the last is the digest of its bytes. */
const manifest_schema = z.strictObject({
  format: z.literal(1),
  /** The program that made it, the database's version, and the library that digests its rows. */
  program: z.string(),
  schema: z.int(),
  duckdb: z.string(),
  /** The name of the key that its secrets are sealed with; it is not in here. */
  key: z.string().nullable().default(null),
  made_at: z.string(),
  members: z.array(z.strictObject({
    name: z.string(),
    bytes: z.int(),
    sha256: z.string(),
  })),
  tables: z.array(z.strictObject({
    table_name: z.string(),
    rows: z.int(),
    digest: z.string(),
  })),
});

export type Manifest = z.output<typeof manifest_schema>;
/** A file of a backup, by its name in there. */
export type Member = Manifest["members"][number];

/** A file that goes into a backup: the first `bytes` of what lies at `path`. */
export type MemberSource = {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** Its digest, where that is known. */
  readonly sha256?: string;
};

const block_bytes = 512;
const manifest_name = "manifest.json";
const seal_name = "manifest.sha256";
/** Names stay within what a tar header has room for, and within the folder they are put in. */
const name_pattern = /^(?!.*(^|\/)\.{1,2}(\/|$))[\w./-]{1,100}$/;

/** Writes a backup piece by piece: members one after the other, then what describes them. */
export class ContainerWriter {
  readonly #members: Member[] = [];

  /** A file as its member. Throws a `Fault` (conflict) where it is not what it was. */
  async *member({ name, path, bytes, ...known }: MemberSource): AsyncGenerator<Uint8Array, void> {
    yield headerOf(name, bytes);
    const digest = createHash("sha256");
    for await (const piece of piecesOfFile({ path, bytes })) {
      digest.update(piece);
      yield piece;
    }
    yield paddingOf(bytes);
    const sha256 = digest.digest("hex");
    if (sha256 !== (known.sha256 ?? sha256)) {
      throw new Fault("conflict", `${path} is damaged: put it back, best from a backup`);
    }
    this.#members.push({ name, bytes, sha256 });
  }

  /** The manifest of all members, its seal, and the end. */
  *end(about: Omit<Manifest, "members" | "format">): Generator<Uint8Array, void> {
    const manifest: Manifest = { format: 1, ...about, members: this.#members };
    const text = utf8(JSON.stringify(manifest, null, 1) + "\n");
    yield* small(manifest_name, text);
    yield* small(seal_name, utf8(sealOf(text)));
    yield new Uint8Array(2 * block_bytes);
  }
}

/** Where the bytes of a member go as they are read. */
export type MemberSink = (name: string) => Promise<{
  readonly write: (piece: Uint8Array) => Promise<void>;
  readonly close: () => Promise<void>;
}>;

/**
 * Reads a backup to its end and gives its manifest; each member goes to its sink. Throws a `Fault`
 * (conflict) unless every bit of the file is as it was written.
 */
export async function readContainer(path: string, sink?: MemberSink): Promise<Manifest> {
  return await naming(path, () => readWhole(path, sink));
}

/** Runs `work` on the backup at `path`; its refusal names this file, however it was read. */
export async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault) || error.message.includes(path)) throw error;
    throw new Fault(error.code, `${path}: ${error.message}`);
  }
}

async function readWhole(path: string, sink?: MemberSink): Promise<Manifest> {
  using file = await openBackup(path);
  const { size } = await file.stat();
  const reader = new Reader(file);
  const members: Member[] = [];
  const names = new Set<string>();
  for (;;) {
    const { name, bytes } = headerIn(await reader.take(block_bytes)) ?? damaged("a header");
    // What a header says is longer than the file was changed.
    if (bytes > size) damaged("a length");
    if (name === manifest_name) return await endOf(reader, { members, bytes });
    if (!name_pattern.test(name)) damaged("a name");
    if (names.has(name)) damaged(`${name} is in it twice`);
    names.add(name);
    members.push({ name, bytes, sha256: await readMember(reader, { name, bytes, sink }) });
  }
}

async function readMember(
  reader: Reader,
  { name, bytes, sink }: Omit<Member, "sha256"> & { readonly sink?: MemberSink },
): Promise<string> {
  const digest = createHash("sha256");
  const writer = await sink?.(name);
  try {
    for (let left = bytes; left > 0;) {
      const piece = await reader.take(Math.min(left, backup_limits.piece_bytes));
      digest.update(piece);
      await writer?.write(piece);
      left -= piece.length;
    }
  } finally {
    await writer?.close();
  }
  await reader.expect(paddingOf(bytes));
  return digest.digest("hex");
}

/** The manifest, once it and all members are proved to be what was written. */
async function endOf(
  reader: Reader,
  { members, bytes }: { readonly members: readonly Member[]; readonly bytes: number },
): Promise<Manifest> {
  // So many members and tables no installation has.
  if (bytes > backup_limits.manifest_bytes) damaged("the length of the manifest");
  const text = await reader.take(bytes);
  await reader.expect(paddingOf(bytes));
  for (const piece of small(seal_name, utf8(sealOf(text)))) await reader.expect(piece);
  await reader.expect(new Uint8Array(2 * block_bytes));
  await reader.expectEnd();
  const { success, data } = manifest_schema.safeParse(JSON.parse(textOf(text)));
  if (!success) throw new Fault("conflict", "the backup is of a form that this program can't read");
  if (JSON.stringify(data.members) !== JSON.stringify(members)) damaged("a member's digest");
  return data;
}

/** Reads a file in exact pieces. */
class Reader {
  readonly #file: Deno.FsFile;

  constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** The next `count` bytes. */
  async take(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    if (await fill(this.#file, bytes) < count) damaged("it ends too early");
    return bytes;
  }

  /** Reads what must stand there. */
  async expect(wanted: Uint8Array): Promise<void> {
    const found = await this.take(wanted.length);
    if (!found.every((byte, i) => byte === wanted[i])) damaged("what lies between its members");
  }

  async expectEnd(): Promise<void> {
    if (await this.#file.read(new Uint8Array(1)) !== null) damaged("it goes on after its end");
  }
}

function damaged(what: string): never {
  throw new Fault("conflict", `the backup is damaged (${what}): use another one`);
}

/** Opens the file of a backup. Throws a `Fault` (not_found) where there is none. */
export async function openBackup(path: string): Promise<Deno.FsFile> {
  try {
    if (!(await Deno.stat(path)).isFile) throw new Fault("invalid", `${path} is no file`);
    return await Deno.open(path);
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (error instanceof Deno.errors.NotFound) {
      throw new Fault("not_found", `there is no backup at ${path}`);
    }
    throw new Fault("invalid", `${path} can't be read: ${(error as Error).message}`);
  }
}

/** The first `bytes` of a file, in pieces of their own memory: who takes one may keep it. */
async function* piecesOfFile(
  { path, bytes }: Pick<MemberSource, "path" | "bytes">,
): AsyncGenerator<Uint8Array, void> {
  if (bytes === 0) return;
  using file = await Deno.open(path);
  for (let left = bytes; left > 0;) {
    const piece = new Uint8Array(Math.min(left, backup_limits.piece_bytes));
    if (await fill(file, piece) < piece.length) {
      throw new Fault("conflict", `${path} became shorter while it was copied`);
    }
    left -= piece.length;
    yield piece;
  }
}

/** Reads until `bytes` is full or the file ends; gives how many were read. */
async function fill(file: Deno.FsFile, bytes: Uint8Array): Promise<number> {
  let at = 0;
  while (at < bytes.length) {
    const read = await file.read(bytes.subarray(at));
    if (read === null) break;
    at += read;
  }
  return at;
}

function* small(name: string, bytes: Uint8Array): Generator<Uint8Array, void> {
  yield concat([headerOf(name, bytes.length), bytes, paddingOf(bytes.length)]);
}

function sealOf(text: Uint8Array): string {
  return `${createHash("sha256").update(text).digest("hex")}  ${manifest_name}\n`;
}

/** Zeros up to the next whole block. */
function paddingOf(bytes: number): Uint8Array {
  return new Uint8Array((block_bytes - bytes % block_bytes) % block_bytes);
}

/**
 * A header of ustar (POSIX.1-1988), the same for the same name and size: a reader makes it again
 * and compares. Sizes from 8 GiB are written in base 256, as GNU tar does.
 */
function headerOf(name: string, bytes: number): Uint8Array<ArrayBuffer> {
  assert(name_pattern.test(name), `no name of a member: ${name}`);
  const header = new Uint8Array(block_bytes);
  const put = (at: number, text: string) => header.set(utf8(text), at);
  put(0, name);
  put(100, "0000600\0");
  put(108, "0000000\0");
  put(116, "0000000\0");
  if (bytes < 8 ** 11) put(124, `${bytes.toString(8).padStart(11, "0")}\0`);
  else {
    header[124] = 0x80;
    new DataView(header.buffer).setBigUint64(128, BigInt(bytes));
  }
  put(136, "00000000000\0");
  put(156, "0");
  put(257, "ustar\x0000");
  put(148, " ".repeat(8));
  const sum = header.reduce((sum, byte) => sum + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return header;
}

/** What a header says; undefined unless it is one as `headerOf` writes it. */
function headerIn(block: Uint8Array<ArrayBuffer>): Pick<Member, "name" | "bytes"> | undefined {
  const name = textOf(block.subarray(0, 100)).replace(/\0.*$/s, "");
  const octal = textOf(block.subarray(124, 135));
  const bytes = block[124] === 0x80
    ? Number(new DataView(block.buffer).getBigUint64(128))
    : /^[0-7]{11}$/.test(octal)
    ? parseInt(octal, 8)
    : NaN;
  if (!Number.isSafeInteger(bytes) || !name_pattern.test(name)) return undefined;
  const again = headerOf(name, bytes);
  return block.every((byte, i) => byte === again[i]) ? { name, bytes } : undefined;
}
