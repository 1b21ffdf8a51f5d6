// A rule on a band, from its site file to its alarms: live, late, after a restart, on the past.
import { deepEqual, equal } from "node:assert/strict";
import { replayRules } from "../../../src/engine/rules/replay.ts";
import { parseRuleList } from "../../../src/model/rules/request.ts";
import { noon_us, openWatchedSite, type RuleFile } from "./evaluator_help.ts";
import { queryRows } from "../../help/query.ts";

const band: RuleFile[number] = {
  ...{ key: "band", name: "Band", kind: "outside", tag: "a", low: 0, high: 10, deadband: 2 },
};

Deno.test("a value out of its band raises an alarm that says on which side", async () => {
  const site = await openWatchedSite([band]);
  await site.send(["a", 1, 5], ["a", 2, 11], ["a", 3, 13], ["a", 4, 9]);
  deepEqual(await site.shown(), ['band a 2- of 2: 11 to ? peak 11@2 ["above"] open']);
  await site.send(["a", 5, -4]);
  await site.send(["a", 6, 2]);
  deepEqual(await site.shown(), ['band a 2-6 of 2: 11 to 2 peak -4@5 ["above","below"] open']);
  deepEqual(await site.events(), [
    "1 raised lifecycle 2",
    '1 source_updated system 5 {"decoded_labels":["above","below"]}',
    "1 cleared lifecycle 6",
  ]);
  const [{ params }] = await site.database.read((connection) =>
    queryRows<{ params: string }>(connection, "SELECT params FROM occurrence")
  );
  deepEqual(JSON.parse(params), { low: 0, high: 10, deadband: 2 });
  await site.close();
});

Deno.test("the clock ends the delay of a band where no newer sample comes", async () => {
  const site = await openWatchedSite([{ ...band, on_delay_s: 60 }]);
  await site.send(["a", 1, -1]);
  await site.at(60);
  equal((await site.shown()).length, 0);
  await site.at(70);
  deepEqual(await site.shown(), ['band a 61- of 1: -1 to ? peak -1@1 ["below"] open']);
  await site.close();
});

Deno.test("samples that came late out of a band are an alarm of the past", async () => {
  const site = await openWatchedSite([band]);
  await site.send(["a", 1, 5], ["a", 100, 6]);
  await site.send(["a", 40, -1], ["a", 50, 12], ["a", 60, 4]);
  deepEqual(await site.shown(), ['band a late 40-60 of 40: -1 to 4 peak 12@50 ["below"] open']);
  await site.close();
});

Deno.test("a band stands where it stood after a restart, its sides known", async () => {
  const site = await openWatchedSite([{ ...band, off_delay_s: 10 }]);
  await site.send(["a", 1, 11], ["a", 2, 9]);
  await site.restart();
  await site.send(["a", 3, 9]);
  await site.send(["a", 4, 12]);
  await site.restart();
  const { last_value, peak_value } = site.rule_engine.evaluator.live(1)!;
  deepEqual([last_value, peak_value], [12, 12]);
  await site.send(["a", 5, 5]);
  await site.restart();
  await site.send(["a", 15, 5]);
  deepEqual(await site.shown(), ['band a 1-15 of 1: 11 to 5 peak 12@4 ["above"] open']);
  await site.close();
});

Deno.test("a band tried on the past tells what it raised in fact", async () => {
  const site = await openWatchedSite([band]);
  const values = [5, 11, 9, 7, -1, -3, 1, 2, 14, -2, 5];
  for (const [i, value] of values.entries()) await site.send(["a", i, value]);
  await site.at(60);
  const replay = await replayRules(site, {
    site: site.catalog.sites[0],
    rules: parseRuleList({ rules: [band] }),
    from_us: noon_us,
    to_us: noon_us + 60e6,
  });
  const tried = replay.tallies[0][0].first.map((it) => {
    const [from, to] = [it.raised_at, it.cleared_at!].map((us) => (us - noon_us) / 1e6);
    return `${from}-${to} peak ${it.peak_value} ${JSON.stringify(it.decoded_labels)}`;
  });
  deepEqual(tried, [
    '1-3 peak 11 ["above"]',
    '4-7 peak -3 ["below"]',
    '8-10 peak 14 ["above","below"]',
  ]);
  const raised = (await site.shown()).map((line) => line.match(/(\d+-\d+) of/)![1]);
  deepEqual(raised, ["1-3", "4-7", "8-10"]);
  await site.close();
});
