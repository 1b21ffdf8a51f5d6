// The demo's rules on ten days of its story: every incident's alarm, and none without a cause.
import assert from "node:assert/strict";
import { demo_places } from "../../../src/engine/demo/place.ts";
import { demoSite } from "../../../src/engine/demo/site.ts";
import { DemoStream } from "../../../src/engine/demo/stream.ts";
import { applySite } from "../../../src/engine/site/site.ts";
import { isValid } from "../../../src/model/data/chunk.ts";
import { Follower } from "../../../src/model/rules/series.ts";
import { testService } from "../../help/service.ts";
import { alarmFlaw } from "./flaw_help.ts";
import { alarmsOf } from "./story_help.ts";

const from_us = Date.parse("2026-06-01T07:00:00Z") * 1000;
const to_us = from_us + 10 * 86_400_000_000;

type Sample = { readonly ts_us: number; readonly value: number | bigint | null };

/** What the demo sends of some tags in ten days, each tag's by time. */
function samplesOf(seed: number, tags: ReadonlySet<string>): ReadonlyMap<string, Sample[]> {
  const samples = new Map<string, Sample[]>(Array.from(tags, (tag) => [tag, []]));
  for (const batch of new DemoStream({ seed, from_us }).history(to_us)) {
    if (batch.lane === "forecast") continue;
    for (let i = 0; i < batch.rows; i++) {
      const float = Number.isNaN(batch.value[i]) ? null : batch.value[i];
      const value = isValid(batch.int_valid, i) ? batch.value_int[i] : float;
      samples.get(batch.tags[batch.tag[i]])?.push({ ts_us: Number(batch.ts[i]), value });
    }
  }
  for (const list of samples.values()) list.sort((a, b) => a.ts_us - b.ts_us);
  return samples;
}

/** The alarms of the demo's rules on samples, as an answer has them. */
async function alarmRows(seed: number) {
  const { services, close } = await testService();
  await applySite(services, demoSite(demo_places[0]), { dry_run: false });
  const watchpoints = services.rules.watchpoints.filter(({ sensor_no }) => sensor_no === null);
  await close();
  const samples = samplesOf(seed, new Set(watchpoints.map(({ source_tag }) => source_tag)));
  return watchpoints.flatMap((watchpoint) => {
    const { source_tag, rule: { name: rule_name } } = watchpoint;
    const follower = new Follower(watchpoint);
    const told = samples.get(source_tag)!.flatMap((sample) => follower.see(sample));
    return told.filter(({ kind }) => kind === "raise").map(({ at_us }) => {
      const end = told.find((it) => it.kind === "clear" && it.at_us > at_us);
      const [raised_at, cleared_at] = [at_us, end?.at_us]
        .map((us) => us === undefined ? null : new Date(us / 1000).toISOString());
      return { rule_name, source_tag, raised_at: raised_at!, cleared_at };
    });
  });
}

Deno.test("demo: every incident has its alarm, and no alarm is without a cause", async () => {
  for (const seed of [1, 2]) {
    const rows = await alarmRows(seed);
    const alarms = alarmsOf({ seed, from_us }, to_us);
    const certain = alarms.filter((alarm) => alarm.certain);
    assert.deepEqual([...new Set(certain.map(({ kind }) => kind))].toSorted(), [
      ...["bad", "curtailment", "derate", "new_meter", "outage", "silence", "trip"],
    ]);
    assert.equal(alarmFlaw(alarms)(rows), undefined);
    assert.match(alarmFlaw(alarms)(rows.slice(1)) ?? "", /^no alarm of the /);
    const spare = { ...rows[0], raised_at: "2026-06-20T10:00:00Z", cleared_at: null };
    assert.match(alarmFlaw(alarms)([...rows, spare]) ?? "", /^an alarm without a cause/);
  }
});
