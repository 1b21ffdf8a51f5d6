// IEC 60870-5-104: frames in any pieces, values of every type, times and commands, byte by byte.
import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { concat } from "../../../src/base/bytes.ts";
import {
  type Apdu,
  apduBytes,
  ApduReader,
  readAsdu,
  timeBytes,
} from "../../../src/wire/sources/iec104.ts";
import { clockCommand, interrogation } from "../../../src/wire/sources/iec104_command.ts";

const bytesOf = (text: string) =>
  Uint8Array.from(text.match(/[0-9a-f]{2}/gi)!, (it) => parseInt(it, 16));
const hexOf = (bytes: Uint8Array) =>
  [...bytes].map((it) => it.toString(16).padStart(2, "0")).join(" ");
const good = {
  ...{ is_overflown: false, is_blocked: false, is_substituted: false },
  ...{ is_old: false, is_invalid: false },
};

Deno.test("frames of the link and acknowledgements have the bytes of the standard", () => {
  equal(hexOf(apduBytes({ kind: "link", name: "start" })), "68 04 07 00 00 00");
  equal(hexOf(apduBytes({ kind: "link", name: "started" })), "68 04 0b 00 00 00");
  equal(hexOf(apduBytes({ kind: "link", name: "test" })), "68 04 43 00 00 00");
  equal(hexOf(apduBytes({ kind: "link", name: "tested" })), "68 04 83 00 00 00");
  equal(hexOf(apduBytes({ kind: "acknowledged", received: 8 })), "68 04 01 00 10 00");
  equal(hexOf(apduBytes({ kind: "acknowledged", received: 32_767 })), "68 04 01 00 fe ff");
});

Deno.test("commands have the bytes of the standard", () => {
  const asdu = interrogation("values", 1);
  const frame = apduBytes({ kind: "message", sent: 0, received: 0, asdu });
  equal(hexOf(frame), "68 0e 00 00 00 00 64 01 06 00 01 00 00 00 00 14");
  equal(hexOf(interrogation("counters", 0x1234)), "65 01 06 00 34 12 00 00 00 05");
  const wall_us = Date.UTC(2026, 5, 7, 13, 5, 59, 999) * 1000;
  const clock = clockCommand(1, { wall_us, is_summer: true });
  equal(hexOf(clock), "67 01 06 00 01 00 00 00 00 5f ea 05 8d e7 06 1a");
});

Deno.test("frames come out whole, in whatever pieces their bytes come", () => {
  const apdu: fc.Arbitrary<Apdu> = fc.oneof(
    fc.record({
      kind: fc.constant("message" as const),
      sent: fc.integer({ min: 0, max: 32_767 }),
      received: fc.integer({ min: 0, max: 32_767 }),
      asdu: fc.uint8Array({ maxLength: 249 }),
    }),
    fc.record({ kind: fc.constant("acknowledged" as const), received: fc.nat(32_767) }),
    fc.record({
      kind: fc.constant("link" as const),
      name: fc.constantFrom("start", "started", "stop", "stopped", "test", "tested"),
    }),
  ).map((it) => ({ ...it }));
  fc.assert(fc.property(fc.array(apdu), fc.array(fc.nat(20)), (sent, cuts) => {
    const all = concat(sent.map(apduBytes));
    const reader = new ApduReader();
    const came: Apdu[] = [];
    let at = 0;
    for (const cut of [...cuts, all.length]) {
      const { apdus, flaw } = reader.take(all.subarray(at, at + cut));
      equal(flaw, undefined);
      came.push(...apdus);
      at += cut;
    }
    deepEqual(came, sent);
  }));
});

Deno.test("what is no frame is told, and what came before it is not lost", () => {
  const start = apduBytes({ kind: "link", name: "started" });
  const { apdus, flaw } = new ApduReader().take(concat([start, bytesOf("48 54 54 50 2f")]));
  deepEqual(apdus, [{ kind: "link", name: "started" }]);
  equal(flaw, "what comes is no IEC 60870-5-104: is it the right port?");
  equal(new ApduReader().take(bytesOf("68 03 07 00 00")).apdus.length, 0);
  equal(new ApduReader().take(bytesOf("68 fe 00 00")).flaw?.includes("right port"), true);
  equal(new ApduReader().take(bytesOf("68 04 ff 00 00 00")).flaw, "a frame of the link is unknown");
});

const valuesOf = (text: string) =>
  readAsdu(bytesOf(text))?.values?.map(({ address, value }) => [address, value]);

