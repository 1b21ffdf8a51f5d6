// Seals secrets before they are stored, with a key that lies in a file outside the database.
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import type { Effects } from "../base/effects.ts";
import { concat, textOf, utf8 } from "../base/bytes.ts";
import { Fault } from "../base/fault.ts";
import type { SubscriptionSecret } from "../model/webhooks/subscription.ts";
import { replaceFile } from "./folder.ts";

/** What a secret is sealed for: a sealed text that is copied to another place can't be opened. */
export const secret_places = {
  seed: (kid: string) => `signing_key ${kid}`,
  secret: (
    { subscription_no, created_at }: Pick<SubscriptionSecret, "subscription_no" | "created_at">,
  ) => `subscription_secret ${subscription_no} ${created_at}`,
  headers: (subscription_no: number) => `subscription ${subscription_no}`,
  upstream: (url: string) => `upstream_token ${url}`,
  certificate: (name: string) => `certificate_file ${name}`,
  destination: (id: string) => `destination ${id}`,
} as const;

const key_bytes = 32;
const nonce_bytes = 12;
const tag_bytes = 16;
const cipher = "aes-256-gcm";
const sealed_head = "sealed1.";
const file_head = "wattkeeper-key-1:";
const base64url = { alphabet: "base64url", omitPadding: true } as const;

/** Seals with AES-256-GCM (NIST SP 800-38D). Without its key it refuses, and says what helps. */
export class Vault {
  readonly #effects: Pick<Effects, "random">;
  #key: Uint8Array | Fault;

  constructor(
    effects: Pick<Effects, "random">,
    key: Uint8Array | Fault = new Fault("conflict", "the key of the secrets is not there"),
  ) {
    this.#effects = effects;
    this.#key = key;
  }

  /** From now on it works with `key`, or refuses for this reason. */
  use(key: Uint8Array | Fault): void {
    this.#key = key;
  }

  /** Whether its key is missing. */
  get is_locked(): boolean {
    return this.#key instanceof Fault;
  }

  /** The name of its key. Throws the `Fault` of one that is missing, as all below do. */
  get key_id(): string {
    return keyId(this.#open());
  }

  /** The text that is stored in place of a secret. */
  seal(secret: string, place: string): string {
    const nonce = this.#effects.random(nonce_bytes);
    const sealing = createCipheriv(cipher, this.#open(), nonce).setAAD(utf8(place));
    const sealed = [sealing.update(utf8(secret)), sealing.final()];
    return sealed_head + concat([nonce, ...sealed, sealing.getAuthTag()]).toBase64(base64url);
  }

  /** The secret of a sealed text. Throws a `Fault` (conflict) for one that is not of this place. */
  unseal(sealed: string, place: string): string {
    const key = this.#open();
    try {
      const bytes = Uint8Array.fromBase64(sealed.slice(sealed_head.length), base64url);
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonce_bytes))
        .setAAD(utf8(place)).setAuthTag(bytes.subarray(-tag_bytes));
      const secret = opening.update(bytes.subarray(nonce_bytes, -tag_bytes));
      return textOf(concat([secret, opening.final()]));
    } catch {
      throw new Fault("conflict", `the secret of ${place} was changed in the database`);
    }
  }

  #open(): Uint8Array {
    if (this.#key instanceof Fault) throw this.#key;
    return this.#key;
  }
}

/** A key's name, which tells nothing about it. */
export function keyId(key: Uint8Array): string {
  return createHash("sha256").update(file_head).update(key).digest("hex").slice(0, 16);
}

/** The key in the file at `path`; undefined where there is none. Throws a `Fault` for another. */
export async function readKey(path: string): Promise<Uint8Array | undefined> {
  const text = await textIn(path);
  if (text === undefined) return undefined;
  const [, key] = /^wattkeeper-key-1:([\w-]{43})\n?$/.exec(text) ?? [];
  if (key === undefined) throw new Fault("conflict", `${path} is no key file: put the right one`);
  return Uint8Array.fromBase64(key, base64url);
}

/** The key in the file at `path`, which is made where it is missing. */
export async function readOrMakeKey(
  path: string,
  { random }: Pick<Effects, "random">,
): Promise<Uint8Array> {
  const found = await readKey(path);
  if (found) return found;
  const key = random(key_bytes);
  await replaceFile(path, `${file_head}${key.toBase64(base64url)}\n`);
  return key;
}

async function textIn(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new Fault("conflict", `the key file can't be read: ${(error as Error).message}`);
  }
}
