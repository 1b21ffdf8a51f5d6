// The pages in a real browser: whole, readable on a phone, and silent towards every other host.
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { testService } from "../help/service.ts";
import { findChromium, launch } from "./browser.ts";

type Check = (page: Page) => unknown;

/** Opens `path` in a window of `width` pixels and hands the page on. */
type OnPage = (
  asked: { readonly path: string; readonly width: number },
  check: Check,
) => Promise<void>;

/** A test of the pages of a service, in one browser; each window is new. */
function testPages(
  name: string,
  run: (t: Deno.TestContext, onPage: OnPage) => Promise<void>,
): void {
  Deno.test(name, async (t) => {
    const executable = await findChromium();
    if (executable === undefined) return;
    const service = await testService({ at: "2026-06-01T12:00:00Z" });
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const { pathname, search } = new URL(request.url);
      return service.fetch(pathname + search, { headers: request.headers });
    });
    const browser = await launch(executable);
    try {
      const origin = `http://127.0.0.1:${server.addr.port}`;
      await run(
        t,
        ({ path, width }, check) => onPage(browser, { url: origin + path, width }, check),
      );
    } finally {
      await browser.close();
      await server.shutdown();
      await service.close();
    }
  });
}

async function onPage(
  browser: Browser,
  { url, width }: { readonly url: string; readonly width: number },
  check: Check,
): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  const errors: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  try {
    const response = await page.goto(url, { waitUntil: "networkidle" });
    equal(response?.status(), 200);
    await check(page);
    deepEqual([...hosts], [new URL(url).host]);
    deepEqual(errors, []);
  } finally {
    await page.close();
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

testPages("the pages in Chromium", async (t, onPage) => {
  await t.step(
    "the start page leads to the reference",
    () =>
      onPage({ path: "/docs/start", width: 1200 }, async (page) => {
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
          onPage({ path, width }, async (page) => {
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
        onPage({ path, width: 390 }, async (page) => {
          ok(await overflowOf(page) <= 0, `${await overflowOf(page)} pixels too wide`);
          await page.click("a[href='/docs']");
          equal(await page.textContent("h1"), "Reference");
        }),
    );
  }
  await t.step(
    "every link within the reference leads somewhere",
    () =>
      onPage({ path: "/docs", width: 1200 }, async (page) => {
        const broken = await page.evaluate(
          "[...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.hash.slice(1))" +
            ".filter((id) => !document.getElementById(decodeURIComponent(id)))",
        );
        deepEqual(broken, []);
      }),
  );
});

testPages("narrow tables in Chromium", async (t, onPage) => {
  for (const width of [390, 500]) {
    for (const path of ["/docs", "/docs/measures", "/docs/alarms", "/docs/webhooks"]) {
      await t.step(
        `${path} breaks no word in a window of ${width} pixels`,
        () =>
          onPage({ path, width }, async (page) => {
            deepEqual(await page.evaluate(broken_names), []);
            ok(await overflowOf(page) <= 0);
          }),
      );
    }
  }
});
