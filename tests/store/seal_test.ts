// Secrets at rest: sealed with a key outside the database, and nothing of them left in clear.
import { deepEqual, doesNotMatch, equal, match, rejects, throws } from "node:assert/strict";
import type { KeptKey } from "../../src/model/webhooks/signing_key.ts";
import { Folder } from "../../src/store/folder.ts";
import { openDatabase } from "../../src/store/open.ts";
import { Vault } from "../../src/store/vault.ts";
import { readSigningKeys, replaceSigningKeys } from "../../src/store/webhooks/signing_key.ts";
import { readSecrets, readSubscriptions } from "../../src/store/webhooks/subscription.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

const { effects } = fakeEffects();

async function folderWith(key_text?: string) {
  const folder = await Folder.open(`${await Deno.makeTempDir()}/data`);
  const key_path = `${folder.path}/wattkeeper.key`;
  if (key_text !== undefined) await Deno.writeTextFile(key_path, key_text);
  const open = async () => {
    const options = { effects, on_loss: "refuse", memory_mb: 256, threads: 1, key_path } as const;
    return (await openDatabase(folder, options)).database;
  };
  return { folder, key_path, open };
}

/** What lies in the directory's files, a letter for each byte. */
async function lettersIn({ path }: Folder): Promise<string> {
  const names = (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name);
  const texts = names.map(async (name) =>
    new TextDecoder("latin1").decode(await Deno.readFile(`${path}/${name}`))
  );
  return (await Promise.all(texts)).join("\n");
}

Deno.test("a sealed text opens at its own place alone, with its own key, unchanged", () => {
  const vault = new Vault(effects, new Uint8Array(32));
  const sealed = vault.seal("whsec_ä", "place 1");
  doesNotMatch(sealed, /whsec/);
  equal(vault.unseal(sealed, "place 1"), "whsec_ä");
  const changed = sealed.slice(0, -2) + (sealed.at(-2) === "A" ? "B" : "A") + sealed.at(-1);
  throws(() => vault.unseal(changed, "place 1"), /was changed/);
  throws(() => vault.unseal(sealed, "place 2"), /was changed/);
  throws(() => vault.unseal("", "place 1"), /was changed/);
  vault.use(new Uint8Array(32).fill(1));
  throws(() => vault.unseal(sealed, "place 1"), /was changed/);
});

Deno.test("what an older version kept in clear is sealed, and no copy of it stays", async () => {
  const { folder, open } = await folderWith();
  const older = await open();
  const texts = Array.from({ length: 40 }, () => effects.random(32).toBase64());
  const rowsOf = (count: number) => texts.slice(0, count).map((text, i) => [text, i] as const);
  for (const count of [10, 40]) {
    await older.write(async ({ connection }) => {
      await connection.script("DELETE FROM subscription_secret; DELETE FROM subscription");
      const secrets = rowsOf(count).map(([text, i]) => `(${i}, 'whsec_${text}', 5, NULL)`);
      await connection.script(`INSERT INTO subscription_secret VALUES ${secrets}`);
      const headers = rowsOf(count).map(([text, i]) => `(${i}, '{"x-key":"h${text}"}', '{*}')`);
      await connection.script(`
        INSERT INTO subscription (subscription_no, headers, name) VALUES ${headers};
        UPDATE subscription SET event_types = [], id = subscription_no;
        INSERT INTO outbox (event_no, body) SELECT i, repeat('b', i) FROM range(900) AS r (i)`);
    });
    await older.checkpoint();
  }
  await older.write(({ connection }) =>
    connection.script("UPDATE meta SET name = 'sealing', value = 'due' WHERE name = 'key'")
  );
  await older.abandon();
  match(await lettersIn(folder), new RegExp(RegExp.escape(texts[3])));
  const database = await open();
  const rows = await database.read(async (it) => ({
    secrets: await readSecrets(it),
    subscriptions: await readSubscriptions(it),
  }));
  deepEqual(rows.secrets.map(({ secret }) => secret), texts.map((text) => `whsec_${text}`));
  deepEqual(rows.subscriptions[7].headers, { "x-key": `h${texts[7]}` });
  const [{ events }] = await database.read((it) =>
    queryRows(it, "SELECT count(body)::INTEGER AS events FROM outbox")
  );
  equal(events, 1800);
  await database.close();
  const letters = await lettersIn(folder);
  deepEqual(texts.filter((text) => letters.includes(text)), []);
  await (await open()).close();
  folder.close();
});

Deno.test("without its key a database opens for all but its secrets", async () => {
  const { folder, key_path, open } = await folderWith();
  const database = await open();
  const key: KeptKey = {
    ...{ kid: "k", seed: "s", created_at: 1, signs_from: 1, signs_until: null, expires_at: null },
  };
  await database.write(({ connection }) => replaceSigningKeys(connection, [key]));
  const { key_id } = database.vault;
  await database.close();
  const text = await Deno.readTextFile(key_path);
  const read = async () => {
    const again = await open();
    try {
      return await again.read(readSigningKeys);
    } finally {
      await again.close();
    }
  };
  await Deno.remove(key_path);
  await rejects(read(), new RegExp(`need the key ${key_id}, and the key file .*key is missing`));
  await Deno.writeTextFile(key_path, text.replace(/:.{43}/, `:${"A".repeat(43)}`));
  await rejects(read(), /is another one \([0-9a-f]{16}\).*key reset/);
  await Deno.writeTextFile(key_path, "no key");
  await rejects(read(), /wattkeeper\.key is no key file/);
  await Deno.writeTextFile(key_path, text);
  deepEqual(await read(), [key]);
  folder.close();
});
