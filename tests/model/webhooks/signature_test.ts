// Signatures against known figures and other means: node:crypto, noble, Standard Webhooks.
import { deepEqual, equal, ok } from "node:assert/strict";
import { createHmac, createPublicKey, verify } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { textOf, utf8 } from "../../../src/base/bytes.ts";
import { sha256Hex } from "../../../src/base/digest.ts";
import {
  clockRefusal,
  isSignedWith,
  parseSignature,
  signatureHeader,
  signatureRefusal,
  standardHeaders,
} from "../../../src/model/webhooks/signature.ts";
import { isSignedBy, jwkOf, signingKey } from "../../../src/model/webhooks/signature_key.ts";
import vectors from "../../vectors/signatures.json" with { type: "json" };

const { delivery, ed25519: known } = vectors;
const key = signingKey(known.d);
const other_key = signingKey(utf8("another seed of thirty-two bytes").toBase64());
const body = utf8(delivery.body);
const { t, secret } = delivery;
const now_us = t * 1e6;
const bytes = () => fc.uint8Array({ maxLength: 2000 });
const seeds = () => fc.uint8Array({ minLength: 32, maxLength: 32 });
const seedText = (seed: Uint8Array) => seed.toBase64({ alphabet: "base64url", omitPadding: true });

function signed(header: string) {
  const parsed = parseSignature(header);
  ok("signature" in parsed, JSON.stringify(parsed));
  return parsed.signature;
}

Deno.test("a delivery's header is the known one", () => {
  const header = signatureHeader({ t, body, secrets: [secret], keys: [key] });
  equal(header, `t=${t},v1=${delivery.v1},v1a=${delivery.v1a}`);
  deepEqual(signed(header), { t, v1: [delivery.v1], v1a: [delivery.v1a] });
});

Deno.test("HMAC is that of RFC 4231 and of node:crypto for any secret and body", () => {
  for (const { key_utf8, message, hex } of vectors.hmac_sha256) {
    equal(createHmac("sha256", key_utf8).update(message).digest("hex"), hex);
  }
  fc.assert(fc.property(fc.string({ minLength: 1 }), bytes(), (secret, body) => {
    const own = createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex");
    equal(signatureHeader({ t, body, secrets: [secret], keys: [] }), `t=${t},v1=${own}`);
  }));
});

Deno.test("a key has the known public half, name and JWK, and nothing else", () => {
  deepEqual([key.x, key.kid], [known.x, known.jwk_thumbprint]);
  const jwk = { kty: "OKP", crv: "Ed25519", x: known.x, kid: known.jwk_thumbprint };
  deepEqual(jwkOf(key), { ...jwk, use: "sig", alg: "EdDSA" });
  ok(!JSON.stringify([key, jwkOf(key)]).includes(known.d));
});

Deno.test("noble and node:crypto verify what any key signs, and noble signs the same", () => {
  fc.assert(
    fc.property(seeds(), bytes(), (seed, message) => {
      const { x, sign } = signingKey(seedText(seed));
      const signature = Uint8Array.from(sign(message));
      const public_key = ed25519.getPublicKey(seed);
      equal(x, seedText(public_key));
      deepEqual(ed25519.sign(message, seed), signature);
      ok(ed25519.verify(signature, message, public_key));
      const jwk = { kty: "OKP", crv: "Ed25519", x };
      ok(verify(null, message, createPublicKey({ key: jwk, format: "jwk" }), signature));
      ok(isSignedBy(x, message, { signature }));
      signature[9] ^= 1;
      ok(!isSignedBy(x, message, { signature }));
    }),
    { numRuns: 30 },
  );
});

Deno.test("Standard Webhooks' library makes the same headers and takes ours", () => {
  const now_s = Math.floor(Date.now() / 1000);
  fc.assert(
    fc.property(seeds(), fc.json(), (seed, text) => {
      const secret = `whsec_${seed.toBase64()}`;
      const signing = { t: now_s, body: utf8(text), secrets: ["whsec_test", secret], keys: [key] };
      const headers = standardHeaders("evt_1", signing);
      const library = new Webhook(secret);
      const [, own, v1a] = headers["webhook-signature"].split(" ");
      equal(library.sign("evt_1", new Date(now_s * 1000), text), own);
      deepEqual(library.verify(text, headers), JSON.parse(text));
      const signature = Uint8Array.fromBase64(v1a.replace("v1a,", ""));
      ok(isSignedBy(key.x, utf8(`evt_1.${now_s}.${text}`), { signature }));
    }),
    { numRuns: 30 },
  );
});

