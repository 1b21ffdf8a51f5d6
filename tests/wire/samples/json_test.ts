// Samples in NDJSON and JSON arrays: taken exactly, rejected by row, refused when broken off.
import assert from "node:assert/strict";
import { body_limits } from "../../../src/wire/bytes/limits.ts";
import { decode, faultOf, json, ndjson, reasonOf, rowsOf, ts, ts_us, utf8 } from "./decode_help.ts";

Deno.test("an NDJSON row keeps its value, quality and status exactly", async () => {
  const body = [
    `{"tag":"a","ts":"${ts}","value":5}`,
    `{"ts":"2026-11-21T06:00:00.1234567+01:00","sensor_tag":"b","value_int":9223372036854775807}`,
    ` { "tag" : "a" , "ts" : "${ts}" , "value" : true , "quality" : "uncertain" }\r`,
    ``,
    `{"tag":"c","ts":"${ts}","value_int":"-9223372036854775808","status_code":4294967295}`,
    `{"tag":"ü","ts":"${ts}","value":"x\\u00e9\\n","quality":null}`,
    `{"tag":"d","ts":"${ts}","value":null,"quality":"bad"}`,
    `{"tag":"\\u0061","ts":"${ts}","value":-0.1e-3,"status_code":0}`,
  ].join("\n");
  assert.deepEqual(rowsOf(await decode(body, ndjson)), [
    { line: 1, tag: "a", ts: ts_us, value: 5, quality: null, status: null },
    {
      line: 2,
      tag: "b",
      ts: ts_us + 123_456,
      value: 9223372036854775807n,
      quality: null,
      status: null,
    },
    { line: 3, tag: "a", ts: ts_us, value: 1n, quality: 1, status: null },
    {
      line: 5,
      tag: "c",
      ts: ts_us,
      value: -9223372036854775808n,
      quality: 2,
      status: 4294967295,
    },
    { line: 6, tag: "ü", ts: ts_us, value: "xé\n", quality: null, status: null },
    { line: 7, tag: "d", ts: ts_us, value: null, quality: 2, status: null },
    { line: 8, tag: "a", ts: ts_us, value: -0.0001, quality: 0, status: 0 },
  ]);
});

const bad_rows: Readonly<Record<string, RegExp>> = {
  "5": /must be a JSON object/,
  "[]": /must be a JSON object: send an array of them as application\/json/,
  '{"tag":"a"': /ends inside/,
  '{"tag":"a}': /ends inside/,
  "{}": /has no tag/,
  "{} {}": /text after/,
  '{"tag":"a","ts":"T","value":NaN}': /not JSON: unexpected N/,
  '{"tag":"a","ts":"T","value":Infinity}': /not JSON/,
  '{"tag":"a","ts":"T","value":1e400}': /beyond the range of a double/,
  '{"tag":"a","ts":"T","value":01}': /not a number/,
  '{"tag":"a","ts":"T","value":1.}': /not a number/,
  '{"tag":"a","ts":"T","value":1e}': /not a number/,
  '{"tag":"a","ts":"T","value":-}': /not a number/,
  '{"tag":"a","ts":"T","value":5,}': /not JSON/,
  '{"tag":"a","ts":"T" "value":5}': /not JSON/,
  '{"tag":"a","ts":"T","value":{"a":1}}': /object or a list/,
  '{"tag":"a","ts":"T","value":[[[[1]]]]}': /object or a list/,
  '{"tag":"a","ts":"T","value":"\\ud800"}': /surrogate/,
  '{"tag":"\\udc00","ts":"T","value":1}': /surrogate/,
  '{"tag":"a","ts":"T","value":"\\u0000"}': /NUL/,
  '{"tag":"a\\u0000b","ts":"T","value":1}': /control/,
  '{"tag":"a","ts":"T","value":"\\x"}': /not valid text/,
  '{"tag":"a","ts":"T","value":"\u0001"}': /control character/,
  '{"tag":"a","tag":"b","ts":"T","value":1}': /has tag twice/,
  '{"tag":"a","sensor_tag":"b","ts":"T","value":1}': /has tag twice/,
  '{"tag":"a","ts":"T","value":1,"value":null}': /has value twice/,
  '{"tag":"a","ts":"T","__proto__":1,"value":1}': /unknown field "__proto__"/,
  '{"tag":"a","ts":"T","vlaue":1}': /did you mean value/,
  '{"tag":"","ts":"T","value":1}': /tag is empty/,
  '{"tag":7,"ts":"T","value":1}': /tag must be a text/,
  '{"tag":"a","value":1}': /has no ts/,
  '{"tag":"a","ts":1790000000,"value":1}': /ts must be an ISO 8601 instant/,
  '{"tag":"a","ts":"2026-11-21T05:00:00","value":1}': /ts has no offset/,
  '{"tag":"a","ts":"2026-02-29T05:00:00Z","value":1}': /day that does not exist/,
  '{"tag":"a","ts":"2026-11-21T24:00:00Z","value":1}': /ts names a time that does not exist/,
  '{"tag":"a","ts":"2026-11-21T05:00:60Z","value":1}': /ts names a time that does not exist/,
  '{"tag":"a","ts":"9999-01-01T00:00:00Z","value":1}': /years 1970 to 2200/,
  '{"tag":"a","ts":"1969-12-31T23:59:59Z","value":1}': /years 1970 to 2200/,
  '{"tag":"a","ts":"T"}': /has no value/,
  '{"tag":"a","ts":"T","value":null,"quality":"good"}': /has no value/,
  '{"tag":"a","ts":"T","value":1,"value_int":1}': /more than one/,
  '{"tag":"a","ts":"T","value_int":9223372036854775808}': /value_int must be/,
  '{"tag":"a","ts":"T","value_int":-9223372036854775809}': /value_int must be/,
  '{"tag":"a","ts":"T","value_int":1.0}': /value_int must be/,
  '{"tag":"a","ts":"T","value_int":""}': /value_int must be/,
  '{"tag":"a","ts":"T","value_str":5}': /value_str must be a text/,
  '{"tag":"a","ts":"T","value":1,"quality":"fine"}': /quality must be/,
  '{"tag":"a","ts":"T","value":1,"quality":0}': /quality must be/,
  '{"tag":"a","ts":"T","value":1,"status_code":4294967296}': /status_code must be/,
  '{"tag":"a","ts":"T","value":1,"status_code":-1}': /status_code must be/,
  '{"tag":"a","ts":"T","value":1,"status_code":1.5}': /status_code must be/,
  '{"tag":"a","ts":"T","value":1,"quality":"good","status_code":2147483648}': /contradicts/,
  '{"tag":"a","ts":"T","value":1,"issued_at":"T"}': /lane=forecast/,
};

