// The screens in a real browser: every page, in both schemes and sizes, by what all must hold.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { drawingsWithoutTable, loaded, testScreens } from "./browser.ts";
import { assertFits, assertWhole } from "./whole.ts";

const built = JSON.parse(
  await Deno.readTextFile(new URL("../../src/http/screens/built.json", import.meta.url)),
);
const pages: readonly string[] = Object.keys(built.pages);

const phone = { width: 390, height: 844 };

/** What the overview may load, as it comes over the wire. */
const most_bytes = 300_000;

testScreens("the screens in Chromium", async (t, world) => {
  for (const width of [1440, 390]) {
    const { page, errors } = await world.open("/docs/start", { viewport: { width, height: 900 } });
    for (const name of pages) {
      await t.step(`${name}, ${width} pixels, light and dark`, async () => {
        await page.goto(`${world.origin}/${name}`);
        await loaded(page);
        for (const colorScheme of ["dark", "light"] as const) {
          await page.emulateMedia({ colorScheme });
          await assertWhole({ page, errors });
        }
        deepEqual(await drawingsWithoutTable(page), []);
      });
    }
    await page.context().close();
  }
  for (const locale of ["de-DE", "es-ES"]) {
    await t.step(`every page in ${locale} fits a phone`, async () => {
      const { page, errors } = await world.open("/overview", { locale, viewport: phone });
      for (const name of pages) {
        await page.goto(`${world.origin}/${name}`);
        await loaded(page);
        await assertFits(page);
      }
      deepEqual(errors, []);
      await page.context().close();
    });
  }
  await t.step("nobody sees a plant without signing in, and a token opens it", async () => {
    const { page, errors } = await world.open("/overview", { is_signed_in: false });
    await page.locator("input[name=token]").waitFor();
    deepEqual(errors, []);
    await page.fill("input[name=token]", world.service.token);
    await page.click("form:has(input[name=token]) button");
    await loaded(page);
    match(await page.innerText(".top"), /Prairie Sun/);
    equal(await page.evaluate("document.cookie + JSON.stringify(localStorage)"), "{}");
    await page.context().close();
  });
  await t.step(`the overview loads at most ${most_bytes} bytes in all`, async () => {
    const { page } = await world.open("/docs/start");
    let bytes = 0;
    page.on("requestfinished", async (request) => {
      const { responseBodySize, responseHeadersSize } = await request.sizes();
      bytes += responseBodySize + responseHeadersSize;
    });
    await page.goto(`${world.origin}/overview`);
    await loaded(page);
    ok(bytes > 0 && bytes <= most_bytes, `${bytes} bytes`);
    await page.context().close();
  });
  await t.step("a page that there is not says so", async () => {
    equal((await fetch(`${world.origin}/overviews`)).status, 404);
  });
});
