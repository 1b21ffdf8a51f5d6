// What a receiver finds of a signature, check by check, in words for whoever wires one up.
import { concat, textOf, utf8 } from "../../base/bytes.ts";
import {
  clockRefusal,
  isSignedWith,
  parseSignature,
  type Received,
  type Signature,
} from "./signature.ts";
import { isSignedBy } from "./signature_key.ts";

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
      const message = concat([utf8(`${t}.`), body]);
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
    { words: "the body's JSON had not been written anew", before: compactOf(text) },
  ].map(({ words, before }) => ({ words, before: utf8(before) }));
}

function compactOf(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
