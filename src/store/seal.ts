// Finds the key of a database, and seals what older versions stored in clear: no copy of it stays.
import type { Effects } from "../base/effects.ts";
import { utf8 } from "../base/bytes.ts";
import { Fault } from "../base/fault.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";
import { keepFacts, readFact } from "./meta.ts";
import { statement } from "./statement.ts";
import { keyId, readKey, readOrMakeKey, secret_places } from "./vault.ts";

/** Where the key is; it is made for a database that has none yet. */
export type KeyOptions = {
  readonly key_path: string;
  readonly effects: Pick<Effects, "random">;
};

/** Lets a database's vault work with its key, or say why it can't. */
export async function unlock(database: Database, options: KeyOptions): Promise<void> {
  const id = await database.read((connection) => readFact(connection, "key"));
  const key = await keyOf(id, options).catch((error) => {
    if (error instanceof Fault) return error;
    throw error;
  });
  database.vault.use(key);
}

async function keyOf(
  id: string | undefined,
  { key_path, effects }: KeyOptions,
): Promise<Uint8Array> {
  if (id === undefined) return await readOrMakeKey(key_path, effects);
  const key = await readKey(key_path);
  if (key && keyId(key) === id) return key;
  const found = key ? `is another one (${keyId(key)})` : "is missing";
  throw new Fault(
    "conflict",
    `the secrets in the database need the key ${id}, and the key file ${key_path} ${found}. Put ` +
      "that key's file there, or make new secrets with `wattkeeper key reset`",
  );
}

/**
 * Seals what is stored in clear, if anything is, in one transaction. Gives those texts, until
 * `keepSealed` says that the file holds no copy of them.
 */
export async function sealSecrets(database: Database): Promise<readonly string[]> {
  const sealing = await database.read((connection) => readFact(connection, "sealing"));
  if (sealing === undefined || database.vault.is_locked) return [];
  return await database.write(async ({ connection, stamp_us }) => {
    const { vault } = connection;
    const texts: string[] = [];
    for (const { place, text, put } of await storedSecrets(connection)) {
      if (sealing === "due") await put(vault.seal(text, place));
      texts.push(sealing === "due" ? text : vault.unseal(text, place));
    }
    const clear = texts.filter((text) => text.length >= least_length);
    const next = clear.length === 0 ? null : "wipe";
    await keepFacts(connection, { key: vault.key_id, sealing: next, stamp: stamp_us });
    return clear;
  });
}

/** Notes that no clear copy of a secret is in the file. */
export async function keepSealed(database: Database): Promise<void> {
  await database.write(({ connection, stamp_us }) =>
    keepFacts(connection, { sealing: null, stamp: stamp_us })
  );
}

/** Shorter texts, such as headers that say nothing, could stand for something else. */
const least_length = 24;

const file_head_bytes = 3 * 4096;
/** Where the file says how long its blocks are; one of an early version does not, and has these. */
const block_bytes_at = 4096 + 5 * 8;
const early_block_bytes = 256 * 1024;

/**
 * Overwrites every copy of some texts in a database file that nothing has open. The database leaves
 * what it no longer needs in its blocks, free or not, and nothing but this reaches that.
 */
export async function wipe(path: string, texts: readonly string[]): Promise<void> {
  using file = await Deno.open(path, { read: true, write: true });
  const { size } = await file.stat();
  const head = new DataView(new ArrayBuffer(file_head_bytes));
  await readWhole(file, new Uint8Array(head.buffer), 0);
  const block_bytes = Number(head.getBigUint64(block_bytes_at, true)) || early_block_bytes;
  const block = new Uint8Array(block_bytes);
  for (let at = file_head_bytes; at + block_bytes <= size; at += block_bytes) {
    await readWhole(file, block, at);
    const places = placesIn(block, texts);
    if (places.length === 0) continue;
    if (checksumIn(block) !== checksumOf(block)) {
      throw new Fault("conflict", `${path} is damaged at ${at}: restore a backup`);
    }
    for (const [from, to] of places) block.fill(0x2a, from, to);
    new DataView(block.buffer).setBigUint64(0, checksumOf(block), true);
    await file.seek(at, Deno.SeekMode.Start);
    for (let put = 0; put < block_bytes;) put += await file.write(block.subarray(put));
  }
  await file.sync();
}

