// Digests of contents, by which they are told apart and proved.
import { hash } from "node:crypto";

/** SHA-256 (FIPS 180-4) of bytes, or of a text's UTF-8 bytes, as 64 hexadecimal digits. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}
