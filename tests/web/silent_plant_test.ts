// A plant that tells no quality and is silent since the day before, in a browser: what it is told
// of its samples, and of the day that has none yet.
import { deepEqual, equal, match } from "node:assert/strict";
import { findChromium, launch, loaded, type ScreenWorld } from "./browser.ts";
import { openSmallPlant, smallSite } from "./small_plant.ts";

/** Nine past five in the plant's morning, before there is light. */
const at = "2026-11-21T12:09:00Z";

/** A sample each minute of the day before, from nine to one. */
const samples = Array.from({ length: 240 }, (_, i) => ({
  tag: "INV-1.p",
  ts: new Date(Date.parse("2026-11-20T16:00Z") + i * 60_000).toISOString(),
  value: 6e5,
}));

/** Opens a page, once all of it is there. */
async function open(world: ScreenWorld, path: string) {
  const { page, errors } = await world.open(path);
  await loaded(page);
  deepEqual(errors, []);
  return page;
}

async function trends(world: ScreenWorld): Promise<void> {
  const span = "from=2026-11-20T16:00Z&to=2026-11-20T19:59Z&step=minute";
  const page = await open(world, `/trends?curves=INV-1:active_power&${span}`);
  const cells = await page.locator(".trends .wide tbody tr:first-child td").allInnerTexts();
  const [mean, time_weighted, , , deviation, count, percent_good] = cells;
  deepEqual([mean, time_weighted], ["600\u202fkW", "600\u202fkW"]);
  match(deviation, /^0/);
  deepEqual([count, percent_good], ["–", "100.0\u202f%"]);
  match(await page.innerText(".curves li"), /600\u202fkW(?!.*carried)/s);
  await page.context().close();
}

async function overview(world: ScreenWorld): Promise<void> {
  const page = await open(world, "/overview");
  const figure = page.locator(".figure", { hasText: /producing\s*last value: 20 Nov, 12:59/ });
  await figure.waitFor();
  match(await figure.innerText(), /– producing/);
  const titles = await page.locator(".overview .panel h2").allInnerTexts();
  deepEqual(titles.filter((it) => /^Inverters/.test(it)), [
    "Inverters: power as part of expected",
  ]);
  // Half an hour after the last sample.
  await page.goto(`${world.origin}/overview?at=2026-11-20T20:30:00Z`);
  await loaded(page);
  match(await page.locator(".figure", { hasText: "Power now" }).innerText(), /at 12:59/);
  await page.context().close();
}

async function inverters(world: ScreenWorld): Promise<void> {
  const page = await open(world, "/inverters");
  for (const panel of [".map", ".worst"]) {
    match(await page.innerText(panel), /No daylight here yet\. Choose an earlier day\./);
  }
  equal(await page.locator(".heat-area").count(), 0);
  await page.goto(`${world.origin}/inverters?day=2026-11-19`);
  await loaded(page);
  match(await page.innerText(".worst"), /Nothing was measured here/);
  await page.context().close();
}

/** What pages say of a plant of which nothing is declared: none of them loads for ever. */
const nothing_declared = {
  overview: /no devices yet\. Declare them in its site file\.\s+How to declare a plant/,
  losses: /Losses by day[^]*no loss account[^]*Degradation[^]*No whole week has an index/,
  trends: /No curve is chosen/,
  "health?section=sensors": /This plant has no sensors/,
};

/** A plant with a meter alone, which never sent a value: its day has no axes without a curve. */
const silent_meter = { key: "M", type: "meter" };

Deno.test("a plant without devices, and one with a meter alone, in Chromium", async (t) => {
  const executable = await findChromium();
  if (executable === undefined) return;
  const browser = await launch(executable);
  const empty = { ...smallSite(), blocks: [], devices: [], sensors: [] };
  try {
    const world = await openSmallPlant(browser, { at, site: empty, samples: [] });
    try {
      for (const [path, says] of Object.entries(nothing_declared)) {
        await t.step(path, async () => {
          const page = await open(world, `/${path}`);
          match(await page.innerText("main"), says);
          await page.context().close();
        });
      }
    } finally {
      await world.close();
    }
    const sensors = [{ tag: "M.p", device: "M", measure: "active_power" }];
    const metered = { ...empty, devices: [silent_meter], sensors };
    const other = await openSmallPlant(browser, { at, site: metered, samples: [] });
    try {
      await t.step("a meter that sent nothing", async () => {
        const page = await open(other, "/overview");
        match(await page.innerText(".overview .power"), /Nothing was measured yet today/);
        match(await page.innerText("main"), /No forecast was sent/);
        await page.context().close();
      });
    } finally {
      await other.close();
    }
  } finally {
    await browser.close();
  }
});

Deno.test("a plant without quality that is silent since a day, in Chromium", async (t) => {
  const executable = await findChromium();
  if (executable === undefined) return;
  const browser = await launch(executable);
  const small = smallSite();
  const site = { ...small, site: { ...small.site, latitude: 39.7 } };
  const world = await openSmallPlant(browser, { at, site, samples });
  try {
    await t.step("its samples were measured, though not counted", () => trends(world));
    await t.step("values of the day before are none of now", () => overview(world));
    await t.step("a day without data says so", () => inverters(world));
  } finally {
    await world.close();
    await browser.close();
  }
});
