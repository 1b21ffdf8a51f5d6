// Values for nodes of an OPC UA server in a test's hand: types, refusals, what is read back.
import assert from "node:assert/strict";
import { SourceFault } from "../../../src/engine/devices/driver.ts";
import { write } from "../../../src/engine/opcua/opcua_write.ts";
import { opcua } from "../../../src/model/sources/kinds/opcua.ts";
import { numberType, type ServerValue, writtenValue } from "../../../src/wire/sources/opcua.ts";
import { fakeEffects } from "../../help/effects.ts";
import { valueOf } from "../../help/opcua.ts";

const double = 11;
const limits = { unit: "%", min: 0, max: 100, every_s: 10, confirm_ms: 1_000 };
const entry = opcua.form.parse({
  ...{ key: "s", kind: "opcua", endpoint: "opc.tcp://scada:4841/x" },
  points: [{ tag: "a", node: "ns=2;s=A", scale: 0.1, setpoint: limits }],
});

type Wish = {
  /** What a write changes, and answers. */
  readonly take?: (value: unknown) => { readonly held?: unknown; readonly status?: string } | Error;
  readonly more?: object;
  readonly type?: string;
  readonly dataType?: number;
};

/** Sends 60 to a node that has 1000, which is 100. */
async function sent(
  { take = (held) => ({ held }), more = {}, type = "ns=0;i=11", dataType = double }: Wish,
  { value = 60, ...command }: { readonly value?: number } & Partial<typeof limits> = {},
) {
  const { effects, clock } = fakeEffects();
  let held: unknown = 1000;
  const written: unknown[] = [];
  const session = {
    read: (_: readonly string[], attribute: string): Promise<ServerValue[]> =>
      Promise.resolve([
        attribute === "value"
          ? valueOf(0, 0, { value: { dataType, arrayType: 0, value: held }, ...more })
          : valueOf(type, 0),
      ]),
    write(_: string, value: { readonly dataType: number; readonly value: unknown }) {
      written.push([value.dataType, value.value]);
      const answer = take(value.value);
      if (answer instanceof Error) return Promise.reject(answer);
      held = "held" in answer ? answer.held : held;
      return Promise.resolve(answer.status ?? "Good");
    },
  };
  const { signal } = new AbortController();
  let ended = false;
  const ending = write(
    { entry: entry.points[0], node: "ns=2;s=A" },
    { tag: "a", value, limits: { ...limits, ...command } },
    { session, effects, signal },
  ).finally(() => ended = true);
  for (let i = 0; i < 1000 && !ended; i++) {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    if (!ended) clock.advance(100);
  }
  const { outcome, before, after, reason } = await ending;
  return { written, shown: [outcome, before, after, reason] };
}

Deno.test("a value is written once, scaled and of the node's type, and read back", async () => {
  const { written, shown } = await sent({});
  assert.deepEqual([written, shown], [[[double, 600]], ["confirmed", 100, 60, null]]);
  const whole = await sent({ type: "ns=0;i=4", dataType: 4 });
  assert.deepEqual(whole.written, [[4, 600]]);
  // Its attribute leaves the type open: that of its value counts.
  const open = await sent({ type: "ns=0;i=26", dataType: 5 });
  assert.deepEqual(open.written, [[5, 600]]);
});

Deno.test("a refusal says what to change, and nothing is written again", async () => {
  const refused = async (status: string) => {
    const { written, shown } = await sent({ take: () => ({ status }) });
    assert.deepEqual([written.length, ...shown.slice(0, 3)], [1, "refused", 100, 100]);
    return `${shown[3]}`;
  };
  assert.match(await refused("BadNotWritable"), /write ns=2;s=A: .*is it the right node/);
  assert.match(await refused("BadUserAccessDenied"), /give the user that right at the server/);
  assert.match(await refused("BadTypeMismatch"), /another type of value/);
  assert.match(await refused("BadOddThing"), /refuses to write ns=2;s=A: BadOddThing$/);
});

Deno.test("a server that does not know whether it is written is no refusal", async () => {
  const done = await sent({ take: (held) => ({ held, status: "BadTimeout" }) });
  assert.deepEqual(done.shown, ["confirmed", 100, 60, null]);
  const open = await sent({ take: () => ({ status: "BadCommunicationError" }) });
  assert.deepEqual(open.shown, [
    ...["unknown", 100, 100, "the server says BadCommunicationError of ns=2;s=A; it has 100 %"],
  ]);
});

