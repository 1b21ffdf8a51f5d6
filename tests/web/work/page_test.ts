// The work in a real browser: a technician's phone, two editors at once, what a fault cost, replay.
import { deepEqual, equal, match } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { ask, loaded, type ScreenWorld, testScreens } from "../browser.ts";
import { assertWhole } from "../whole.ts";

/** A technician with a link to sign in by, and work for her. */
async function prepare(world: ScreenWorld) {
  const { services } = world.service;
  const user = await ask(world, "/admin/v1/users", {
    method: "POST",
    body: {
      first_name: "Anna",
      last_name: "Ruiz",
      email: "anna@plant.test",
      organization: services.catalog.organizations[0].key,
      scopes: ["read", "operate", "manage"],
    },
  });
  const link = await ask(world, `/admin/v1/users/${user.id}/link`, { method: "POST" });
  const inverter = services.catalog.devices.find(({ type }) => type === "inverter")!;
  const issue = await ask(world, "/platform/v1/issues", {
    method: "POST",
    body: {
      name: "Fan <b>is</b> loud",
      priority: "high",
      devices: [{ device_id: inverter.id }],
      effective_from: "2026-06-02T12:00:00Z",
    },
  });
  const order = await ask(world, "/platform/v1/work-orders", {
    method: "POST",
    body: { issue_id: issue.id, title: "Change the fan", assigned_to: user.id },
  });
  return { code: new URL(String(link.url)).hash, issue, order };
}

type Made = Awaited<ReturnType<typeof prepare>>;

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg" +
    "gg==",
  "base64",
);

const phone = { viewport: { width: 390, height: 844 } };

const steps: Readonly<Record<string, (world: ScreenWorld, made: Made) => Promise<void>>> = {
  "on a phone: my work, a photo, a comment, done": async (world, { code, order }) => {
    const { page, errors } = await world.open(`/work${code}`, { ...phone, is_signed_in: false });
    await loaded(page);
    match(page.url(), /whose=mine/);
    const card = page.locator(".work-cards .work-card");
    equal(await card.count(), 1);
    await card.click();
    await page.setInputFiles("input[capture]", {
      name: "fan.png",
      mimeType: "image/png",
      buffer: pixel,
    });
    await page.locator(".work-photos img").waitFor();
    await page.fill(".work-form textarea", "The bearing was worn.");
    await page.click(".work-form button[type=submit]");
    await page.locator(".work-story .said").waitFor();
    match(await page.innerText(".work-story"), /Anna Ruiz/);
    await assertWhole({ page, errors });
    await page.click("text=Complete");
    await page.locator(".work-detail .work-status", { hasText: "completed" }).waitFor();
    equal((await ask(world, `/platform/v1/work-orders/${order.id}`)).status, "completed");
    await page.click(".work-back");
    match(await page.innerText("main"), /Nothing is assigned to you/);
    await page.context().close();
  },
  "a name is text, and a fault says what it cost": async (world, { issue }) => {
    const { page, errors } = await world.open(`/work?issue=${issue.id}`);
    await loaded(page);
    equal(await page.innerText(".work-detail h2"), "Fan <b>is</b> loud");
    match(await page.innerText(".work-cost"), /Wh lost by .* to 3 Jun, 11:30/);
    await assertWhole({ page, errors });
    await page.context().close();
  },
  "of two editors, the second sees what the first did": async (world, { issue }) => {
    const { page } = await world.open(`/work?issue=${issue.id}`);
    await loaded(page);
    // The stream would tell of the other one's change before it can be overlooked.
    await page.route("**/signals/stream**", (route) => route.abort());
    await page.reload();
    await loaded(page);
    await ask(world, `/platform/v1/issues/${issue.id}`, {
      method: "PATCH",
      body: { priority: "urgent" },
    });
    await page.click(".work-moves >> text=Put on hold");
    const conflict = page.locator(".work-conflict");
    await conflict.waitFor();
    match(await conflict.innerText(), /Priority: high → urgent[^]*Status → on hold/);
    equal((await ask(world, `/platform/v1/issues/${issue.id}`)).status, "open");
    await page.click("text=Make mine now");
    await conflict.waitFor({ state: "detached" });
    const now = await ask(world, `/platform/v1/issues/${issue.id}`);
    deepEqual([now.status, now.priority], ["on_hold", "urgent"]);
    await page.context().close();
  },
  "a new issue and its work order": async (world) => {
    const { page, errors } = await world.open("/work?new=issue");
    await loaded(page);
    await page.fill("label:has-text('What is wrong') input", "Door is open");
    await page.fill(".device-picker input", "Inverter 3");
    await assertWhole({ page, errors });
    await page.click("button[type=submit]");
    await page.locator(".work-detail h2", { hasText: "Door is open" }).waitFor();
    match(page.url(), /issue=/);
    await page.click(".work-detail >> text=New work order");
    await page.fill("label:has-text('What is to be done') input", "Close it");
    await page.click("button[type=submit]");
    await page.locator(".work-detail h2", { hasText: "Close it" }).waitFor();
    match(await page.innerText(".work-facts"), /Door is open[^]*Inverter 3/);
    await page.context().close();
  },
  "at a moment before it, there was no such work": async (world, { issue }) => {
    const { page, errors } = await world.open(`/work?at=2026-06-02T12:00Z&issue=${issue.id}`);
    await loaded(page);
    match(await page.innerText(".work-detail"), /did not exist at this moment/);
    equal(await page.locator(".work-card").count(), 0);
    equal(await page.locator("text=New issue").count(), 0);
    deepEqual(errors, []);
    await page.context().close();
  },
};

testScreens("the work in Chromium", async (t, world) => {
  const made = await prepare(world);
  for (const [name, step] of Object.entries(steps)) await t.step(name, () => step(world, made));
});
