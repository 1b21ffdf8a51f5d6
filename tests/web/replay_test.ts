// Replay: a page at a moment of the past shows the same whatever happens later.
import { deepEqual } from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask, loaded, type ScreenWorld, testScreens, unfold } from "./browser.ts";

/** The moments are in this span; what is done later is done after it. */
const span = { from_ms: Date.parse("2026-06-02T12:00Z"), to_ms: Date.parse("2026-06-03T14:00Z") };

/** What can be opened at any moment. */
const views = [
  "overview",
  "portfolio",
  "inverters?",
  "inverters?show=internal_temp",
  "inverters?range=month",
  "inverters?device=INV-02",
  "inverters?device=INV-07&show=peers",
  "alarms?tab=all",
  "alarms?tab=needs",
  "work?",
  "trends?range=6h",
  "trends?range=3d&curves=INV-01:active_power,INV-02:energy",
  "losses?range=week",
  "losses?range=week&device=INV-02",
  "health?section=coverage",
  "report?month=2026-06",
] as const;

/** Numbers in [0, 1), the same in each run. */
function chanceOf(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

/** Addresses at moments of the past, each view at one of them. */
function addresses(): string[] {
  const chance = chanceOf(13);
  return views.map((view) => {
    const at_ms = span.from_ms + chance() * (span.to_ms - span.from_ms);
    const [page, query = ""] = view.split("?");
    return `/${page}?${query}&at=${new Date(at_ms).toISOString()}`;
  });
}

/** Everything that a page shows: its text, tables unfolded, and what is drawn on it. */
async function shownOn(page: Page, address: string): Promise<readonly string[]> {
  await page.goto(address);
  // The curves are asked for once it is known what the plant has.
  if (new URL(address).pathname === "/trends") await page.waitForSelector(".drawing .u-over");
  await loaded(page);
  await unfold(page);
  const drawn = await page.locator("canvas").evaluateAll((all) =>
    all.map((it) => (it as HTMLCanvasElement).toDataURL())
  );
  return [...(await page.innerText("body")).split("\n"), ...drawn];
}

async function allShown(page: Page, world: ScreenWorld): Promise<Map<string, readonly string[]>> {
  const shown = new Map<string, readonly string[]>();
  for (const address of addresses()) {
    shown.set(address, await shownOn(page, world.origin + address));
  }
  return shown;
}

/** Where two pages differ, line by line. */
function differences(before: readonly string[], after: readonly string[]): string[] {
  const lines = Array.from({ length: Math.max(before.length, after.length) }, (_, i) => i);
  return lines.filter((i) => before[i] !== after[i])
    .map((i) => `${before[i]?.slice(0, 100)} → ${after[i]?.slice(0, 100)}`).slice(0, 10);
}

/** Something of each kind happens after the span: to what was there, and anew. */
async function happen(world: ScreenWorld): Promise<void> {
  const { service, project_id } = world;
  const post = (path: string, body: unknown) => ask(world, path, { method: "POST", body });
  const user = await service.services.users.create({
    organization: "demo",
    email: "later@x.test",
    first_name: "Later",
    last_name: "X",
  });
  const alarms = await ask(world, "/platform/v1/alarms?limit=1000");
  for (const [i, { occurrence_id }] of alarms.entries()) {
    const actions = [["comment", { body: "Later" }], ["resolve", { note: "Later" }]] as const;
    const [action, said] = actions[i % 2];
    await post(`/platform/v1/alarms/${occurrence_id}/${action}`, { user: user.id, ...said });
  }
  const at = new Date(service.clock.now_us / 1000).toISOString();
  await post(
    "/ingest/v1/alarms",
    JSON.stringify({
      ...{ occurrence_id: "later", source: "scada", site: "prairie-sun", rule_name: "Later" },
      ...{ kind: "point", severity: "critical", status: "open", raised_value: 1 },
      ...{ resolution_policy: "require_both", raised_at: at, updated_at: at },
      source_tag: "INV-02.P_AC",
    }),
  );
  const issue = await post("/platform/v1/issues", {
    name: "Later",
    priority: "high",
    from: { alarm: alarms[0].occurrence_id },
  });
  await post("/platform/v1/work-orders", { issue_id: issue.id, title: "Later" });
  const samples: string[] = [];
  for (let ms = span.to_ms; ms < service.clock.now_us / 1000; ms += 60_000) {
    const ts = new Date(ms).toISOString();
    for (const tag of ["INV-01.P_AC", "INV-02.P_AC", "INV-07.P_AC", "INV-02.T_INT"]) {
      samples.push(JSON.stringify({ tag, ts, value: 0 }));
    }
  }
  const { rejected } = await ask(world, `/ingest/v1/signals?project_id=${project_id}`, {
    method: "POST",
    body: samples.join("\n"),
  });
  deepEqual(rejected, []);
  await service.settle();
}

testScreens("replay in Chromium knows nothing later", async (t, world) => {
  const { page } = await world.open("/overview");
  const before = await allShown(page, world);
  await happen(world);
  const after = await allShown(page, world);
  for (const [address, shown] of before) {
    await t.step(address, () => deepEqual(differences(shown, after.get(address)!), []));
  }
});
