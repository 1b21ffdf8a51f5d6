// The demo's history in a browser: how far it is, and that the page reads its data once it is done.
import { deepEqual, ok } from "node:assert/strict";
import axe_source from "axe-core/axe.min.js" with { type: "text" };
import { findChromium, launch, loaded, openScreens } from "./browser.ts";

const violations = "axe.run(document).then((it) => it.violations.map(({ id }) => id))";
const chromium = await findChromium();

Deno.test({
  name: "the demo's history: a bar with words and percent, then all data is read again",
  ignore: chromium === undefined,
  async fn() {
    const browser = await launch(chromium!);
    const world = await openScreens(browser);
    try {
      const { fill, sign_in } = world.service.services;
      sign_in.demo_user_id = "operator";
      fill.show("simulate", { done: 0.5, left: 360 });
      const { page, errors } = await world.open("/overview");
      await page.getByText("The demo makes its history: 360 hours of it left").waitFor();
      await page.getByText("15 %").waitFor();
      fill.show("rules", { done: 0.5, left: 1440 });
      await page.getByText("The demo evaluates its rules: 1,440 minutes of history left").waitFor();
      await page.getByText("97 %").waitFor();
      await loaded(page);
      await page.evaluate(axe_source);
      deepEqual(await page.evaluate(violations), []);
      const asked = page.waitForRequest((it) => it.url().includes("/platform/v1/performance-v2"));
      fill.end();
      await asked;
      await page.locator("progress").waitFor({ state: "detached" });
      ok(errors.length === 0, errors.join("\n"));
    } finally {
      await world.close();
      await browser.close();
    }
  },
});
