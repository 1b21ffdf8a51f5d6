// The page Data health in a browser: every section for eyes and keys, and what can be done there.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { loaded, type ScreenWindow, type ScreenWorld, testScreens } from "../browser.ts";
import { assertWhole } from "../whole.ts";
import { aTurn } from "../../help/until.ts";

const sections = [
  ...["sensors", "coverage", "counters", "sources", "setpoints", "forwarding"],
  "destinations",
  ...["service", "deliveries"],
  ...["users", "tokens", "sessions"],
];

testScreens("the page Data health", async (t, world) => {
  await t.step("a user is made, signs in by a link shown once, and is disabled", () => {
    return userMade(world);
  });
  await t.step("a token's text is shown once and works until it is revoked", () => {
    return tokenMade(world);
  });
  await t.step("a reset is declared at its event and taken back", () => resetDeclared(world));
  await t.step("a receiver is tested; each attempt is told", () => deliveryTold(world));
  await t.step("coverage leads from a component to its devices", () => coverageOpened(world));
  await t.step("at a moment of the past, what is of now says so", () => replayed(world));
  await t.step("a source that is lost says what is wrong with it", () => sourceLost(world));
  const window = await world.open("/docs/start");
  for (const section of sections) {
    await t.step(`${section} is whole on a phone and a screen`, () => {
      return whole(window, `${world.origin}/health?section=${section}`);
    });
  }
});

async function whole(window: ScreenWindow, address: string): Promise<void> {
  const { page } = window;
  const looks = [{ width: 390, colorScheme: "dark" }, {
    width: 1440,
    colorScheme: "light",
  }] as const;
  for (const [i, { width, colorScheme }] of looks.entries()) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    if (i === 0) await page.goto(address);
    await loaded(page);
    await assertWhole(window);
  }
}

/** Asks by a row's button, and answers with the same word. */
async function askAndAnswer(page: Page, row: string, word: string): Promise<void> {
  const line = page.locator("tr", { hasText: row });
  await line.getByRole("button", { name: `${word}…` }).press("Enter");
  await page.locator("button:focus", { hasText: "Cancel" }).waitFor();
  await page.keyboard.press("Escape");
  await line.getByRole("button", { name: `${word}…` }).press("Enter");
  await line.getByRole("button", { name: word, exact: true }).press("Enter");
}

const said = (page: Page, text: RegExp) => page.locator(".said").filter({ hasText: text });

/** Two inverters are declared where nothing listens. */
async function sourceLost({ service, project_id, open }: ScreenWorld): Promise<void> {
  const { services, fetch, clock } = service;
  const [{ key: site }] = services.catalog.sites;
  const { page } = await open("/health?section=sources");
  await page.getByText("This plant has no source").waitFor();
  const points = [{ tag: "{unit}.w", sunspec: "103.W" }];
  const answer = await fetch(
    `/platform/v1/sources/field?project_id=${project_id}&site=${site}`,
    {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...{ kind: "modbus", host: "10.0.0.12", maps: [{ key: "m", points }] },
        units: [{ unit: 1, map: "m" }, { unit: 2, map: "m" }],
      }),
    },
  );
  equal(answer.status, 201, await answer.text());
  const stop = new AbortController();
  const looping = services.sources.loop.run(stop.signal);
  const [source] = services.catalog.sources;
  while (services.sources.stateOf(source)?.connected !== false) {
    clock.advance(1000);
    await aTurn();
  }
  await page.reload();
  await page.getByText("2 of 2 devices lost now.").waitFor();
  const more = page.locator(".below details");
  equal(await more.getAttribute("open"), "");
  equal(await more.locator("tbody tr").count(), 2);
  equal(await page.locator(".badge.dead", { hasText: "lost" }).count(), 1);
  stop.abort();
  await looping;
  await page.context().close();
}

async function userMade(world: ScreenWorld): Promise<void> {
  const { page } = await world.open("/health?section=users");
  await page.getByRole("button", { name: "Make a user…" }).press("Enter");
  await page.keyboard.type("Robin");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Vega");
  await page.keyboard.press("Tab");
  await page.keyboard.type("robin@example.org");
  await page.waitForSelector("select[name=organization] option", { state: "attached" });
  await page.keyboard.press("Enter");
  await said(page, /Robin Vega is made/).waitFor();
  await page.locator("tr", { hasText: "Robin Vega" })
    .getByRole("button", { name: "Link to sign in" }).press("Enter");
  const url = await page.locator(".secret code").innerText();
  await passwordSet(world, new URL(url).hash);
  await page.getByRole("button", { name: "I have it" }).click();
  equal(await page.locator(".secret").count(), 0);
  await askAndAnswer(page, "Robin Vega", "Disable");
  await said(page, /Robin Vega is disabled/).waitFor();
  await page.context().close();
}

