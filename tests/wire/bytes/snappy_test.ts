// Snappy blocks as a content encoding: every element, every damage, within bounds.
import assert from "node:assert/strict";
import fc from "fast-check";
import { unmetered } from "../../../src/base/budget.ts";
import { concat, utf8 } from "../../../src/base/bytes.ts";
import { Fault } from "../../../src/base/fault.ts";
import { inflate } from "../../../src/wire/bytes/inflate.ts";
import { body_limits } from "../../../src/wire/bytes/limits.ts";

async function* piecesOf(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

async function unpack(block: Uint8Array, meter = unmetered): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const content = inflate(piecesOf(block), { encoding: "snappy", meter });
  for await (const piece of content) pieces.push(piece);
  return concat(pieces);
}

/** An element of a block: bytes as they are, or `size` of those that stand `back` before. */
type Element = { readonly literal: Uint8Array } | { readonly back: number; readonly size: number };

function varint(value: number): number[] {
  return value < 128 ? [value] : [value % 128 + 128, ...varint(Math.floor(value / 128))];
}

function little(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256);
}

/** An element as the format writes it, its numbers in `width` bytes or as many as they need. */
function written(element: Element, width: number): number[] {
  if ("literal" in element) {
    const said = element.literal.length - 1;
    if (said < 60 && width === 0) return [said << 2, ...element.literal];
    const bytes = Math.max(width, said < 256 ? 1 : 2);
    return [(59 + bytes) << 2, ...little(said, bytes), ...element.literal];
  }
  const { back, size } = element;
  if (width === 0 && size >= 4 && size <= 11 && back < 2048) {
    return [1 | (size - 4) << 2 | back >> 8 << 5, back & 255];
  }
  return width > 2 || back > 65535
    ? [3 | (size - 1) << 2, ...little(back, 4)]
    : [2 | (size - 1) << 2, ...little(back, 2)];
}

/** A block of random elements, and what it holds. */
const block = fc.array(
  fc.record({
    literal: fc.option(fc.uint8Array({ minLength: 1, maxLength: 300 })),
    back: fc.nat(),
    size: fc.integer({ min: 1, max: 64 }),
    width: fc.nat(4),
  }),
  { maxLength: 20 },
).map((parts) => {
  const content: number[] = [];
  const elements = parts.flatMap(({ literal, back, size, width }) => {
    if (literal || content.length === 0) {
      const own = literal ?? new Uint8Array([7]);
      content.push(...own);
      return written({ literal: own }, width);
    }
    const from = 1 + back % content.length;
    for (let i = 0; i < size; i++) content.push(content[content.length - from]);
    return written({ back: from, size }, width);
  });
  return {
    block: new Uint8Array([...varint(content.length), ...elements]),
    content: new Uint8Array(content),
  };
});

Deno.test("a snappy block gives what its elements say", async () => {
  await fc.assert(fc.asyncProperty(block, async (it) => {
    assert.deepEqual(await unpack(it.block), it.content);
  }));
});

Deno.test("what another library packed is unpacked", async () => {
  const packed = [
    "f40a7c706f7765725f77617474737b696e7665727465723d2237227d203831322e350afe2000fe2000fe2000fe",
    "2000fe2000fe2000fe2000fe2000fe2000fe2000fe2000fe2000fe2000fe2000fe2000fe2000fe2000fe2000fe",
    "20007e20004000102030405060708090a0b0c0d0e0f07afe01008a0100",
  ].join("");
  const text = 'power_watts{inverter="7"} 812.5\n'.repeat(40);
  const steps = Uint8Array.from({ length: 16 }, (_, i) => 16 * i);
  const content = concat([utf8(text), steps, utf8("z".repeat(100))]);
  assert.deepEqual(await unpack(Uint8Array.fromHex(packed)), content);
});

Deno.test("damage is a fault, never a hang or another error", async () => {
  await fc.assert(
    fc.asyncProperty(block, fc.nat(), fc.nat(255), fc.nat(), async (it, at, byte, cut) => {
      const damaged = it.block.slice(0, it.block.length - cut % 3);
      if (damaged.length > 0) damaged[at % damaged.length] = byte;
      await unpack(damaged).catch((error) => {
        assert.ok(error instanceof Fault);
        assert.ok(["invalid", "too_large"].includes(error.code), error.code);
      });
    }),
    { numRuns: 1000 },
  );
  const broken = [
    ...["", "80", "ffffffffff", "05", "0500", "0100", "02004142", "0504414201", "0400410104"],
    // A run whose length is near 2^32, and copies from before the beginning or of nothing.
    ...["40fc00feffffff41", "0500410501", "0500410900"],
  ];
  for (const hex of broken) {
    await assert.rejects(unpack(Uint8Array.fromHex(hex)), { code: "invalid" }, hex);
  }
});

Deno.test("a block is refused by the length that it says, counted before it is made", async () => {
  const most = body_limits.snappy_body_bytes;
  const said = (length: number) => new Uint8Array(varint(length));
  await assert.rejects(unpack(said(most + 1)), { code: "too_large" });
  const full = { ...unmetered, take: () => assert.fail("no room") };
  await assert.rejects(unpack(said(most), full), /no room/);
});
