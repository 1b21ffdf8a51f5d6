// Any order of samples, operators' actions, clock and restarts: alarms are what samples say.
import assert from "node:assert/strict";
import fc from "../../help/costly.ts";
import type { QueueAction } from "../../../src/model/alarms/life.ts";
import type { WatchedSite } from "./evaluator_help.ts";
import { openDevices } from "./random_rules.ts";
import { type Step, Trial } from "./trial.ts";

const runs = 12;
const pool = 40;

const number = fc.integer({ min: 0, max: 15 });
const value = fc.option(number, { freq: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("send" as const),
      gap_s: fc.integer({ min: 0, max: 45 }),
      gaps: fc.array(fc.tuple(fc.integer({ min: 1, max: 35 }), value), {
        minLength: 1,
        maxLength: 5,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("late" as const),
      backs: fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), value), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      gap_s: fc.integer({ min: 1, max: 90 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("repeat" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("act" as const),
      which: fc.nat(),
      action: fc.constantFrom<QueueAction["action"]>(
        "claim",
        "release",
        "shelve",
        "unshelve",
        "resolve",
        "reopen",
      ),
    }),
  },
);

Deno.test("whatever happens in whatever order, alarms are what the samples say", async () => {
  let site = await openDevices(pool);
  let used = 0;
  let opened_s = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
        if (used === pool) {
          await site.close();
          [site, used, opened_s] = [await openDevices(pool), 0, 0];
        }
        const trial = new Trial(site, `I${used++}`, opened_s);
        try {
          await trial.run(steps);
        } finally {
          opened_s = trial.opened_s;
        }
      }),
      { numRuns: runs },
    );
  } finally {
    await site.close();
  }
});

/** Below a band, then above it before the delay is over, with a restart behind each body. */
const both_sides: [number, number, number][] = [[3, 2, 2], [4, 14, 1], [40, 12, 3], [9, 12, 9]];

Deno.test("samples in order end as the same alarms, in whatever bodies", async () => {
  const site = await openDevices(pool);
  const sample = fc.tuple(fc.integer({ min: 1, max: 40 }), value, fc.integer({ min: 0, max: 9 }));
  let used = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(sample, { minLength: 2, maxLength: 30 }), async (samples) => {
        if (used + 2 > pool) return;
        const [whole, split] = [`I${used++}`, `I${used++}`];
        await sendAll(site, whole, [samples.map(([gap_s, value]) => [gap_s, value])]);
        await sendAll(site, split, bodiesOf(samples));
        const shown = await site.shown();
        const linesOf = (device: string) =>
          shown.filter((line) => line.includes(`${device}/`))
            .map((line) => line.replace(device, "I"));
        assert.deepEqual(linesOf(split), linesOf(whole));
      }),
      { numRuns: runs, examples: [[both_sides]] },
    );
  } finally {
    await site.close();
  }
});

type Sent = readonly [gap_s: number, value: number | null];

/** Samples in bodies: a new one where the last number is small. */
function bodiesOf(samples: readonly (readonly [number, number | null, number])[]): Sent[][] {
  const bodies: Sent[][] = [];
  for (const [gap_s, value, cut] of samples) {
    if (cut < 4 || bodies.length === 0) bodies.push([]);
    bodies.at(-1)!.push([gap_s, value]);
  }
  return bodies;
}

async function sendAll(
  site: WatchedSite,
  device: string,
  bodies: readonly (readonly Sent[])[],
): Promise<void> {
  let at_s = -2000;
  for (const body of bodies) {
    await site.send(...body.flatMap(([gap_s, value]) => {
      at_s += gap_s;
      return [
        [`${device}/v`, at_s, value],
        [`${device}/w`, at_s, value === null ? null : BigInt(value & 7)],
      ] as const;
    }));
    if (bodies.length > 1 && body[0][0] % 4 === 0) await site.restart();
  }
}
