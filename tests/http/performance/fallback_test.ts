// Weather of another site of the organization, where a site's own sensors tell nothing.
import assert from "node:assert/strict";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { openLog } from "../../../src/engine/core/log.ts";
import { closeParts, openParts } from "../../../src/engine/service/service.ts";
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

Deno.test("who takes a lent sensor away is told, and so is who borrowed it", async () => {
  const sites = await openSites();
  await sites.apply(neighbour);
  await sites.apply({ ...site, fallbacks: [{ site: "n", tag: "n.poa" }] });
  const [, air] = neighbour.sensors!;
  const renamed = { ...neighbour, sensors: [{ ...neighbour.sensors![0], tag: "n.poa2" }, air] };
  const text =
    'site s has a fallback that lends nothing: site n has no weather sensor of tag "n.poa"';
  assert.deepEqual((await sites.apply(renamed, "?dry_run=true")).body.warnings, [text]);
  const north = await sites.tokenOf("north");
  const shy = await sites.apply(renamed, "?dry_run=true", north);
  assert.deepEqual(shy.body.warnings, [text.replace("site s", "another site")]);
  assert.deepEqual((await sites.apply(renamed)).body.warnings, [text]);
  assert.equal((await sites.apply(renamed)).body.warnings, undefined);
  const again = await sites.apply({ ...site, fallbacks: [{ site: "n", tag: "n.poa" }] });
  assert.deepEqual([again.status, again.body.errors], [409, [{
    path: "fallbacks[0].tag",
    message: 'site n has no weather sensor of tag "n.poa"; meant n.poa2?',
  }]]);
  const said: string[] = [];
  const err = (line: string) => said.push(line);
  const log = openLog({ log_level: "warning", log_format: "pretty" }, { err, log: err });
  const { database, effects, settings, version } = sites.services;
  await closeParts(await openParts(database, { effects, settings, version, log }));
  assert.equal(said.length, 1);
  assert.match(said[0], /site s has a fallback that lends nothing: site n has no .* "n.poa"/);
  await sites.close();
});

Deno.test("a token learns nothing of the sites that it does not reach", async () => {
  const sites = await openSites();
  await sites.apply(neighbour);
  await sites.apply({ ...site, fallbacks: [] });
  const south = await sites.tokenOf("south");
  const tried = async (fallback: { readonly site: string; readonly tag?: string }) => {
    const file = { ...site, fallbacks: [fallback] };
    const { status, body } = await sites.apply(file, "", south);
    return [status, body.errors?.[0].path, body.errors?.[0].message.replace(/"\w+"/, "X")];
  };
  const unknown = [
    ...[409, "fallbacks[0].site"],
    "there is no other site X in the organization, or the token does not reach it",
  ];
  for (const fallback of [{ site: "n" }, { site: "m" }, { site: "n", tag: "n.poa" }]) {
    assert.deepEqual(await tried(fallback), unknown);
  }
  // What is in force can be applied again, and nothing beside it be tried out.
  await sites.apply({ ...site, fallbacks: [{ site: "n" }] });
  assert.deepEqual(await tried({ site: "n" }), [200, undefined, undefined]);
  assert.deepEqual(await tried({ site: "n", tag: "n.poa" }), unknown);
  await sites.close();
});

Deno.test("who borrows weather waits while it is computed again of who lends it", async () => {
  const sites = await openSites();
  for (const file of [neighbour, site]) assert.equal((await sites.apply(file)).status, 200);
  const minutes = Array.from({ length }, (_, minute) => minute);
  await sites.send("south", minutes.map((minute) => ["s.p", minute, 500]));
  await sites.send("north", [
    ...minutes.map((minute) => ["n.poa", minute, lent(minute)] as const),
    ...minutes.map((minute) => ["n.air", minute, 10] as const),
  ]);
  const waiting = async () => {
    const days = "dt_start=2026-06-01&dt_end=2026-06-01";
    const answer = await sites.fetch(
      `/platform/v1/performance/pending?project_ids=${sites.idOf("south")}&${days}`,
    );
    return (await answer.json()).map(({ tag_days }: { tag_days: number }) => tag_days);
  };
  assert.deepEqual(await waiting(), []);
  const before = await expectedOf(sites);
  const sensors = (scale: number) =>
    neighbour.sensors!.map((it) => it.tag === "n.poa" ? { ...it, scale } : it);
  await sites.apply({ ...neighbour, sensors: sensors(0.5) });
  assert.deepEqual(await waiting(), [1]);
  await sites.settle();
  assert.deepEqual(await waiting(), []);
  const after = await expectedOf(sites);
  assert.ok(before[40] > 0 && after[40] < before[40] * 0.6, `${before[40]}, then ${after[40]}`);
  await sites.close();
});
