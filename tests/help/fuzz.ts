// Rules and bodies with numbers at every edge of every field, and bodies that are none.
import fc from "fast-check";

const tags = ["a", "b", "w", "x"];
const float_tags = ["a", "b", "p-I"];

/** Numbers at the edges: of doubles, of whole ones, of microseconds, of the form's own bounds. */
const edge = fc.oneof(
  fc.constantFrom(
    ...[0, -0, 1, -1, 60, 0.3333333, 1 / 3, 0.1 + 0.2, 1.005, 59.99999994, 1e-6, 1e-7, 1e-9],
    ...[5e-324, 1e-300, 1e15, 1e21, 1e300, 1.7976931348623157e308, -1.7976931348623157e308],
    ...[2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 63, -(2 ** 63), 2 ** 64],
    ...[86_400, 86_400.0000004, 86_401, 604_800, 604_800.0000006, 2_592_000, 2_592_001, 10_000],
  ),
  fc.double({ noNaN: true }),
  fc.double({ min: 0, max: 10, noNaN: true }),
);
/** More than 0, and mostly within bounds: a rule that is refused stays out of the way. */
const size = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      ...[1e-6, 0.3333333, 1 / 3, 0.1 + 0.2, 1.005, 59.99999994, 60.0000005, 3600, 86_400],
    ),
  },
  { weight: 1, arbitrary: edge },
);
const edge_code = fc.oneof(edge, fc.integer({ min: -3, max: 9 }));

const condition = fc.oneof(
  fc.record({
    kind: fc.constant("threshold"),
    operator: fc.constantFrom(">", ">=", "<", "<="),
    threshold: edge,
    deadband: size,
    tag: fc.constantFrom(...float_tags),
  }),
  fc.record({
    kind: fc.constant("outside"),
    low: edge,
    high: edge,
    deadband: size,
    tag: fc.constantFrom(...float_tags),
  }),
  fc.record({ kind: fc.constant("stale"), max_age_s: size, tag: fc.constantFrom(...tags) }),
  fc.record({
    kind: fc.constant("bitmask"),
    mask: fc.oneof(
      edge_code,
      fc.integer({ min: 1, max: 255 }),
      fc.array(fc.integer({ min: -1, max: 64 }), { maxLength: 4 }),
      fc.constantFrom("0xffffffffffffffff", "0x0", "18446744073709551615", "1e3", ""),
    ),
    tag: fc.constant("w"),
  }),
  fc.record({
    kind: fc.constant("enum"),
    codes: fc.array(edge_code, { maxLength: 4 }),
    tag: fc.constant("w"),
  }),
  fc.record({
    kind: fc.constant("rate_of_change"),
    direction: fc.constantFrom("rising", "falling", "both"),
    limit_per_min: size,
    over_s: size,
    tag: fc.constantFrom(...float_tags),
  }),
  fc.record({
    kind: fc.constant("deviation"),
    from: fc.constantFrom("model", "peers"),
    side: fc.constantFrom("below", "above", "both"),
    limit_pct: size,
    min_expected: size,
    span_minutes: fc.constantFrom(1, 15, 1440, 0),
    measure: fc.constant("active_power"),
    component: fc.constant("inverter"),
  }),
);

/** A rule as a request sends it: most are wrong somewhere. */
export const fuzzed_rule = fc.tuple(
  fc.record({ on_delay_s: size, off_delay_s: size }, { requiredKeys: [] }),
  fc.record({ resolution_policy: fc.constantFrom("auto", "manual", "require_both") }),
  condition,
).map(([delays, policy, own]) => ({ name: "Fuzzed", ...delays, ...policy, ...own }));

/** A value as JSON writes it: texts that no number of the language would print among them. */
const value_text = fc.oneof(
  edge.map((value) => JSON.stringify(value)),
  fc.constantFrom("1e999", "-1e999", "9223372036854775807", "-9223372036854775808", "true", "null"),
  fc.constantFrom('"on"', '"\\ud800"', "[]", "{}", "00", "-", "1e"),
);

/** Milliseconds before now, at the edges of what is taken. */
const age_ms = fc.oneof(
  fc.integer({ min: 0, max: 600_000 }),
  fc.constantFrom(0, -599_000, -601_000, 36 * 86_400_000, 400 * 86_400_000, 56 * 365 * 86_400_000),
);

/** A row of samples; `value` is JSON, or not quite. */
export type FuzzedRow = { readonly tag: string; readonly age_ms: number; readonly value: string };
/** Rows of known and unknown tags, old and new. */
export const fuzzed_row: fc.Arbitrary<FuzzedRow> = fc.record({
  tag: fc.constantFrom(...tags, "p-I", "p-J", "new", ""),
  age_ms,
  value: value_text,
});

/** The rows as NDJSON. */
export function ndjsonOf(rows: readonly FuzzedRow[], now_ms: number): string {
  return rows.map(({ tag, age_ms, value }) =>
    `{"tag":${JSON.stringify(tag)},"ts":"${new Date(now_ms - age_ms).toISOString()}",` +
    `"value":${value}}`
  ).join("\n");
}

/** A body that is none, of whatever type it says to be. */
export const rubbish = fc.record({
  bytes: fc.uint8Array({ maxLength: 300 }).map((bytes) => bytes as Uint8Array<ArrayBuffer>),
  headers: fc.record({
    "content-type": fc.constantFrom(
      ...["application/x-ndjson", "application/json", "text/csv", "application/json-seq"],
      ...["application/vnd.apache.arrow.stream", "text/plain"],
    ),
    "content-encoding": fc.constantFrom("identity", "gzip", "zstd", "br"),
  }),
});
