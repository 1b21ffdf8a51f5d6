// Tests the queue of alarms as screens need it: by priority page by page, and how many there are.
import { deepEqual, equal } from "node:assert/strict";
import { openAlarms } from "./alarm_help.ts";

const hour_us = 3_600_000_000;
const noon_us = Date.parse("2026-06-01T12:00:00Z") * 1000;

type Row = { readonly occurrence_id: string };

Deno.test("by priority the most urgent come first, of one severity the newest", async () => {
  const { raise, change, get, pages, close } = await openAlarms();
  const made = [
    ["low", "low", 0],
    ["old", "critical", 3],
    ["odd", "vendor word", 1],
    ["new", "critical", 1],
    ["info", "info", 0],
    ["high", "high", 5],
  ] as const;
  for (const [occurrence_id, severity, hours] of made) {
    await raise({ occurrence_id, severity, raised_at: noon_us - hours * hour_us });
  }
  const wanted = ["new", "old", "high", "low", "info", "odd"];
  const idsOf = (rows: readonly Row[]) => rows.map(({ occurrence_id }) => occurrence_id);
  deepEqual(idsOf((await get("/alarms?sort=priority")).data), wanted);
  for (const limit of [1, 2, 4]) {
    const paged: string[] = [];
    for await (const page of pages<Row>(`/alarms?sort=priority&limit=${limit}`)) {
      // What comes up in between stands where it belongs, and moves nothing else.
      if (paged.length === 0) {
        await raise({ occurrence_id: `first-${limit}`, severity: "critical", raised_at: noon_us });
      }
      paged.push(...idsOf(page));
    }
    deepEqual(paged.filter((id) => !id.startsWith("first-")), wanted);
  }
  const { data: [{ occurrence_id }] } = await get("/alarms?sort=priority&severity=low");
  equal(occurrence_id, "low");
  const cleared = await raise({ occurrence_id: "gone", resolution_policy: "auto" });
  await change(cleared, { cleared_at: noon_us });
  const { data: ended } = await get("/alarms?sort=priority&ended=true");
  deepEqual(idsOf(ended), ["gone"]);
  equal((await get("/alarms?ended=false")).data.length, wanted.length + 3);
  await close();
});

Deno.test("counts are of what has not ended, by state and severity", async () => {
  const { raise, get, close } = await openAlarms();
  const states = {
    unattended: { status: "open" },
    attended: { status: "claimed" },
    returned: { status: "open", cleared_at: noon_us },
    shelved: { status: "shelved", resumes: "open" },
    resolved: { status: "resolved" },
  } as const;
  const base = { severity: "high", resolution_policy: "require_both" } as const;
  for (const [occurrence_id, state] of Object.entries(states)) {
    await raise({ occurrence_id, ...base, ...state });
  }
  await raise({ occurrence_id: "claimed-gone", ...base, ...states.returned, status: "claimed" });
  await raise({ occurrence_id: "over", ...base, status: "resolved", cleared_at: noon_us });
  await raise({ occurrence_id: "west", site_no: 2, severity: "odd", resolution_policy: "manual" });
  await raise({ occurrence_id: "other", project_no: 2, site_no: 3 });
  const { data } = await get("/alarms/counts");
  const one = { unattended: 1, attended: 1, returned: 2, shelved: 1, resolved: 1 };
  const none = { total: 0, unattended: 0, attended: 0, returned: 0, shelved: 0, resolved: 0 };
  const { by_severity, ...all } = data;
  deepEqual(all, { ...one, total: 7, unattended: 2 });
  deepEqual(by_severity, [
    { severity: "critical", ...none },
    { severity: "high", ...one, total: 6 },
    { severity: "medium", ...none },
    { severity: "low", ...none },
    { severity: "info", ...none },
    { severity: "odd", ...none, total: 1, unattended: 1 },
  ]);
  equal((await get("/alarms/counts?site=west")).data.total, 1);
  await close();
});
