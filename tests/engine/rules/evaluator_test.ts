// Rules at work in ingest: alarms in the samples' transaction, by clock, and as rules change.
import assert from "node:assert/strict";
import { openWatchedSite, type RuleFile } from "./evaluator_help.ts";
import { queryRows } from "../../help/query.ts";

const high: RuleFile[number] = {
  ...{ key: "high", name: "High", kind: "threshold", tag: "a", operator: ">", threshold: 10 },
};

Deno.test("a sample beyond a limit raises an alarm with it, a later one clears it", async () => {
  const site = await openWatchedSite([{ ...high, severity: "critical", alarm_class: "trip" }]);
  await site.send(["a", 1, 9], ["a", 2, 11], ["a", 3, 12]);
  assert.deepEqual(await site.shown(), ["high a 2- of 2: 11 to ? peak 11@2 open"]);
  await site.send(["a", 4, 15], ["a", 5, 8]);
  assert.deepEqual(await site.shown(), ["high a 2-5 of 2: 11 to 8 peak 15@4 open"]);
  assert.deepEqual(await site.events(), ["1 raised lifecycle 2", "1 cleared lifecycle 5"]);
  const [row] = await site.database.read((connection) =>
    queryRows(
      connection,
      "SELECT source, severity, alarm_class, params, rule_version FROM occurrence",
    )
  );
  assert.deepEqual(row, {
    source: "wattkeeper:s",
    severity: "critical",
    alarm_class: "trip",
    params: '{"operator":">","threshold":10}',
    rule_version: 1,
  });
  await site.close();
});

Deno.test("samples of one body are judged by their times, whatever their order", async () => {
  const site = await openWatchedSite([high]);
  await site.send(["a", 5, 8], ["a", 3, 12], ["b", 4, 99], ["a", 2, 9]);
  assert.deepEqual(await site.shown(), ["high a 3-5 of 3: 12 to 8 peak 12@3 open"]);
  await site.close();
});

Deno.test("an active alarm shows its newest value and peak without being stored", async () => {
  const site = await openWatchedSite([high]);
  await site.send(["a", 2, 11]);
  await site.send(["a", 3, 14], ["a", 4, 12]);
  const { condition: _, ...live } = site.rule_engine.evaluator.live(1)!;
  assert.deepEqual(live, {
    ...{ last_value: 12, peak_value: 14, peak_at: Date.UTC(2026, 5, 1, 12, 0, 3) * 1000 },
  });
  await site.send(["a", 5, 8]);
  assert.equal(site.rule_engine.evaluator.live(1), undefined);
  await site.close();
});

Deno.test("the clock raises and clears after a delay where no newer sample comes", async () => {
  const site = await openWatchedSite([{ ...high, on_delay_s: 20, off_delay_s: 30 }]);
  await site.at(40);
  await site.send(["a", 40, 11]);
  await site.at(64.9);
  assert.deepEqual(await site.shown(), []);
  await site.at(65);
  assert.deepEqual(await site.shown(), ["high a 60- of 40: 11 to ? peak 11@40 open"]);
  await site.send(["a", 70, 5]);
  await site.at(104.9);
  assert.match((await site.shown())[0], /^high a 60- /);
  await site.at(105);
  await site.at(1000);
  assert.deepEqual(await site.shown(), ["high a 60-100 of 40: 11 to 5 peak 11@40 open"]);
  await site.close();
});

Deno.test("what the clock raised is not cleared before it was raised", async () => {
  const site = await openWatchedSite([{ ...high, on_delay_s: 20 }]);
  await site.at(40);
  await site.send(["a", 40, 11]);
  await site.at(70);
  await site.send(["a", 45, 5]);
  assert.deepEqual(await site.shown(), ["high a 60-60 of 40: 11 to 5 peak 11@40 open"]);
  await site.close();
});

Deno.test("a tag is stale a while after its last value, until its next", async () => {
  const silent: RuleFile[number] = {
    ...{ key: "silent", name: "Silent", kind: "stale", tag: "a", max_age_s: 60 },
  };
  const site = await openWatchedSite([silent, { ...silent, key: "never", tag: "b" }]);
  await site.send(["a", 10, 1]);
  await site.at(59);
  await site.send(["a", 40, 1], ["a", 55, null]);
  await site.at(99);
  assert.deepEqual(await site.shown(), ["never b 60- of none: 60 to ? peak 60@60 open"]);
  await site.at(100);
  await site.at(110);
  assert.deepEqual(site.rule_engine.evaluator.live(2)?.last_value, 70);
  await site.send(["a", 109, 1]);
  assert.deepEqual(
    (await site.shown()).at(-1),
    "silent a 100-109 of 40: 60 to 0 peak 69@109 open",
  );
  await site.close();
});

