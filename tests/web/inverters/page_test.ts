// The page of inverters in a browser: by keys from the map to the samples, replayed, and an issue.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  drawingsWithoutTable,
  loaded,
  type ScreenWorld,
  testScreens,
  unfoldTable,
} from "../browser.ts";

const day = "2026-06-02";

testScreens("the page of inverters", async (t, world) => {
  await t.step("keys lead from the map to a cell's sentence and samples", () => byKeys(world));
  await t.step("a replay knows nothing later", () => replayed(world));
  await t.step(
    "an issue is opened, filled in, and stands at its inverter",
    () => issueOpened(world),
  );
  await t.step("a month leads to a day", () => monthShown(world));
});

async function byKeys(world: ScreenWorld): Promise<void> {
  const { page, errors } = await world.open(`/inverters?day=${day}`);
  await loaded(page);
  equal(await page.locator(".heat-labels a").count(), 20);
  await page.focus(".heat-area");
  for (const key of ["ArrowDown", "ArrowDown", "End", "ArrowLeft"]) {
    await page.keyboard.press(key);
  }
  match(await page.innerText(".heat-readout"), /^Inverter 2\b.*−06:00/s);
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".why-sentence");
  match(page.url(), /device=INV-02&cell=2026-06-02T\d\d:(00|15|30|45)Z/);
  match(await page.innerText(".why-sentence"), /^Why: .{20,}\.$/s);
  await page.waitForSelector(".samples td");
  match(await page.innerText(".samples"), /INV-02\.P_AC/);
  deepEqual(await drawingsWithoutTable(page), []);
  deepEqual(errors, []);
  await page.context().close();
}

async function replayed(world: ScreenWorld): Promise<void> {
  const at = "2026-06-02T18:05Z";
  const { page } = await world.open(`/inverters?day=${day}&device=INV-02&at=${at}`);
  await loaded(page);
  await page.waitForSelector(".why-sentence");
  await unfoldTable(page, ".map");
  const [head, row] = await Promise.all(
    ["thead th", "tbody tr:first-child td"].map((it) =>
      page.locator(`.map .data-table ${it}`).allInnerTexts()
    ),
  );
  const known = head.filter((_, i) => row[i] !== "");
  match(known.at(-1)!, /^11:45/);
  ok(known.length < head.length);
  equal(await page.locator("text=Open issue").count(), 0);
  await page.context().close();
}

async function issueOpened(world: ScreenWorld): Promise<void> {
  const { page } = await world.open(`/inverters?day=${day}&device=INV-02`);
  await page.click("text=Open issue");
  match(await page.inputValue(".issue-form input"), /^Inverter 2: /);
  await page.click("text=Open it");
  await page.waitForSelector("text=Issue 1 is open.");
  await page.waitForSelector(".happenings >> text=Issue 1");
  const path = `/platform/v1/issues?project_id=${world.project_id}`;
  const [issue] = await (await world.service.fetch(path)).json();
  match(issue.name, /^Inverter 2: /);
  equal(issue.devices.length, 1);
  await page.context().close();
}

async function monthShown(world: ScreenWorld): Promise<void> {
  const { page } = await world.open(`/inverters?day=${day}&range=month&show=internal_temp`);
  await loaded(page);
  match(await page.innerText(".map h2"), /Internal temperature.*June 2026/);
  await page.context().close();
}