/** Fills `bytes` with those of a file from a place on, as far as it has them. */
async function readWhole(file: Deno.FsFile, bytes: Uint8Array, at: number): Promise<void> {
  await file.seek(at, Deno.SeekMode.Start);
  for (let read = 0; read < bytes.length;) {
    read += await file.read(bytes.subarray(read)) ?? bytes.length;
  }
}

function placesIn(
  block: Uint8Array,
  texts: readonly string[],
): readonly (readonly [from: number, to: number])[] {
  // A letter for each byte.
  const letters = latin1.decode(block);
  return texts.flatMap((text) => {
    const length = utf8(text).length;
    const found: [number, number][] = [];
    for (let at = letters.indexOf(text); at >= 0; at = letters.indexOf(text, at + length)) {
      found.push([at, at + length]);
    }
    return found;
  });
}

const latin1 = new TextDecoder("latin1");

/** A block begins with the checksum of its other bytes. */
function checksumIn(block: Uint8Array<ArrayBuffer>): bigint {
  return new DataView(block.buffer).getBigUint64(0, true);
}

/** As the library computes it: each word is multiplied, and all of them are combined by XOR. */
function checksumOf(block: Uint8Array<ArrayBuffer>): bigint {
  const words = new BigUint64Array(block.buffer, 8);
  return words.reduce((sum, word) => sum ^ BigInt.asUintN(64, word * 0xbf58476d1ce4e5b9n), 5381n);
}

/** A secret that is stored, sealed or not, and how another text is stored in its place. */
type Stored = {
  readonly place: string;
  readonly text: string;
  readonly put: (text: string) => Promise<void>;
};

const seeds_list = statement({
  sql: "SELECT kid, seed FROM signing_key",
  row: { kid: "text", seed: "text" },
});

const seed_put = statement({
  sql: "UPDATE signing_key SET seed = $text::VARCHAR WHERE kid = $kid::VARCHAR",
  parameters: { kid: "text", text: "text" },
});

const clear_secrets_list = statement({
  sql: "SELECT subscription_no, created_at, secret FROM subscription_secret",
  row: { subscription_no: "int32", created_at: "instant", secret: "text" },
});

const secret_put = statement({
  sql: `
    UPDATE subscription_secret SET secret = $text::VARCHAR
    WHERE subscription_no = $subscription_no::INTEGER AND created_at = $created_at::BIGINT`,
  parameters: { subscription_no: "int32", created_at: "instant", text: "text" },
});

const headers_list = statement({
  sql: "SELECT subscription_no, headers FROM subscription",
  row: { subscription_no: "int32", headers: "text" },
});

const headers_put = statement({
  sql: `
    UPDATE subscription SET headers = $text::VARCHAR
    WHERE subscription_no = $subscription_no::INTEGER`,
  parameters: { subscription_no: "int32", text: "text" },
});

async function storedSecrets(connection: Connection): Promise<readonly Stored[]> {
  const seeds = await connection.rows(seeds_list);
  const secrets = await connection.rows(clear_secrets_list);
  const headers = await connection.rows(headers_list);
  return [
    ...seeds.map(({ kid, seed }): Stored => ({
      place: secret_places.seed(kid),
      text: seed,
      put: (text) => connection.run(seed_put, { kid, text }),
    })),
    ...secrets.map(({ secret, ...row }): Stored => ({
      place: secret_places.secret(row),
      text: secret,
      put: (text) => connection.run(secret_put, { ...row, text }),
    })),
    ...headers.map(({ subscription_no, headers }): Stored => ({
      place: secret_places.headers(subscription_no),
      text: headers,
      put: (text) => connection.run(headers_put, { subscription_no, text }),
    })),
  ];
}
