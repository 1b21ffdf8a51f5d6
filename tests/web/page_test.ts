// The pages in a real browser: whole, readable on a phone, and silent towards every other host.
import { deepEqual, equal, ok } from "node:assert/strict";
import { chromium, type Page } from "playwright-core";
import { testService } from "../help/service.ts";
import { findChromium } from "./browser.ts";

/** Opens `path` of a service of its own in a window of `width` pixels and hands the page on. */
async function onPage(
  { executable, path, width }: { executable: string; path: string; width: number },
  check: (page: Page, seen: { readonly errors: string[]; readonly hosts: Set<string> }) => unknown,
): Promise<void> {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    return service.fetch(pathname + search, { headers: request.headers });
  });
  const browser = await chromium.launch({
    executablePath: executable,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    const seen = { errors: new Array<string>(), hosts: new Set<string>() };
    page.on("console", (message) => message.type() === "error" && seen.errors.push(message.text()));
    page.on("request", (request) => seen.hosts.add(new URL(request.url()).host));
    const host = `127.0.0.1:${server.addr.port}`;
    const response = await page.goto(`http://${host}${path}`, { waitUntil: "networkidle" });
    equal(response?.status(), 200);
    await check(page, seen);
    deepEqual([...seen.hosts], [host]);
    deepEqual(seen.errors, []);
  } finally {
    await browser.close();
    await server.shutdown();
    await service.close();
  }
}

/** How far the page is wider than its window, in pixels. */
function overflowOf(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
}

/** The names in first cells of tables that go on in another line, but at a joint. */
const broken_names = `[...document.querySelectorAll("td:first-child code")]
  .flatMap((code) => [...code.childNodes].filter((it) => it.nodeType === Node.TEXT_NODE))
  .filter((text) => {
    const range = document.createRange();
    range.selectNode(text);
    return /^[^\\s-]+$/.test(text.data) && range.getClientRects().length > 1;
  })
  .map(({ data }) => data)`;

Deno.test("the pages in Chromium", async (t) => {
  const executable = await findChromium();
  if (executable === undefined) return;
  await t.step(
    "the start page leads to the reference",
    () =>
      onPage({ executable, path: "/docs/start", width: 1200 }, async (page) => {
        await page.click("a[href='/docs']");
        equal(await page.textContent("h1"), "Reference");
      }),
  );
  const told = {
    "/docs": ["/platform/v1/performance-v2", "/ingest/v1/signals"],
    "/docs/api/signals": ["/platform/v1/signals", "received_since"],
  };
  for (const width of [1200, 390]) {
    for (const [path, words] of Object.entries(told)) {
      await t.step(
        `${path} is whole in a window of ${width} pixels`,
        () =>
          onPage({ executable, path, width }, async (page) => {
            const text = await page.innerText("main, body");
            for (const word of words) ok(text.includes(word), word);
            ok(await overflowOf(page) <= 0, `${await overflowOf(page)} pixels too wide`);
          }),
      );
    }
  }
  for (const word of ["measures", "availability", "alarms", "work", "webhooks"]) {
    const path = `/docs/${word}`;
    await t.step(
      `${path} is whole on a phone and leads back to the reference`,
      () =>
        onPage({ executable, path, width: 390 }, async (page) => {
          ok(await overflowOf(page) <= 0, `${await overflowOf(page)} pixels too wide`);
          await page.click("a[href='/docs']");
          equal(await page.textContent("h1"), "Reference");
        }),
    );
  }
  await t.step(
    "every link within the reference leads somewhere",
    () =>
      onPage({ executable, path: "/docs", width: 1200 }, async (page) => {
        const broken = await page.evaluate(
          "[...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.hash.slice(1))" +
            ".filter((id) => !document.getElementById(decodeURIComponent(id)))",
        );
        deepEqual(broken, []);
      }),
  );
});

Deno.test("narrow tables in Chromium", async (t) => {
  const executable = await findChromium();
  if (executable === undefined) return;
  for (const width of [390, 500]) {
    for (const path of ["/docs", "/docs/measures", "/docs/alarms", "/docs/webhooks"]) {
      await t.step(
        `${path} breaks no word in a window of ${width} pixels`,
        () =>
          onPage({ executable, path, width }, async (page) => {
            deepEqual(await page.evaluate(broken_names), []);
            ok(await overflowOf(page) <= 0);
          }),
      );
    }
  }
});
