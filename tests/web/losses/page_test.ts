// The losses in a real browser: figures that add up, evidence, the past, and an override.
import { equal, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { loaded, type ScreenWorld, testScreens } from "../browser.ts";

/** The figures of the waterfall from the top, in hundredths. */
async function accountOf(page: Page): Promise<number[]> {
  const texts = await page.locator(".account dd.number").allInnerTexts();
  return texts.map((text) => Math.round(100 * Number(text.replaceAll(",", ""))));
}

/** Overrides the state of an inverter on a day, and removes that again. */
async function overrideDay(world: ScreenWorld): Promise<void> {
  const { page } = await world.open("/losses?device=INV-05&day=2026-06-02");
  await loaded(page);
  await page.getByRole("button", { name: "Override a state" }).click();
  await page.fill("textarea[name=reason]", "Cleaning of the filters");
  await page.getByRole("button", { name: "Save" }).click();
  const row = page.locator(".overrides li", { hasText: "Cleaning of the filters" });
  await row.waitFor();
  match(await row.innerText(), /Scheduled maintenance Inverter 5/);
  await row.getByRole("button", { name: "Remove" }).click();
  await row.getByRole("button", { name: /^Remove it/ }).click();
  await row.waitFor({ state: "detached" });
  await page.context().close();
}

testScreens("losses and availability in Chromium", async (t, world) => {
  const days = "from=2026-06-01&to=2026-06-02";
  await t.step("the waterfall adds up, and so does the table of inverters", async () => {
    const { page, errors } = await world.open(`/losses?${days}`);
    await loaded(page);
    const [expected, ...rest] = await accountOf(page);
    ok(expected > 0);
    equal(rest.reduce((sum, it) => sum + it, 0), expected);
    const table = page.locator(".by-device table").last();
    const lost = await table.locator("tr td:nth-child(3)").allInnerTexts();
    const steps = lost.map((text) => Math.round(100 * Number(text.replaceAll(",", ""))));
    equal(steps.slice(0, -1).reduce((sum, it) => sum + it, 0), steps.at(-1));
    equal(steps.at(-1), expected - rest.at(-1)!);
    equal(errors.length, 0);
    await page.context().close();
  });
  await t.step("a figure opens its spans, and a span the day of its inverter", async () => {
    const { page } = await world.open(`/losses?${days}`);
    await loaded(page);
    await page.click(".account dt a >> nth=1");
    await loaded(page);
    match(page.url(), /part=/);
    await page.locator(".evidence tbody a").first().click();
    await page.waitForSelector(".evidence .day-timeline");
    match(page.url(), /device=.*day=2026-06-0[12]/);
    await page.context().close();
  });
  await t.step("the past shows only days that were over, and lets nobody override", async () => {
    const { page } = await world.open(`/losses?range=week&at=2026-06-02T18:00Z`);
    await loaded(page);
    equal(await page.inputValue("input[type=date] >> nth=1"), "2026-06-01");
    equal(await page.locator(".stacks").first().locator("li").count(), 7);
    equal(await page.getByRole("button", { name: "Override a state" }).count(), 0);
    await page.context().close();
  });
  await t.step("an override is made with its reason, and removed", () => overrideDay(world));
  await t.step("a trend of days is too short to say", async () => {
    const { page } = await world.open(`/losses?${days}`);
    await loaded(page);
    match(await page.innerText("main"), /No whole week has an index yet|Too short to say/);
    await page.context().close();
  });
});
