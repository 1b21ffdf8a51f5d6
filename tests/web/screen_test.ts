// The screens in a real browser: every page, in both schemes and sizes, by what all must hold.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import axe_source from "axe-core/axe.min.js" with { type: "text" };
import type { Page } from "playwright-core";
import { drawingsWithoutTable, findChromium, launch, loaded, openScreens } from "./browser.ts";

const built = JSON.parse(
  await Deno.readTextFile(new URL("../../src/http/screens/built.json", import.meta.url)),
);
const pages: readonly string[] = Object.keys(built.pages);

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** What is wrong for people who see, hear or move otherwise, as axe finds it. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe_source);
  const found: Violation[] = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((it) => it.violations)",
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** What the overview may load, as it comes over the wire. */
const most_bytes = 300_000;

const overflow = "document.documentElement.scrollWidth - window.innerWidth";

Deno.test("the screens in Chromium", async (t) => {
  const executable = await findChromium();
  if (executable === undefined) return;
  const browser = await launch(executable);
  const world = await openScreens(browser);
  try {
    for (const name of pages) {
      for (const width of [1440, 390]) {
        for (const colorScheme of ["light", "dark"] as const) {
          await t.step(`${name}, ${width} pixels, ${colorScheme}`, async () => {
            const viewport = { width, height: 900 };
            const { page, errors } = await world.open(`/${name}`, { viewport, colorScheme });
            await loaded(page);
            ok(await page.evaluate(overflow) as number <= 0, "too wide");
            deepEqual(await violationsOf(page), []);
            deepEqual(await drawingsWithoutTable(page), []);
            deepEqual(errors, []);
            await page.context().close();
          });
        }
      }
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
  } finally {
    await world.close();
    await browser.close();
  }
});
