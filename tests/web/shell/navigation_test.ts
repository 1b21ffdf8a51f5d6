// The way through the pages on a phone by keyboard alone, and lists taken away as files.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { loaded, type ScreenWorld, testScreens } from "../browser.ts";

const viewport = { width: 390, height: 844 };

const steps: Readonly<Record<string, (world: ScreenWorld) => Promise<void>>> = {
  "on a phone five pages are in the bar, and a menu has the others": async ({ open }) => {
    const { page, errors } = await open("/overview", { viewport });
    await loaded(page);
    const bar = page.locator(".top nav > a, .top nav > button");
    equal(await bar.count(), 6);
    const boxes = await Promise.all((await bar.all()).map((it) => it.boundingBox()));
    ok(boxes.every((it) => it!.width >= 24 && it!.height >= 24), JSON.stringify(boxes));
    ok(boxes.every((it) => it!.x >= 0 && it!.x + it!.width <= 390), JSON.stringify(boxes));
    const others = page.locator(".more-pages a");
    equal(await others.first().isVisible(), false);
    await bar.last().focus();
    await page.keyboard.press("Enter");
    await others.first().waitFor();
    await page.keyboard.press("Escape");
    await others.first().waitFor({ state: "hidden" });
    equal(await page.evaluate("document.activeElement.innerText"), "More");
    await page.keyboard.press("Enter");
    for (let i = 0; i < 2; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/losses/);
    await others.first().waitFor({ state: "hidden" });
    equal(await page.locator(".top nav > button.here").count(), 1);
    equal(await page.locator(".more-pages [aria-current=page]").textContent(), "Losses");
    deepEqual(errors, []);
    await page.context().close();
  },
  "the portfolio counts each plant's alarms by priority": async ({ open }) => {
    const { page } = await open("/portfolio");
    await loaded(page);
    const counts = (of: string) => page.locator(`${of} .alarm-counts a`).allInnerTexts();
    await page.locator(".portfolio .alarm-counts a").first().waitFor();
    deepEqual(await counts(".portfolio"), await counts(".top"));
    await page.locator(".portfolio .alarm-counts a").first().click();
    await page.waitForURL(/\/alarms\?.*priority=/);
    await page.context().close();
  },
  "lists are taken away as files": async ({ open }) => {
    for (
      const [name, head] of [
        ["alarms", /^site,severity,rule_name,/],
        ["work", /^id,number,organization_id,/],
        ["rules", /^site,key,version,/],
      ] as const
    ) {
      const { page, errors } = await open(`/${name}`);
      await loaded(page);
      await page.locator("main button", { hasText: "Export" }).first().click();
      const coming = page.waitForEvent("download");
      await page.locator(".export a", { hasText: "CSV" }).first().click();
      match(await Deno.readTextFile(await (await coming).path()), head);
      deepEqual(errors, []);
      await page.context().close();
    }
  },
};

testScreens("pages and lists on the way in Chromium", async (t, world) => {
  for (const [name, step] of Object.entries(steps)) await t.step(name, () => step(world));
});
