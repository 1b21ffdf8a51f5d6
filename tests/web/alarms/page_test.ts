// The alarms in a real browser: by keyboard alone, live, on a phone, and in the past.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { ask, drawingsWithoutTable, loaded, type ScreenWorld, testScreens } from "../browser.ts";
import { assertFits } from "../whole.ts";
import { differenceInGreys } from "./grey.ts";

const list = ".alarm-list tbody tr";

/** What comes over the stream is there, on a busy machine too, long before the page asks again. */
const pushed = { timeout: 20_000 };

function nowIn({ service }: ScreenWorld): string {
  return new Date(service.clock.now_us / 1000).toISOString();
}

/** An alarm of a source, as it sends it. */
function sentAlarm(world: ScreenWorld, occurrence_id: string, said: object = {}): string {
  const at = nowIn(world);
  return JSON.stringify({
    occurrence_id,
    source: "scada",
    site: "prairie-sun",
    rule_name: `Fire ${occurrence_id}`,
    kind: "point",
    severity: "critical",
    status: "open",
    resolution_policy: "require_both",
    raised_at: at,
    updated_at: at,
    raised_value: 1,
    source_tag: "FIRE.1",
    ...said,
  });
}

async function raise(world: ScreenWorld, ids: readonly string[], said: object = {}) {
  const body = ids.map((id) => sentAlarm(world, id, said)).join("\n") + "\n";
  const { accepted } = await ask(world, "/ingest/v1/alarms", { method: "POST", body });
  equal(accepted, ids.length);
}

/** The priorities of the rows, from the top. */
function rowsOf(page: Page): Promise<string[]> {
  return page.locator(`${list} .name`).allInnerTexts();
}

const png = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q" +
    "DwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

/** What the steps have: the world, windows in which Robin acts, and somebody else. */
type Stage = {
  readonly world: ScreenWorld;
  readonly open: ScreenWorld["open"];
  /** Anna's id. */
  readonly anna: string;
};

async function stageIn(world: ScreenWorld): Promise<Stage> {
  const { users, catalog } = world.service.services;
  const [{ organization_id: organization }] = catalog.projects;
  const userOf = (first_name: string, last_name: string) =>
    users.create({ organization, email: `${first_name}@x.test`, first_name, last_name });
  const { id: robin } = await userOf("Robin", "Vega");
  const { id: anna } = await userOf("Anna", "Ruiz");
  const storageState = {
    cookies: [],
    origins: [{ origin: world.origin, localStorage: [{ name: "acts-as", value: robin }] }],
  };
  const open: Stage["open"] = async (path, options = {}) => {
    const opened = await world.open(path, { storageState, ...options });
    await loaded(opened.page);
    return opened;
  };
  return { world, open, anna };
}

