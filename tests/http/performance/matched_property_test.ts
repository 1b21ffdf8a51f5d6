// Matched figures beside sums that are made by hand from the stored minutes, whatever is lost.
import assert from "node:assert/strict";
import { Dice } from "../../../src/base/random.ts";
import { verify } from "../../../src/engine/rollup/pass.ts";
import { queryRows } from "../../help/query.ts";
import { type Keep, perfectDay, site, type Tag, tags } from "./matched_help.ts";

const widths = {
  OneMinute: 1,
  FiveMinutes: 5,
  TenMinutes: 10,
  FifteenMinutes: 15,
  ThirtyMinutes: 30,
  OneHour: 60,
  OneDay: 1440,
} as const;

/** A stored minute of a sensor. */
type Minute = {
  readonly minute: number;
  readonly light: boolean;
  readonly value: number | null;
  readonly model: number | null;
  readonly broken: boolean | null;
};

/** Loses some stretches of each tag, and single samples beside. */
function lossy(dice: Dice): Keep {
  const lost = new Map(tags.map((tag, t) => {
    const stretches = Array.from({ length: Math.floor(4 * dice.unit(t, 0)) }, (_, i) => {
      const from = 1440 * dice.unit(t, 1 + 2 * i);
      return { from, to: from + 300 * dice.unit(t, 2 + 2 * i) };
    });
    return [tag, { stretches, share: 0.3 * dice.unit(t, 99) ** 3 }] as const;
  }));
  return (tag: Tag, minute: number) => {
    const { stretches, share } = lost.get(tag)!;
    if (stretches.some(({ from, to }) => from <= minute && minute < to)) return false;
    return dice.unit(10 + tags.indexOf(tag), 1000 + minute) >= share;
  };
}

/** The minutes that values usually lie apart, by the least distance in each quarter-hour. */
function spacingOf(day: readonly Minute[]): number {
  const quarters = Map.groupBy(day, quarterOf);
  const least = [...quarters.values()]
    .filter((quarter) => quarter.some(({ model }) => model !== null))
    .map((quarter) => quarter.filter(isHeard).map(({ minute }) => minute))
    .filter((minutes) => minutes.length > 0)
    .map((minutes) => Math.min(15, ...minutes.slice(1).map((minute, i) => minute - minutes[i])))
    .toSorted((a, b) => a - b);
  return least[Math.max(Math.ceil(0.4 * least.length) - 1, 0)] ?? 1;
}

function quarterOf({ minute }: Minute): number {
  return Math.floor(minute / 15);
}

function isHeard({ value, broken }: Minute): boolean {
  return value !== null && broken === null;
}

/** The sums and the cover of some minutes of a day. */
function byHand(day: readonly Minute[], within: (minute: number) => boolean) {
  const modelled = new Set(day.filter((it) => it.model !== null).map(quarterOf));
  const heard = new Set(
    day.filter((it) => isHeard(it) && modelled.has(quarterOf(it))).map(({ minute }) => minute),
  );
  const spacing = spacingOf(day);
  const own = day.filter(({ minute, light }) => light && within(minute));
  const matched = own.filter((it) => isHeard(it) && it.model !== null);
  const stands = ({ minute, model }: Minute) =>
    model !== null &&
    Array.from({ length: spacing }, (_, i) => minute - i).some((it) => heard.has(it));
  return {
    n: matched.length,
    value: matched.reduce((sum, { value }) => sum + value!, 0),
    model: matched.reduce((sum, { model }) => sum + model!, 0),
    covered: own.filter(stands).length,
  };
}

function near(found: unknown, wanted: number | null, what: string): void {
  if (wanted === null) return assert.equal(found, null, what);
  const off = Math.abs(Number(found) - wanted);
  assert.ok(found !== null && off <= 1e-9 * Math.max(1, Math.abs(wanted)), `${what}: ${found}`);
}

for (const seed of [1, 2, 3]) {
  const spacing = [1, 5, 15][seed % 3];
  Deno.test(`matched: sums agree with sums by hand, seed ${seed}, ${spacing} min`, async () => {
    const keep = lossy(new Dice(seed));
    const day = await perfectDay(spacing, (tag, minute) => minute % 2 === 0 && keep(tag, minute));
    await day.send((tag, minute) => minute % 2 === 1 && keep(tag, minute)); // late ones
    for (const measure of ["active_power", "energy"]) {
      const minutes = await day.services.database.read((connection) =>
        queryRows<Minute>(
          connection,
          `SELECT r.minute, r.light, r.value, r.model, r.broken
           FROM reading AS r JOIN sensor AS s USING (sensor_no)
           WHERE s.component = 'inverter' AND s.measure = $measure
             AND r.day = 20605 ORDER BY r.minute`,
          { measure },
        )
      );
      assert.ok(minutes.length > 0);
      for (const [interval, width] of Object.entries(widths)) {
        for (const row of await day.rows(interval, measure)) {
          const what = `${measure} ${interval} ${row.ts}`;
          const from = (Date.parse(`${row.ts}Z`) - 7_200_000) / 60_000;
          const within = (minute: number) => from <= minute && minute < from + width;
          const { n, value, model, covered } = byHand(minutes, within);
          const share = measure === "energy" ? 1 : n;
          near(row.sensor_value_matched, n === 0 ? null : value / share, what);
          near(row.model_value_matched, n === 0 ? null : model / share, what);
          const index = Number(row.performance_index_matched ?? 0);
          if (interval === "OneDay") assert.ok(index <= 1.005, `${what}: index ${index}`);
          const due = day.lit.filter(within).length;
          near(row.coverage, covered / due, `${what}: coverage`);
          if (row.coverage === 1) near(row.sensor_value_matched, row.sensor_value as number, what);
        }
      }
    }
    await day.close();
  });
}

Deno.test("matched: a counter with a model changes nothing of one without", async () => {
  const [before, energy] = site.split(/(?=\[\[sensors\]\]\ntag = "counter")/);
  const other = energy.replace('"energy"', '"reactive_energy"');
  const day = await perfectDay(15, () => true, () => before + other);
  await day.put(before + other + energy.replace('"counter"', '"another"'));
  for await (const { differences, examples } of verify(day.services)) {
    assert.deepEqual(Object.values(differences).filter((rows) => rows > 0), [], examples.join());
  }
  await day.close();
});