Deno.test("a tag that never sent is stale by the wall clock, wherever stamps are", async () => {
  const never: RuleFile[number] = {
    ...{ key: "never", name: "Never", kind: "stale", tag: "b", max_age_s: 60 },
  };
  const site = await openWatchedSite([]);
  site.clock.step(86_400_000);
  await site.send(["a", 86_400, 1]);
  site.clock.step(-86_400_000);
  await site.apply([never]);
  await site.at(61);
  assert.deepEqual(await site.shown(), ["never b 60- of none: 60 to ? peak 60@60 open"]);
  await site.close();
});

Deno.test("a clock that jumps raises nothing twice and takes nothing back", async () => {
  const site = await openWatchedSite([
    { key: "silent", name: "Silent", kind: "stale", tag: "a", max_age_s: 60 },
  ]);
  await site.send(["a", 10, 1]);
  await site.at(3600);
  await site.at(30);
  await site.at(7200);
  await site.at(40);
  await site.send(["a", 40, 1]);
  await site.at(60);
  assert.deepEqual(await site.shown(), ["silent a 70-70 of 10: 60 to 0 peak 60@70 open"]);
  await site.at(100);
  assert.deepEqual((await site.shown()).length, 2);
  await site.close();
});

Deno.test("an alarm that is not ended is raised again, one that has ended is not", async () => {
  const site = await openWatchedSite([
    { ...high, key: "manual", resolution_policy: "manual" },
    { ...high, key: "auto" },
  ]);
  await site.send(["a", 1, 11], ["a", 2, 5], ["a", 3, 14]);
  await site.send(["a", 4, 5], ["a", 5, 12]);
  assert.deepEqual((await site.shown()).toSorted(), [
    "auto a 1-2 of 1: 11 to 5 peak 11@1 open",
    "auto a 3-4 of 3: 14 to 5 peak 14@3 open",
    "auto a 5- of 5: 12 to ? peak 12@5 open",
    "manual a 1- of 1: 11 to ? peak 14@3 open",
  ]);
  assert.deepEqual(
    (await site.events()).filter((line) => line.startsWith("1 ")).map((line) =>
      line.split(" ").slice(1, 4).join(" ")
    ),
    [
      "raised lifecycle 1",
      "cleared lifecycle 2",
      "reraised lifecycle 3",
      "cleared lifecycle 4",
      "reraised lifecycle 5",
    ],
  );
  await site.close();
});

Deno.test("codes raise one alarm each, bits one whose labels grow", async () => {
  const site = await openWatchedSite([
    { key: "code", name: "Code", kind: "enum", tag: "w", codes: [3, 5], labels: { 3: "Trip" } },
    { key: "bits", name: "Bits", kind: "bitmask", tag: "w", mask: 6, labels: { 1: "Fan" } },
  ]);
  await site.send(["w", 1, 3n]);
  await site.send(["w", 2, 5n]);
  await site.send(["w", 3, 0n]);
  assert.deepEqual((await site.shown()).toSorted(), [
    'bits w 1-3 of 1: 3 to 0 peak none ["Fan","bit 2"] open',
    'code w 1-2 of 1: 3 to 5 peak none ["Trip"] open',
    'code w 2-3 of 2: 5 to 0 peak none ["5"] open',
  ]);
  assert.deepEqual((await site.events()).filter((line) => line.includes("source_updated")), [
    '2 source_updated system 2 {"decoded_labels":["Fan","bit 2"]}',
  ]);
  await site.close();
});

Deno.test("a rule that goes clears its alarms, one that changes goes on with them", async () => {
  const site = await openWatchedSite([high, { ...high, key: "gone" }]);
  await site.send(["a", 1, 11]);
  await site.at(10);
  await site.apply([{ ...high, threshold: 5 }]);
  await site.send(["a", 11, 8]);
  assert.deepEqual((await site.shown()).toSorted(), [
    "gone a 1-10 of 1: 11 to ? peak 11@1 open",
    "high a 1- of 1: 11 to ? peak 11@1 open",
  ]);
  assert.deepEqual(
    (await site.events()).at(-1),
    '2 cleared system 10 {"reason":' +
      '"its rule was removed or disabled"}',
  );
  await site.send(["a", 12, 5]);
  assert.match((await site.shown()).find((line) => line.startsWith("high"))!, /^high a 1-12 /);
  await site.close();
});

