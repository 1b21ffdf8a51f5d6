// Passwords: their form, and the slow hash that is kept of one, with its parameters beside it.
import { scrypt, timingSafeEqual } from "node:crypto";
import { assert } from "../../base/assert.ts";
import { textUpTo } from "../data/text_form.ts";
import { access_limits } from "./limits.ts";

/** A new password. */
export const password_form = textUpTo(access_limits.password_length_max)
  .min(access_limits.password_length_min);

type Parameters = { readonly ln: number; readonly r: number; readonly p: number };

/** As slow as 2^17, 8, 1 (OWASP), with a quarter of its memory: 32 MiB. */
const parameters: Parameters = { ln: 15, r: 8, p: 3 };

/** Bytes of chance in a hash. */
export const salt_bytes = 16;
const key_bytes = 32;

/** What is kept of a password: `$scrypt$ln=15,r=8,p=3$<salt>$<key>`. */
export async function passwordHash(password: string, salt: Uint8Array): Promise<string> {
  return hashText(salt, await keyOf(password, salt, parameters));
}

/** A hash that is no password's, for the same work where there is none to compare with. */
export function noPasswordHash(random: (count: number) => Uint8Array): string {
  return hashText(random(salt_bytes), random(key_bytes));
}

function hashText(salt: Uint8Array, key: Uint8Array): string {
  const { ln, r, p } = parameters;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toBase64()}$${key.toBase64()}`;
}

/** Whether a hash is that of a password; takes as long whatever the password is. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const found = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  assert(found, "a password's hash of another form");
  const [ln, r, p] = found.slice(1, 4).map(Number);
  const [salt, key] = found.slice(4).map((text) => Uint8Array.fromBase64(text));
  return timingSafeEqual(await keyOf(password, salt, { ln, r, p }), key);
}

function keyOf(
  password: string,
  salt: Uint8Array,
  { ln, r, p }: Parameters,
): Promise<Uint8Array> {
  const N = 2 ** ln;
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) =>
    scrypt(
      password.normalize("NFC"),
      salt,
      key_bytes,
      options,
      (error, key) => error ? reject(error) : resolve(new Uint8Array(key)),
    )
  );
}
