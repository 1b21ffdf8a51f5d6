// Pages of figures whose days are computed again, in a browser: they say so until it is done.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { findChromium, launch, loaded, type ScreenWorld } from "./browser.ts";
import { openSmallPlant, smallSite, steadySamples } from "./small_plant.ts";

const at = "2026-11-21T18:00:00Z";

/**
 * Each page, and the days of the shown ones that wait: the plant has those of 19 to 21 November by
 * UTC, which begin on the 18th in Denver.
 */
const told = {
  "/overview": "1 day is being computed again: 21 Nov 2026.",
  "/inverters?range=month": "4 days are being computed again: 18 Nov 2026 – 21 Nov 2026.",
  "/losses?range=week": "3 days are being computed again: 18 Nov 2026 – 20 Nov 2026.",
  "/report?month=2026-11": "3 days are being computed again: 18 Nov 2026 – 20 Nov 2026.",
};

async function openPlant() {
  const executable = await findChromium();
  if (executable === undefined) return undefined;
  const browser = await launch(executable);
  const span = { from_ms: Date.parse("2026-11-19T12:00Z"), to_ms: Date.parse(at) };
  const samples = steadySamples(span);
  const world = await openSmallPlant(browser, { at, site: smallSite(), samples });
  return { world, browser };
}

/** Halves or restores the power of all inverters, by the site file. */
async function scale({ service }: ScreenWorld, factor: number): Promise<void> {
  const site = smallSite();
  const sensors = site.sensors.map((it) => "capacity" in it ? { ...it, scale: factor } : it);
  const answer = await service.fetch("/admin/v1/sites/s", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...site, sensors }),
  });
  equal(answer.status, 200, await answer.text());
}

const notice = (page: Page) => page.locator(".pending");

/** Where the parts of the page stand. */
const placesOf = (page: Page) =>
  page.locator("main > :not(h1), main > div > :not(.pending)").evaluateAll((all) =>
    all.map((it) => Math.round(it.getBoundingClientRect().top))
  );

/** The plant's power where a page shows it as one figure. */
const powerOf = (page: Page) =>
  page.locator(".figure", { hasText: "Power now" }).locator("b, strong").first().innerText();

async function staysUntilDone(world: ScreenWorld, [path, text]: readonly [string, string]) {
  const { page, errors } = await world.open(path);
  await loaded(page);
  equal(await notice(page).count(), 0);
  const places = await placesOf(page);
  await scale(world, 0.5);
  await page.clock.runFor(10_000);
  await notice(page).waitFor();
  equal(await notice(page).innerText(), `${text} Until then figures may be those of before.`);
  deepEqual(await placesOf(page), places, "nothing moves");
  await world.service.settle();
  const again = page.waitForRequest(/performance-v2|losses|availability/);
  await page.clock.runFor(10_000);
  await notice(page).waitFor({ state: "detached" });
  await again;
  await loaded(page);
  deepEqual(errors, []);
  await scale(world, 1);
  await world.service.settle();
  await page.context().close();
}

Deno.test("days that are computed again, in Chromium", async (t) => {
  const opened = await openPlant();
  if (opened === undefined) return;
  const { world, browser } = opened;
  for (const [path, text] of Object.entries(told)) {
    await t.step(`${path} says so until it is done`, () => staysUntilDone(world, [path, text]));
  }
  await t.step("what was computed again is shown", async () => {
    const { page } = await world.open("/overview");
    await loaded(page);
    const before = await powerOf(page);
    await scale(world, 0.5);
    await page.clock.runFor(10_000);
    await notice(page).waitFor();
    await world.service.settle();
    await page.clock.runFor(10_000);
    await notice(page).waitFor({ state: "detached" });
    await loaded(page);
    match(before, /1\.20/);
    match(await powerOf(page), /600/);
    await page.context().close();
  });
  await t.step("in German and Spanish, and on paper", async () => {
    await scale(world, 1);
    for (const [locale, text] of [["de-DE", /3 Tage werden/], ["es-ES", /recalculan 3/]] as const) {
      const { page } = await world.open("/report?month=2026-11", { locale });
      await loaded(page);
      match(await notice(page).innerText(), text);
      await page.emulateMedia({ media: "print" });
      const [note, title] = [notice(page), page.locator(".report h2").first()]
        .map((it) => it.boundingBox());
      ok((await note)!.y > (await title)!.y, "it stands below the title");
      equal(await notice(page).evaluate((it) => getComputedStyle(it).position), "static");
      await page.context().close();
    }
  });
  await world.close();
  await browser.close();
});
