// Imports in a real browser: a file is sent, understood, mended, imported and seen in Trends.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { queryRows } from "../../help/query.ts";
import { loaded, type ScreenWorld, testScreens } from "../browser.ts";
import { assertWhole } from "../whole.ts";

const doubtful = "Datum;P (kW);State\n" +
  Array.from({ length: 12 }, (_, i) => `01.02.2026 ${10 + i}:00;${i + 1},25;on\n`).join("")
    .replaceAll(".", "/");

async function choose(page: Page, name: string, text: string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.locator(".import-choose input").click(),
  ]);
  await chooser.setFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
}

const stateOf = (page: Page, text: string | RegExp) =>
  page.locator(".import-state b", { hasText: text }).waitFor();

const field = (page: Page, name: string) => page.locator(`.import-fields [name="${name}"]`);

const steps: Readonly<Record<string, (world: ScreenWorld) => Promise<void>>> = {
  "a refusal marks its setting; columns get tags; the import shows in Trends": async (world) => {
    const { page, errors } = await world.open("/import");
    await loaded(page);
    await choose(page, "doubtful.csv", doubtful);
    await stateOf(page, "needs an answer");
    await page.locator(".asked-for select[name=time_format]").waitFor();
    equal(await page.evaluate("document.activeElement.name"), "time_format");
    const detail = page.locator(".import-detail");
    match(await detail.innerText(), /Day and month can’t be told apart/);
    await assertWhole({ page, errors });
    for (
      const [language, text] of [["de", /Tag und Monat sind in "01/], [
        "es",
        /el día y el mes/,
      ]] as const
    ) {
      await page.evaluate((it) => localStorage.setItem("language", it), language);
      await page.reload();
      await detail.getByText(text).waitFor();
      await assertWhole({ page, errors });
    }
    await page.evaluate(() => localStorage.setItem("language", "en"));
    await page.reload();
    await field(page, "time_format").selectOption("dmy");
    ok(await page.locator(".import-acts button", { hasText: /^Import/ }).isDisabled());
    await page.click(".import-acts >> text=Look through");
    await stateOf(page, "looked through");
    await page.getByLabel("Tag of P (kW)").fill("new.p");
    await page.keyboard.press("Tab");
    await page.getByLabel("Take State").uncheck();
    const run = page.locator(".import-acts button", { hasText: /^Import/ });
    ok(await run.isDisabled(), "what changed is looked at first");
    await page.click(".import-acts >> text=Look through");
    await page.locator(".import-acts button", { hasText: "Import 12 values" }).waitFor();
    await page.locator(".import-row", { hasText: "new.p = 1.25" }).waitFor();
    await assertWhole({ page, errors });
    await page.locator(".import-acts button", { hasText: "Import 12 values" }).click();
    await stateOf(page, "imported");
    match(await page.locator(".import-counts").innerText(), /Stored\s+12/);
    await page.locator(".said", { hasText: "Every value of the file is stored" }).waitFor();
    await assertWhole({ page, errors });
    const [{ n, total }] = await world.service.services.database.read((connection) =>
      queryRows<{ n: number; total: number }>(
        connection,
        "SELECT count(*) AS n, sum(value) AS total FROM sample JOIN tag USING (tag_no) " +
          "WHERE sensor_tag = 'new.p'",
      )
    );
    equal(n, 12);
    equal(total, 81);
    await page.click(".import-trends");
    await loaded(page);
    match(page.url(), /\/trends\?.*from=2026-02-01T16:59:00Z.*curves=new\.p/);
    await page.locator(".trends", { hasText: "new.p" }).waitFor();
    await page.context().close();
  },
  "a dropped file that is none is refused kindly, and removed by keyboard": async (world) => {
    const viewport = { width: 390, height: 844 };
    const { page, errors } = await world.open("/import", { viewport });
    await loaded(page);
    const data = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(["%PDF-1.7 …"], "report.pdf", { type: "application/pdf" }));
      return data;
    });
    await page.dispatchEvent(".import-drop", "dragover", { dataTransfer: data });
    await page.dispatchEvent(".import-drop", "drop", { dataTransfer: data });
    await stateOf(page, "needs an answer");
    match(await page.locator(".import-detail").innerText(), /PDF: export the data as CSV or XLSX/);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await assertWhole({ page, errors });
    }
    await page.getByRole("button", { name: "Remove…" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".asked button:focus", { hasText: "Cancel" }).waitFor();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.locator(".import-drop").waitFor();
    await page.locator("text=report.pdf").waitFor({ state: "detached" });
    await assertWhole({ page, errors });
    await page.context().close();
  },
  "a cut line, and a closed page, send of a file what is missing": async (world) => {
    const { page, errors } = await world.open("/import");
    await loaded(page);
    const path = await Deno.makeTempFile({ suffix: ".csv" });
    await Deno.writeTextFile(path, doubtful);
    const sent: number[] = [];
    let cut_at = 100;
    const halted = Promise.withResolvers<void>();
    // What is sent arrives in part, and then nothing is heard any more.
    await page.route("**/ingest/v1/imports/*?*", async (route) => {
      const request = route.request();
      if (request.method() !== "PATCH") return await route.continue();
      const url = new URL(request.url());
      sent.push(Number(url.searchParams.get("offset")));
      const postData = request.postDataBuffer()!.subarray(0, cut_at);
      if (cut_at === Infinity) return await route.continue();
      await route.fetch({ postData });
      if (sent.length > 1) return halted.resolve();
      cut_at = 50;
      await route.abort();
    });
    const chosen = async () => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.locator(".import-choose input").click(),
      ]);
      await chooser.setFiles(path);
    };
    await chosen();
    await halted.promise;
    await page.reload();
    cut_at = Infinity;
    await page.locator(".listing", { hasText: "is being sent" }).locator("a").first().click();
    await page.getByText("Choose the same file again").waitFor();
    equal(await page.locator(".import-acts button").count(), 1);
    await assertWhole({ page, errors: errors.filter((it) => !it.includes("ERR_FAILED")) });
    await page.click("text=‹ All files");
    await chosen();
    await stateOf(page, "needs an answer");
    deepEqual(sent, [0, 100, 150]);
    await Deno.remove(path);
    await page.context().close();
  },
  "a file that is on its way can be stopped": async (world) => {
    const { page, errors } = await world.open("/import");
    await loaded(page);
    await page.route("**/ingest/v1/imports?*", async (route) => {
      if (route.request().method() !== "POST") await route.continue();
    });
    await choose(page, "slow.csv", doubtful);
    await page.locator(".import-progress", { hasText: "Sending slow.csv" }).waitFor();
    await assertWhole({ page, errors });
    await page.locator(".import-progress button").click();
    await page.locator(".import-progress").waitFor({ state: "detached" });
    equal(await page.locator(".said.failed").count(), 0);
    ok(await page.locator(".import-choose input").isEnabled());
    await page.context().close();
  },
  "a long import shows how far it is, and can be stopped": async (world) => {
    const { page, errors } = await world.open("/import");
    await loaded(page);
    const at = Date.UTC(2026, 4, 1);
    const rows = Array.from(
      { length: 400_000 },
      (_, i) => `${new Date(at + i * 1000).toISOString()},${i % 97}`,
    );
    await choose(page, "long.csv", `time,long.p\n${rows.join("\n")}\n`);
    await stateOf(page, "looked through");
    await page.locator(".import-acts button", { hasText: "Import 400,000 values" }).click();
    await page.locator(".import-state progress").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await stateOf(page, /cancelled|imported/);
    await assertWhole({ page, errors });
    await page.click("text=‹ All files");
    await page.locator(".listing", { hasText: "long.csv" }).waitFor();
    await assertWhole({ page, errors });
    await page.context().close();
  },
};

testScreens("imports in Chromium", async (t, world) => {
  for (const [name, step] of Object.entries(steps)) await t.step(name, () => step(world));
  await t.step("only those who may send samples see the page", async () => {
    const { project_id, service } = world;
    const { organization_id } = service.services.catalog.project(project_id)!;
    const { token } = await service.services.access.create({
      ...{ name: "reader", organization_id, project_ids: null, expires_at: null },
      scopes: ["read"],
    });
    const { page } = await world.open("/overview", { is_signed_in: false });
    await page.fill("input[name=token]", token);
    await page.click("form:has(input[name=token]) button");
    await loaded(page);
    equal(await page.locator("nav a", { hasText: "Import" }).count(), 0);
    await page.goto(`${world.origin}/import`);
    await page.locator(".message", { hasText: "needs the scope ingest" }).waitFor();
    await page.context().close();
  });
});
