// Both days of a clock change: a browser in Tokyo, a plant in Denver's time. Every drawing of a day
// has 23 or 25 hours, and every label the offset of its instant.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { findChromium, launch, loaded, type ScreenWorld, unfoldTable } from "./browser.ts";
import { openSmallPlant, smallSite, steadySamples } from "./small_plant.ts";

/** A day of a change: its hours from midnight by the clock on the wall. */
type Day = {
  readonly day: string;
  readonly from: string;
  readonly to: string;
  readonly hours: readonly string[];
};

const hour_ms = 3_600_000;
const two = (it: number) => String(it).padStart(2, "0");
const hoursFrom = (first: number, last: number, offset: string) =>
  Array.from({ length: last - first + 1 }, (_, i) => `${two(first + i)}:00 ${offset}`);

const days: readonly Day[] = [
  {
    day: "2026-03-08",
    from: "2026-03-08T07:00Z",
    to: "2026-03-09T06:00Z",
    hours: [...hoursFrom(0, 1, "−07:00"), ...hoursFrom(3, 23, "−06:00")],
  },
  {
    day: "2026-11-01",
    from: "2026-11-01T06:00Z",
    to: "2026-11-02T07:00Z",
    hours: [...hoursFrom(0, 1, "−06:00"), ...hoursFrom(1, 23, "−07:00")],
  },
];

/** Keeps every text that is drawn on a canvas. */
const keep_drawn = () => {
  const drawn: string[] = [];
  Object.assign(globalThis, { drawn });
  const paint = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    drawn.push(text);
    paint.call(this, text, ...rest);
  };
};

/** The offsets in the drawn labels of axes, each once, in the order of time. */
async function drawnOffsets(page: Page): Promise<string[]> {
  const drawn = await page.evaluate("drawn") as string[];
  return [...new Set(drawn.flatMap((text) => /[−+]\d\d:\d\d$/.exec(text) ?? []))];
}

const offsetsOf = ({ hours }: Day) => [...new Set(hours.map((it) => it.slice(-6)))];

/** A page that keeps what is drawn on it. */
async function openDay(world: ScreenWorld, path: string): Promise<Page> {
  const { page, errors } = await world.open("/docs/start");
  await page.addInitScript(keep_drawn);
  await page.goto(world.origin + path);
  await loaded(page);
  deepEqual(errors, []);
  return page;
}

/** Times of whole hours with their offsets, as texts have them. */
function hoursIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => /\d\d:00 [−+]\d\d:\d\d/.exec(text) ?? []);
}

/** The first cells of the table behind a drawing, or its head. */
async function tableOf(page: Page, panel: string, cells: string): Promise<string[]> {
  await unfoldTable(page, panel);
  return page.locator(panel).locator(`.data-table ${cells}`).allInnerTexts();
}

async function heatMap(world: ScreenWorld, shown: Day): Promise<void> {
  const { day, hours } = shown;
  const page = await openDay(world, `/inverters?day=${day}`);
  const [, ...buckets] = await tableOf(page, ".map", "thead th");
  equal(buckets.length, hours.length * 4);
  equal(new Set(buckets).size, buckets.length);
  deepEqual(hoursIn(buckets), hours);
  const ticks = await page.locator(".heat-axis span").allInnerTexts();
  deepEqual(ticks.flatMap((it) => it.split("\n")[1] ?? []), offsetsOf(shown));
  await page.focus(".heat-area");
  await page.keyboard.press("Home");
  for (const hour of hours.slice(0, 4)) {
    const [time, offset] = hour.split(" ");
    match(await page.innerText(".heat-readout"), new RegExp(`, ${time}–.* ${offset}`));
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
  }
  await page.context().close();
}

async function overview(world: ScreenWorld, shown: Day): Promise<void> {
  const { to, hours } = shown;
  const last = new Date(Date.parse(to) - 60_000).toISOString();
  const page = await openDay(world, `/overview?at=${last}`);
  for (const [panel, step] of [[".power", 1], [".panel:has-text('Storage')", 5]] as const) {
    const times = await tableOf(page, panel, "tbody td:first-child");
    if (times.length < 1000) equal(times.length, Math.floor((hours.length * 60 - 1) / step), panel);
    deepEqual(hoursIn(times), hours.slice(0, hoursIn(times).length), panel);
    ok(times.every((it) => / −0[67]:00$/.test(it)), panel);
  }
  deepEqual(await drawnOffsets(page), offsetsOf(shown));
  await page.context().close();
}

async function trends(world: ScreenWorld, shown: Day): Promise<void> {
  const { from, to, hours } = shown;
  const span = `from=${from}&to=${to}`;
  const page = await openDay(world, `/trends?curves=INV-1:active_power&step=quarter&${span}`);
  const times = await tableOf(page, ".drawing", "tbody td:first-child");
  equal(times.length, hours.length * 4);
  equal(new Set(times).size, times.length);
  deepEqual(hoursIn(times), hours);
  deepEqual(await drawnOffsets(page), offsetsOf(shown));
  await page.context().close();
}

Deno.test("the days of a clock change in Chromium", async (t) => {
  const executable = await findChromium();
  if (executable === undefined) return;
  const browser = await launch(executable);
  const samples = days.flatMap(({ from, to }) =>
    steadySamples({ from_ms: Date.parse(from) - hour_ms, to_ms: Date.parse(to) + hour_ms })
  );
  const world = await openSmallPlant(browser, {
    at: "2026-11-02T12:00:00Z",
    site: smallSite(),
    samples,
  });
  try {
    for (const day of days) {
      const length = `${day.hours.length} hours of ${day.day}`;
      await t.step(`the heat map has the ${length}`, () => heatMap(world, day));
      await t.step(`the overview has the ${length}`, () => overview(world, day));
      await t.step(`the trends have the ${length}`, () => trends(world, day));
    }
  } finally {
    await world.close();
    await browser.close();
  }
});