Deno.test("a rule of another kind under its key begins anew: what stood is cleared", async () => {
  const { operator: _, threshold: __, ...words } = {
    ...high,
    resolution_policy: "manual",
  } as const;
  const site = await openWatchedSite([{ ...high, resolution_policy: "manual" }]);
  await site.send(["a", 1, 11]);
  await site.at(10);
  await site.apply([{ ...words, kind: "rate_of_change", limit_per_min: 60, over_s: 1 }]);
  assert.equal(
    (await site.events()).at(-1),
    '1 cleared system 10 {"reason":"its rule is of another kind now"}',
  );
  await site.restart();
  await site.send(["a", 11, 11], ["a", 12, 20]);
  assert.deepEqual((await site.shown()).map((line) => line.split(" of ")[0]), [
    "high a 1-10",
    "high a 12-",
  ]);
  await site.apply([]);
  await site.apply([{ ...high, resolution_policy: "manual" }]);
  await site.send(["a", 40, 30]);
  assert.equal((await site.shown()).length, 3);
  await site.close();
});

Deno.test("a rule that comes back takes up its alarm that has not ended", async () => {
  const manual = { ...high, resolution_policy: "manual" } as const;
  const site = await openWatchedSite([manual]);
  await site.send(["a", 1, 11]);
  await site.apply([{ ...manual, enabled: false }]);
  await site.send(["a", 2, 12]);
  await site.apply([manual]);
  await site.send(["a", 3, 13]);
  assert.deepEqual((await site.shown()).map((line) => line.split(" of ")[0]), ["high a 1-"]);
  await site.close();
});

Deno.test("what a resolved alarm was about is raised anew only once it has gone", async () => {
  const site = await openWatchedSite([{ ...high, resolution_policy: "manual" }]);
  await site.send(["a", 1, 11]);
  await site.rule_engine.alarms.write(async (changes) => {
    await changes.load({ nos: [1] });
    changes.change({ ...changes.get(1)!, status: "resolved" }, []);
  });
  await site.send(["a", 2, 12]);
  assert.equal((await site.shown()).length, 1);
  await site.send(["a", 3, 5], ["a", 4, 12]);
  assert.deepEqual((await site.shown()).map((line) => line.split(" of ")[0]), [
    "high a 1-",
    "high a 4-",
  ]);
  await site.close();
});

Deno.test("first samples of a tag that a rule waits for are judged", async () => {
  const site = await openWatchedSite([
    {
      ...{ key: "each", name: "Each", kind: "threshold", operator: ">", threshold: 10 },
      ...{ tag: "{device}/T", component: "inverter" },
    },
  ], {
    devices: [{ key: "I1", type: "inverter" }, { key: "I2", type: "inverter" }],
    tags: [{ name: "I1/T" }],
  });
  await site.send(["I2/T", 1, 11], ["I2/T", 2, 12]);
  await site.send(["I2/T", 3, 5]);
  assert.deepEqual(await site.shown(), ["each I2/T 1-3 of 1: 11 to 5 peak 12@2 open"]);
  await site.close();
});

Deno.test("samples of more than 35 days ago are history: nothing is raised by them", async () => {
  const site = await openWatchedSite([high]);
  const old_s = -36 * 86_400;
  await site.send(["a", old_s, 11], ["a", old_s + 1, 5], ["a", old_s + 2 * 86_400, 12]);
  assert.deepEqual((await site.shown()).length, 1);
  await site.close();
});

Deno.test("a write that fails leaves the rules where they stood", async () => {
  const site = await openWatchedSite([{ ...high, on_delay_s: 10 }]);
  await site.send(["a", 1, 11]);
  await site.database.write((write) =>
    write.connection.script("ALTER TABLE occurrence RENAME TO o")
  );
  await assert.rejects(site.send(["a", 12, 13]));
  await site.database.write((write) =>
    write.connection.script("ALTER TABLE o RENAME TO occurrence")
  );
  assert.deepEqual(await site.shown(), []);
  await site.send(["a", 12, 14]);
  assert.deepEqual(await site.shown(), ["high a 11- of 1: 11 to ? peak 11@1 open"]);
  await site.close();
});

Deno.test("in the background it looks when something is due, and ends when told", async () => {
  const site = await openWatchedSite([{ ...high, on_delay_s: 40 }]);
  const stop = new AbortController();
  const running = site.rule_engine.evaluator.loop.run(stop.signal);
  await site.send(["a", 0, 11]);
  for (let s = 0; s < 45; s++) {
    assert.deepEqual(await site.shown(), []);
    site.clock.advance(1000);
  }
  while ((await site.shown()).length === 0) await site.database.read(() => Promise.resolve());
  assert.match((await site.shown())[0], /^high a 40- of 0/);
  stop.abort();
  await running;
  await site.close();
});
