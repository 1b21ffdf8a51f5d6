// A rule that fails: it alone is suspended, an alarm says why, and all else goes on.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { Fault } from "../../../src/base/fault.ts";
import { openWatchedSite, type RuleFile, type WatchedSite } from "./evaluator_help.ts";
import { queryRows } from "../../help/query.ts";

const high: RuleFile[number] = {
  ...{ key: "high", name: "High", kind: "threshold", tag: "a", operator: ">", threshold: 10 },
};
const bad: RuleFile[number] = { ...high, key: "bad", name: "Bad" };
const other: RuleFile[number] = { ...high, key: "other", name: "Other", tag: "b" };

/** Whatever is raised by a rule of this name fails to be stored. */
function failAt(site: WatchedSite, name: string, error: Error = new RangeError("no such number")) {
  site.rule_engine.alarms.mark((changes) => {
    const fails = [...changes.all].some(({ before, occurrence: { rule_name, kind } }) =>
      before === undefined && rule_name === name && kind !== "rule_suspended"
    );
    return fails ? Promise.reject(error) : Promise.resolve(() => {});
  });
}

async function samples({ database }: WatchedSite): Promise<number> {
  const sql = "SELECT count(*) AS rows FROM sample";
  const [{ rows }] = await database.read((it) => queryRows<{ rows: number }>(it, sql));
  return rows;
}

async function bodies({ database }: WatchedSite): Promise<readonly (string | null)[]> {
  const sql = "SELECT body FROM occurrence_event WHERE kind = 'system' ORDER BY feed_no";
  return (await database.read((it) => queryRows<{ body: string | null }>(it, sql))).map((it) =>
    it.body
  );
}

Deno.test("samples are stored and judged by all other rules where one rule fails", async () => {
  const site = await openWatchedSite([high, bad, other]);
  failAt(site, "Bad");
  await Promise.all([site.send(["a", 1, 11], ["a", 2, 5]), site.send(["b", 1, 12])]);
  equal(await samples(site), 3);
  deepEqual(await site.shown(), [
    "Bad a 0- of none: 1 to ? peak none open",
    "high a 1-2 of 1: 11 to 5 peak 11@1 open",
    "other b 1- of 1: 12 to ? peak 12@1 open",
  ]);
  const [body] = await bodies(site);
  match(
    body!,
    /^The rule failed and is suspended until it is changed .* RangeError: no such number/,
  );
  deepEqual([...site.rule_engine.rules.suspended.values()].map(({ reason }) => reason), [
    "RangeError: no such number",
  ]);
  // It watches no more: nothing fails, and the others go on.
  await site.send(["a", 3, 20]);
  deepEqual((await site.shown()).filter((line) => line.startsWith("high a 3")).length, 1);
  await site.close();
});

Deno.test("alarms of a suspended rule are cleared; a new version of it watches again", async () => {
  const site = await openWatchedSite([bad]);
  await site.send(["a", 1, 11]);
  await site.send(["a", 2, 5]);
  failAt(site, "Bad");
  await site.send(["a", 3, 11]);
  await site.at(10);
  await site.apply([{ ...bad, name: "Good", threshold: 9 }]);
  deepEqual(site.rule_engine.rules.suspended.size, 0);
  await site.send(["a", 4, 12]);
  deepEqual(await site.shown(), [
    "Bad a 0-10 of none: 1 to ? peak none open",
    "bad a 1-2 of 1: 11 to 5 peak 11@1 open",
    "bad a 4- of 4: 12 to ? peak 12@4 open",
  ]);
  await site.close();
});

Deno.test("a suspended rule stays out when the plant or another rule changes", async () => {
  const site = await openWatchedSite([bad]);
  failAt(site, "Bad");
  await site.send(["a", 1, 11]);
  await site.apply([bad, other]);
  deepEqual(site.rule_engine.rules.suspended.size, 1);
  await site.send(["a", 2, 5], ["a", 3, 12], ["b", 3, 12]);
  deepEqual((await site.shown()).slice(1), ["other b 3- of 3: 12 to ? peak 12@3 open"]);
  await site.close();
});

Deno.test("a new start lets a suspended rule watch again and clears what told of it", async () => {
  const site = await openWatchedSite([bad]);
  failAt(site, "Bad");
  await site.send(["a", 1, 11]);
  await site.at(10);
  await site.restart();
  deepEqual(site.rule_engine.rules.suspended.size, 0);
  await site.send(["a", 2, 5], ["a", 3, 12]);
  deepEqual(await site.shown(), [
    "Bad a 0-10 of none: 1 to ? peak none open",
    "bad a 3- of 3: 12 to ? peak 12@3 open",
  ]);
  deepEqual((await bodies(site)).length, 2);
  await site.close();
});

Deno.test("a rule that fails by the clock delays no other's", async () => {
  const silent: RuleFile[number] = {
    ...{ key: "silent", name: "Silent", kind: "stale", tag: "b", max_age_s: 60 },
  };
  const site = await openWatchedSite([
    { ...bad, on_delay_s: 30 },
    { ...high, on_delay_s: 30 },
    silent,
  ]);
  await site.send(["a", 1, 11], ["b", 1, 1]);
  failAt(site, "Bad");
  await site.at(120);
  deepEqual(await site.shown(), [
    "high a 31- of 1: 11 to ? peak 11@1 open",
    "silent b 61- of 1: 60 to ? peak 60@61 open",
    "Bad a 120- of none: 1 to ? peak none open",
  ]);
  await site.close();
});

Deno.test("a rule that waits for a tag and fails with its first samples is suspended", async () => {
  const devices = ["D1", "D2"].map((key) => ({ key, type: "inverter" as const }));
  const template: RuleFile[number] = { ...bad, tag: "{device}.x", component: "inverter" };
  const site = await openWatchedSite([other, template], {
    devices,
    tags: [{ name: "b", encoding: "float" }, { name: "D2.x", encoding: "float" }],
  });
  failAt(site, "Bad");
  await site.send(["D1.x", 1, 11], ["b", 1, 11]);
  equal(await samples(site), 2);
  deepEqual(site.rule_engine.rules.suspended.size, 1);
  await site.close();
});

Deno.test("a full disk suspends no rule", async () => {
  const site = await openWatchedSite([bad]);
  failAt(site, "Bad", new Fault("unavailable", "the disk is full"));
  await rejects(site.send(["a", 1, 11]), /the disk is full/);
  deepEqual(site.rule_engine.rules.suspended.size, 0);
  equal(await samples(site), 0);
  await site.close();
});

Deno.test("durations are whole microseconds, however they are written", async () => {
  const site = await openWatchedSite([
    { ...high, on_delay_s: 0.333_333_3, off_delay_s: 1.005_000_49 },
    { ...{ key: "silent", name: "S", kind: "stale", tag: "b" }, max_age_s: 59.999_999_94 },
  ]);
  await site.send(["a", 1, 11], ["b", 1, 1]);
  await site.send(["a", 2, 12], ["a", 3, 1], ["a", 5, 1]);
  await site.at(120);
  deepEqual(await site.shown(), [
    "high a 1.333333-4.005 of 1: 11 to 1 peak 12@2 open",
    "silent b 61- of 1: 60 to ? peak 60@61 open",
  ]);
  deepEqual(site.rule_engine.rules.suspended.size, 0);
  await site.close();
});
