// The alarms in a real browser: by keyboard alone, live, on a phone, and in the past.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { findChromium, launch, loaded, openScreens, type ScreenWorld } from "../browser.ts";

const list = ".alarm-list tbody tr";

/** What a request to the service of the world answers. */
async function ask(
  { origin, service, project_id }: ScreenWorld,
  path: string,
  { method = "GET", body }: { readonly method?: string; readonly body?: unknown } = {},
) {
  const address = new URL(path, origin);
  address.searchParams.set("project_id", project_id);
  const answer = await fetch(address, {
    method,
    headers: {
      authorization: `Bearer ${service.token}`,
      ...(typeof body === "string"
        ? { "content-type": "application/x-ndjson" }
        : { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
  });
  const data = await answer.json();
  ok(answer.ok, JSON.stringify(data));
  return data;
}

/** An alarm of a source, as it sends it. */
function sentAlarm(world: ScreenWorld, occurrence_id: string, said: object = {}): string {
  const at = new Date(world.service.clock.now_us / 1000).toISOString();
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
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

Deno.test("the alarms in Chromium", async (t) => {
  const executable = await findChromium();
  if (executable === undefined) return;
  const browser = await launch(executable);
  const world = await openScreens(browser);
  try {
    await t.step("a new alarm is on the screen within two seconds, first of all", async () => {
      const { page, errors } = await world.open("/alarms");
      await loaded(page);
      await raise(world, ["a"]);
      await page.locator(list, { hasText: "Fire a" }).waitFor({ timeout: 2000 });
      equal((await rowsOf(page))[0], "Fire a");
      await page.locator(".alarm-counts a", { hasText: "1" }).first().waitFor({ timeout: 2000 });
      deepEqual(errors, []);
      await page.context().close();
    });
    await t.step("what is chosen stays chosen when new ones come", async () => {
      const { page } = await world.open("/alarms");
      await loaded(page);
      await page.keyboard.press("j");
      const chosen = () => page.locator(`${list}[aria-current] .name`).innerText();
      const before = await chosen();
      await raise(world, ["b", "c"]);
      await page.locator(list, { hasText: "Fire c" }).waitFor({ timeout: 2000 });
      equal(await chosen(), before);
      await page.context().close();
    });
    await t.step("a keyboard alone claims, comments, shelves and resolves", async () => {
      const { page } = await world.open("/alarms?q=Fire+b");
      await loaded(page);
      const stateIs = (text: RegExp) =>
        page.locator(`${list}[aria-current] .state`, { hasText: text }).waitFor({ timeout: 5000 });
      await page.keyboard.press("j");
      await page.keyboard.press("c");
      await stateIs(/claimed/);
      await page.keyboard.press("m");
      await page.locator("textarea:focus").waitFor();
      await page.keyboard.type("Smells of smoke");
      await page.keyboard.press("Control+Enter");
      await page.locator(".timeline", { hasText: "Smells of smoke" }).waitFor({ timeout: 5000 });
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
    });
    await t.step("of two who act at once, the other one learns who was faster", async () => {
      const { page } = await world.open("/alarms?alarm=c");
      await loaded(page);
      // The other one claims between the last look and the click: what they see is older.
      await page.route("**/platform/v1/alarms?*", (route) => route.abort());
      await page.route("**/signals/stream?*", (route) => route.abort());
      await ask(world, "/platform/v1/alarms/c/claim", { method: "POST", body: {} });
      await page.unroute("**/platform/v1/alarms?*");
      await page.locator(".detail button", { hasText: "Claim" }).click({ timeout: 2000 })
        .catch(() => {});
      match(await page.locator(".detail").innerText(), /claimed/);
      await page.context().close();
    });
    await t.step("several are selected and shelved at once", async () => {
      await raise(world, ["d", "e"]);
      const { page } = await world.open("/alarms?q=Fire");
      await loaded(page);
      for (const name of ["Fire d", "Fire e"]) {
        await page.locator(list, { hasText: name }).locator("input").check();
      }
      await page.locator(".bulk button", { hasText: "Shelve" }).click();
      await page.fill(".bulk form input", "Drill");
      await page.click(".bulk form button.main");
      await page.locator(".alarm-tabs button", { hasText: "Shelved 2" }).waitFor();
      await page.context().close();
    });
    await t.step("on a phone five taps lead from the alarm to an issue with a photo", async () => {
      await raise(world, ["f"]);
      const { page } = await world.open("/alarms", { viewport: { width: 390, height: 844 } });
      await loaded(page);
      await page.locator(list, { hasText: "Fire f" }).locator("a").click();
      await page.locator(".detail button", { hasText: "Open issue" }).click();
      // The third tap opens the camera, the fourth takes the picture.
      await page.setInputFiles(".detail input[type=file]", {
        name: "photo.png",
        mimeType: "image/png",
        buffer: png as never,
      });
      await page.click(".detail form button.main");
      await page.waitForURL(/\/work\?.*issue=/);
      const [issue] = await ask(world, "/platform/v1/issues?alarm=f");
      const { photos } = await ask(world, `/platform/v1/issues/${issue.id}?include=photos`);
      equal(photos.length, 1);
      await page.context().close();
    });
    await t.step(
      "at a moment of the past nothing later is shown, and nothing is done",
      async () => {
        const { page } = await world.open("/alarms?tab=all&at=2026-06-02T20:00Z");
        await loaded(page);
        const times = await page.locator("main time").evaluateAll((all) =>
          all.map((it) => it.getAttribute("datetime"))
        ) as string[];
        ok(times.length > 0);
        ok(times.every((it) => Date.parse(it) <= Date.parse("2026-06-02T20:00Z")), times.join());
        equal(await page.locator(".detail .actions, .mark").count(), 0);
        ok(!(await page.innerText("main")).includes("Fire"));
        await page.context().close();
      },
    );
    await t.step("a flood is named by its first alarm", async () => {
      const { page } = await world.open("/alarms");
      await loaded(page);
      equal(await page.locator(".flood").count(), 0);
      await raise(world, Array.from({ length: 12 }, (_, i) => `g${i}`));
      await page.locator(".flood").waitFor({ timeout: 3000 });
      await page.context().close();
    });
    await t.step("the report of the month counts what came", async () => {
      const { page, errors } = await world.open("/alarms?view=report");
      await loaded(page);
      match(await page.innerText(".heads"), /Alarms per day/);
      match(await page.innerText(".report-tables"), /Fire a/);
      deepEqual(errors, []);
      await page.context().close();
    });
  } finally {
    await world.close();
    await browser.close();
  }
});
