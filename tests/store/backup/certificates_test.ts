// Certificates and their keys are in every backup, sealed, and come back by a restore.
import { deepEqual, equal, ok } from "node:assert/strict";
import { keepCertificates } from "../../../src/store/backup/certificates.ts";
import { packBackup, writeBackup } from "../../../src/store/backup/pack.ts";
import { restoreBackup } from "../../../src/store/backup/restore.ts";
import { Database } from "../../../src/store/database.ts";
import { certificatesPath, keptFolders } from "../../../src/store/folder.ts";
import { unlock } from "../../../src/store/seal.ts";
import { fakeEffects } from "../../help/effects.ts";

const { effects } = fakeEffects();
const quick = { effects, memory_mb: 256, threads: 1 };

/** A database of a data directory, with the key in a file. */
async function open(data_dir: string, key_path: string): Promise<Database> {
  await Deno.mkdir(data_dir, { recursive: true });
  const database = await Database.open({ ...quick, path: `${data_dir}/wattkeeper.duckdb` });
  await unlock(database, { key_path, effects });
  return database;
}

const files = {
  "own/certs/wattkeeper.pem": "the service's certificate",
  "own/private/private_key.pem": "BEGIN PRIVATE KEY that nobody may read",
  "trusted/certs/server.der": "\u0000\u00ff a server's",
};

async function put(path: string, all: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(all)) {
    await Deno.mkdir(`${path}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${path}/${name}`, text);
  }
}

async function read(path: string): Promise<Record<string, string>> {
  const found = Object.keys(files).map(async (name) => [
    name,
    await Deno.readTextFile(`${path}/${name}`),
  ]);
  return Object.fromEntries(await Promise.all(found));
}

Deno.test("a backup has certificates, their keys sealed; a start puts them back", async () => {
  const path = await Deno.makeTempDir();
  const [data_dir, key_path] = [`${path}/data`, `${path}/key`];
  const certificates = certificatesPath({ data_dir });
  const database = await open(data_dir, key_path);
  await put(certificates, files);
  await put(certificates, { "rejected/stranger.pem": "nobody trusts it" });
  await keepCertificates(database, certificates);
  const file = `${path}/plant.tar`;
  {
    using cut = await database.cut();
    const about = { program: "1.2.3", made_at: "2026-06-01T12:00:00.000Z" };
    await writeBackup(file, packBackup(cut, { ...about, folders: keptFolders({ data_dir }) }));
  }
  await database.close();
  const bytes = new TextDecoder("latin1").decode(await Deno.readFile(file));
  ok(!bytes.includes("PRIVATE KEY"), "a key is in the backup as it is");
  ok(!bytes.includes(btoa(files["own/private/private_key.pem"]).slice(0, 20)));

  const other = `${path}/other`;
  await restoreBackup(file, { path: other, folders: keptFolders({ data_dir: other }) }, quick);
  // Without its key, nothing is changed: a person puts the key's file there.
  const there = certificatesPath({ data_dir: other });
  const locked = await Database.open({ ...quick, path: `${other}/wattkeeper.duckdb` });
  await keepCertificates(locked, there);
  await locked.close();
  equal(await Deno.stat(there).catch(() => undefined), undefined);
  const restored = await open(other, key_path);
  await keepCertificates(restored, there);
  deepEqual(await read(there), files);
  equal(await Deno.stat(`${there}/rejected`).catch(() => undefined), undefined);
  equal((await Deno.stat(`${there}/own/private/private_key.pem`)).mode! & 0o777, 0o600);
  await restored.close();
  await Deno.remove(path, { recursive: true });
});

Deno.test("what is no longer trusted comes back by no start; a new key replaces one", async () => {
  const path = await Deno.makeTempDir();
  const [data_dir, key_path] = [`${path}/data`, `${path}/key`];
  const certificates = certificatesPath({ data_dir });
  const database = await open(data_dir, key_path);
  await put(certificates, files);
  await keepCertificates(database, certificates);
  await Deno.remove(`${certificates}/trusted/certs/server.der`);
  await put(certificates, { "own/private/private_key.pem": "another" });
  await keepCertificates(database, certificates);
  await Deno.remove(certificates, { recursive: true });
  await keepCertificates(database, certificates);
  const names = await Array.fromAsync(Deno.readDir(certificates), ({ name }) => name);
  deepEqual(names, ["own"]);
  equal(await Deno.readTextFile(`${certificates}/own/private/private_key.pem`), "another");
  await database.close();
  await Deno.remove(path, { recursive: true });
});
