// Modbus frames: requests, answers in any pieces, and what is none.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  framed,
  FrameFlaw,
  FrameReader,
  readAnswer,
  requestBytes,
} from "../../../src/wire/sources/modbus.ts";
import { valueIn } from "../../../src/wire/sources/register.ts";
import { checksum } from "../../help/modbus.ts";

const hex = (bytes: Uint8Array) => bytes.toHex();
const bytes = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

Deno.test("requests are as the documents of Modbus show them", () => {
  const request = { unit: 0x11, table: "holding", address: 0x6b, count: 3 } as const;
  const rtu = requestBytes(request, { transport: "rtu", transaction: 9 });
  assert.equal(hex(rtu), "1103006b00037687");
  const tcp = requestBytes(request, { transport: "tcp", transaction: 0x1501 });
  assert.equal(hex(tcp), "1501000000061103006b0003");
});

Deno.test("frames come whole out of bytes in any pieces", () => {
  const message = fc.uint8Array({ minLength: 0, maxLength: 250 })
    .map((data) => new Uint8Array([7, 3, data.length, ...data]));
  fc.assert(fc.property(
    fc.array(message, { minLength: 1, maxLength: 5 }),
    fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
    fc.constantFrom("tcp" as const, "rtu" as const),
    (messages, cuts, transport) => {
      const all = messages.flatMap((it, i) => [...framed(it, { transport, transaction: i })]);
      const reader = new FrameReader(transport);
      const found: number[][] = [];
      for (let at = 0, i = 0; at < all.length; i++) {
        const to = at + cuts[i % cuts.length];
        reader.push(new Uint8Array(all.slice(at, to)));
        at = to;
        for (let frame = reader.next(); frame; frame = reader.next()) {
          if (transport === "tcp") assert.equal(frame.transaction, found.length);
          found.push([frame.unit, ...frame.pdu]);
        }
      }
      assert.deepEqual(found, messages.map((it) => [...it]));
    },
  ));
});

Deno.test("the other framing is told apart, in words", () => {
  const rtu = [1, 3, 4, 0, 1, 0, 2];
  const reader = new FrameReader("tcp");
  reader.push(new Uint8Array([...rtu, ...checksum(rtu)]));
  assert.throws(() => reader.next(), (error: Error) => {
    return error instanceof FrameFlaw && /transport = "rtu"/.test(error.message);
  });
  const other = new FrameReader("rtu");
  other.push(bytes("0001 0000 0007 01 03 04 0001 0002"));
  assert.throws(() => other.next(), /transport = "tcp"/);
});

Deno.test("an answer must be to what was asked", () => {
  const request = { unit: 1, table: "input", address: 0, count: 2 } as const;
  assert.deepEqual(readAnswer(request, bytes("04 04 00010002")), { data: bytes("00010002") });
  assert.deepEqual(readAnswer(request, bytes("84 02")), { exception: 2 });
  assert.ok("flaw" in readAnswer(request, bytes("03 04 00010002")));
  assert.ok("flaw" in readAnswer(request, bytes("04 02 0001")));
  assert.ok("flaw" in readAnswer(request, bytes("04 04 0001")));
  const bits = { ...request, table: "coil", count: 9 } as const;
  assert.deepEqual(readAnswer(bits, bytes("01 02 ff01")), { data: bytes("ff01") });
});

Deno.test("values lie in registers as their type and the order of words say", () => {
  const big = { words: "big" } as const;
  const little = { words: "little" } as const;
  assert.equal(valueIn(bytes("fffe"), { type: "int16", ...big }), -2);
  assert.equal(valueIn(bytes("0001 0002"), { type: "uint32", ...big }), 65_538);
  assert.equal(valueIn(bytes("0002 0001"), { type: "uint32", ...little }), 65_538);
  assert.equal(valueIn(bytes("42f6 e979"), { type: "float32", ...big }), Math.fround(123.456));
  assert.equal(valueIn(bytes("e979 42f6"), { type: "float32", ...little }), Math.fround(123.456));
  const long = bytes("0000 0000 0000 0001");
  assert.equal(valueIn(long, { type: "uint64", ...big }), 1n);
  assert.equal(valueIn(long, { type: "uint64", ...little }), 1n << 48n);
  assert.equal(valueIn(bytes("5357 4100"), { type: "string", ...little }), "SWA");
});
