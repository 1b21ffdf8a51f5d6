// The report on alarms: its figures against a naive count, its range, empty sites and ranges.
import { deepEqual, equal } from "node:assert/strict";
import fc from "../../help/costly.ts";
import type { EventDraft, OccurrenceDraft } from "../../../src/model/alarms/alarm.ts";
import type { AlarmReport } from "../../../src/model/alarms/report_form.ts";
import { listOccurrences, readTimelines } from "../../../src/store/alarms/alarm.ts";
import { instantOf, instantText } from "../../../src/wire/bytes/instant.ts";
import { draftOf, eventOf, minute_us, noon_us, second_us } from "../../help/alarm.ts";
import { naiveReport } from "../../help/alarm_report.ts";
import { putPlant } from "../../help/reading.ts";
import { testService } from "../../help/service.ts";

const path = "/platform/v1/alarms/report?project_id=p1";
const period_us = 10 * minute_us;

async function open() {
  const service = await testService({ at: "2026-06-03T12:00:00Z" });
  const { database, catalog, alarms } = service.services;
  const project = {
    ...{ project_no: 1, id: "p1", organization_id: "org", key: "p1", name: "P1" },
    ...{ portfolio: null, timezone: "America/Denver" },
  };
  const place = { project_no: 1, latitude: 40, longitude: -105 };
  await putPlant(database, {
    projects: [project],
    sites: [
      { site_no: 1, id: "s1", key: "west", name: "West", ...place },
      { site_no: 2, id: "s2", key: "east", name: "East", ...place },
    ],
    sensors: [],
  });
  await catalog.reload();
  return {
    ...service,
    put: (life: readonly (readonly [OccurrenceDraft, readonly EventDraft[]])[]) =>
      alarms.write((changes) => {
        for (const [draft, events] of life) changes.raise(draft, events);
        return Promise.resolve();
      }),
    report: async (query = ""): Promise<AlarmReport> => {
      const response = await service.fetch(path + query);
      equal(response.status, 200);
      return await response.json();
    },
  };
}

Deno.test("without alarms figures are zeros or nulls, without a range nulls", async () => {
  const { report, fetch, close } = await open();
  const { from, to, sites } = await report();
  deepEqual([from, to], ["2026-06-02T12:00:00.000000Z", "2026-06-03T12:00:00.000000Z"]);
  deepEqual(sites.map(({ site }) => site), ["east", "west"]);
  const { rate, floods, top, time_to_clear, standing } = sites[0];
  deepEqual(rate, {
    ...{ average: 0, peak: 0, peak_at: null, periods: 144, high_periods: 0 },
    high_period_share: 0,
  });
  deepEqual(floods, { count: 0, periods: 0, period_share: 0, alarms: 0, worst: [] });
  deepEqual(top, { share: null, alarms: [] });
  deepEqual(time_to_clear, { count: 0, median_s: null, p90_s: null });
  deepEqual(standing, { count: 0, stale: 0, oldest: [] });
  const empty = await report("&site=west&from=2026-06-01T00:00:00Z&to=2026-06-01T00:00:00Z");
  deepEqual(empty.sites.map(({ rate }) => rate), [{
    ...{ average: null, peak: null, peak_at: null, periods: 0, high_periods: 0 },
    high_period_share: null,
  }]);
  const future = await report("&from=2026-06-03T11:55:00Z&to=2026-06-04T00:00:00Z");
  deepEqual([future.to, future.sites[0].rate.periods], ["2026-06-03T12:00:00.000000Z", 1]);
  for (
    const [query, flaw] of [
      ["&from=2026-06-01T00:00:00Z&to=2026-05-01T00:00:00Z", "to"],
      ["&from=2024-06-01T00:00:00Z", "to"],
      ["&site=north", "site"],
    ]
  ) {
    const response = await fetch(path + query);
    equal(response.status, 400);
    deepEqual((await response.json()).errors.map((it: { path: string }) => it.path), [flaw]);
  }
  await close();
});

