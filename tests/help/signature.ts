// A webhook's signature, by node's own means.
import { createHmac } from "node:crypto";

/** The header of a body. */
export function signedBy(secret: string, body: string, t: number): string {
  return `t=${t},v1=${createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")}`;
}