Deno.test("what the node has then decides, however the write was answered", async () => {
  const clamped = await sent({ take: () => ({ held: 800, status: "GoodClamped" }) });
  assert.deepEqual(clamped.shown, [
    ...["refused", 100, 80, "the device took it, and has 80 % after that"],
  ]);
  const near = await sent({ take: () => ({ held: 604 }) }, { tolerance: 0.5 } as object);
  assert.deepEqual(near.shown.slice(0, 3), ["confirmed", 100, 60.400000000000006]);
  const late = new SourceFault({ kind: "timeouts", message: "no answer within 10 s" });
  const lost = await sent({ take: () => late });
  assert.deepEqual(lost.shown, ["unknown", 100, 100, "no answer within 10 s; it has 100 %"]);
  const broke = new SourceFault({ kind: "refused", message: "the connection broke" });
  const gone = await sent({ take: () => broke });
  assert.deepEqual([gone.written.length, gone.shown], [
    1,
    ["unknown", 100, null, "the connection broke"],
  ]);
});

Deno.test("a node that has no good value is written, and never confirmed", async () => {
  // Bad, and uncertain: what the device had last.
  for (const value of [0x8032_0000, 0x4090_0000]) {
    const { written, shown } = await sent({ more: { statusCode: { value } } });
    assert.deepEqual(written, [[double, 600]]);
    assert.deepEqual(shown.slice(0, 3), ["unconfirmed", null, null]);
    assert.match(`${shown[3]}`, /^it was taken; it could not be read back: .*no good value of/);
  }
});

Deno.test("nothing is written that the node can't hold, or that changes too much", async () => {
  const small = await sent({ type: "ns=0;i=3", dataType: 3 });
  assert.deepEqual(small.shown, ["not_sent", 100, null, "ns=2;s=A can't hold 60"]);
  const text = await sent({ type: "ns=0;i=12", dataType: 12 });
  assert.match(`${text.shown[3]}`, /it holds no number \(its type is ns=0;i=12\)/);
  const far = await sent({}, { most_change: 10 } as object);
  assert.match(`${far.shown[3]}`, /from 100 to 60 %, by more than 10/);
  for (const { written } of [small, text, far]) assert.deepEqual(written, []);
});

Deno.test("each type holds its numbers, and no others", () => {
  const holds = (type: number, value: number) =>
    writtenValue(value, { type, scale: 1, offset: 0 })?.value;
  assert.deepEqual([holds(1, 1), holds(1, 0), holds(1, 2)], [true, false, undefined]);
  assert.deepEqual([holds(2, -128), holds(2, -129), holds(3, 255)], [-128, undefined, 255]);
  assert.deepEqual([holds(6, 2 ** 31), holds(7, 2 ** 31), holds(4, 0.5)], [
    ...[undefined, 2 ** 31, undefined],
  ]);
  assert.deepEqual([holds(8, -1), holds(9, 2 ** 33), holds(9, -1)], [
    ...[[0xffff_ffff, 0xffff_ffff], [2, 0], undefined],
  ]);
  assert.deepEqual([holds(10, 0.1), holds(10, 1e300), holds(11, 1e300)], [
    ...[Math.fround(0.1), undefined, 1e300],
  ]);
  assert.equal(numberType("ns=0;i=290", null), double);
  assert.match(`${numberType("ns=0;i=26", null)}`, /has no value, and its type/);
});

Deno.test("a setpoint that can't be written is refused where it is declared", () => {
  const flaws = (more: object) =>
    opcua.flawsOf(opcua.form.parse({ ...entry, points: [{ ...entry.points[0], ...more }] }))
      .map(({ path, message }) => `${path}: ${message}`);
  assert.deepEqual(flaws({ element: 1 }), [
    "points[0].setpoint: can't be beside element: a part of an array is not written",
  ]);
  assert.deepEqual(flaws({ setpoint: { ...limits, min: 200 } }), [
    "points[0].setpoint.max: is less than min, 200",
  ]);
  assert.deepEqual(opcua.setpointsOf!(entry).map(({ tag, device }) => [tag, device]), [
    ["a", "opc.tcp://scada:4841/x"],
  ]);
});
