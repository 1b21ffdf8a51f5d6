// InfluxDB line protocol: names, types and timestamps of points, and the lines that are none.
import assert from "node:assert/strict";
import { decodeLines } from "../../../src/wire/samples/decode_line.ts";
import type { Precision } from "../../../src/wire/samples/line_text.ts";
import { faultFrom, rowsOf, utf8 } from "./decode_help.ts";

const now_us = 1_790_000_000_000_000;

async function* bodyOf(text: string) {
  yield utf8.encode(text);
}

function lines(text: string, precision: Precision = "ns") {
  return decodeLines(bodyOf(text), { precision, now_us });
}

Deno.test("each field of a line is a sample of its own type", async () => {
  const body = `# a comment

inv,site=n,id=7 power=1250.5,state=3i,count=9u,on=t,text="a \\"b\\" \\\\ c, d" 1790000000123456789
plain value=-1e3
my\\ meter,k\\,1=a\\ b va\\ lue=F 1790000000000000000
`;
  const rows = rowsOf(await lines(body)).map(({ line, tag, ts, value }) => [line, tag, ts, value]);
  const at = 1_790_000_000_123_456;
  assert.deepEqual(rows, [
    [3, "inv,id=7,site=n.power", at, 1250.5],
    [3, "inv,id=7,site=n.state", at, 3n],
    [3, "inv,id=7,site=n.count", at, 9n],
    [3, "inv,id=7,site=n.on", at, 1n],
    [3, "inv,id=7,site=n.text", at, 'a "b" \\ c, d'],
    [4, "plain.value", now_us, -1000],
    [5, "my meter,k\\,1=a b.va lue", 1_790_000_000_000_000, 0n],
  ]);
});

Deno.test("a mark of byte order belongs to the field that begins with it", async () => {
  const body = "l x=1 1790000000000000000\nl \ufeffx=3 1790000000000000000\n";
  const tags = rowsOf(await lines(body)).map(({ tag }) => tag);
  assert.deepEqual(tags, ["l.x", "l.\ufeffx"]);
});

Deno.test("the precision says what a timestamp counts", async () => {
  for (
    const [precision, stamp] of [
      ["ns", "1790000000000000999"],
      ["us", "1790000000000000"],
      ["ms", "1790000000000"],
      ["s", "1790000000"],
      ["n", "1790000000000000999"],
      ["u", "1790000000000000"],
      ["µ", "1790000000000000"],
      ["m", "29833333"],
      ["h", "497222"],
      ["second", "1790000000"],
      ["nanosecond", "1790000000000000999"],
      ["auto", "1790000000000000999"],
      ["auto", "1790000000000000"],
      ["auto", "1790000000000"],
      ["auto", "1790000000"],
    ] as const
  ) {
    const { ts } = rowsOf(await lines(`m v=1 ${stamp}`, precision))[0];
    const step_us = { m: 60e6, h: 3600e6 }[precision as string] ?? 1;
    assert.equal(ts, Math.floor(now_us / step_us) * step_us, precision);
  }
});

Deno.test("a bad line is rejected beside its neighbours", async () => {
  const bad: readonly (readonly [string, RegExp])[] = [
    ["m", /ends before/],
    ["m v", /ends before/],
    ["m v=", /no readable value/],
    ["m v=abc", /no readable value/],
    ["m v=812,5 1760000000000000000", /a decimal point, not with a comma/],
    ["m v=812,5", /a decimal point, not with a comma/],
    ["m v=812,5i 1760000000000000000", /a decimal point, not with a comma/],
    ["m v=1,w 1760000000000000000", /name=value$/],
    ["m v=1e999", /no readable value/],
    ["m v=9223372036854775808i", /no readable value/],
    ["m v=18446744073709551615u", /no readable value/],
    [",a=b v=1", /must begin/],
    ["m,a= v=1", /must begin/],
    ["m v=1 soon", /timestamp in ns/],
    ["m v=1 -5", /timestamp in ns/],
    ["m v=1 9999999999999999999", /timestamp in ns is after the year 2200/],
    ['m v="open', /ends before/],
    ["m v=1 1 2", /timestamp/],
  ];
  for (const [line, reason] of bad) {
    const decoded = await lines(`a v=1\n${line}\nb v=2\n`);
    assert.equal(decoded.batches[0].rows, 2, line);
    assert.equal(decoded.rejected[0].line, 2);
    assert.match(decoded.rejected[0].reason, reason);
  }
});

Deno.test("a timestamp more than ten years off is rejected with a word on precision", async () => {
  const flaw = async (stamp: string, precision: Precision = "ns") =>
    (await lines(`m v=1 ${stamp}`, precision)).rejected[0]?.reason;
  const off = (unit: string, said: string, hint: string) =>
    `its timestamp in ${unit} is ${said}, more than ten years off; ${hint}`;
  const meant = (unit: string) => `it seems to be in ${unit}: send precision=${unit}`;
  assert.equal(await flaw("1790000000"), off("ns", "1970-01-01", meant("s")));
  assert.equal(await flaw("1790000000000"), off("ns", "1970-01-01", meant("ms")));
  assert.equal(await flaw("1790000000", "ms"), off("ms", "1970-01-21", meant("s")));
  assert.equal(await flaw("1790000000000", "s"), off("s", "after the year 2200", meant("ms")));
  const old = "send the right precision, or history to /ingest/v1/signals";
  assert.equal(await flaw("1400000000", "auto"), off("s", "2014-05-13", old));
  // Ten years, to the microsecond, either way.
  const reach_us = 3_653 * 86_400_000_000;
  for (const edge of [now_us - reach_us, now_us + reach_us]) {
    assert.equal(await flaw(String(edge), "us"), undefined);
  }
  for (const beyond of [now_us - reach_us - 1, now_us + reach_us + 1]) {
    assert.match(await flaw(String(beyond), "us"), /ten years off/);
  }
});

Deno.test("a last line that breaks off refuses the whole body", async () => {
  for (const end of ["b", "b v", 'b v="x']) {
    const fault = await faultFrom(lines(`a v=1\n${end}`));
    assert.deepEqual([fault.code, fault.message], ["invalid", "the body broke off in line 2"]);
  }
});
