// A plant with some days of history, served to a real browser whose clock is the service's.
import { deepEqual, ok } from "node:assert/strict";
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from "playwright-core";
import { openDemoPlant } from "../help/demo_plant.ts";
import type { TestService } from "../help/service.ts";

/** The system's Chromium; undefined where there is none and nothing demands one. */
export async function findChromium(): Promise<string | undefined> {
  for (const path of ["/usr/bin/chromium", "/usr/bin/chromium-browser"]) {
    if (await Deno.stat(path).catch(() => undefined)) return path;
  }
  if (Deno.env.get("REQUIRE_CHROMIUM") === "1") throw new Error("Chromium is not installed");
  // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
  console.log("SKIPPED: a test in a browser; install Chromium to run it");
}

/**
 * What the browser does for people at an address bar: two pages of its own beside each window, and
 * a process for what may come next. That took more time than the pages that are tested.
 */
const unseen = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess"];

/** What Playwright turns off that matters here: of two such lists the last one counts. */
const unwanted = [
  ...["AimEnabled", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose"],
  ...["HttpsUpgrades", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints"],
  ...["PaintHolding", "PreconnectToSearch"],
];

/** Starts the browser. */
export function launch(executablePath: string): Promise<Browser> {
  const args = [
    ...["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    `--disable-features=${[...unseen, ...unwanted].join(",")}`,
  ];
  return chromium.launch({ executablePath, args });
}

/** How many requests each page has begun and ended; a stream of events goes on for ever. */
const requests = new WeakMap<Page, { begun: number; ended: number }>();

function followRequests(page: Page): void {
  const counts = { begun: 0, ended: 0 };
  requests.set(page, counts);
  const amount = (it: Request) => Number(!it.url().includes("/stream?"));
  page.on("request", (it) => counts.begun += amount(it));
  page.on("requestfinished", (it) => counts.ended += amount(it));
  page.on("requestfailed", (it) => counts.ended += amount(it));
}

/** A window, and what went wrong in it. */
export type ScreenWindow = { readonly page: Page; readonly errors: readonly string[] };

/** A served plant and windows to look at it. */
export type ScreenWorld = {
  readonly service: TestService;
  readonly project_id: string;
  /** Where the service answers. */
  readonly origin: string;
  /** Opens a window, signed in with the administrator's token unless told otherwise. */
  readonly open: (
    path: string,
    options?: BrowserContextOptions & { readonly is_signed_in?: boolean },
  ) => Promise<ScreenWindow>;
  /** Cuts every stream of events that is open. */
  readonly cutStreams: () => void;
  readonly close: () => Promise<void>;
};

/** The demo's plant after two days and a morning. */
async function openScreens(browser: Browser): Promise<ScreenWorld> {
  const { service, project } = await openDemoPlant();
  return serveScreens(browser, { service, project_id: project.id });
}

/** A test with the demo's plant in a browser; says that it is skipped where there is none. */
export function testScreens(
  name: string,
  run: (t: Deno.TestContext, world: ScreenWorld) => Promise<void>,
): void {
  Deno.test(name, async (t) => {
    const executable = await findChromium();
    if (executable === undefined) return;
    const browser = await launch(executable);
    try {
      const world = await openScreens(browser);
      try {
        await run(t, world);
      } finally {
        await world.close();
      }
    } finally {
      await browser.close();
    }
  });
}

/** The screens of a service and of a project of it. */
export function serveScreens(
  browser: Browser,
  { service, project_id }: Pick<ScreenWorld, "service" | "project_id">,
): ScreenWorld {
  let connection = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request, info) => cuttable(await service.answer(request, info), connection.signal),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const origin = `http://${host}`;
  const at = new Date(service.clock.now_us / 1000).toISOString();
  const closed: Array<() => Promise<void>> = [];
  return {
    service,
    origin,
    project_id,
    async open(path, { is_signed_in = true, ...options } = {}) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        locale: "en-GB",
        timezoneId: "Asia/Tokyo",
        ...options,
      });
      const errors: string[] = [];
      const hosts = new Set<string>();
      const page = await context.newPage();
      followRequests(page);
      await page.clock.install({ time: at });
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("request", (request) => {
        const { protocol, host } = new URL(request.url());
        if (protocol !== "blob:" && protocol !== "data:") hosts.add(host);
      });
      closed.push(async () => {
        await context.close();
        deepEqual([...hosts], [host]);
      });
      if (is_signed_in) await signIn(context.request, { origin, token: service.token });
      await page.goto(origin + path);
      return { page, errors };
    },
    cutStreams() {
      connection.abort();
      connection = new AbortController();
    },
    async close() {
      try {
        for (const close of closed) await close();
      } finally {
        service.refuse();
        await server.shutdown();
        await service.close();
      }
    },
  };
}

