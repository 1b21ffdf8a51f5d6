// Identifiers issued by the service: UUIDv7 (RFC 9562), sortable by their time.
import type { Effects } from "./effects.ts";
import { hex } from "./bytes.ts";

/** A new UUIDv7: 48 bits of milliseconds, then 74 random bits. */
export function newId(effects: Pick<Effects, "now_us" | "random">): string {
  const bytes = effects.random(16);
  const now_ms = Math.floor(effects.now_us() / 1000);
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(now_ms / 2 ** (8 * (5 - i))) & 0xff;
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const text = hex(bytes);
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-` +
    `${text.slice(16, 20)}-${text.slice(20)}`;
}
