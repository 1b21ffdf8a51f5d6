// The kind `bitmask`: bits of a word that are set.
import * as z from "zod";
import { labelMap, labelsField, ruleForm } from "../field.ts";
import type { KindDefinition } from "../kind.ts";

/** Any bit of the mask; labels by bit, 0 the least. */
export type BitmaskCondition = {
  readonly kind: "bitmask";
  readonly mask: bigint;
  readonly labels: ReadonlyMap<number, string>;
};

const mask_text = /^(0[xX][0-9a-fA-F]{1,16}|[1-9]\d{0,19})$/;
const mask_flaw = "give the bits 0 to 63 as a whole number, a list of bits, or a decimal or 0x " +
  "text: an expression can't stand here";

/** Bits of a word: one number, the list of them, or a text where a number is not exact. */
const mask = z.union([
  z.int().min(1),
  z.array(z.int().min(0).max(63)).min(1).max(64),
  z.string().refine(isMaskText, { error: mask_flaw }),
], { error: mask_flaw }).transform(maskEntry);

const form = ruleForm("bitmask", {
  mask: mask.describe("The bits that it watches: a number, a list of bits, or 0x text."),
  labels: labelsField(/^(\d|[1-5]\d|6[0-3])$/, "a bit from 0 to 63")
    .describe("Names of bits, by bit; 0 is the lowest.").default({}),
});

/** Bits of a word, all of them one alarm. */
export const bitmask: KindDefinition<typeof form, BitmaskCondition> = {
  form,
  documentation: {
    holds: "Any bit of the mask in a word. One occurrence while any is set; decoded_labels names " +
      "all that were, bit N where one has no label.",
    params: "mask: a number, or its decimal digits as a text beyond 2^53",
    example: {
      key: "inverter-fault",
      name: "Inverter fault",
      kind: "bitmask",
      mask: [0, 7],
      labels: { 0: "Ground fault", 7: "Over temperature" },
      event_word: true,
      device_model: "central-1500",
    },
  },
  flawsOf({ mask, labels }) {
    const bits = BigInt(mask);
    return Object.keys(labels).filter((bit) => (bits >> BigInt(bit) & 1n) === 0n)
      .map((bit) => ({ path: `labels.${bit}`, message: "is a bit beyond the mask" }));
  },
  conditionOf: ({ kind, mask, labels }) => ({ kind, mask: BigInt(mask), labels: labelMap(labels) }),
  paramsOf: ({ mask }) => ({ mask: maskEntry(mask) }),
  judge: {
    heldOf: (_condition, { value }) =>
      typeof value === "bigint" || Number.isSafeInteger(value) ? value : undefined,
    subjectOf: ({ mask }, held) => held !== 0 && (BigInt(held) & mask) !== 0n ? 0 : undefined,
    reachOf: () => NaN,
  },
  labels: {
    bitsOf: ({ mask }, held) => BigInt(held) & mask,
    namesOf({ labels }, { bits }) {
      const set = Array.from({ length: 64 }, (_, bit) => bit)
        .filter((bit) => (bits >> BigInt(bit) & 1n) === 1n);
      return [...new Set(set.map((bit) => labels.get(bit) ?? `bit ${bit}`))];
    },
    pointOf: () => undefined,
  },
  needs: { values: "code", trigger: { by: "samples" }, hasPoints: () => false, spanUs: () => 0 },
};

function isMaskText(text: string): boolean {
  return mask_text.test(text) && BigInt(text) > 0n && BigInt(text) < 2n ** 64n;
}

/** A number, or a decimal text where a number is not exact. */
function maskEntry(given: number | bigint | string | readonly number[]): number | string {
  const bits = typeof given === "object"
    ? given.reduce((sum, bit) => sum | 1n << BigInt(bit), 0n)
    : BigInt(given);
  return bits <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bits) : String(bits);
}
