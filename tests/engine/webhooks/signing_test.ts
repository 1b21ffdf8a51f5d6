// Signing keys by the clock: published before they sign, two during a rotation, whatever it does.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import fc from "fast-check";
import { Fault } from "../../../src/base/fault.ts";
import { SigningKeys } from "../../../src/engine/webhooks/signing.ts";
import { type KeptKey, keysAt, keyState } from "../../../src/model/webhooks/signing_key.ts";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";

const hour_ms = 3_600_000;
const hour_us = hour_ms * 1000;
const a_day = { publish_us: 24 * hour_us };

async function opened(hours = 24) {
  const { effects, clock } = fakeEffects();
  let told = (_wait_ms: number) => {};
  const watched = {
    ...effects,
    sleep(wait_ms: number, ...signals: AbortSignal[]) {
      told(wait_ms);
      return effects.sleep(wait_ms, ...signals);
    },
  };
  const database = await Database.open({ path: ":memory:", threads: 1, effects });
  const settings = { signing_key_days: 90, signing_key_publish_hours: hours };
  const parts = { database, effects: watched, settings };
  const signing = await SigningKeys.open(parts);
  const [first] = signing.current();
  return {
    ...{ database, signing, clock, first },
    /** How long the next sleep is to be, once it begins. */
    asleep: () => new Promise<number>((resolve) => told = resolve),
    reopened: () => SigningKeys.open(parts),
    /** Moves the clock and does what is due. */
    async pass(hours: number, it = signing) {
      clock.advance(hours * hour_ms);
      await it.settle();
    },
  };
}

const states = (it: SigningKeys) => it.list().map(({ state }) => state).join(" ");
const signers = (it: SigningKeys) => it.current().map(({ kid }) => kid);
const published = (it: SigningKeys) => it.jwks().keys.map(({ kid }) => kid);

Deno.test("the first key signs at once and is the same after a restart", async () => {
  const { signing, first, reopened, database } = await opened();
  equal(states(signing), "signing");
  deepEqual(published(signing), [first.kid]);
  const again = await reopened();
  deepEqual(signers(again), [first.kid]);
  deepEqual(again.current()[0].sign(new Uint8Array(3)), first.sign(new Uint8Array(3)));
  await database.close();
});

Deno.test("a rotation publishes a day ahead, both sign a day, the old stays a day", async () => {
  const { signing, first, pass, database } = await opened();
  const [, { kid: next, signs_from }] = await signing.rotate();
  equal(states(signing), "signing next");
  deepEqual([signers(signing), published(signing)], [[first.kid], [first.kid, next]]);
  equal(signs_from, signing.list()[0].published_from + 24 * hour_us);
  await rejects(signing.rotate(), (error) => error instanceof Fault && error.code === "conflict");
  await pass(24 - 1 / 3600);
  deepEqual(signers(signing), [first.kid]);
  await pass(1 / 3600);
  equal(states(signing), "retiring signing");
  deepEqual(signers(signing), [first.kid, next]);
  await pass(24);
  equal(states(signing), "retired signing");
  deepEqual([signers(signing), published(signing)], [[next], [first.kid, next]]);
  await pass(24);
  deepEqual([states(signing), published(signing)], ["signing", [next]]);
  await database.close();
});

Deno.test("the retiring key stops by the clock, not by the loop", async () => {
  const { signing, clock, pass, database } = await opened();
  await signing.rotate();
  await pass(24);
  clock.advance(24 * hour_ms);
  equal(signing.current().length, 1);
  await database.close();
});

Deno.test("keys are replaced by schedule, each signing for ninety days", async () => {
  const { signing, clock, pass, database } = await opened();
  const starts = new Map<string, number>();
  for (let hour = 0; hour < 400 * 24; hour += 12) {
    for (const { kid } of signing.current()) {
      if (!starts.has(kid)) starts.set(kid, clock.now_us);
    }
    ok(signing.current().length <= 2 && published(signing).length <= 3);
    await pass(12);
  }
  const at_us = [...starts.values()];
  deepEqual(
    at_us.map((it) => (it - at_us[0]) / hour_us / 24),
    [0, 90, 180, 270, 360],
  );
  await database.close();
});

