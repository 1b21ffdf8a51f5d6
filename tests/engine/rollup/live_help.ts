// A plant as it runs: samples come as time passes, or late, and are rolled up in between.
import type { PlantSample, TestPlant } from "../../help/plant.ts";

/** A sample, and the minute (since 1970) in which it comes. */
export type Come = { readonly sample: PlantSample; readonly minute: number };

/** A minute's begin as a text. */
export function timeOf(minute: number): string {
  return new Date(minute * 60_000).toISOString();
}

/** The samples as one write would store them: of those of a tag and a time the last one. */
export function lastOf(list: readonly Come[]): PlantSample[] {
  return [...new Map(list.map(({ sample }) => [`${sample.tag}/${sample.at}`, sample])).values()];
}

/**
 * Lets time pass from one minute to another, by `waits` minutes in turn; what comes is stored and
 * rolled up. `before` and `behind` are told each step before it is rolled up, and after.
 */
export async function passTime(
  plant: TestPlant,
  list: readonly Come[],
  { from, to, waits, before, behind }: {
    readonly from: number;
    readonly to: number;
    readonly waits: readonly number[];
    readonly before?: (step: number, is_last: boolean) => Promise<void>;
    readonly behind: (step: number) => Promise<void>;
  },
): Promise<void> {
  for (let step = 0, now = from; now < to; step++) {
    const next = Math.min(now + waits[step % waits.length], to);
    plant.clock.advance((next - now) * 60_000);
    const due = list.filter(({ minute }) => minute < next && (step === 0 || minute >= now));
    if (due.length > 0) await plant.store(lastOf(due));
    await before?.(step, next === to);
    await plant.roll.settle();
    await behind(step);
    now = next;
  }
}

/** Stores a sample of each of the tags from 1 on in each of the minutes [from, to) after 04:00. */
export function storeMinutes(
  { database }: TestPlant,
  tags: number,
  [from, to]: readonly [number, number],
): Promise<void> {
  return database.write(({ connection, stamp_us }) =>
    connection.script(`
      INSERT INTO sample (tag_no, ts, received_at, value, quality)
      SELECT tag_no, epoch_us(TIMESTAMP '2026-06-01 04:00:00') + minute * 60000000, ${stamp_us},
        minute + tag_no / 8, 0
      FROM range(${from}, ${to}) AS m(minute), range(1, ${tags + 1}) AS t(tag_no)`)
  );
}
