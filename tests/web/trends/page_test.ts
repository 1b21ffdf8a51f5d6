// The trends in a browser: from a search by keys to the samples, compared, replayed, exported.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { loaded, type ScreenWorld, testScreens, unfoldTable } from "../browser.ts";

/** A name that is only a text, whatever it looks like. */
const odd_name = '<img src=x onerror="alert(1)"> & <b>';

/** The header and first row of the table behind the curves. */
async function firstRow(page: Page): Promise<readonly (readonly string[])[]> {
  await unfoldTable(page, ".drawing");
  const cells = (it: string) => page.locator(`.drawing .data-table ${it}`).allInnerTexts();
  return [await cells("thead th"), await cells("tbody tr:first-child td")];
}

/** What the steps about views work with: the plant, and a way to open its trends. */
type Opened = {
  readonly world: ScreenWorld;
  readonly open: (
    path: string,
  ) => Promise<{ readonly page: Page; readonly errors: readonly string[] }>;
};

/** Saves, opens, renames and removes a view without a pointer. */
async function keepView({ open }: Opened): Promise<void> {
  const { page, errors } = await open("/trends?curves=INV-01:active_power&range=6h");
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const shown = () => page.locator(".views li a").allInnerTexts();
  await page.focus("text=Views");
  await press("Enter");
  await page.waitForSelector(".views >> text=No view of this page");
  await press("Tab");
  await page.keyboard.type(odd_name);
  await press("Enter");
  await page.waitForSelector(".views a[aria-current]");
  deepEqual(await shown(), [odd_name]);
  await press("Escape");
  await page.click("text=24 h");
  await page.focus("text=Views");
  await press("Enter");
  await page.waitForSelector(".views a:not([aria-current])");
  await page.focus(".views li a");
  await press("Enter");
  match(page.url(), /\?curves=INV-01:active_power&range=6h$/);
  await page.waitForSelector(".views", { state: "hidden" });

  await page.focus("text=Views");
  await press("Enter");
  await page.waitForSelector(".views a[aria-current]");
  await page.focus(".views li >> text=Change");
  await press("Enter");
  await page.waitForSelector(".views li input[name=name]:focus");
  await press("Escape");
  await page.waitForSelector(".views li button:focus >> text=Change");
  await press("Enter");
  await page.waitForSelector(".views li input[name=name]:focus");
  await press("Control+a");
  await page.keyboard.type("Inverter 1");
  await press("Enter");
  await page.waitForSelector(".views li a >> text=Inverter 1");
  await page.focus(".views li >> text=Remove…");
  await press("Enter");
  await page.waitForSelector(".views .asked button:focus");
  await press("Escape");
  deepEqual(await shown(), ["Inverter 1"]);
  await page.focus(".views li >> text=Remove…");
  await press("Enter");
  await page.waitForSelector(".views .asked button:focus");
  await press("Shift+Tab", "Enter");
  await page.waitForSelector(".views >> text=No view of this page");
  deepEqual(errors, []);
}

/** Changes a view that somebody else has changed, takes a name that there is, and looks back. */
async function changeTheirs({ world, open }: Opened): Promise<void> {
  const views = (method: string, path: string, body: object) =>
    world.service.fetch(`/platform/v1/views${path}?project_id=${world.project_id}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const post = await views("POST", "", { page: "trends", name: "A", address: "range=1h" });
  const { id } = await post.json();
  const { page } = await open("/trends?curves=INV-01:active_power&range=6h");
  await page.click("text=Views");
  await page.click(".views li >> text=Change");
  equal((await views("PATCH", `/${id}`, { name: "Theirs" })).status, 200);
  await page.fill(".views li input[name=name]", "Mine");
  await page.check(".views li input[name=replace]");
  await page.click(".views li button.main");
  await page.waitForSelector(".views .failed >> text=someone changed it");
  await page.waitForSelector(".views li a >> text=Theirs");
  await page.click(".views li button.main");
  await page.waitForSelector(".views li a[aria-current] >> text=Mine");
  await page.fill(".views > form input[name=name]", "Mine");
  await page.click(".views > form button");
  await page.waitForSelector(".views .failed >> text=has a view of this name");
  await page.goto(`${world.origin}/trends?at=2026-06-02T18:05Z`);
  await page.click("text=Views");
  await page.waitForSelector(".views >> text=A replay shows");
  await page.waitForSelector(".views >> text=No view of this page");
  equal(await page.locator(".views form").count(), 0);
}

/** Opens a view with a token that may only read. */
async function onlyRead({ world }: Opened): Promise<void> {
  const { token } = await world.service.services.access.create({
    ...{ name: "reader", organization_id: null, project_ids: null },
    ...{ scopes: ["read"], expires_at: null },
  });
  const { page } = await world.open("/trends", { is_signed_in: false });
  await page.fill("input[name=token]", token);
  await page.click("form:has(input[name=token]) button");
  await page.click("text=Views");
  await page.click(".views li a >> text=Mine");
  match(page.url(), /curves=INV-01:active_power&range=6h/);
  await page.click("text=Views");
  await page.waitForSelector(".views li a[aria-current]");
  equal(await page.locator(".views form, .views li button").count(), 0);
}

testScreens("the trends", async (t, world) => {
  const open = async (path: string) => {
    const window = await world.open(path);
    await loaded(window.page);
    await window.page.waitForSelector(".u-over");
    return window;
  };
  const opened = { world, open };
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
    await unfoldTable(page, ".drawing");
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
  await t.step("a view is saved, opened, renamed and removed by keys", () => keepView(opened));
  await t.step("what somebody else changed is not undone unseen", () => changeTheirs(opened));
  await t.step("who only reads opens views and saves none", () => onlyRead(opened));
});
