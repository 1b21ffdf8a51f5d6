// The portfolio in a browser: its index, which the overview names alike, and its rows as files.
import { deepEqual, equal, match } from "node:assert/strict";
import { loaded, testScreens } from "../browser.ts";

testScreens("the portfolio in Chromium", async (t, world) => {
  await t.step("a browser that is not signed in gets no error", async () => {
    const { page, errors } = await world.open("/portfolio", { is_signed_in: false });
    await page.locator("input[name=token]").waitFor();
    deepEqual(errors, []);
    await page.context().close();
  });
  await t.step("it and the overview export their rows, and name one index", async () => {
    for (const name of ["portfolio", "overview"]) {
      const { page, errors } = await world.open(`/${name}`);
      await loaded(page);
      match(await page.innerText("main"), /Matched index/);
      await page.getByRole("button", { name: /^Export/ }).first().click();
      const address = await page.locator(".export a", { hasText: "CSV" }).getAttribute("href");
      const answer = await page.request.get(world.origin + address);
      equal(answer.status(), 200);
      match(await answer.text(), /^ts_utc,.*performance_index_setpoint_matched,coverage\r\n/);
      deepEqual(errors, []);
      await page.context().close();
    }
  });
});
