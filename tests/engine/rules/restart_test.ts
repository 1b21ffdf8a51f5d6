// A new process on the same database: rules stand where they stood, nothing twice, nothing missed.
import assert from "node:assert/strict";
import { openWatchedSite, type RuleFile } from "./evaluator_help.ts";

const high: RuleFile[number] = {
  ...{ key: "high", name: "High", kind: "threshold", tag: "a", operator: ">", threshold: 10 },
};

Deno.test("an active alarm goes on after a restart, with its peak and newest value", async () => {
  const site = await openWatchedSite([high]);
  await site.send(["a", 1, 11], ["a", 2, 17], ["a", 3, 12]);
  await site.at(700);
  // Peaks are saved when another ten minutes begin; these samples lie on both sides of that.
  await site.send(["a", 700, 13], ["a", 701, 14]);
  await site.restart();
  const { last_value, peak_value } = site.rule_engine.evaluator.live(1)!;
  assert.deepEqual([last_value, peak_value], [14, 17]);
  await site.send(["a", 702, 12]);
  await site.restart();
  await site.send(["a", 703, 5]);
  assert.deepEqual(await site.shown(), ["high a 1-703 of 1: 11 to 5 peak 17@2 open"]);
  await site.close();
});

Deno.test("a late value is the peak of what goes on, before a restart as after it", async () => {
  const site = await openWatchedSite([high]);
  await site.at(700);
  await site.send(["a", 1, 11], ["a", 700, 12]);
  await site.send(["a", 300, 17], ["a", 400, 9]);
  const peaks = () => {
    const { peak_value, peak_at } = site.rule_engine.evaluator.live(1)!;
    return [peak_value, peak_at! / 1e6 % 3600];
  };
  assert.deepEqual(peaks(), [17, 300]);
  await site.restart();
  assert.deepEqual(peaks(), [17, 300]);
  await site.send(["a", 710, 5]);
  assert.deepEqual(await site.shown(), ["high a 1-710 of 1: 11 to 5 peak 17@300 open"]);
  await site.close();
});

Deno.test("a bit that came late is news when it shows again, after a restart too", async () => {
  const site = await openWatchedSite([
    { key: "bits", name: "Bits", kind: "bitmask", tag: "w", mask: [0, 1] },
  ]);
  await site.send(["w", 1, 1n], ["w", 10, 1n]);
  await site.send(["w", 5, 3n]);
  await site.restart();
  await site.send(["w", 20, 3n]);
  assert.deepEqual(await site.events(), [
    "1 raised lifecycle 1",
    '1 source_updated system 20 {"decoded_labels":["bit 0","bit 1"]}',
  ]);
  await site.close();
});

Deno.test("a delay goes on over a restart, by the samples' time", async () => {
  const site = await openWatchedSite([{ ...high, on_delay_s: 60, off_delay_s: 60 }]);
  await site.send(["a", 1, 11]);
  await site.restart();
  await site.send(["a", 62, 12]);
  await site.send(["a", 100, 5]);
  await site.restart();
  await site.send(["a", 150, 4]);
  await site.restart();
  await site.send(["a", 160, 4]);
  assert.deepEqual(await site.shown(), ["high a 61-160 of 1: 11 to 5 peak 12@62 open"]);
  await site.close();
});

Deno.test("after a start the clock waits for what sources kept meanwhile", async () => {
  const site = await openWatchedSite([
    { key: "silent", name: "Silent", kind: "stale", tag: "a", max_age_s: 60 },
    { ...high, on_delay_s: 10 },
  ]);
  await site.send(["a", 1, 11]);
  site.clock.now_us += 300e6;
  await site.restart();
  await site.at(329);
  assert.deepEqual(await site.shown(), []);
  await site.send(["a", 5, 5], ["a", 50, 6], ["a", 100, 6], ["a", 150, 6]);
  await site.at(330);
  assert.deepEqual(await site.shown(), ["silent a 210- of 150: 60 to ? peak 60@210 open"]);
  await site.close();
});

Deno.test("a tag that never sent counts from when its rule began, over restarts", async () => {
  const site = await openWatchedSite([
    { key: "silent", name: "Silent", kind: "stale", tag: "a", max_age_s: 100 },
  ]);
  await site.at(50);
  await site.restart();
  await site.at(99);
  assert.deepEqual(await site.shown(), []);
  await site.at(101);
  assert.equal((await site.shown()).length, 1);
  assert.match((await site.shown())[0], /^silent a 100(\.0+\d)?- of none/);
  await site.restart();
  await site.at(500);
  assert.equal((await site.shown()).length, 1);
  await site.close();
});

Deno.test("late is told from new after a restart, of a tag silent for weeks too", async () => {
  const site = await openWatchedSite([high]);
  const day_s = 86_400;
  await site.send(["a", -20 * day_s, 5]);
  await site.send(["b", 0, 1]);
  await site.restart();
  await site.send(["a", -21 * day_s, 12]);
  assert.match((await site.shown())[0], /late/);
  await site.send(["a", -19 * day_s, 13]);
  assert.match((await site.shown())[1], /^high a -1641600- of/);
  await site.close();
});

Deno.test("rates are counted from values before the restart", async () => {
  const site = await openWatchedSite([
    {
      ...{ key: "rate", name: "Rate", kind: "rate_of_change", tag: "a", limit_per_min: 10 },
      over_s: 60,
    },
  ]);
  await site.send(["a", 1, 0], ["a", 31, 3], ["a", 61, 6]);
  await site.restart();
  await site.send(["a", 91, 30]);
  assert.deepEqual(await site.shown(), ["rate a 91- of 91: 27 to ? peak 27@91 open"]);
  await site.close();
});

Deno.test("an alarm that has not ended is raised again after a restart, not anew", async () => {
  const site = await openWatchedSite([{ ...high, resolution_policy: "require_both" }]);
  await site.send(["a", 1, 11], ["a", 2, 5]);
  await site.restart();
  await site.send(["a", 3, 12]);
  await site.restart();
  await site.send(["a", 4, 5]);
  assert.deepEqual(await site.shown(), ["high a 1-4 of 1: 11 to 5 peak 12@3 open"]);
  assert.deepEqual((await site.events()).map((line) => line.split(" ")[1]), [
    "raised",
    "cleared",
    "reraised",
    "cleared",
  ]);
  await site.close();
});
