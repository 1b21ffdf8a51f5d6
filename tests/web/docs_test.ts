// The documentation in a browser: its search, and requests that are tried; narrow, wide, by keys.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { testScreens } from "./browser.ts";
import { assertWhole } from "./whole.ts";

/** Where a look at the pages is kept, if anywhere. */
const shots = Deno.env.get("SCREENSHOTS");

testScreens("the documentation", async (t, { open, service }) => {
  const [{ key }] = service.services.catalog.projects;
  for (const [width, scheme] of [[390, "dark"], [1280, "light"]] as const) {
    const options = {
      viewport: { width, height: 900 },
      colorScheme: scheme,
    };
    await t.step(`a request is tried with the session's rights, ${width} px`, async () => {
      const { page, errors } = await open("/docs/api/signals", options);
      const section = page.locator("#signals_latest");
      await section.locator("summary", { hasText: "Try it" }).focus();
      await page.keyboard.press("Enter");
      await section.getByLabel("project_id", { exact: true }).fill(key);
      await section.getByRole("button", { name: "Send" }).focus();
      await page.keyboard.press("Enter");
      await section.locator(".answer").waitFor();
      match(await section.getByRole("status").innerText(), /^200 .*· \d+ ms · \d+ bytes$/);
      match(await section.getByLabel("answer").innerText(), /"values": \[/);
      equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      if (shots) await page.screenshot({ path: `${shots}/docs-${width}-top.png` });
      await section.scrollIntoViewIfNeeded();
      if (shots) await section.screenshot({ path: `${shots}/docs-${width}-try.png` });
      await assertWhole({ page, errors });
    });
    await t.step(`the search finds by words and leads there, ${width} px`, async () => {
      const { page, errors } = await open("/docs", options);
      await page.getByLabel("Search").waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("rotate secret");
      await page.locator(".found a").first().waitFor();
      if (shots) await page.screenshot({ path: `${shots}/docs-${width}-search.png` });
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/docs\/api\/webhooks#subscription_rotate_secret$/);
      equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      deepEqual(errors, []);
    });
  }
});

testScreens("requests of the documentation", async (t, { open, project_id, service }) => {
  await t.step(
    "a change is asked about first, and a pasted token is what it is sent with",
    async () => {
      const { page } = await open("/docs/api/issues", { is_signed_in: false });
      const section = page.locator("#issue_post");
      await section.locator("summary", { hasText: "Try it" }).click();
      await section.getByLabel("project_id", { exact: true }).fill(project_id);
      await section.getByLabel(/^Body/).fill('{"name":"tried"}');
      const send = section.getByRole("button", { name: "Send", exact: true });
      const status = async () => await section.getByRole("status").innerText();
      await send.click();
      equal(await page.evaluate(() => document.activeElement?.textContent), "Cancel");
      await section.getByRole("button", { name: "Cancel" }).click();
      const back = () => section.locator("button:focus", { hasText: /^Send$/ }).waitFor();
      equal(await section.locator(".answer").count(), 0);
      await back();
      await send.click();
      await section.getByRole("button", { name: "Send POST" }).click();
      await section.locator(".answer").waitFor();
      match(await status(), /^401/);
      await back();
      await page.getByLabel(/^Token for trying/).fill(service.token);
      await send.click();
      await section.getByRole("button", { name: "Send POST" }).click();
      await section.getByRole("status").filter({ hasText: "201" }).waitFor();
    },
  );
  await t.step("times to try are those of the last week", async () => {
    const { page } = await open("/docs/api/performance");
    const section = page.locator("#performance_v2");
    await section.locator("summary", { hasText: "Try it" }).click();
    const dayOf = async (name: string) =>
      Date.parse(await section.getByLabel(name, { exact: true }).inputValue());
    equal(await dayOf("dt_end") - await dayOf("dt_start"), 7 * 86_400_000);
    const now_ms = await page.evaluate(() => Date.now());
    ok(Math.abs(await dayOf("dt_end") - now_ms) < 2 * 86_400_000);
  });
  await t.step("an address from before the areas leads to the endpoint", async () => {
    const { page } = await open("/docs#performance_v2");
    await page.waitForURL(/\/docs\/api\/performance#performance_v2$/);
    ok(await page.locator("#performance_v2").isVisible());
  });
});
