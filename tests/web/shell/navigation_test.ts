// The way through the pages on a phone by keyboard alone, and lists taken away as files.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { loaded, type ScreenWorld, testScreens } from "../browser.ts";

const viewport = { width: 390, height: 844 };

/** Each page is in the line, where nothing lies over it, or in the menu. */
async function assertEveryPage(page: Page): Promise<void> {
  const menu = page.locator(".top nav > button");
  const inMenu = await page.locator(".more-pages a").allTextContents();
  const links = await page.locator(".top .line > a").all();
  const inLine: string[] = [];
  for (const link of links) {
    if (!await link.isVisible()) continue;
    await link.click({ trial: true });
    inLine.push((await link.textContent())!);
  }
  equal(new Set([...inLine, ...inMenu]).size, links.length);
  equal(inLine.length + inMenu.length, links.length);
  equal(await menu.count(), inMenu.length > 0 ? 1 : 0);
  if (inMenu.length === 0) return;
  await menu.click();
  await page.locator(".more-pages a").first().click({ trial: true });
  await page.keyboard.press("Escape");
}

const steps: Readonly<Record<string, (world: ScreenWorld) => Promise<void>>> = {
  "on a phone five pages are in the bar, and a menu has the others": async ({ open }) => {
    const { page, errors } = await open("/overview", { viewport });
    await loaded(page);
    const bar = page.locator(".top .line > a, .top nav > button");
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
  "the moment is typed part by part, and the field stays until it is done": async ({ open }) => {
    const { page, errors } = await open("/overview?at=2026-06-02T18:00Z");
    await loaded(page);
    const field = page.locator(".moment input");
    await page.locator(".moment > button").first().click();
    await field.focus();
    // Which part stands first is the browser's choice.
    for (let i = 0; i < 2; i++) {
      const before = page.url();
      await page.keyboard.press("ArrowDown");
      await page.waitForURL((it) => it.href !== before);
      ok(await field.isVisible());
    }
    await page.keyboard.press("Enter");
    await field.waitFor({ state: "detached" });
    deepEqual(errors, []);
    await page.context().close();
  },
  "the header is one line in every language, and a menu has the pages without room": async (
    { open },
  ) => {
    for (const locale of ["en-GB", "de-DE", "es-ES"]) {
      const { page, errors } = await open("/report", { locale });
      for (const path of ["/report", "/losses?at=2026-06-02T18:00Z"]) {
        await page.goto(new URL(path, page.url()).href);
        for (const width of [1440, 1280, 1024]) {
          await page.setViewportSize({ width, height: 900 });
          await loaded(page);
          const { height } = (await page.locator(".top").boundingBox())!;
          ok(height < 50, `${height} pixels at ${width}, ${locale}`);
          await assertEveryPage(page);
        }
      }
      deepEqual(errors, []);
      await page.context().close();
    }
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
