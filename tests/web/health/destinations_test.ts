// Destinations on Data health: none, one that takes rows and refuses some, one that is held up.
import { equal, match } from "node:assert/strict";
import type { Posted } from "../../../src/base/effects_post.ts";
import { concat, textOf } from "../../../src/base/bytes.ts";
import { openSending, type Sending } from "../../help/destination.ts";
import { findChromium, launch, loaded, type ScreenWorld, serveScreens } from "../browser.ts";
import { assertWhole } from "../whole.ts";

/** How the receiver does: well, but for poison; or it is not there. */
type Receiver = { is_there: boolean; answers_poison: number };

const answered = (status: number, answer = ""): Posted => (
  { status, answer, error: null, is_timeout: false, retry_after: null, address: null }
);

async function openWorld(receiver: Receiver): Promise<Sending> {
  return await openSending({
    post({ body }) {
      const gone = { ...answered(0), status: null, error: "the connection was refused" };
      if (!receiver.is_there) return Promise.resolve(gone);
      const is_poison = textOf(concat([body])).includes("poison");
      return Promise.resolve(
        is_poison ? answered(receiver.answers_poison, "not this one") : answered(200),
      );
    },
  });
}

/** Sends as many good rows, and one that is not taken. */
async function sendRows(world: Sending, count: number): Promise<void> {
  world.service.clock.advance(1000);
  const ts = new Date(world.service.clock.now_us / 1000).toISOString();
  const rows = Array.from({ length: count }, (_, i) => ({ tag: `a${i}`, ts, value: i }));
  await world.send([...rows, { tag: "poison", ts, value: 1 }]);
  await world.turn();
}

const looks = [
  ...[["en-GB", 390, "dark"], ["en-GB", 1440, "light"]] as const,
  ...[["de-DE", 390, "light"], ["es-ES", 390, "dark"]] as const,
] as const;

async function whole({ open }: ScreenWorld): Promise<void> {
  for (const [locale, width, colorScheme] of looks) {
    const viewport = { width, height: 900 };
    const window = await open("/health?section=destinations&open=prom", {
      ...{ viewport, colorScheme, locale },
    });
    await loaded(window.page);
    await assertWhole(window);
    await window.page.context().close();
  }
}

Deno.test("destinations: none, set aside, lost, held up and sent again", async () => {
  const executable = await findChromium();
  if (executable === undefined) return;
  const browser = await launch(executable);
  const receiver = { is_there: true, answers_poison: 400 };
  const world = await openWorld(receiver);
  const screens = serveScreens(browser, { service: world.service, project_id: "pid" });
  try {
    const { page } = await screens.open("/health?section=destinations");
    await page.getByText("sent to no other system").waitFor();
    await world.put({ key: "prom", kind: "remote_write", url: "https://prom.example/write" });
    await sendRows(world, 3);
    await world.service.services.database.write(({ connection }) =>
      connection.script(
        "INSERT INTO upstream_lost (day, kept, rows, lost_at, destination_no) " +
          "VALUES (20600, 'samples', 7000, 0, 1)",
      )
    );
    await page.reload();
    await page.getByText("No destination of 1 is held up.").waitFor();
    const cells = page.locator("tbody tr").first().locator("td");
    equal(
      (await cells.allInnerTexts()).map((it) => it.trim()).slice(1).join("|"),
      "0\u202fs|0|1|7,000",
    );
    match(await page.locator(".below").innerText(), /7,000 rows of 2026-05-27 \(UTC\) are lost/);
    await page.getByRole("button", { name: "1", exact: true }).press("Enter");
    const aside = page.locator(".below tr", { hasText: "poison" });
    match(await aside.innerText(), /not this one/);
    receiver.is_there = false;
    await sendRows(world, 1);
    await page.reload();
    await page.getByText("1 of 1 held up now.").waitFor();
    await page.getByText(/does not answer: the connection was refused/).waitFor();
    await whole(screens);
    [receiver.is_there, receiver.answers_poison] = [true, 200];
    await page.getByRole("button", { name: "Send again" }).press("Enter");
    await page.locator(".said", { hasText: "Rows that wait again for prom: 1." }).waitFor();
    await world.turn();
    await page.reload();
    await page.getByText("No destination of 1 is held up.").waitFor();
    equal((await cells.allInnerTexts())[3].trim(), "0");
  } finally {
    await screens.close();
    await browser.close();
  }
});
