// `screens.ts ORIGIN TOKEN [N1 …]`: the screens of a running service in Chromium. N4 writes a
// million samples under a tag of its own: run it beside a demo. N5 takes an hour: only when named.
import { build, stop } from "esbuild";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { type Figure, lineOf } from "./figure.ts";

const bench_tag = "BENCH.SECONDS";
const sample_count = 1_000_000;

const [origin, token, ...wanted] = Deno.args;
if (!token) throw new Error("usage: screens.ts ORIGIN TOKEN [N1 …]");
const executablePath = "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const workloads = { N1: loading, N2: slowLoading, N3: painting, N4: panning, N5: standing };
try {
  for (const [name, measure] of Object.entries(workloads)) {
    const is_wanted = wanted.length === 0 ? name !== "N5" : wanted.includes(name);
    if (is_wanted) { for (const figure of await measure()) print(lineOf(figure)); }
  }
} finally {
  await browser.close();
}

/** A window of a browser that knows nothing yet but who it is. */
async function openContext(): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const data = { token };
  const headers = { origin };
  const answer = await context.request.post(`${origin}/platform/v1/session`, { data, headers });
  if (!answer.ok()) throw new Error(`signing in: ${answer.status()}`);
  return context;
}

/** Settles once nothing on the page is being loaded. */
function loaded(page: Page): Promise<void> {
  const busy = ["Loading…", "Opening…"].map((text) => `:not(:has-text("${text}"))`).join("");
  return page.locator(`body${busy}:has(main)`).waitFor();
}

/** When something was painted first, and when nothing was being loaded; since the request. */
async function timesOf(slow: boolean): Promise<{ paint: number; data: number }> {
  const context = await openContext();
  const page = await context.newPage();
  if (slow) await slowDown(page);
  await page.goto(`${origin}/overview`);
  await loaded(page);
  const times = await page.evaluate(`({
    data: performance.now(),
    paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
  })`);
  await context.close();
  return times as { paint: number; data: number };
}

/** A processor four times slower, and a mobile network. */
async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: 1.6e6 / 8,
    uploadThroughput: 0.75e6 / 8,
  });
}

async function loading(): Promise<Figure[]> {
  const times = [];
  for (let turn = 0; turn < 7; turn++) times.push(await timesOf(false));
  return [
    most("N1", "overview: first paint, median of 7", median(times.map((it) => it.paint)), 300),
    most("N1", "overview: all data, median of 7", median(times.map((it) => it.data)), 1000),
  ];
}

async function slowLoading(): Promise<Figure[]> {
  const times = [];
  for (let turn = 0; turn < 3; turn++) times.push((await timesOf(true)).data);
  return [most("N2", "overview: 4 × slower, 1.6 Mbit/s, median of 3", median(times), 3000)];
}

/** A heat map of 500 inverters by minute, from its bytes to its pixels. */
async function painting(): Promise<Figure[]> {
  const { outputFiles } = await build({
    entryPoints: [new URL("../../src/web/parts/heat_paint.ts", import.meta.url).pathname],
    ...{ bundle: true, format: "iife", globalName: "heat", write: false },
  });
  await stop();
  const page = await browser.newPage();
  await page.addScriptTag({ content: outputFiles[0].text });
  const ms = await page.evaluate(`(() => {
    const [rows, columns, width, height] = [500, 1440, 1200, 2000];
    const codes = Uint8Array.from({ length: rows * columns }, (_, i) => i * 7919 % 256);
    const order = Array.from({ length: rows }, (_, i) => i);
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    document.body.append(canvas);
    const turns = Array.from({ length: 7 }, () => {
      const from = performance.now();
      const image = new ImageData(width, height);
      const pixels = new Uint32Array(image.data.buffer);
      heat.paintHeat({ pixels, width, height }, { codes, columns, order },
        { ground: 1, quiet: 2, low: 3, middle: 4, high: 5,
          shared: 6, outage: 7, hatch: 8, mark: 9 });
      canvas.getContext("2d").putImageData(image, 0, 0);
      return performance.now() - from;
    });
    return turns.sort((a, b) => a - b)[3];
  })()`);
  await page.close();
  return [most("N3", "heat map of 500 × 1440, median of 7", ms as number, 100)];
}

/** Frames a second while a hand moves a curve that a million samples lie behind. */
async function panning(): Promise<Figure[]> {
  const end_ms = Math.floor(Date.now() / 60_000) * 60_000;
  const begin_ms = end_ms - sample_count * 1000;
  await writeSamples(begin_ms);
  const context = await openContext();
  const page = await context.newPage();
  const query = new URLSearchParams({
    curves: bench_tag,
    from: new Date(begin_ms).toISOString(),
    to: new Date(end_ms).toISOString(),
  });
  await page.goto(`${origin}/trends?${query}`);
  await loaded(page);
  await page.locator("canvas").first().waitFor();
  const box = (await page.locator(".u-over").first().boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.evaluate(`window.frames_seen = []; (function next(t) {
    frames_seen.push(t); requestAnimationFrame(next); })(performance.now())`);
  for (let i = 0; i < 150; i++) await page.mouse.move(x + 300 * Math.sin(i / 15), y);
  const times = await page.evaluate("frames_seen") as number[];
  await page.mouse.up();
  await context.close();
  const value = 1000 * (times.length - 1) / (times.at(-1)! - times[0]);
  return [least("N4", "panning a million samples, frames", value, 50)];
}

async function writeSamples(begin_ms: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" };
  const plants = await fetch(`${origin}/platform/v1/meta/projects`, { headers });
  const [{ project_id }] = (await plants.json()).projects;
  const batch = 100_000;
  for (let from = 0; from < sample_count; from += batch) {
    const rows = Array.from({ length: batch }, (_, i) => {
      const ts = new Date(begin_ms + (from + i) * 1000).toISOString();
      const value = Math.sin((from + i) / 5000) * 100 + (i * 31 % 17);
      return JSON.stringify({ tag: bench_tag, ts, value });
    });
    const address = `${origin}/ingest/v1/signals?project_id=${project_id}`;
    const answer = await fetch(address, { method: "POST", headers, body: rows.join("\n") });
    if (!answer.ok) throw new Error(`writing: ${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
  }
}

/** By how much the heap of pages grows that stand open. */
async function standing(): Promise<Figure[]> {
  const context = await openContext();
  const figures: Figure[] = [];
  const pages = await Promise.all(["overview", "alarms"].map(async (name) => {
    const page = await context.newPage();
    await page.goto(`${origin}/${name}`);
    await loaded(page);
    await page.waitForTimeout(60_000);
    return { name, page, before: await heapOf(page) };
  }));
  await pages[0].page.waitForTimeout(60 * 60_000);
  for (const { name, page, before } of pages) {
    const value = (await heapOf(page) - before) / 1e6;
    const what = `${name}: heap after an hour, growth`;
    figures.push({ ...most("N5", what, value, 10), unit: "MB" });
  }
  await context.close();
  return figures;
}

/** Bytes in use once nothing that is not needed is left. */
async function heapOf(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize;
}

function most(workload: string, what: string, value: number, target: number): Figure {
  return { workload, what, value, unit: "ms", target: `≤ ${target}`, met: value <= target };
}

function least(workload: string, what: string, value: number, target: number): Figure {
  return { workload, what, value, unit: "/s", target: `≥ ${target}`, met: value >= target };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
