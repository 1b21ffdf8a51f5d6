// Nuisance: alarms that chatter, floods, whatever order they come in, restarts and failed writes.
import { deepEqual, equal, rejects } from "node:assert/strict";
import fc from "../../help/costly.ts";
import type { OccurrenceDraft } from "../../../src/model/alarms/alarm.ts";
import { clear, reraise } from "../../../src/model/alarms/life.ts";
import { draftOf, minute_us, noon_us, second_us } from "../../help/alarm.ts";
import { openNuisance as open } from "../../help/nuisance.ts";
import { testService } from "../../help/service.ts";
import { plain } from "../../help/site.ts";

/** Alarms a second apart, each of a tag of its own. */
const many = (count: number, from_s = 0, said: Partial<OccurrenceDraft> = {}) =>
  Array.from({ length: count }, (_, i) => ({ s: from_s + i, source_tag: `T${i}`, ...said }));

Deno.test("the third raise of a rule on a tag within a minute chatters, and says so", async () => {
  const world = await open();
  await world.raise({ s: 0 });
  await world.raise({ s: 30 }, { s: 40, source_tag: "other" }, { s: 41, rule_name: "other" });
  await world.raise({ s: 59.999999 });
  await world.raise({ s: 95 });
  equal(await world.marks(), "- - - - c -");
  deepEqual((await world.details()).filter((it) => it !== "raised null"), [
    'raised {"chattering":true}',
  ]);
  await world.close();
});

Deno.test("a minute apart, the third raise is no chattering", async () => {
  const world = await open();
  await world.raise({ s: 0 }, { s: 1 }, { s: 60 });
  equal(await world.marks(), "- - -");
  await world.raise({ s: 60.5 });
  equal(await world.marks(), "- - - c");
  await world.close();
});

Deno.test("an occurrence that is raised again and again chatters", async () => {
  const world = await open();
  await world.raise({ s: 0, resolution_policy: "manual" });
  for (const s of [10, 20]) {
    await world.write(async (changes) => {
      await changes.load({ nos: [1] });
      const at = { at_us: noon_us + s * second_us };
      const quiet = clear(changes.get(1)!, { ...at, recovered_value: 1, last_value: 1 })!;
      const back = reraise(quiet.occurrence, { ...at, source_ts: at.at_us, value: 90 })!;
      changes.change(back.occurrence, [...quiet.events, ...back.events]);
    });
    equal(await world.marks(), s === 20 ? "c" : "-");
    await world.restart();
  }
  const marked = (await world.details()).filter((it) => it.includes("chattering"));
  deepEqual(marked.map((it) => it.split(" ")[0]), ["reraised"]);
  await world.close();
});

Deno.test("from the tenth in ten minutes on a flood is marked, site by site", async () => {
  const world = await open();
  await world.raise(...many(6));
  await world.restart();
  await world.raise(...many(3, 10, { site_no: 2 }), ...many(3, 20));
  equal(await world.marks(), Array(12).fill("-").join(" "));
  await world.raise({ s: 599, source_tag: "U" });
  await world.raise({ s: 601, source_tag: "V" });
  await world.raise({ s: 2000, source_tag: "W" });
  equal((await world.marks()).split(" ").slice(12).join(" "), "f - -");
  await world.close();
});

Deno.test("late ones and those in the far future are in no flood, nor chatter", async () => {
  const world = await open();
  await world.raise(...many(20, 0, { is_late: true, cleared_at: noon_us + minute_us }));
  await world.raise(...many(20, 3600, { raised_at: noon_us + 24 * 60 * minute_us }));
  await world.raise(...many(9));
  equal(await world.marks(), Array(49).fill("-").join(" "));
  await world.close();
});

Deno.test("a write that fails is not remembered", async () => {
  const world = await open();
  await world.raise(...many(8));
  await rejects(world.write((changes) => {
    for (let i = 0; i < 5; i++) {
      changes.raise(draftOf({ occurrence_id: `x${i}`, source_tag: `X${i}` }), []);
    }
    return changes.load({ nos: [-1] }).then(() => Promise.reject(new Error("no")));
  }));
  await world.raise({ s: 9, source_tag: "Y" });
  equal(await world.marks(), Array(9).fill("-").join(" "));
  await world.close();
});

Deno.test("marks are the same with restarts anywhere", async () => {
  const raise = fc.record({ s: fc.integer({ min: 0, max: 1500 }), tag: fc.nat({ max: 3 }) });
  const batches = fc.array(fc.array(raise, { minLength: 1, maxLength: 8 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(batches, async (batches) => {
      const [steady, restarted] = [await open(), await open()];
      for (const batch of batches) {
        const drafts = batch.map(({ s, tag }) => ({ s, source_tag: `T${tag}` }));
        await steady.raise(...drafts);
        await restarted.raise(...drafts);
        await restarted.restart();
      }
      equal(await steady.marks(), await restarted.marks());
      await steady.close();
      await restarted.close();
    }),
    { numRuns: 8 },
  );
});

Deno.test("a source's alarms are marked as a rule's, over a whole service", async () => {
  const service = await testService({ at: "2026-06-01T12:30:00Z" });
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { "content-type": "application/json" };
    const response = await service.fetch(path, { method, headers, body: JSON.stringify(body) });
    return await response.json();
  };
  await call("PUT", "/admin/v1/sites/s", plain);
  const project = `project_id=${service.services.catalog.projects[0].id}`;
  const alarms = Array.from({ length: 12 }, (_, i) => ({
    ...{ occurrence_id: `o${i}`, source: "scada", rule_name: "R", kind: "threshold" },
    ...{ severity: "high", status: "open", resolution_policy: "auto", raised_value: 1 },
    raised_at: `2026-06-01T12:00:${10 + i}Z`,
    updated_at: "2026-06-01T12:01:00Z",
    source_tag: i < 3 ? "same" : `T${i}`,
  }));
  // In any order within a body: time counts.
  await call("POST", `/ingest/v1/alarms?${project}`, alarms.toReversed());
  type Shown = { readonly occurrence_id: string; readonly events: readonly { detail: unknown }[] };
  const shown: Shown[] = await call("GET", `/platform/v1/alarms?${project}`);
  const marks = shown.flatMap(({ occurrence_id, events: [{ detail }] }) =>
    detail === null ? [] : [[occurrence_id, detail] as const]
  ).sort(([a], [b]) => a < b ? -1 : 1);
  deepEqual(marks, [["o10", { flood: true }], ["o11", { flood: true }], ["o2", {
    chattering: true,
  }], ["o9", { flood: true }]]);
  await service.close();
});
