// Checks that a webhook is from Wattkeeper: WebCrypto alone, for Deno, Node 22, Bun and browsers.
// `body` is the request's bytes as they came, before any parsing.

const tolerance_s = 300;

type Received = {
  /** The header x-svc-signature; null where it is missing. */
  readonly header: string | null;
  readonly body: Uint8Array;
  /** The clock, in seconds since 1970. */
  readonly now_s?: number;
};

/** Whether one of the subscription's secrets signed it (HMAC-SHA256, `v1`). */
export async function verifyHmac(received: Received, secrets: readonly string[]): Promise<boolean> {
  return await anyVerifies(received, "v1", async (message, values) => {
    let found = false;
    for (const secret of secrets) {
      const bytes = new TextEncoder().encode(secret);
      const algorithm = { name: "HMAC", hash: "SHA-256" };
      const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
      // WebCrypto compares in constant time.
      for (const value of values) {
        if (await crypto.subtle.verify("HMAC", key, value, message)) found = true;
      }
    }
    return found;
  });
}

/** Whether one of `keys` of GET /webhooks/jwks.json, as they are there, signed it (`v1a`). */
export async function verifyEd25519(
  received: Received,
  keys: readonly { readonly crv: string; readonly x: string }[],
): Promise<boolean> {
  return await anyVerifies(received, "v1a", async (message, values) => {
    let found = false;
    for (const { crv, x } of keys) {
      if (crv !== "Ed25519") continue;
      const jwk = { kty: "OKP", crv, x };
      const key = await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"]);
      for (const value of values) {
        if (await crypto.subtle.verify("Ed25519", key, value, message)) found = true;
      }
    }
    return found;
  });
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Splits the header, checks the clock, and hands on what was signed with all values of a kind. */
async function anyVerifies(
  { header, body, now_s = Date.now() / 1000 }: Received,
  kind: "v1" | "v1a",
  check: (message: Bytes, values: readonly Bytes[]) => Promise<boolean>,
): Promise<boolean> {
  const entries = (header ?? "").split(",").map((entry) => entry.trim())
    .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]);
  const times = entries.filter(([name]) => name === "t").map(([, value]) => value);
  if (times.length !== 1 || !/^[0-9]{1,12}$/.test(times[0])) return false;
  if (Math.abs(Math.floor(now_s) - Number(times[0])) > tolerance_s) return false;
  const digits = kind === "v1" ? /^[0-9a-f]{64}$/i : /^[0-9a-f]{128}$/i;
  const values = entries.filter(([name, value]) => name === kind && digits.test(value))
    .map(([, value]) => Uint8Array.from(value.match(/../g)!, (pair) => parseInt(pair, 16)));
  const prefix = new TextEncoder().encode(`${times[0]}.`);
  const message = new Uint8Array(prefix.length + body.length);
  message.set(prefix);
  message.set(body, prefix.length);
  return await check(message, values);
}