Deno.test("values of every type are read", () => {
  const head = "01 03 00 01 00 0a 00 00";
  deepEqual(valuesOf(`01 ${head} 01`), [[10, 1]]);
  deepEqual(valuesOf(`03 ${head} 02`), [[10, 2]]);
  deepEqual(valuesOf(`05 ${head} c0 00`), [[10, -64]]);
  deepEqual(valuesOf(`05 ${head} 3f 00`), [[10, 63]]);
  deepEqual(valuesOf(`05 ${head} ff 00`), [[10, -1]]);
  deepEqual(valuesOf(`07 ${head} ff ff ff ff 00`), [[10, 4_294_967_295]]);
  deepEqual(valuesOf(`09 ${head} 00 80 00`), [[10, -1]]);
  deepEqual(valuesOf(`09 ${head} 00 40 00`), [[10, 0.5]]);
  deepEqual(valuesOf(`15 ${head} 00 c0`), [[10, -0.5]]);
  deepEqual(valuesOf(`0b ${head} ff 7f 00`), [[10, 32_767]]);
  deepEqual(valuesOf(`0d ${head} 00 00 c8 42 00`), [[10, 100]]);
  deepEqual(valuesOf(`0d ${head} 00 00 c0 7f 00`), [[10, null]]);
  deepEqual(valuesOf(`0f ${head} fe ff ff ff 00`), [[10, -2]]);
});

Deno.test("a message has many points, each with its address or in a row from one", () => {
  deepEqual(valuesOf("0b 02 14 00 01 00 01 00 00 05 00 00 ff ff 01 06 00 00"), [
    [1, 5],
    [0x01ffff, 6],
  ]);
  deepEqual(valuesOf("0b 83 14 00 01 00 e8 03 00 01 00 00 02 00 00 03 00 00"), [
    [1000, 1],
    [1001, 2],
    [1002, 3],
  ]);
});

Deno.test("a message whose length is not what its points need is none", () => {
  for (const text of ["0b 02 14 00 01 00 01 00 00 05 00 00", "0b 81 14 00 01 00 e8 03 00 01 00"]) {
    equal(readAsdu(bytesOf(text)), undefined);
  }
  equal(readAsdu(bytesOf("0b 01 03 00 01")), undefined);
});

Deno.test("the cause tells of a refusal and of a test; the station is whole", () => {
  const said = readAsdu(bytesOf("64 01 c7 00 ff fe 00 00 00 14"));
  deepEqual(said, {
    ...{ type: 100, cause: 7, is_negative: true, is_test: true, station: 0xfeff },
    ...{ address: 0, values: undefined, element: Uint8Array.of(20) },
  });
});

Deno.test("each bit of a quality is told", () => {
  const qualityOf = (bits: string) =>
    readAsdu(bytesOf(`0b 01 03 00 01 00 0a 00 00 05 00 ${bits}`))!.values![0].quality;
  deepEqual(qualityOf("00"), good);
  deepEqual(qualityOf("01"), { ...good, is_overflown: true });
  deepEqual(qualityOf("10"), { ...good, is_blocked: true });
  deepEqual(qualityOf("20"), { ...good, is_substituted: true });
  deepEqual(qualityOf("40"), { ...good, is_old: true });
  deepEqual(qualityOf("80"), { ...good, is_invalid: true });
  const of_counter = (bits: string) =>
    readAsdu(bytesOf(`0f 01 03 00 01 00 0a 00 00 05 00 00 00 ${bits}`))!.values![0].quality;
  deepEqual(of_counter("7f"), good);
  deepEqual(of_counter("80"), { ...good, is_invalid: true });
});

Deno.test("times are what was written, in the long and the short form", () => {
  const timeOf = (text: string) => readAsdu(bytesOf(text))!.values![0].at;
  const wall_us = Date.UTC(2026, 5, 7, 13, 5, 59, 999) * 1000;
  deepEqual(timeOf("1e 01 03 00 01 00 0a 00 00 01 5f ea 05 8d e7 06 1a"), {
    ...{ wall_us, is_short: false, is_summer: true, is_invalid: false },
  });
  deepEqual(timeOf("02 01 03 00 01 00 0a 00 00 01 5f ea 05"), {
    ...{ wall_us: 359_999_000, is_short: true, is_summer: false, is_invalid: false },
  });
  equal(timeOf("1e 01 03 00 01 00 0a 00 00 01 5f ea 85 0d 07 06 1a")!.is_invalid, true);
  equal(timeOf("1e 01 03 00 01 00 0a 00 00 01 60 ea 05 0d 07 06 1a")!.is_invalid, true);
  equal(timeOf("1e 01 03 00 01 00 0a 00 00 01 00 00 05 0d 1e 02 1a")!.is_invalid, true);
  equal(timeOf("1e 01 03 00 01 00 0a 00 00 01 00 00 05 18 07 06 1a")!.is_invalid, true);
});

Deno.test("a time that is written is read back", () => {
  const ms = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2099, 11, 31) });
  fc.assert(fc.property(ms, fc.boolean(), (ms, is_summer) => {
    const element = [1, ...timeBytes({ wall_us: ms * 1000, is_summer })];
    const asdu = new Uint8Array([30, 1, 3, 0, 1, 0, 10, 0, 0, ...element]);
    const { at } = readAsdu(asdu)!.values![0];
    deepEqual(at, { wall_us: ms * 1000, is_short: false, is_summer, is_invalid: false });
  }));
});

Deno.test("no bytes make the reader throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      readAsdu(bytes);
      new ApduReader().take(bytes);
    }),
    { numRuns: 2_000 },
  );
});
