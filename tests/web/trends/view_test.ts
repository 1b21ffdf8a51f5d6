// A view's words, spans, steps and samples: what the address says is what is read and shown.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { moved, pinched, spanOfKey, zoomed } from "../../../src/web/frame/span.ts";
import {
  type Curve,
  curveOf,
  curveWords,
  most_curves,
  wordOf,
} from "../../../src/web/trends/curve.ts";
import {
  bucketed,
  flags,
  gapOf,
  joined,
  knownBy,
  type Samples,
  toldAt,
} from "../../../src/web/trends/samples.ts";
import { found } from "../../../src/web/trends/search.ts";
import {
  around,
  blocksOf,
  daysBefore,
  instantWord,
  spanOf,
  step_names,
  stepFor,
} from "../../../src/web/trends/span.ts";

const hour_ms = 3_600_000;
const at = Date.parse;

Deno.test("a curve's word says the curve, whatever its names are", () => {
  const name = fc.string({ minLength: 1, unit: "grapheme" });
  const is_expected = fc.boolean();
  const measure = fc.constantFrom("active_power", "soc");
  const curve: fc.Arbitrary<Curve> = fc.oneof(
    fc.record({ kind: fc.constant("tag" as const), tag: name }),
    fc.record({ kind: fc.constant("sensor" as const), device: name, measure, is_expected }),
    fc.record({ kind: fc.constant("total" as const), component: name, measure, is_expected }),
  ).map((it) => ({ ...it }));
  fc.assert(fc.property(curve, (it) => {
    deepEqual(curveOf(wordOf(it)), it);
    deepEqual(curveWords(`${wordOf(it)},${wordOf(it)}`), [wordOf(it)]);
  }));
});

Deno.test("words that are none are passed over, and there are not too many", () => {
  deepEqual(curveWords(":,INV-01:active_power,,%E0,a:b:c,:x"), ["INV-01:active_power"]);
  equal(curveWords(Array.from({ length: 99 }, (_, i) => `T${i}`).join()).length, most_curves);
});

Deno.test("a span is that of the address, and ends at the moment at the latest", () => {
  const last = at("2026-11-21T18:00:00Z");
  const span = { from: "2026-11-21T10:00:00Z", to: "2026-11-21T20:00:00Z" };
  deepEqual(spanOf(span, last), { from_ms: at(span.from), to_ms: last });
  deepEqual(spanOf({ range: "6h" }, last), { from_ms: last - 6 * hour_ms, to_ms: last });
  deepEqual(spanOf({ from: "x", to: span.to }, last), {
    from_ms: last - 24 * hour_ms,
    to_ms: last,
  });
  equal(instantWord(last + 0.2), "2026-11-21T18:00:00Z");
});

Deno.test("the step grows with the span, and no span has more values than a screen", () => {
  const of = (hours: number) => stepFor({ from_ms: 0, to_ms: hours * hour_ms });
  deepEqual([1, 3, 24, 48, 720, 8760].map(of), [
    ...["raw", "raw", "minute", "quarter", "hour", "day"],
  ]);
});

Deno.test("blocks cover a span, and a span that moves a little needs the same ones", () => {
  const now = at("2026-11-21T18:00:00Z");
  for (const step of step_names) {
    const blocks = blocksOf({ from_ms: now - 5 * hour_ms, to_ms: now }, step);
    ok(blocks[0].from_ms <= now - 5 * hour_ms && blocks.at(-1)!.to_ms >= now, step);
    ok(blocks.every(({ from_ms }, i) => i === 0 || from_ms === blocks[i - 1].to_ms), step);
  }
  deepEqual(
    blocksOf({ from_ms: now - 1, to_ms: now + 1 }, "minute"),
    blocksOf({ from_ms: now + hour_ms, to_ms: now + 2 * hour_ms }, "minute"),
  );
});

Deno.test("what is read reaches around the span, and stays while that moves a little", () => {
  const now = at("2026-11-21T18:00:00Z");
  for (const hours of [1, 24, 277, 9000]) {
    const span = { from_ms: now - hours * hour_ms, to_ms: now };
    for (const step of step_names) {
      const { from_ms, to_ms } = around(span, step);
      ok(from_ms <= span.from_ms && to_ms >= span.to_ms, step);
      const moves = Array.from({ length: 100 }, (_, i) => around(moved(span, i / 1000), step));
      ok(new Set(moves.map((it) => it.from_ms)).size <= 4, `${step} of ${hours} h`);
    }
  }
});