Deno.test("during rotations either secret and either key verifies", () => {
  const header = signatureHeader({ t, body, secrets: ["old", "new"], keys: [key, other_key] });
  const { v1, v1a } = signed(header);
  deepEqual([v1.length, v1a.length], [2, 2]);
  for (const it of ["old", "new"]) {
    equal(signatureRefusal({ header, body, now_us, secrets: [it], keys: [] }), undefined);
  }
  for (const { x } of [key, other_key]) {
    equal(signatureRefusal({ header, body, now_us, secrets: [], keys: [x] }), undefined);
  }
  equal(isSignedWith(signed(header), body, { secrets: ["before", "new"] }), true);
  equal(isSignedWith(signed(header), body, { secrets: ["before"] }), false);
});

Deno.test("a refusal names the check that failed first", () => {
  const header = signatureHeader({ t, body, secrets: [secret], keys: [key] });
  const received = { header, body, now_us, secrets: [secret], keys: [key.x] };
  const failed = (more: object) => signatureRefusal({ ...received, ...more })?.failed;
  equal(failed({}), undefined);
  equal(failed({ header: null }), "header");
  equal(failed({ header: "nonsense", now_us: 0 }), "header");
  equal(failed({ now_us: 0, body: utf8("") }), "clock");
  equal(failed({ body: utf8(`${delivery.body} `) }), "signature");
  equal(failed({ secrets: ["whsec_other"], keys: [other_key.x] }), "signature");
  equal(failed({ secrets: [], keys: ["no key"] }), "signature");
  equal(failed({ secrets: [], keys: [] }), "signature");
  equal(failed({ header: `t=${t},v2=abc` }), "signature");
  equal(failed({ header: header.replace(`t=${t}`, `t=${t + 1}`) }), "signature");
});

Deno.test("exactly 300 seconds either way are fine, 301 are not", () => {
  const at = (apart_s: number) => clockRefusal({ t: t + apart_s, v1: [], v1a: [] }, now_us + 9);
  deepEqual([-301, -300, 0, 300, 301].map((it) => at(it)?.failed), [
    "clock",
    undefined,
    undefined,
    undefined,
    "clock",
  ]);
});

Deno.test("a header's form is checked entry by entry, unknown entries are passed over", () => {
  const v1 = delivery.v1;
  const good = [
    `t=${t},v1=${v1}`,
    `v1=${v1.toUpperCase()} , t=${t}`,
    `t=${t},v3=??,v1=${v1},v1=${v1},x=a=b,y=`,
    `t=${t},v1=${v1},later,=,two words=x y`,
  ];
  for (const header of good) equal(signed(header).t, t, header);
  const bad = [
    "",
    ",",
    "t",
    `t=${t};v1=${v1}`,
    `v1=${v1}`,
    `t=,v1=${v1}`,
    `t=-1,v1=${v1}`,
    `t=1e3,v1=${v1}`,
    `t=${t}.5,v1=${v1}`,
    `t=9999999999999,v1=${v1}`,
    `t=${t},t=${t},v1=${v1}`,
    `t=${t},v1=`,
    `t=${t},v1=${v1.slice(1)}`,
    `t=${t},v1=${v1}00`,
    `t=${t},v1=${v1.slice(1)}g`,
    `t=${t},v1=${v1},v1a=00`,
    `t=${t},v1=${v1},${"x=1,".repeat(2000)}x=1`,
  ];
  for (const header of bad) ok("refused" in parseSignature(header), header.slice(0, 100));
  fc.assert(fc.property(fc.string(), (header) => void parseSignature(header)));
});

Deno.test("a digest is of UTF-8 bytes", () => {
  equal(sha256Hex("é"), "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c");
  equal(textOf(utf8("é")), "é");
});
