// A file in W of a tag in kW, in a browser: the import warns, Data health tells it afterwards.
import { equal, match } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { ratedPowers } from "../../../src/engine/catalog/rated_power.ts";
import { loaded, testScreens } from "../browser.ts";
import { assertWhole } from "../whole.ts";

const languages = [
  ["de", /2 × \S+ liegt über dem Doppelten seiner Nennleistung/, /W statt kW\?/],
  ["es", /2 × \S+ supera el doble de su potencia nominal/, /¿W en lugar de kW\?/],
  ["en", /2 × \S+ is over twice its rated power of .* up to/, /W in place of kW\?/],
] as const;

testScreens("a power beyond its rating, from a file to Data health", async (t, world) => {
  const { service: { services, clock, settle } } = world;
  const { sensor, rated_w } = ratedPowers(services.catalog, services.catalog.projects[0])
    .find((it) => it.sensor.component === "inverter" && it.sensor.scale === 1000)!;
  const tag = services.catalog.tag(sensor.tag_no)!.sensor_tag;
  const at = new Date(clock.now_us / 1000 - 7_200_000).toISOString().slice(0, 14);
  const watts = `time,${tag}\n${at}01:00Z,${rated_w}\n${at}02:00Z,${0.9 * rated_w}\n`;

  await t.step("the check of the file says so in each language, and it is imported", async () => {
    const { page, errors } = await world.open("/import");
    await loaded(page);
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.locator(".import-choose input").click(),
    ]);
    await chooser.setFiles({ name: "w.csv", mimeType: "text/csv", buffer: Buffer.from(watts) });
    await page.locator(".import-excess").waitFor();
    for (const [language, text, hint] of languages) {
      await page.evaluate((it) => localStorage.setItem("language", it), language);
      await page.reload();
      const told = page.locator(".import-excess").filter({ hasText: text });
      match(await told.innerText(), hint);
      await assertWhole({ page, errors });
    }
    await page.locator(".import-acts button", { hasText: "Import 2 values" }).click();
    await page.locator(".said", { hasText: "Every value of the file is stored" }).waitFor();
    equal(await page.locator(".import-excess").count(), 1);
    await page.context().close();
  });

  await t.step("Data health tells it in each language, on a phone too", async () => {
    await settle();
    const { page, errors } = await world.open("/health?section=sensors");
    for (const [language, , hint] of languages) {
      await page.evaluate((it) => localStorage.setItem("language", it), language);
      await page.reload();
      await loaded(page);
      const line = page.locator("tr", { hasText: tag }).filter({ hasText: hint });
      match(await line.innerText(), /1[.,]?000/);
      await assertWhole({ page, errors });
    }
    const panel = page.locator(".panel", { hasText: "Power beyond its rating" });
    equal(await panel.locator("tbody tr").count(), 1);
    await page.setViewportSize({ width: 390, height: 844 });
    await assertWhole({ page, errors });
    await page.context().close();
  });
});
