// Signatures over what is sent and received: made, read, checked, and each check explained.
import { createHmac, timingSafeEqual } from "node:crypto";
import { concat, textOf, utf8 } from "../../base/bytes.ts";
import { sha256Hex } from "../../base/digest.ts";
import { webhook_limits } from "./limits.ts";
import { isSignedBy, type SigningKey } from "./signature_key.ts";

/** A body and what signs it. */
type Signing = {
  /** When it is signed: whole seconds since 1970 UTC. */
  readonly t: number;
  readonly body: Uint8Array;
  /** Secrets of the subscription, two of them during a rotation. */
  readonly secrets: readonly string[];
  /** Keys of the service, two of them during a rotation. */
  readonly keys: readonly SigningKey[];
};

/** What a signature header says; signatures are hexadecimal, entries of other kinds left out. */
export type Signature = {
  readonly t: number;
  readonly v1: readonly string[];
  readonly v1a: readonly string[];
};

/** The first check that a signature failed, and why, for a person. */
export type SignatureRefusal = {
  readonly failed: "header" | "clock" | "signature";
  readonly reason: string;
};

/** HMAC-SHA-256 (RFC 2104) of a text's UTF-8 bytes by a secret, as 64 hexadecimal digits. */
export function keyedHash(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

/** Whether a text has a digest of `sha256Hex`; takes as long whatever the text is. */
export function isSecretOf(text: string, digest: string): boolean {
  return timingSafeEqual(utf8(sha256Hex(text)), utf8(digest));
}

/** The text of `x-svc-signature`: every secret's `v1` and every key's `v1a` over `<t>.<body>`. */
export function signatureHeader({ t, body, secrets, keys }: Signing): string {
  const message = messageOf(`${t}.`, body);
  return [
    `t=${t}`,
    ...secrets.map((secret) => `v1=${hmac(utf8(secret), message).toHex()}`),
    ...keys.map((key) => `v1a=${key.sign(message).toHex()}`),
  ].join(",");
}

/**
 * The headers of Standard Webhooks 1.0 (standardwebhooks.com) over `<id>.<t>.<body>`. A secret's
 * key is there what its base64 stands for, and not its text.
 */
export function standardHeaders(id: string, { t, body, secrets, keys }: Signing) {
  const message = messageOf(`${id}.${t}.`, body);
  const signatures = [
    ...secrets.map((secret) => `v1,${hmac(secretBytes(secret), message).toBase64()}`),
    ...keys.map((key) => `v1a,${key.sign(message).toBase64()}`),
  ];
  return {
    "webhook-id": id,
    "webhook-timestamp": String(t),
    "webhook-signature": signatures.join(" "),
  };
}

/** What `x-svc-signature` says; null for a header that is not there. Looks at its form alone. */
export function parseSignature(
  header: string | null,
): { readonly signature: Signature } | { readonly refused: SignatureRefusal } {
  const refused = (reason: string) => ({ refused: { failed: "header", reason } } as const);
  if (header === null) return refused(`x-svc-signature is missing: ${form}`);
  if (header.length > webhook_limits.signature_length) {
    return refused("x-svc-signature is too long");
  }
  const entries = header.split(",").map((entry) => entry.trim().split(/=(.*)/s));
  const valuesOf = (name: string) =>
    entries.filter(([it]) => it === name).map(([, value = ""]) => value);
  const [t, ...further] = valuesOf("t");
  if (t === undefined || further.length > 0 || !/^\d{1,12}$/.test(t)) {
    return refused("x-svc-signature needs one t: whole seconds since 1970 UTC");
  }
  const signature = { t: Number(t), v1: valuesOf("v1"), v1a: valuesOf("v1a") };
  if (!signature.v1.every((v1) => /^[0-9a-f]{64}$/i.test(v1))) {
    return refused("v1 of x-svc-signature is not 64 hexadecimal digits");
  }
  if (!signature.v1a.every((v1a) => /^[0-9a-f]{128}$/i.test(v1a))) {
    return refused("v1a of x-svc-signature is not 128 hexadecimal digits");
  }
  return { signature };
}

const form = "t=<Unix seconds>,v1=<hex HMAC-SHA256>";

/**
 * Why a signature's `t` is refused at an instant, in microseconds since 1970 UTC; undefined when it
 * is not. It counts in whole seconds, as `t` does; exactly the tolerance is fine.
 */
export function clockRefusal({ t }: Signature, now_us: number): SignatureRefusal | undefined {
  const apart_s = Math.abs(Math.floor(now_us / 1e6) - t);
  if (apart_s <= webhook_limits.signature_clock_s) return undefined;
  const reason = "t of x-svc-signature is more than " +
    `${webhook_limits.signature_clock_s} seconds from the clock here`;
  return { failed: "clock", reason };
}

/**
 * Whether one of `secrets` signed a body. Compares in constant time, and every secret with every
 * `v1` whatever was found before.
 */
export function isSignedWith(
  { t, v1 }: Signature,
  body: Uint8Array,
  { secrets }: Pick<Received, "secrets">,
): boolean {
  const message = messageOf(`${t}.`, body);
  const signatures = v1.map((text) => Uint8Array.fromHex(text));
  return secrets.filter((secret) => {
    const own = hmac(utf8(secret), message);
    return signatures.filter((signature) => timingSafeEqual(signature, own)).length > 0;
  }).length > 0;
}

/** What a receiver knows and got. */
export type Received = {
  /** The text of `x-svc-signature`; null where it was missing. */
  readonly header: string | null;
  /** The body's bytes as they came. */
  readonly body: Uint8Array;
  readonly now_us: number;
  readonly secrets: readonly string[];
  /** Public keys: `x` of each key in the JWKS, base64url. */
  readonly keys: readonly string[];
};

/**
 * Why a receiver must refuse what came; undefined when a signature of any kind that it can check
 * verifies.
 */
export function signatureRefusal(received: Received): SignatureRefusal | undefined {
  const { header, body, now_us, keys } = received;
  const parsed = parseSignature(header);
  if ("refused" in parsed) return parsed.refused;
  const { signature } = parsed;
  const late = clockRefusal(signature, now_us);
  if (late) return late;
  if (isSignedWith(signature, body, received)) return undefined;
  const message = messageOf(`${signature.t}.`, body);
  const isSigned = keys.some((x) =>
    signature.v1a.some((v1a) => isSignedBy(x, message, { signature: Uint8Array.fromHex(v1a) }))
  );
  return isSigned ? undefined : { failed: "signature", reason: mismatch(signature, received) };
}

function mismatch({ v1, v1a }: Signature, { secrets, keys }: Received): string {
  const tried = [
    ...(secrets.length > 0 ? [`${v1.length} v1 against ${secrets.length} secrets`] : []),
    ...(keys.length > 0 ? [`${v1a.length} v1a against ${keys.length} public keys`] : []),
  ];
  return `no signature verifies: ${tried.join(", ") || "there is nothing to check it with"}`;
}

/** A check, whether it passed, and what was found. */
export type Finding = {
  readonly check: "header" | "clock" | "v1" | "v1a";
  readonly is_passed: boolean;
  readonly words: string;
};

/** Every check of what came: its header, its clock, each `v1`, each `v1a`. */
export function explainSignature(received: Received): readonly Finding[] {
  const parsed = parseSignature(received.header);
  if ("refused" in parsed) {
    return [{ check: "header", is_passed: false, words: parsed.refused.reason }];
  }
  const { signature } = parsed;
  const { t, v1, v1a } = signature;
  return [
    { check: "header", is_passed: true, words: `t=${t}, ${v1.length} v1, ${v1a.length} v1a` },
    clockFinding(signature, received.now_us),
    ...hmacFindings(signature, received),
    ...keyFindings(signature, received),
  ];
}

function clockFinding(signature: Signature, now_us: number): Finding {
  const apart_s = Math.floor(now_us / 1e6) - signature.t;
  const side = apart_s < 0 ? "ahead of" : "behind";
  const found = `t is ${Math.abs(apart_s)} seconds ${side} the clock here`;
  const refusal = clockRefusal(signature, now_us);
  if (refusal === undefined) return { check: "clock", is_passed: true, words: found };
  return { check: "clock", is_passed: false, words: `${refusal.reason}: ${found}` };
}

function hmacFindings(signature: Signature, { body, secrets }: Received): readonly Finding[] {
  return findingsOf({ check: "v1", values: signature.v1, known: secrets, noun: "secret" }, {
    body,
    isSigner: (secret, value, body) =>
      isSignedWith({ ...signature, v1: [value] }, body, { secrets: [secret] }),
  });
}

function keyFindings({ t, v1a }: Signature, { body, keys }: Received): readonly Finding[] {
  return findingsOf({ check: "v1a", values: v1a, known: keys, noun: "public key" }, {
    body,
    isSigner: (x, value, body) => {
      const message = messageOf(`${t}.`, body);
      return isSignedBy(x, message, { signature: Uint8Array.fromHex(value) });
    },
  });
}

type Kind = {
  readonly check: "v1" | "v1a";
  readonly values: readonly string[];
  /** Secrets or public keys; their places are told, never they. */
  readonly known: readonly string[];
  readonly noun: string;
};

type Means = {
  readonly body: Uint8Array;
  readonly isSigner: (known: string, value: string, body: Uint8Array) => boolean;
};

/** A finding for each value; none where there is nothing to check it with. */
function findingsOf(
  { check, values, known, noun }: Kind,
  { body, isSigner }: Means,
): readonly Finding[] {
  if (known.length === 0) return [];
  if (values.length === 0) {
    return [{ check, is_passed: false, words: `the header has no ${check}` }];
  }
  return values.map((value) => {
    const placeIn = (body: Uint8Array) => known.findIndex((it) => isSigner(it, value, body)) + 1;
    const place = placeIn(body);
    const short = `${value.slice(0, 8)}…`;
    if (place > 0) {
      const words = `${short} verifies with ${noun} ${place} of ${known.length}`;
      return { check, is_passed: true, words };
    }
    const change = changesOf(body).find(({ before }) => placeIn(before) > 0);
    const hint = change ? `, but would if ${change.words}` : "";
    const words = `${short} verifies with none of ${known.length} ${noun}s${hint}`;
    return { check, is_passed: false, words };
  });
}

/** What often happens to a body on its way, and what it would have been before that. */
function changesOf(body: Uint8Array): { readonly words: string; readonly before: Uint8Array }[] {
  const text = textOf(body);
  return [
    { words: "the body had no line break at its end", before: text.replace(/\r?\n$/, "") },
    { words: "the body had a line break at its end", before: `${text}\n` },
    { words: "the body's lines ended with \\n alone", before: text.replaceAll("\r\n", "\n") },
    { words: "the body's JSON had not been formatted again", before: compactOf(text) },
  ].map(({ words, before }) => ({ words, before: utf8(before) }));
}

function compactOf(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  return createHmac("sha256", key).update(message).digest();
}

function messageOf(prefix: string, body: Uint8Array): Uint8Array {
  return concat([utf8(prefix), body]);
}

/** The bytes that the base64 of a `whsec_` secret stands for. */
function secretBytes(secret: string): Uint8Array {
  return Uint8Array.fromBase64(secret.replace(/^whsec_/, ""));
}
