// The report in a real browser: whole on the screen, and on A4 without what only screens need.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { loaded, type ScreenWorld, testScreens } from "../browser.ts";

testScreens("a month's report in Chromium", async (t, world) => {
  await t.step("it has every part, and its version", async () => {
    const { page, errors } = await world.open("/report?month=2026-06");
    await loaded(page);
    const text = await page.innerText(".report");
    match(text, /Prairie Sun[^]*This month is not over/);
    match(text, /Where the energy went[^]*Inverters with the largest share lost[^]*Alarms/);
    match(text, /2 of 2 days have a loss account/);
    match(text, new RegExp(`Wattkeeper ${world.service.services.version}`));
    equal(errors.length, 0);
    await page.context().close();
  });
  await chooseMonths(t, world);
  await t.step("percentages of what was expected add up to 100", async () => {
    const { page } = await world.open("/report?month=2026-06");
    await loaded(page);
    const text = await page.innerText(".report .account + p");
    const tenths = [...text.matchAll(/([\d.]+)\s*%/g)].map(([, it]) => Math.round(10 * +it));
    equal(tenths.reduce((sum, it) => sum + it, 0), 1000);
    await page.context().close();
  });
  await t.step("on paper it is light, has A4 pages, and nothing to press", async () => {
    const options = { colorScheme: "dark", viewport: { width: 718, height: 1000 } } as const;
    const { page } = await world.open("/report?month=2026-06", options);
    await loaded(page);
    await page.emulateMedia({ media: "print" });
    equal(await page.locator(".top").isVisible(), false);
    equal(await page.getByRole("button").filter({ visible: true }).count(), 0);
    const ground = "getComputedStyle(document.querySelector('.report')).backgroundColor";
    equal(await page.evaluate(ground), "rgb(255, 255, 255)");
    const overflow = "document.documentElement.scrollWidth - window.innerWidth";
    ok(await page.evaluate(overflow) as number <= 0, "wider than paper");
    const pdf = new TextDecoder("latin1").decode(
      await page.pdf({ preferCSSPageSize: true, printBackground: true }),
    );
    match(pdf, /MediaBox ?\[0 0 59[45]\.\d+ 84[12]\.\d+\]/);
    ok(Number(/\/Count (\d+)/.exec(pdf)?.[1]) <= 4);
    await page.context().close();
  });
});

async function chooseMonths(
  t: Deno.TestContext,
  world: ScreenWorld,
): Promise<void> {
  await t.step("of a young plant it opens with its first days, and offers no other", async () => {
    const { page } = await world.open("/report");
    await loaded(page);
    match(await page.innerText(".report"), /June 2026/);
    deepEqual(await page.locator(".report-choice option").allInnerTexts(), ["June 2026"]);
    equal(await page.getByRole("button", { name: "Earlier" }).isDisabled(), true);
    await page.context().close();
  });
  await t.step("a month without data that the address names is offered, too", async () => {
    const { page } = await world.open("/report?month=2026-05");
    await loaded(page);
    deepEqual(await page.locator(".report-choice option").allInnerTexts(), [
      "June 2026",
      "May 2026",
    ]);
    await page.selectOption(".report-choice select", "2026-06");
    await page.waitForURL(/month=2026-06/);
    await loaded(page);
    match(await page.innerText(".report"), /June 2026/);
    await page.context().close();
  });
}
