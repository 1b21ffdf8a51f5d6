// The rules in a real browser: one is tried while it is written, saved, and changed by two.
import { equal, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { loaded, type ScreenWorld, testScreens } from "../browser.ts";
import { assertWhole } from "../whole.ts";

/** The field of the form under a name. */
const field = (page: Page, name: string) =>
  page.locator(".rules-form label", { hasText: new RegExp(`^${name}`) })
    .locator("input, select, textarea").first();

/** What a request for the rule that is made here answers. */
async function ask(world: ScreenWorld, step: string, init: RequestInit = {}) {
  const { origin, project_id, service } = world;
  const path = `${origin}/platform/v1/rules/oil-warm${step}?project_id=${project_id}`;
  const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
  const answer = await fetch(path, { ...init, headers });
  equal(answer.status, 200);
  return await answer.json();
}

const steps: Readonly<Record<string, (world: ScreenWorld) => Promise<void>>> = {
  "a rule is tried on the past while it is written, then saved": async (world) => {
    const { page, errors } = await world.open("/rules?new=threshold");
    await loaded(page);
    await field(page, "Name").fill("Oil warm");
    await field(page, "Measure").fill("oil_temp");
    await field(page, "Devices of the type").fill("transformer");
    await field(page, "Alarm where it is").selectOption(">");
    equal(await page.locator("text=Save").isEnabled(), false);
    await field(page, "Limit").fill("20");
    const raised = page.locator(".rules-counts dd").first();
    await raised.waitFor();
    ok(Number(await raised.innerText()) > 0, "it would have raised alarms");
    const many = Number(await raised.innerText());
    await field(page, "Limit").fill("2000");
    await page.locator(".rules-counts dd", { hasText: /^0$/ }).first().waitFor();
    ok(many > 0);
    await assertWhole({ page, errors });
    await page.click("text=Save");
    await page.locator(".rules-editor h2", { hasText: "Oil warm" }).waitFor();
    match(page.url(), /rule=oil-warm/);
    const kept = await ask(world, "/versions");
    equal(kept[0].definition.threshold, 2000);
    await page.context().close();
  },
  "of two editors, the second sees what the first did": async (world) => {
    const { page } = await world.open("/rules?rule=oil-warm");
    await loaded(page);
    const kept = await ask(world, "/versions");
    const body = JSON.stringify({ ...kept[0].definition, threshold: 95 });
    await ask(world, "", { method: "PUT", body });
    await field(page, "Deadband").fill("3");
    await page.click("text=Save");
    const conflict = page.locator(".rules-refused");
    await conflict.waitFor();
    match(await conflict.innerText(), /threshold: 95 → 2000/);
    await page.click("text=Take that one");
    await page.waitForFunction(() => {
      const inputs = document.querySelectorAll<HTMLInputElement>(".rules-form input");
      return [...inputs].some(({ value }) => value === "95");
    });
    equal(await field(page, "Deadband").inputValue(), "0");
    await page.click("text=Switch off");
    await page.locator(".rules-table .rules-state.off").waitFor();
    await page.click(".rules-editor >> text=Remove");
    await page.click(".asked .main");
    await page.locator(".rules-editor").waitFor({ state: "detached" });
    await page.locator("text=Oil warm").waitFor({ state: "detached" });
    await page.context().close();
  },
  "a rule of the site file can be read and copied, on a phone too": async (world) => {
    const viewport = { width: 390, height: 844 };
    const { page, errors } = await world.open("/rules?rule=inverter-weak", { viewport });
    await loaded(page);
    equal(await page.locator("text=Save").count(), 0);
    ok(await field(page, "Limit").isDisabled());
    await assertWhole({ page, errors });
    await page.click("text=Copy as a new rule");
    await field(page, "Name").fill("Weak");
    equal(await field(page, "Key").inputValue(), "weak");
    await page.context().close();
  },
};

testScreens("the rules in Chromium", async (t, world) => {
  for (const [name, step] of Object.entries(steps)) await t.step(name, () => step(world));
});