for (const [row, reason] of Object.entries(bad_rows)) {
  Deno.test(`an NDJSON row is rejected beside its neighbours: ${row}`, async () => {
    const good = `{"tag":"good","ts":"${ts}","value":1}`;
    const body = `${good}\n${row.replaceAll('"T"', `"${ts}"`)}\n${good}\n`;
    for (const piece of [7, 65_536]) {
      const decoded = await decode(body, ndjson, { piece });
      assert.equal(decoded.batches[0].rows, 2);
      assert.equal(decoded.rejected_count, 1);
      assert.equal(decoded.rejected[0].line, 2);
      assert.match(decoded.rejected[0].reason, reason);
    }
  });
}

Deno.test("broken UTF-8 rejects its row only", async () => {
  const body = utf8.encode(
    `{"tag":"a?","ts":"${ts}","value":1}\n{"tag":"a","ts":"${ts}","value":"b?"}\n` +
      `{"tag":"a","ts":"${ts}","value":2}\n`,
  ).map((byte) => byte === 0x3f ? 0xff : byte);
  const decoded = await decode(body, ndjson);
  assert.equal(decoded.batches[0].rows, 1);
  assert.deepEqual(decoded.rejected.map(({ line, tag }) => [line, tag]), [[1, null], [2, "a"]]);
});

Deno.test("a line beyond its bound is rejected and the next one is taken", async () => {
  const long = `{"tag":"a","ts":"${ts}","value":"${"x".repeat(body_limits.ingest_line_bytes)}"}`;
  const good = `{"tag":"a","ts":"${ts}","value":1}`;
  for (const piece of [1000, 1 << 20]) {
    for (const [body, type] of [[`${long}\n${good}`, ndjson], [`[${long},${good}]`, json]]) {
      const decoded = await decode(body, type, { piece });
      assert.deepEqual(rowsOf(decoded).map((row) => row.line), [2]);
      assert.match(decoded.rejected[0].reason, /longer than 65536 bytes/);
    }
  }
});

Deno.test("deep nesting neither overflows a stack nor takes long", async () => {
  const deep = `{"tag":"a","ts":"${ts}","value":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
  assert.match((await reasonOf(deep, ndjson)).reason, /list/);
  assert.match((await reasonOf(`[${deep}]`, json)).reason, /list/);
});

Deno.test("an NDJSON body whose last object is not finished is refused whole", async () => {
  const whole = `{"tag":"a","ts":"${ts}","value":1}`;
  const body = `${whole}\n${whole}`;
  for (let end = whole.length + 2; end < body.length; end++) {
    const fault = await faultOf(body.slice(0, end), ndjson);
    assert.deepEqual([fault.code, fault.message], ["invalid", "the body broke off in line 2"]);
  }
  assert.equal((await decode(body, ndjson)).batches[0].rows, 2);
});

Deno.test("a JSON array is taken row by row and refused where it breaks off", async () => {
  const body = `\n[ {"tag":"a","ts":"${ts}","value":1},\n 7, {"tag":"b]}","ts":"${ts}",` +
    `"value":"\\"]"} ] \n`;
  for (const piece of [1, 9, 65_536]) {
    const decoded = await decode(body, json, { piece });
    assert.deepEqual(rowsOf(decoded).map((row) => [row.line, row.tag, row.value]), [
      [1, "a", 1],
      [3, "b]}", '"]'],
    ]);
    assert.equal(decoded.rejected[0].line, 2);
  }
  for (let end = 0; end < body.trimEnd().length; end++) {
    assert.equal((await faultOf(body.slice(0, end), json)).code, "invalid");
  }
  for (const wrong of ["", "{}", "5", "[] x", "[]]", "nul"]) {
    assert.equal((await faultOf(wrong, json)).code, "invalid", wrong);
  }
  assert.deepEqual((await decode("[]", json)).batches, []);
});
