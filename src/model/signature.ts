// Cryptography: the only file that computes digests and signatures.
import { createHash } from "node:crypto";
import { utf8 } from "../base/bytes.ts";

/** SHA-256 (FIPS 180-4) of a text's UTF-8 bytes, as 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(utf8(text)).digest("hex");
}