Deno.test("a flood goes on until a period has fewer than five", async () => {
  const { report, put, close } = await open();
  const counts = [9, 12, 5, 30, 4, 11];
  await put(counts.flatMap((count, period) =>
    Array.from({ length: count }, (_, i) => {
      const raised_at = noon_us + period * period_us + i * second_us;
      return [draftOf({ occurrence_id: `${period}-${i}`, raised_at }), []] as const;
    })
  ));
  const range = "&site=west&from=2026-06-01T11:00:00Z&to=2026-06-01T14:00:00Z";
  const [{ floods, rate }] = (await report(range)).sites;
  deepEqual(floods, {
    ...{ count: 2, periods: 4, period_share: 4 / 18, alarms: 58 },
    worst: [
      {
        from: "2026-06-01T12:10:00.000000Z",
        to: "2026-06-01T12:40:00.000000Z",
        ...{ length_s: 1800, alarms: 47, peak: 30 },
      },
      {
        from: "2026-06-01T12:50:00.000000Z",
        to: "2026-06-01T13:00:00.000000Z",
        ...{ length_s: 600, alarms: 11, peak: 11 },
      },
    ],
  });
  deepEqual(rate, {
    ...{ average: 71 / 18, peak: 30, peak_at: "2026-06-01T12:30:00.000000Z", periods: 18 },
    ...{ high_periods: 3, high_period_share: 3 / 18 },
  });
  await close();
});

/** Lives of alarms over two days, many of them near one another. */
const life = fc.record({
  site_no: fc.constantFrom(1, 1, 1, 2),
  at_s: fc.oneof(fc.nat({ max: 172_800 }), fc.nat({ max: 3000 })),
  rule: fc.nat({ max: 4 }),
  tag: fc.nat({ max: 3 }),
  severity: fc.constantFrom("critical", "high", "odd"),
  alarm_class: fc.constantFrom(null, "trip", "comms"),
  policy: fc.constantFrom("auto", "manual", "require_both"),
  lasts_s: fc.option(fc.oneof(fc.nat({ max: 90 }), fc.nat({ max: 200_000 }))),
  claimed_s: fc.option(fc.integer({ min: -5, max: 4000 })),
  resolved_s: fc.option(fc.nat({ max: 4000 })),
  kind: fc.constantFrom("plain", "plain", "plain", "late", "inhibited"),
});
type Life = typeof life extends fc.Arbitrary<infer T> ? T : never;

function lived(it: Life, i: number): readonly [OccurrenceDraft, readonly EventDraft[]] {
  const raised_at = noon_us + it.at_s * second_us;
  const after = (s: number) => raised_at + s * second_us;
  const late = it.kind === "late";
  const events = [eventOf("raised", { created_at: raised_at })];
  const add = (type: string, s: number | null, kind: string) =>
    s !== null && events.push(eventOf(type, { created_at: after(s), kind }));
  add("claimed", it.claimed_s, "operator");
  if (it.claimed_s !== null) add("claimed", it.claimed_s + 100, "operator");
  if (it.kind === "inhibited") add("shelved", 0, "system");
  if (it.kind === "plain") add("shelved", 7, "operator");
  add("resolved", it.resolved_s, "operator");
  const draft = draftOf(
    {
      ...{ occurrence_id: `o${i}`, site_no: it.site_no, raised_at, updated_at: raised_at },
      ...{ origin: "rule", rule_name: `R${it.rule}`, source_tag: `T${it.tag}` },
      ...{ severity: it.severity, alarm_class: it.alarm_class, resolution_policy: it.policy },
      status: it.resolved_s === null ? "open" : "resolved",
      cleared_at: it.lasts_s === null && !late ? null : after(it.lasts_s ?? 1),
      is_late: late,
    } as const,
  );
  return [draft, events];
}

Deno.test("the figures are those of a naive count", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(life, { minLength: 1, maxLength: 120 }),
      fc.nat({ max: 90_000 }),
      async (lives, from_s) => {
        const { services, report, put, close } = await open();
        await put(lives.map(lived));
        const from = instantText(noon_us + from_s * second_us);
        const { sites, to } = await report(`&from=${from}`);
        const range = { from_us: instantOf(from), to_us: instantOf(to) };
        for (const [key, site_no] of [["west", 1], ["east", 2]] as const) {
          const known = await services.database.read(async (it) => {
            const all = await listOccurrences(it, { site_no });
            return { all, events: await readTimelines(it, all) };
          });
          const { rate, floods, chattering, standing, ...shown } = sites
            .find(({ site }) => site === key)!;
          const { average, peak, high_periods } = rate;
          deepEqual(
            rounded({
              ...shown,
              rate: { average, peak, high_periods },
              floods: { count: floods.count, alarms: floods.alarms },
              chattering: chattering.worst.map((it) => `${it.rule_name} ${it.source_tag}`).sort(),
              standing: [standing.count, standing.stale],
              oldest: standing.oldest.map(({ occurrence_id }) => occurrence_id),
            }),
            rounded(naiveReport(known, range)),
          );
        }
        await close();
      },
    ),
    { numRuns: 12 },
  );
});

const rounded = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value),
    (key, it) =>
      typeof it === "number"
        ? Math.round(it * 1e6) / 1e6
        : key === "name" || key === "site"
        ? 0
        : it,
  );
