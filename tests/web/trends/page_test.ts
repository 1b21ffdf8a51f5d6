// The trends in a browser: from a search by keys to the samples, compared, replayed, exported.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { findChromium, launch, loaded, openScreens } from "../browser.ts";

/** The header and first row of the table behind the curves. */
async function firstRow(page: Page): Promise<readonly (readonly string[])[]> {
  await page.click(".drawing .data-table summary");
  const cells = (it: string) => page.locator(`.drawing .data-table ${it}`).allInnerTexts();
  return [await cells("thead th"), await cells("tbody tr:first-child td")];
}

Deno.test("the trends", async (t) => {
  const executable = await findChromium();
  if (executable === undefined) return;
  const browser = await launch(executable);
  const world = await openScreens(browser);
  const open = async (path: string) => {
    const window = await world.open(path);
    await loaded(window.page);
    await window.page.waitForSelector(".u-over");
    return window;
  };
  try {
    await t.step("keys find a curve, zoom to the samples and move", async () => {
      const { page, errors } = await open("/trends?range=1h");
      await page.click("text=Add curves");
      await page.keyboard.type("inv 7 temp");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
      match(page.url(), /curves=.*,INV-07:internal_temp/);
      await page.focus(".chart [role=application]");
      await page.keyboard.press("ArrowLeft");
      await page.clock.runFor(1000);
      match(page.url(), /from=2026-06-03T\d\d:\d\d:\d\dZ&to=/);
      match(await page.innerText(".toolbar.more"), /automatic: samples/);
      deepEqual(errors, []);
    });
    await t.step("a day before stands beside the day", async () => {
      const { page } = await open("/trends?curves=INV-01:active_power&range=6h&compare=1");
      await page.waitForSelector("tbody tr:nth-child(2) th");
      match(await page.innerText(".trends .wide"), /Inverter 1 power, 1 day before/);
      const [head] = await firstRow(page);
      equal(head.length, 3);
    });
    await t.step("a replay knows nothing later", async () => {
      const at = "2026-06-02T18:05Z";
      const { page } = await open(`/trends?curves=INV-01:active_power&range=6h&at=${at}`);
      await page.click(".drawing .data-table summary");
      const times = await page.locator(".drawing .data-table tbody td:first-child").allInnerTexts();
      match(times.at(-1)!, /12:04 −06:00/);
      ok(times.every((it) => !/ 1[3-9]:/.test(it)));
    });
    await t.step("what is drawn can be taken away", async () => {
      const { page } = await open("/trends?curves=INV-01:active_power&range=6h");
      await page.click(".behind >> text=Export");
      const saving = page.waitForEvent("download");
      await page.click(".export >> text=CSV");
      const text = await Deno.readTextFile(await (await saving).path());
      match(text, /^ts,hierarchy_id,value,/);
      match(await page.innerText(".export pre"), /WATTKEEPER_TOKEN/);
    });
  } finally {
    await world.close();
    await browser.close();
  }
});