const steps: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  "a new alarm is on the screen as it comes, first of all": async ({ world, open }) => {
    const { page, errors } = await open("/alarms");
    await raise(world, ["a"]);
    await page.locator(list, { hasText: "Fire a" }).waitFor(pushed);
    equal((await rowsOf(page))[0], "Fire a");
    await page.locator(".alarm-counts a", { hasText: "1" }).first().waitFor(pushed);
    deepEqual(errors, []);
    await page.context().close();
  },
  "what is chosen stays chosen when new ones come": async ({ world, open }) => {
    const { page } = await open("/alarms");
    await page.keyboard.press("j");
    const chosen = () => page.locator(`${list}[aria-current] .name`).innerText();
    const before = await chosen();
    await raise(world, ["b", "c"]);
    await page.locator(list, { hasText: "Fire c" }).waitFor(pushed);
    equal(await chosen(), before);
    await page.context().close();
  },
  "a keyboard alone claims, comments, shelves and resolves": async ({ world, open }) => {
    const { page } = await open("/alarms?q=Fire+b");
    const stateIs = (text: RegExp) =>
      page.locator(`${list}[aria-current] .state`, { hasText: text }).waitFor(pushed);
    await page.keyboard.press("j");
    await page.keyboard.press("c");
    await stateIs(/claimed/);
    await page.keyboard.press("m");
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.type("Smells of smoke");
    await page.keyboard.press("Control+Enter");
    await page.locator(".timeline", { hasText: "Smells of smoke" }).waitFor(pushed);
    await page.keyboard.press("s");
    await page.locator("select:focus").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("The brigade is there");
    await page.keyboard.press("Enter");
    await stateIs(/shelved until/);
    await page.keyboard.press("r");
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.type("Nothing burns");
    await page.keyboard.press("Control+Enter");
    await stateIs(/resolved/);
    const { resolution } = await ask(world, "/platform/v1/alarms/b");
    equal(resolution, "Nothing burns");
    await page.context().close();
  },
  "of two who act at once, the other one learns who was faster": async ({ world, open, anna }) => {
    const { page } = await open("/alarms?alarm=c");
    // What this one sees is older than what the other one does, until this one has acted.
    const seesAll = page.waitForRequest("**/platform/v1/alarms/actions?*");
    let is_blind = true;
    void seesAll.then(() => is_blind = false);
    await page.route("**/platform/v1/alarms?*", (it) => is_blind ? it.abort() : it.continue());
    await ask(world, "/platform/v1/alarms/c/claim", { method: "POST", body: { user: anna } });
    await page.locator(".detail button", { hasText: "Claim" }).click();
    await page.locator(".outcome", { hasText: /Anna Ruiz was faster: claimed at/ }).waitFor();
    await page.context().close();
  },
  "several are selected and shelved at once": async ({ world, open }) => {
    await raise(world, ["d", "e"]);
    const { page } = await open("/alarms?q=Fire");
    for (const name of ["Fire d", "Fire e"]) {
      await page.locator(list, { hasText: name }).locator("input").check();
    }
    await page.locator(".bulk button", { hasText: "Shelve" }).click();
    await page.fill(".bulk form input", "Drill");
    await page.click(".bulk form button.main");
    await page.locator(".outcome", { hasText: "2 shelved" }).waitFor();
    await page.context().close();
  },
  "on a phone five taps lead from the alarm to an issue with a photo": async ({ world, open }) => {
    await raise(world, ["f"]);
    const { page } = await open("/alarms", { viewport: { width: 390, height: 844 } });
    await page.locator(list, { hasText: "Fire f" }).locator("a").click();
    await page.locator(".detail button", { hasText: "Open issue" }).click();
    // The third tap opens the camera, the fourth takes the picture.
    await page.setInputFiles(".detail input[type=file]", {
      name: "photo.png",
      mimeType: "image/png",
      buffer: Buffer.from(png),
    });
    await page.click(".detail form button.main");
    await page.waitForURL(/\/work\?.*issue=/);
    const [issue] = await ask(world, "/platform/v1/issues?alarm=f");
    const { photos } = await ask(world, `/platform/v1/issues/${issue.id}?include=photos`);
    equal(photos.length, 1);
    await page.context().close();
  },
  "at a moment of the past nothing later is shown, and nothing is done": async ({ open }) => {
    const { page } = await open("/alarms?tab=all&at=2026-06-02T20:00Z");
    const times = await page.locator("main time").evaluateAll((all) =>
      all.map((it) => it.getAttribute("datetime"))
    ) as string[];
    ok(times.length > 0);
    ok(times.every((it) => Date.parse(it) <= Date.parse("2026-06-02T20:00Z")), times.join());
    equal(await page.locator(".detail .actions, .mark").count(), 0);
    ok(!(await page.innerText("main")).includes("Fire"));
    await page.context().close();
  },
  "the way to the samples opens the alarm's tag around its time": async ({ world, open }) => {
    const alarms: { occurrence_id: string; source_tag: string; raised_at: string }[] = await ask(
      world,
      "/platform/v1/alarms",
    );
    const alarm = alarms.find(({ source_tag }) => source_tag.startsWith("INV-"))!;
    const { page, errors } = await open(`/alarms?tab=all&alarm=${alarm.occurrence_id}`);
    await page.locator(".ways a").last().click();
    await page.locator(".curves li", { hasText: alarm.source_tag }).waitFor();
    const { searchParams } = new URL(page.url());
    const [from, to] = ["from", "to"].map((name) => Date.parse(searchParams.get(name)!));
    const raised = Date.parse(alarm.raised_at);
    ok(from < raised && raised <= to, page.url());
    deepEqual(errors, []);
    await page.context().close();
  },
  "a flood is named by its first alarm": async ({ world, open }) => {
    const { page } = await open("/alarms");
    equal(await page.locator(".flood").count(), 0);
    await raise(world, Array.from({ length: 12 }, (_, i) => `g${i}`));
    await page.locator(".flood").waitFor(pushed);
    await page.context().close();
  },
  "the report of the month counts what came": async ({ open }) => {
    const { page, errors } = await open("/alarms?view=report");
    match(await page.innerText(".heads"), /Alarms per day/);
    match(await page.innerText(".report-tables"), /Inverter derated/);
    deepEqual(errors, []);
    await page.context().close();
  },
  "a keyboard alone opens an issue": async ({ world, open }) => {
    await raise(world, ["h"]);
    const { page } = await open("/alarms?q=Fire+h");
    await page.keyboard.press("j");
    await page.keyboard.press("i");
    await page.locator(".detail form button.main:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/work\?.*issue=/);
    equal((await ask(world, "/platform/v1/issues?alarm=h")).length, 1);
    await page.context().close();
  },
  "after a cut connection no alarm is lost and none is double": async ({ world, open }) => {
    const { page } = await open("/alarms?q=Cut");
    const context = page.context();
    await raise(world, ["cut0", "cut1"], { rule_name: "Cut before" });
    await page.locator(list, { hasText: "Cut before" }).nth(1).waitFor(pushed);
    await context.setOffline(true);
    world.cutStreams();
    const ended = { status: "resolved", cleared_at: nowIn(world), recovered_value: 0 };
    await raise(world, ["cut0"], { rule_name: "Cut before", ...ended });
    await raise(world, ["cut2", "cut3", "cut4"], { rule_name: "Cut meanwhile" });
    await raise(world, ["cut4"], { rule_name: "Cut meanwhile", ...ended });
    await page.clock.runFor(5000);
    equal(await page.locator(list, { hasText: "Cut meanwhile" }).count(), 0);
    await context.setOffline(false);
    await page.clock.runFor(10_000);
    await page.locator(list, { hasText: "Cut meanwhile" }).nth(1).waitFor();
    const rows = (await rowsOf(page)).sort();
    deepEqual(rows, ["Cut before", "Cut meanwhile", "Cut meanwhile"]);
    const { by_severity } = await ask(world, "/platform/v1/alarms/counts");
    const critical = by_severity.find((it: { severity: string }) => it.severity === "critical");
    const count = page.locator(".alarm-counts a").first();
    match(await count.innerText(), new RegExp(`\\b${critical.unattended + critical.attended}$`));
    await raise(world, ["cut5"], { rule_name: "Cut after" });
    await page.locator(list, { hasText: "Cut after" }).waitFor(pushed);
    equal((await rowsOf(page)).length, 4);
    await context.close();
  },
  "in greys a shape and a digit tell priorities": async ({ world, open }) => {
    const severities = ["critical", "high", "medium", "low", "info"];
    for (const severity of severities) {
      await raise(world, [severity], { severity, rule_name: "Grey" });
    }
    const { page } = await open("/alarms?q=Grey");
    const signs = page.locator(`${list} .priority`);
    await signs.nth(4).waitFor();
    deepEqual(await signs.locator("b").allInnerTexts(), ["1", "2", "3", "4", "5"]);
    const shapes = await signs.locator("svg").evaluateAll((all) => all.map((it) => it.innerHTML));
    equal(new Set(shapes).size, severities.length);
    const pictures: Uint8Array[] = [];
    for (const sign of await signs.all()) pictures.push(await sign.screenshot());
    for (const [i, one] of pictures.entries()) {
      for (const other of pictures.slice(i + 1)) {
        const difference = await differenceInGreys(page, one, other);
        ok(difference > 0.05, `${i + 1}: ${difference}`);
      }
    }
    await page.context().close();
  },
  "a tag as long as it may be, without a space, stays in its column": async ({ world, open }) => {
    await raise(world, ["0long"], { source_tag: `INV.${"COMBINER_".repeat(20)}` });
    const { page } = await open("/alarms?q=Fire+0long");
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await loaded(page);
      for (const panel of await page.locator(".alarms > .panel").all()) {
        const wider = await panel.evaluate((it) => it.scrollWidth - it.clientWidth);
        ok(wider <= 0, `${wider} pixels at ${width}`);
      }
    }
    await page.goto(`${world.origin}/overview`);
    await page.locator(".urgent li", { hasText: "Fire 0long" }).waitFor();
    await assertFits(page);
    const { width } = (await page.locator(".top .plant").boundingBox())!;
    ok(width > 200, `the plant's name has ${width} pixels`);
    await page.context().close();
  },
  "a table stands behind each curve of an alarm": async ({ world, open }) => {
    const [{ occurrence_id }] = await ask(world, "/platform/v1/alarms?limit=1");
    const { page } = await open(`/alarms?tab=all&alarm=${occurrence_id}`);
    await page.locator(".detail canvas").first().waitFor();
    deepEqual(await drawingsWithoutTable(page), []);
    await page.context().close();
  },
  "of yesterday those are listed that stood in it, and a new one is told beside them": async (
    { world, open },
  ) => {
    const [day, hour] = [86_400_000, 3_600_000];
    const at = (ago: number) => new Date(Date.parse(nowIn(world)) - ago).toISOString();
    const lasting = (from: number, to: number) => ({
      ...{ raised_at: at(from), cleared_at: at(to), updated_at: at(to) },
      recovered_value: 0,
    });
    const midnight = Date.parse(nowIn(world)) - Date.parse("2026-06-03T06:00Z");
    await raise(world, ["before"], lasting(midnight + day + 2 * hour, midnight + day + hour));
    await raise(world, ["over"], lasting(midnight + day + hour, midnight + day - hour));
    await raise(world, ["within"], lasting(midnight + 3 * hour, midnight + 2 * hour));
    await raise(world, ["today"], lasting(midnight - hour, midnight - 2 * hour));
    const { page, errors } = await open("/alarms");
    await page.getByLabel("Active").selectOption({ label: "yesterday" });
    const ownRows = async () =>
      (await rowsOf(page)).filter((it) => /Fire (before|over|within|today)/.test(it)).sort();
    await page.locator(list, { hasText: "Fire over" }).waitFor();
    deepEqual(await ownRows(), ["Fire over", "Fire within"]);
    match(page.url(), /days=yesterday/);
    await page.getByLabel("Active").selectOption({ label: "on a day" });
    await page.fill("input[type=date]", "2026-06-01");
    await page.locator(list, { hasText: "Fire before" }).waitFor();
    deepEqual(await ownRows(), ["Fire before", "Fire over"]);
    await page.goto(page.url());
    await page.locator(list, { hasText: "Fire before" }).waitFor();
    equal(await page.inputValue("input[type=date]"), "2026-06-01");
    await raise(world, Array.from({ length: 12 }, (_, i) => `now${i}`));
    await page.locator(".flood").waitFor(pushed);
    deepEqual(await ownRows(), ["Fire before", "Fire over"]);
    equal(await page.locator(list, { hasText: "Fire now" }).count(), 0);
    await page.locator(".of-day a").click();
    await page.locator(list, { hasText: "Fire now1" }).first().waitFor();
    deepEqual(errors, []);
    await page.context().close();
  },
};

testScreens("the alarms in Chromium", async (t, world) => {
  const stage = await stageIn(world);
  for (const [name, step] of Object.entries(steps)) await t.step(name, () => step(stage));
});
