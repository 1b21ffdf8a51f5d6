// The service's Ed25519 keys (RFC 8032): made from a seed, named, published, and verified with.
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { concat } from "../../base/bytes.ts";

/** A key that signs. Its private half is nowhere in it. */
export type SigningKey = {
  /** The key's name: the RFC 7638 thumbprint of its public half. */
  readonly kid: string;
  /** The public half's 32 bytes, base64url. */
  readonly x: string;
  /** The 64 bytes of a message's signature. */
  readonly sign: (message: Uint8Array) => Uint8Array;
};

/** A public key as JSON (RFC 8037). */
export type Jwk = {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly use: "sig";
  readonly alg: "EdDSA";
};

/** The key of a seed: 32 bytes in base64url, `d` of RFC 8037. */
export function signingKey(seed: string): SigningKey {
  const der = concat([pkcs8_head, Uint8Array.fromBase64(seed, { alphabet: "base64url" })]);
  const pem = `-----BEGIN PRIVATE KEY-----\n${der.toBase64()}\n-----END PRIVATE KEY-----`;
  const private_key = createPrivateKey(pem);
  const x = createPublicKey(private_key).export({ format: "jwk" }).x!;
  return { kid: thumbprint(x), x, sign: (message) => sign(null, message, private_key) };
}

/** A key's public half, field by field: an exported private key would carry `d`. */
export function jwkOf({ kid, x }: Pick<SigningKey, "kid" | "x">): Jwk {
  return { kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" };
}

/** Whether the key of a public half `x` signed a message; never throws, whatever `x` is. */
export function isSignedBy(
  x: string,
  message: Uint8Array,
  { signature }: { readonly signature: Uint8Array },
): boolean {
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
}

/** What stands before a seed in a PKCS #8 key of Ed25519 (RFC 8410). */
const pkcs8_head = Uint8Array.fromHex("302e020100300506032b657004220420");

function thumbprint(x: string): string {
  const text = `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`;
  return createHash("sha256").update(text).digest("base64url");
}
