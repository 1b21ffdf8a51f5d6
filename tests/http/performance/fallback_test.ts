// Weather of another site of the organization, where a site's own sensors tell nothing.
import assert from "node:assert/strict";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { acOf } from "../../engine/expected/model_help.ts";
import { neighbour, noon, openSites, site } from "./fallback_help.ts";

const length = 90;
const own = (minute: number) => 700 + minute;
const lent = (minute: number) => 400 + minute;
/** An hour without the own station. */
const isSilent = (minute: number) => minute >= 15 && minute < 75;

/** The expected power of each minute after noon, 0 where there is none. */
async function expectedOf({ rows }: Awaited<ReturnType<typeof openSites>>): Promise<number[]> {
  const all = await rows("OneMinute");
  const found = new Map(all.map((it) => [Date.parse(`${it.ts}Z`) / 60_000, it.model_value]));
  return Array.from({ length }, (_, minute) => found.get(noon + minute) ?? 0);
}

function near(found: readonly number[], wanted: readonly number[]): void {
  wanted.forEach((value, i) =>
    assert.ok(Math.abs(found[i] - value) < 1e-6, `${found[i]} at ${i}, not ${value}`)
  );
}

const of = (poa: number, air: number) => acOf(poa, air + poa / 32).model;

for (const spacing of [1, 5, 15]) {
  Deno.test(`each ${spacing} minutes, a neighbour stands in for silent sensors`, async () => {
    const sites = await openSites();
    for (const file of [neighbour, site]) assert.equal((await sites.apply(file)).status, 200);
    const minutes = Array.from({ length: length / spacing + 1 }, (_, i) => i * spacing);
    const heard = minutes.filter((minute) => !isSilent(minute));
    await sites.send("south", [
      ...heard.map((minute) => ["s.poa", minute, own(minute)] as const),
      ...heard.map((minute) => ["s.air", minute, 20] as const),
      ...minutes.map((minute) => ["s.p", minute, 500] as const),
    ]);
    const last = 15 - spacing;
    const alone = (minute: number) => minute <= last || minute >= 75 ? of(own(minute), 20) : 0;
    near(await expectedOf(sites), Array.from({ length }, (_, i) => alone(i)));
    // What comes later of the other site works this one's model out anew.
    await sites.send("north", [
      ...minutes.map((minute) => ["n.poa", minute, lent(minute)] as const),
      ...minutes.map((minute) => ["n.air", minute, 10] as const),
    ]);
    // The own air is carried for a quarter-hour.
    const airOf = (minute: number) => minute <= last + 15 ? 20 : 10;
    const wanted = (minute: number) => alone(minute) || of(lent(minute), airOf(minute));
    near(await expectedOf(sites), Array.from({ length }, (_, i) => wanted(i)));
    await sites.close();
  });
}

Deno.test("a fallback can be one tag, come later and go again", async () => {
  const sites = await openSites();
  await sites.apply(neighbour);
  await sites.apply({ ...site, fallbacks: [] });
  const minutes = Array.from({ length: length + 1 }, (_, i) => i);
  await sites.send("south", minutes.map((minute) => ["s.air", minute, 20]));
  await sites.send("north", minutes.map((minute) => ["n.poa", minute, lent(minute)]));
  near(await expectedOf(sites), Array(length).fill(0));
  const one = { ...site, fallbacks: [{ site: "n", tag: "n.poa" }] };
  const { body } = await sites.apply(one);
  assert.deepEqual(
    body.changes.map((it: { kind: string; key: string }) => [it.kind, it.key]),
    [["fallback", "n > n.poa"]],
  );
  await sites.settle();
  near(await expectedOf(sites), minutes.slice(0, length).map((minute) => of(lent(minute), 20)));
  const shown = await (await sites.fetch("/admin/v1/sites/s")).json();
  assert.deepEqual(shown.fallbacks, one.fallbacks);
  assert.deepEqual((await sites.apply(one)).body.changes, []);
  await sites.apply({ ...site, fallbacks: [] });
  await sites.settle();
  near(await expectedOf(sites), Array(length).fill(0));
  await sites.close();
});

Deno.test("a fallback is another site of the organization that has weather", async () => {
  const sites = await openSites();
  await sites.apply(neighbour);
  await sites.apply({
    ...neighbour,
    organization: { key: "other", name: "Other" },
    site: { ...neighbour.site, key: "foreign" },
  });
  const cases: readonly (readonly [SiteInput["fallbacks"], string])[] = [
    [[{ site: "foreign" }], "fallbacks[0].site"],
    [[{ site: "s" }], "fallbacks[0].site"],
    [[{ site: "n" }, { site: "n" }], "fallbacks[1]"],
    [[{ site: "n", tag: "n.po" }], "fallbacks[0].tag"],
  ];
  for (const [fallbacks, path] of cases) {
    const { status, body } = await sites.apply({ ...site, fallbacks });
    assert.deepEqual([status, body.errors[0].path], [409, path], JSON.stringify(body));
  }
  await sites.close();
});