/** An answer that ends at once when it is a stream of events and `signal` aborts. */
function cuttable(response: Response, signal: AbortSignal): Response {
  if (response.headers.get("content-type") !== "text/event-stream") return response;
  const ending = new TransformStream<Uint8Array, Uint8Array>({
    start: (stream) => signal.addEventListener("abort", () => stream.terminate()),
  });
  return new Response(response.body!.pipeThrough(ending), response);
}

type Posting = Awaited<ReturnType<Browser["newContext"]>>["request"];

async function signIn(
  request: Posting,
  { origin, token }: { readonly origin: string; readonly token: string },
): Promise<void> {
  const answer = await request.post(`${origin}/platform/v1/session`, {
    data: { token },
    headers: { origin },
  });
  if (!answer.ok()) throw new Error(`signing in: ${answer.status()} ${await answer.text()}`);
}

/** Settles once the page asks for nothing, has drawn what it got, and says so. */
export async function loaded(page: Page): Promise<void> {
  const busy = ["Loading…", "Opening…", "Reading the curves…"].map((text) =>
    `:not(:has-text("${text}"))`
  ).join("");
  const counts = requests.get(page)!;
  let ended: number;
  do {
    ({ ended } = counts);
    await page.locator(`body${busy}:has(main)`).waitFor();
    // An answer may lead to the next question once it is drawn.
    await page.evaluate(() =>
      new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    );
    // One that came since the page was looked at may not be drawn yet.
  } while (ended < counts.begun);
}

/** The names of drawings that have no table with rows, once all is loaded and unfolded. */
export async function drawingsWithoutTable(page: Page): Promise<string[]> {
  // What comes after a table was opened is drawn anew, with its table folded.
  await loaded(page);
  await unfold(page);
  return await page.locator("canvas").evaluateAll((all) =>
    all.filter((it) => !it.closest(".panel, .detail")?.querySelector("table tbody tr"))
      .map((it) => it.closest("[aria-label]")?.ariaLabel ?? "a drawing without a name")
  );
}

/** Opens everything that is folded; settles once the tables behind drawings are there. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('details').forEach((it) => it.open = true)");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".data-table")].every((it) => it.querySelector("table"))
  );
}

/** Opens the table behind a drawing; settles once its rows are there. */
export async function unfoldTable(page: Page, panel: string): Promise<void> {
  const table = page.locator(panel).locator(".data-table");
  await table.locator("summary").click();
  await table.locator("tbody tr").first().waitFor();
}

/** What is asked besides the path: a text is sent as lines of JSON. */
type Asking = { readonly method?: string; readonly body?: unknown };

/** What a request of the administrator to the service of the world answers. */
export async function ask(
  { origin, service, project_id }: ScreenWorld,
  path: string,
  { method = "GET", body }: Asking = {},
) {
  const address = new URL(path, origin);
  if (!path.startsWith("/admin/")) address.searchParams.set("project_id", project_id);
  const is_text = typeof body === "string";
  const answer = await fetch(address, {
    method,
    headers: {
      authorization: `Bearer ${service.token}`,
      "content-type": is_text ? "application/x-ndjson" : "application/json",
    },
    body: body === undefined ? undefined : is_text ? body : JSON.stringify(body),
  });
  const data = await answer.json();
  ok(answer.ok, JSON.stringify(data));
  return data;
}
