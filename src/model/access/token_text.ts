// A token's text: `wk_` and 32 random bytes in base62.
import { assert } from "../../base/assert.ts";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Bytes of chance in a token. */
export const token_bytes = 32;

/** 62^43 is the least power of 62 above 2^256: every token has 43 digits. */
const token_digits = 43;

/** The token that 32 random bytes make; no two byte strings make the same. */
export function tokenText(bytes: Uint8Array): string {
  assert(bytes.length === token_bytes, "a token of another length");
  let number = bytes.reduce((sum, byte) => sum << 8n | BigInt(byte), 0n);
  let text = "";
  for (let i = 0; i < token_digits; i++) {
    text = digits[Number(number % 62n)] + text;
    number /= 62n;
  }
  return `wk_${text}`;
}
