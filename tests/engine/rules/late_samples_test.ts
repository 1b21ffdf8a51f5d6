// Samples that come late: the present stays, past excursions are recorded once.
import assert from "node:assert/strict";
import { openWatchedSite, type RuleFile } from "./evaluator_help.ts";

const high: RuleFile[number] = {
  ...{ key: "high", name: "High", kind: "threshold", tag: "a", operator: ">", threshold: 10 },
};

Deno.test("a late sample that proves an excursion records it raised and cleared", async () => {
  const site = await openWatchedSite([high]);
  await site.send(["a", 1, 5], ["a", 100, 6]);
  await site.send(["a", 40, 11], ["a", 50, 14]);
  assert.deepEqual(await site.shown(), ["high a late 40-100 of 40: 11 to 6 peak 14@50 open"]);
  assert.deepEqual(await site.events(), [
    '1 raised lifecycle 40 {"late":true}',
    '1 cleared lifecycle 100 {"late":true}',
  ]);
  await site.send(["a", 45, 13], ["a", 40, 11]);
  assert.equal((await site.shown()).length, 1, "it is known");
  await site.close();
});

Deno.test("a late sample changes nothing of the present, active or not", async () => {
  const site = await openWatchedSite([high]);
  await site.send(["a", 100, 11]);
  await site.send(["a", 50, 5], ["a", 100, 4]);
  assert.deepEqual(await site.shown(), ["high a 100- of 100: 11 to ? peak 11@100 open"]);
  await site.send(["a", 110, 5]);
  await site.send(["a", 110, 12], ["a", 105, 12]);
  assert.equal((await site.shown()).length, 1);
  await site.close();
});

Deno.test("a sample that replaces a stored one counts as late", async () => {
  const site = await openWatchedSite([high]);
  await site.send(["a", 10, 5], ["a", 20, 6], ["a", 30, 7]);
  await site.send(["a", 20, 15]);
  assert.deepEqual(await site.shown(), ["high a late 20-30 of 20: 15 to 7 peak 15@20 open"]);
  await site.close();
});

Deno.test("an excursion begins where history says, far before the late sample", async () => {
  const site = await openWatchedSite([]);
  const [day_s, hour_s] = [-86_400, 3600];
  await site.send(["a", day_s, 5], ["a", day_s + 60, 11], ["a", day_s + 20 * hour_s, 6], [
    "a",
    0,
    5,
  ]);
  await site.apply([high]);
  await site.send(["a", day_s + 10 * hour_s, 12]);
  assert.deepEqual(await site.shown(), [
    "high a late -86340--14400 of -86340: 11 to 6 peak 12@-50400 open",
  ]);
  await site.close();
});

Deno.test("delays hold for late excursions too", async () => {
  const site = await openWatchedSite([{ ...high, on_delay_s: 20, off_delay_s: 30 }]);
  await site.send(["a", 1, 5], ["a", 500, 6]);
  await site.send(["a", 100, 11], ["a", 110, 5]);
  assert.deepEqual(await site.shown(), [], "too short");
  await site.send(["a", 200, 11], ["a", 230, 5], ["a", 240, 12], ["a", 300, 5]);
  assert.deepEqual(await site.shown(), ["high a late 220-330 of 200: 11 to 5 peak 12@240 open"]);
  await site.close();
});

Deno.test("an excursion that the newest sample ended is over with it", async () => {
  const site = await openWatchedSite([{ ...high, off_delay_s: 600 }]);
  await site.send(["a", 100, 5]);
  await site.send(["a", 50, 11]);
  assert.deepEqual(await site.shown(), ["high a late 50-100 of 50: 11 to 5 peak 11@50 open"]);
  await site.close();
});

Deno.test("codes of the past are alarms of their own", async () => {
  const site = await openWatchedSite([
    { key: "code", name: "Code", kind: "enum", tag: "w", codes: [3, 5] },
  ]);
  await site.send(["w", 1, 0n], ["w", 100, 0n]);
  await site.send(["w", 10, 3n], ["w", 20, 5n], ["w", 30, 0n]);
  assert.deepEqual(await site.shown(), [
    'code w late 10-20 of 10: 3 to 5 peak none ["3"] open',
    'code w late 20-30 of 20: 5 to 0 peak none ["5"] open',
  ]);
  await site.close();
});

Deno.test("later rates are counted from late samples too, over a restart", async () => {
  const rate: RuleFile[number] = {
    ...{ key: "rate", name: "Rate", kind: "rate_of_change", tag: "a", limit_per_min: 10 },
    over_s: 60,
  };
  const site = await openWatchedSite([rate]);
  await site.send(["a", 0, 0], ["a", 70, 5]);
  await site.send(["a", 60, 40]);
  await site.send(["a", 120, 41]);
  assert.deepEqual(await site.shown(), [
    "rate a late 60-70 of 60: 40 to 4.285714285714286 peak 40@60 open",
  ]);
  await site.send(["a", 90, 100]);
  await site.restart();
  await site.send(["a", 150, 60]);
  assert.equal((await site.shown()).filter((line) => line.includes(" 150-")).length, 1);
  await site.close();
});

Deno.test("a late sample is of effect for as long as delays and spans of rates last", async () => {
  const long: RuleFile[number] = { ...high, key: "long", on_delay_s: 7200 };
  const rate: RuleFile[number] = {
    ...{ key: "rate", name: "Rate", kind: "rate_of_change", tag: "b", limit_per_min: 1 },
    over_s: 7200,
  };
  const site = await openWatchedSite([long, rate]);
  const from_s = -86_400;
  await site.send(["a", from_s, 5], ["a", from_s + 10_000, 12], ["a", from_s + 15_000, 5]);
  await site.send(["b", from_s, 100], ["b", from_s + 14_400, 100], ["b", from_s + 22_000, 100]);
  await site.send(["a", 0, 5], ["b", 0, 100]);
  await site.send(["a", from_s + 1000, 11], ["b", from_s + 7000, -1000]);
  assert.deepEqual((await site.shown()).map((line) => line.split(" of ")[0]), [
    `long a late ${from_s + 8200}-${from_s + 15_000}`,
    `rate b late ${from_s + 14_400}-${from_s + 22_000}`,
  ]);
  await site.close();
});

Deno.test("a whole month that comes late is judged piece by piece", async () => {
  const site = await openWatchedSite([high]);
  await site.send(["a", 0, 5]);
  const day = 86_400;
  const days = Array.from({ length: 34 }, (_, i) => -34 * day + i * day);
  await site.send(...days.flatMap((at_s) => [["a", at_s, 11], ["a", at_s + 60, 5]] as const));
  assert.deepEqual((await site.shown()).length, 34);
  await site.close();
});