Deno.test("a day before is the same time on the wall, though the clock was turned", () => {
  const from_ms = at("2026-11-01T19:00:00Z");
  const shift = (days: number, zone: string) =>
    daysBefore({ from_ms, to_ms: from_ms + hour_ms }, { days, zone }).shift_ms / hour_ms;
  equal(shift(1, "America/Denver"), 25);
  equal(shift(1, "America/Phoenix"), 24);
  equal(shift(7, "America/Denver"), 169);
});

const series = (instants: readonly number[], values = instants.map((_, i) => i)): Samples => ({
  instants: Float64Array.from(instants),
  values: Float64Array.from(values),
  flags: new Uint8Array(instants.length),
});

Deno.test("nothing later than the moment is known: neither a sample nor a bucket that runs", () => {
  const samples = series([0, 60, 120, 180]);
  deepEqual([...knownBy(samples, { until_ms: 120, step_ms: 0 }).instants], [0, 60, 120]);
  deepEqual([...knownBy(samples, { until_ms: 120, step_ms: 60 }).instants], [0, 60]);
  deepEqual([...knownBy(samples, { until_ms: 119, step_ms: 60 }).instants], [0]);
});

Deno.test("an instant is told by the sample before it, unless a gap is between", () => {
  const samples = series([0, 60, 400]);
  deepEqual([-1, 0, 59, 60, 160, 161, 400].map((it) => toldAt({ samples, gap_ms: 100 }, it)), [
    ...[undefined, 0, 0, 1, 1, undefined, 2],
  ]);
  equal(gapOf(samples, 60), 90);
  equal(gapOf(series([0, hour_ms, 2 * hour_ms, 3 * hour_ms]), 0), 3 * hour_ms);
});

Deno.test("minutes become buckets: means, of states the last; a bad one makes it uncertain", () => {
  const minutes = {
    ...series([0, 60, 120, 180], [1, 2, NaN, 6]),
    flags: Uint8Array.of(flags.good, flags.good, flags.bad, flags.good),
  };
  const means = bucketed(minutes, { step_ms: 120, is_state: false });
  deepEqual([...means.instants], [0, 120]);
  deepEqual([...means.values], [1.5, 6]);
  deepEqual([...means.flags], [flags.good, flags.uncertain]);
  deepEqual([...bucketed(minutes, { step_ms: 120, is_state: true }).values], [2, 6]);
  deepEqual([...joined([means, means]).values], [1.5, 6, 1.5, 6]);
});

Deno.test("hands move and zoom about the instant that they hold", () => {
  const span = { from_ms: 1000, to_ms: 2000 };
  deepEqual(moved(span, -0.5), { from_ms: 500, to_ms: 1500 });
  deepEqual(zoomed(span, 0.5, 0.25), { from_ms: 1125, to_ms: 1625 });
  deepEqual(zoomed(zoomed(span, 0.5, 0.25), 2, 0.25), span);
  deepEqual(pinched(span, [0.25, 0.75], [0, 1]), { from_ms: 1250, to_ms: 1750 });
  deepEqual(pinched(span, [0.25, 0.75], [0.25, 0.75]), span);
  deepEqual(spanOfKey("ArrowRight", span), { from_ms: 1200, to_ms: 2200 });
  equal(spanOfKey("a", span), undefined);
});

Deno.test("a search finds all parts of what is typed, those that begin with it first", () => {
  const entry = (title: string) => ({ words: [title], title, detail: "" });
  const entries = ["Inverter 11 Leistung", "Inverter 1 Leistung", "Öltemperatur"].map(entry);
  const titles = (query: string) =>
    found(entries, { query, most: 9 }).hits.map(({ title }) => title);
  deepEqual(titles("oltemp"), ["Öltemperatur"]);
  deepEqual(titles("leist inv"), ["Inverter 11 Leistung", "Inverter 1 Leistung"]);
  deepEqual(titles("11 leistung"), ["Inverter 11 Leistung"]);
  deepEqual(titles("pump"), []);
  deepEqual(found(entries, { query: "", most: 2 }), { hits: entries.slice(0, 2), count: 3 });
});
