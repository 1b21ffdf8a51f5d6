// Modbus frames: requests, answers in any pieces, and what is none.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  framed,
  FrameFlaw,
  FrameReader,
  readQuestion,
  writeQuestion,
} from "../../../src/wire/sources/modbus.ts";
import { bytesOf, valueIn } from "../../../src/wire/sources/register.ts";
import { checksum } from "../../help/modbus.ts";

const hex = (bytes: Uint8Array) => bytes.toHex();
const bytes = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

Deno.test("requests are as the documents of Modbus show them", () => {
  const request = { unit: 0x11, table: "holding", address: 0x6b, count: 3 } as const;
  const { message } = readQuestion(request);
  const rtu = framed(message, { transport: "rtu", transaction: 9 });
  assert.equal(hex(rtu), "1103006b00037687");
  const tcp = framed(message, { transport: "tcp", transaction: 0x1501 });
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
  const { answerIn } = readQuestion(request);
  assert.deepEqual(answerIn(bytes("04 04 00010002")), { data: bytes("00010002") });
  assert.deepEqual(answerIn(bytes("84 02")), { exception: 2 });
  assert.ok("flaw" in answerIn(bytes("03 04 00010002")));
  assert.ok("flaw" in answerIn(bytes("04 02 0001")));
  assert.ok("flaw" in answerIn(bytes("04 04 0001")));
  const bits = { ...request, table: "coil", count: 9 } as const;
  assert.deepEqual(readQuestion(bits).answerIn(bytes("01 02 ff01")), { data: bytes("ff01") });
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

Deno.test("what is written is framed as Modbus shows it, and must be said again", () => {
  const one = { unit: 0x11, table: "holding", address: 1, bytes: bytes("0003") } as const;
  const { message, answerIn } = writeQuestion(one);
  assert.equal(hex(message), "110600010003");
  assert.deepEqual(answerIn(bytes("06 0001 0003")), { data: bytes("") });
  assert.deepEqual(answerIn(bytes("86 03")), { exception: 3 });
  assert.deepEqual(answerIn(bytes("06 0001 0004")), { data: bytes("") });
  assert.ok("flaw" in answerIn(bytes("06 0002 0003")));
  assert.ok("flaw" in answerIn(bytes("03 02 0003")));
  const several = writeQuestion({ ...one, bytes: bytes("000a0102") });
  assert.equal(hex(several.message), "1110000100020" + "4000a0102");
  assert.deepEqual(several.answerIn(bytes("10 0001 0002")), { data: bytes("") });
  const bit = writeQuestion({ unit: 0x11, table: "coil", address: 0xac, bytes: bytes("01") });
  assert.equal(hex(bit.message), "110500acff00");
});

Deno.test("answers to what was written come whole on RTU too", () => {
  const reader = new FrameReader("rtu");
  for (const text of ["11 06 0001 0003", "11 10 0001 0002", "11 90 02"]) {
    const message = [...bytes(text)];
    reader.push(new Uint8Array([...message, ...checksum(message)]));
    assert.deepEqual(reader.next(), { unit: 0x11, pdu: new Uint8Array(message.slice(1)) });
  }
});

Deno.test("the bytes of a number give it again, or there are none", () => {
  const types = ["int16", "uint16", "int32", "uint32", "int64", "uint64", "float64"] as const;
  fc.assert(fc.property(
    fc.constantFrom(...types),
    fc.constantFrom("big" as const, "little" as const),
    fc.oneof(
      fc.integer(),
      fc.maxSafeInteger(),
      fc.double(),
      fc.integer({ min: -40_000, max: 70_000 }),
    ),
    (type, words, value) => {
      const made = bytesOf(value, { type, words });
      if (made === undefined) {
        assert.ok(type !== "float64" || !Number.isFinite(value));
        assert.notEqual(value, 7);
      } else assert.equal(Number(valueIn(made, { type, words })) + 0, value + 0);
    },
  ));
  for (const value of [0, 7, 32_767]) {
    for (const type of types) assert.ok(bytesOf(value, { type, words: "big" }), `${value} ${type}`);
  }
  for (const value of [NaN, Infinity, 0.5, -1, 65_536]) {
    assert.equal(bytesOf(value, { type: "uint16", words: "big" }), undefined);
  }
  assert.equal(bytesOf(1e39, { type: "float32", words: "big" }), undefined);
});
