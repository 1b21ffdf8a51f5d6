// The demo's history in a browser: how far it is, and that the page reads its data once it is done.
import { ok } from "node:assert/strict";
import { loaded, testScreens } from "./browser.ts";
import { assertWhole } from "./whole.ts";

testScreens(
  "the demo's history: a bar with words and percent, then all data is read again",
  async (_t, world) => {
    const { fill, sign_in } = world.service.services;
    sign_in.demo_user_id = "operator";
    fill.show("simulate", { done: 0.5, left: 360 });
    const { page, errors } = await world.open("/overview");
    await page.getByText("The demo makes its history, hours left: 360").waitFor();
    await page.getByText("15 %").waitFor();
    fill.show("rules", { done: 0.5, left: 1440 });
    await page.getByText("The demo evaluates its rules, minutes of history left: 1,440").waitFor();
    await page.getByText("97 %").waitFor();
    // What is taken up last is still worked on when nothing is left to take.
    fill.show("rules", { done: 1, left: 0 });
    await page.getByText("The demo works on the last of this part of its history").waitFor();
    await loaded(page);
    await assertWhole({ page, errors });
    const asked = page.waitForRequest((it) => it.url().includes("/platform/v1/performance-v2"));
    fill.end();
    await asked;
    await page.locator("progress").waitFor({ state: "detached" });
    ok(errors.length === 0, errors.join("\n"));
  },
);
