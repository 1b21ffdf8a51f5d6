// Names and remarks that try to be markup or a script: every page shows them as text.
import { deepEqual, equal } from "node:assert/strict";
import type { Browser } from "playwright-core";
import { ask, findChromium, launch, loaded, unfold } from "./browser.ts";
import { openSmallPlant, smallSite, steadySamples } from "./small_plant.ts";

const foreign = `<img src=x onerror=window.pwned=1>"'><script>window.pwned=2</script>`;

/** A plant in which everything that has a name or a remark has such a one. */
async function openForeign(browser: Browser) {
  const at = "2026-11-01T18:00:00Z";
  const site = smallSite((key) => key + foreign);
  const world = await openSmallPlant(browser, {
    at,
    site: {
      ...site,
      sensors: site.sensors.map((it) => ({ ...it, tag: it.tag + foreign })),
    },
    samples: steadySamples({ from_ms: Date.parse(at) - 12 * 3_600_000, to_ms: Date.parse(at) })
      .map((it) => ({ ...it, tag: it.tag + foreign })),
  });
  const post = (path: string, body: unknown) => ask(world, path, { method: "POST", body });
  await post(
    "/ingest/v1/alarms",
    JSON.stringify({
      ...{ occurrence_id: "a", source: foreign, site: "s", rule_name: `Alarm ${foreign}` },
      ...{ rule_description: foreign, kind: "point", severity: "high", status: "open" },
      ...{ resolution_policy: "require_both", raised_at: at, updated_at: at, raised_value: 1 },
      source_tag: `INV-1.p${foreign}`,
    }),
  );
  const { id: user } = await world.service.services.users.create({
    organization: "o",
    email: "robin@x.test",
    first_name: `Robin ${foreign}`,
    last_name: "V",
  });
  await post("/platform/v1/alarms/a/comment", { user, body: `Said ${foreign}` });
  const inverter = world.service.services.catalog.devices.find(({ key }) => key === "INV-1")!;
  const issue = await post("/platform/v1/issues", {
    name: `Issue ${foreign}`,
    description: foreign,
    priority: "high",
    devices: [{ device_id: inverter.id }],
  });
  await post("/platform/v1/work-orders", {
    issue_id: issue.id,
    title: `Order ${foreign}`,
    description: foreign,
  });
  await post("/admin/v1/tokens", { name: foreign, scopes: ["read"] });
  return { world, issue_id: String(issue.id) };
}

/** Where each of them is shown, and a text of the page that has it. */
const viewsOf = (issue_id: string): Readonly<Record<string, readonly string[]>> => ({
  "/portfolio": ["P"],
  "/overview": ["Alarm "],
  "/inverters": ["INV-2"],
  "/inverters?device=INV-1": ["INV-1", "Alarm ", "Issue "],
  "/alarms?alarm=a": ["Alarm ", "INV-1", "INV-1.p", "Said ", "Robin "],
  "/work": ["Issue "],
  [`/work?issue=${issue_id}`]: ["Issue ", "Order "],
  "/trends?curves=INV-1:active_power": ["INV-1"],
  "/losses": [],
  "/rules": [],
  "/health?section=sensors": [],
  "/health?section=coverage": [],
  "/health?section=users": ["Robin "],
  "/health?section=tokens": [""],
  "/report": ["S"],
});

const isShown = (text: string) => document.querySelector("main")?.innerText.includes(text);

Deno.test("names that would be scripts, in Chromium", async (t) => {
  const executable = await findChromium();
  if (executable === undefined) return;
  const browser = await launch(executable);
  const { world, issue_id } = await openForeign(browser);
  try {
    const { page, errors } = await world.open("/overview");
    for (const [path, shown] of Object.entries(viewsOf(issue_id))) {
      await t.step(`${path} shows them as text`, async () => {
        await page.goto(world.origin + path);
        await loaded(page);
        for (const word of shown) await page.waitForFunction(isShown, word + foreign);
        await unfold(page);
        equal(await page.evaluate("window.pwned"), undefined);
        equal(await page.locator("img[src=x], [onerror], main script").count(), 0);
        deepEqual(errors, []);
      });
    }
  } finally {
    await world.close();
    await browser.close();
  }
});