Deno.test("a rotation goes on after a restart, however long the service stood still", async () => {
  const { signing, first, clock, pass, reopened, database } = await opened();
  await signing.rotate();
  clock.advance(1000 * hour_ms);
  const again = await reopened();
  equal(states(again), "retiring signing");
  await pass(23, again);
  equal(signers(again)[0], first.kid);
  const third = await reopened();
  equal(states(third), "retiring signing");
  await pass(1, third);
  equal(states(third), "retired signing");
  await database.close();
});

Deno.test("a clock that was put back ends nothing early, nothing waits for long", async () => {
  const { signing, clock, pass, database } = await opened();
  await signing.rotate();
  clock.advance(-10_000 * hour_ms);
  await signing.settle();
  equal(states(signing), "signing next");
  await pass(24);
  equal(states(signing), "retiring signing");
  clock.advance(-10_000 * hour_ms);
  equal(signing.current().length, 2);
  await signing.settle();
  await pass(24);
  equal(states(signing), "retired signing");
  await pass(24);
  equal(states(signing), "signing");
  await database.close();
});

/** Three keys, and an hour back once the third signs: the first one's last day ends for good. */
const back_after_a_start = [
  { hours: 1, rotate: true },
  { hours: 24, rotate: true },
  { hours: 24, rotate: false },
  { hours: -1, rotate: false },
];

Deno.test("whatever the clock does, one or two keys sign, all of them published", () => {
  const jump = fc.integer({ min: -3000, max: 3000 });
  const step = fc.record({ hours: fc.oneof(fc.constant(1), jump), rotate: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let now_us = 1e15;
      const key = (kid: number, signs_from: number | null): KeptKey => ({
        ...{ kid: String(kid), seed: "", created_at: now_us },
        ...{ signs_from, signs_until: null, expires_at: null },
      });
      let keys: readonly KeptKey[] = [key(0, now_us)];
      steps.forEach(({ hours, rotate }, i) => {
        now_us += hours * hour_us;
        keys = keysAt(keys, now_us, a_day);
        const isNext = keys.some((it) => keyState(it, now_us) === "next");
        if (rotate && !isNext) keys = [...keys, key(i + 1, null)];
        const count = (state: string) => keys.filter((it) => keyState(it, now_us) === state).length;
        equal(count("signing"), 1);
        ok(count("retiring") <= 1 && count("next") <= 1);
        equal(keysAt(keys, now_us, a_day), keys);
      });
    }),
    { examples: [[back_after_a_start]] },
  );
});

Deno.test("the loop sleeps until the next step, wakes for a rotation, ends when told", async () => {
  const { signing, clock, asleep, database } = await opened();
  const stop = new AbortController();
  let sleep = asleep();
  const ran = signing.loop.run(stop.signal);
  equal(await sleep, 89 * 24 * hour_ms);
  sleep = asleep();
  await signing.rotate();
  equal(await sleep, 24 * hour_ms);
  sleep = asleep();
  clock.advance(24 * hour_ms);
  equal(await sleep, 48 * hour_ms);
  equal(states(signing), "retiring signing");
  stop.abort();
  await ran;
  await database.close();
});

Deno.test("the next key is published as long as the setting says before it signs", async () => {
  const { signing, first, pass, database } = await opened(72);
  const [, next] = await signing.rotate();
  equal(next.signs_from - next.published_from, 72 * hour_us);
  await pass(71.9);
  equal(signing.current().map(({ kid }) => kid).join(), first.kid);
  await pass(0.1);
  equal(signing.current().map(({ kid }) => kid).join(), `${first.kid},${next.kid}`);
  await pass(24);
  equal(signing.current().map(({ kid }) => kid).join(), next.kid);
  // The one after it is published in time to sign when its period is over.
  await pass(90 * 24 - 72 - 24.1);
  equal(signing.list().filter(({ state }) => state === "next").length, 0);
  await pass(0.1);
  equal(signing.list().filter(({ state }) => state === "next").length, 1);
  await database.close();
});
