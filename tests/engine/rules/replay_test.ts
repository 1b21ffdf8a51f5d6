// Rules tried on stored history: where it begins and ends, what is counted, how it is stopped.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { rule_limits } from "../../../src/model/rules/limits.ts";
import { replayRules } from "../../../src/engine/rules/replay.ts";
import { replayAnswer } from "../../../src/engine/rules/replay_shape.ts";
import { parseRuleList } from "../../../src/model/rules/request.ts";
import { openSites, plain } from "../../help/site.ts";
import { runQuery } from "../../help/query.ts";

const start_us = Date.UTC(2026, 4, 1) * 1000;
const minute_us = 60_000_000;

type Value = number | null;

/** A site with tags a and b, samples of a at minutes, and a way to try rules on it. */
async function opened(values: Readonly<Record<number, Value>>) {
  const sites = await openSites();
  const { database, catalog } = sites;
  await sites.apply({ ...plain, tags: [{ name: "a" }, { name: "b" }], sensors: [] });
  const { tag_no } = catalog.findTag(1, "signal", "a")!;
  await database.write(async ({ connection, stamp_us }) => {
    for (const [minute, value] of Object.entries(values)) {
      const ts = start_us + Number(minute) * minute_us;
      await runQuery(
        connection,
        "INSERT INTO sample VALUES ($tag_no, $ts, $stamp_us, $value::DOUBLE, NULL, NULL, " +
          "$quality::UTINYINT, NULL)",
        { tag_no, ts, stamp_us, value, quality: value === null ? 2 : null },
      );
    }
  });
  const asked = (rule: object, minutes = 60) => ({
    site: catalog.sites[0],
    rules: parseRuleList({ rules: [{ key: "r", name: "R", tag: "a", ...rule }] }),
    from_us: start_us,
    to_us: start_us + minutes * minute_us,
  });
  const tryOut = async (rule: object, minutes?: number) => {
    const request = asked(rule, minutes);
    const [answer] = replayAnswer(request, await replayRules(sites, request), catalog).rules;
    const [tag] = answer.tags;
    const alarms = (tag?.occurrences ?? []).map(({ raised_at, cleared_at, raised_value }) => [
      minuteOf(raised_at),
      cleared_at && minuteOf(cleared_at),
      raised_value,
    ]);
    const { raised, standing_s, chattering, tags_silent } = answer;
    return { raised, minutes: standing_s / 60, chattering, tags_silent, alarms, tag };
  };
  return { ...sites, asked, tryOut };
}

const minuteOf = (text: string) => (Date.parse(text) * 1000 - start_us) / minute_us;
const high = { kind: "threshold", operator: ">", threshold: 10 };
const silent = { kind: "stale", max_age_s: 600 };

Deno.test("a trial starts with the last value before its range and ends within it", async () => {
  const { tryOut, database } = await opened({ [-90]: 12, 20: 5, 40: 15, 90: 5 });
  const { alarms, raised, minutes, tag } = await tryOut(high);
  deepEqual(alarms, [[-90, 20, 12], [40, null, 15]]);
  deepEqual([raised, minutes, tag.standing], [1, 40, true]);
  const held = await tryOut({ ...high, on_delay_s: 1800 });
  deepEqual(held.alarms, [[-60, 20, 12]]);
  deepEqual((await tryOut({ ...high, on_delay_s: 1080 })).alarms.at(-1), [58, null, 15]);
  await database.close();
});

Deno.test("a sample without a value shows nothing, what is over before is left out", async () => {
  const values = { [-90]: 12, [-60]: 5, 5: null, 10: 11, 12: null, 20: 1 };
  const { tryOut, database } = await opened(values);
  const { alarms, raised } = await tryOut(high);
  deepEqual([alarms, raised], [[[10, 20, 11]], 1]);
  await database.close();
});

Deno.test("silence counts from the last value, or from the range's start", async () => {
  const { tryOut, database } = await opened({ [-4]: 1, 30: 1, 35: null, 50: 1 });
  deepEqual((await tryOut(silent)).alarms, [[6, 30, 600], [40, 50, 600]]);
  const never = await tryOut({ ...silent, tag: "b" });
  deepEqual([never.alarms, never.tags_silent], [[[10, null, 600]], 1]);
  await database.close();
});

Deno.test("alarms that come up three times in a minute are counted as chattering", async () => {
  const quick = [0, 0.2, 0.4, 0.6, 0.8, 5, 5.2, 10, 10.2].map((at, i) => [at, i % 2 ? 0 : 20]);
  const { tryOut, database } = await opened(Object.fromEntries(quick));
  const { raised, chattering } = await tryOut(high);
  deepEqual([raised, chattering], [5, 1]);
  await database.close();
});

Deno.test("of many alarms the first are shown and all are counted", async () => {
  const values = Array.from({ length: 2 * rule_limits.test_shown + 20 }, (_, i) => i % 2 * 20);
  const { tryOut, database } = await opened({ ...values });
  const { raised, alarms, tag } = await tryOut(high, 1000);
  deepEqual([raised, alarms.length], [rule_limits.test_shown + 10, rule_limits.test_shown]);
  equal(tag.occurrences_total, raised);
  await database.close();
});

Deno.test("a trial ends when it is cancelled, and leaves the database in use", async () => {
  const sites = await opened({ 1: 20 });
  const stop = new AbortController();
  stop.abort();
  await rejects(replayRules(sites, sites.asked(high), { signal: stop.signal }));
  equal((await sites.tryOut(high)).raised, 1);
  await sites.database.close();
});