/** A reader sees what is a reader's, and sets the own password. */
async function passwordSet(world: ScreenWorld, hash: string): Promise<void> {
  const { page } = await world.open(`/health?section=password${hash}`, { is_signed_in: false });
  await page.waitForSelector("input[name=password]");
  const offered = await page.locator(".health > nav li").allInnerTexts();
  deepEqual(offered, [
    ...["Sensors", "Coverage", "Counters", "Sources", "Setpoints", "Forwarding"],
    ...["Destinations", "Sessions"],
    "Password",
  ]);
  await page.fill("input[name=password]", "a long enough sentence");
  await page.fill("input[name=again]", "another long sentence");
  await page.getByRole("button", { name: "Save" }).click();
  match(await page.locator(".refused").innerText(), /not the same/);
  await page.fill("input[name=again]", "a long enough sentence");
  await page.getByRole("button", { name: "Save" }).click();
  await said(page, /Your password is set/).waitFor();
  await page.context().close();
}

async function tokenMade(world: ScreenWorld): Promise<void> {
  const { page } = await world.open("/health?section=tokens&open=new");
  await page.fill("input[name=name]", "a historian");
  await page.getByRole("button", { name: "Make", exact: true }).click();
  const token = await page.locator(".secret code").innerText();
  const statusOf = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${world.origin}/platform/v1/meta/projects`, { headers });
    await answer.body?.cancel();
    return answer.status;
  };
  equal(await statusOf(), 200);
  await page.reload();
  await loaded(page);
  ok(!(await page.content()).includes(token));
  await askAndAnswer(page, "a historian", "Revoke");
  await said(page, /a historian is revoked/).waitFor();
  equal(await statusOf(), 401);
  await page.context().close();
}

async function resetDeclared(world: ScreenWorld): Promise<void> {
  const { page } = await world.open("/health?section=counters&kind=new_track");
  await page.getByRole("link", { name: "Declare a reset" }).first().click();
  match(await page.inputValue("input[name=tag]"), /\.E_TOTAL$/);
  await page.getByRole("button", { name: "Declare", exact: true }).click();
  await said(page, /is declared\. It fits the readings/).waitFor();
  await world.service.settle();
  await page.goto(`${world.origin}/health?section=counters&kind=reset`);
  await askAndAnswer(page, "declared by test", "Remove");
  await said(page, /is removed/).waitFor();
  await world.service.settle();
  await page.context().close();
}

async function deliveryTold(world: ScreenWorld): Promise<void> {
  const [{ organization_id }] = world.service.services.catalog.projects;
  const made = await world.service.fetch("/admin/v1/subscriptions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ name: "CMMS", target: "https://example.org/hook", event_types: ["*"] },
      organization: organization_id,
    }),
  });
  equal(made.status, 201, await made.text());
  const { page } = await world.open("/health?section=deliveries");
  await page.getByRole("button", { name: "Test" }).click();
  await said(page, /on its way to CMMS/).waitFor();
  await page.getByRole("button", { name: "webhook.test" }).click();
  match(page.url(), /open=1/);
  await page.locator(".below", { hasText: /No attempt has ended yet|ms,/ }).waitFor();
  await askAndAnswer(page, "example.org", "Pause");
  await said(page, /CMMS is paused/).waitFor();
  await page.context().close();
}

async function coverageOpened(world: ScreenWorld): Promise<void> {
  const { page } = await world.open("/health?section=coverage&days=7");
  await loaded(page);
  await page.getByRole("link", { name: "Inverters, active power" }).click();
  await page.locator("tbody tr").nth(19).waitFor();
  match(page.url(), /of=inverter:active_power/);
  const link = await page.locator("tbody th a").first().getAttribute("href");
  match(link!, /^\/trends\?curves=INV-\d\d/);
  equal(await page.getByRole("button", { name: "Export" }).count(), 1);
  await page.context().close();
}

async function replayed(world: ScreenWorld): Promise<void> {
  const at = "2026-06-02T12:00Z";
  const { page } = await world.open(`/health?section=service&at=${at}`);
  match(await page.locator(".health-body").innerText(), /tells of now alone/);
  await page.goto(`${world.origin}/health?section=counters&at=${at}`);
  await page.locator(".listing").waitFor();
  const times = await page.locator(".listing time").evaluateAll((found) =>
    found.map((it) => it.getAttribute("datetime"))
  ) as string[];
  ok(times.length > 0 && times.every((it) => Date.parse(it) < Date.parse(at)));
  equal(await page.getByRole("button", { name: /Declare/ }).count(), 0);
  await page.context().close();
}
