// What share of the daylight has expected values that stand on another site's weather.
import { deepEqual, equal, ok } from "node:assert/strict";
import { readWorkPlant, verify } from "../../../src/engine/rollup/pass.ts";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { daylightOf } from "../../../src/model/time/daylight.ts";
import { openRollSession } from "../../../src/store/rollup/progress.ts";
import { queryRows } from "../../help/query.ts";
import { neighbour, noon, openSites, site } from "./fallback_help.ts";

type Sites = Awaited<ReturnType<typeof openSites>>;

const meter = { key: "G", type: "meter" } as const;
/** Beside the inverter I one whose expected power is sent, and what sums both. */
const south: SiteInput = {
  ...site,
  devices: [
    ...site.devices!.map((it) => it.key === "I" ? { ...it, parent: "G" } : it),
    { ...site.devices!.find((it) => it.key === "I")!, key: "J", parent: "G" },
    meter,
  ],
  sensors: [
    ...site.sensors!,
    { tag: "s.p", device: "I", measure: "energy" },
    { tag: "j.p", device: "J", measure: "active_power" },
    { tag: "j.p", device: "J", measure: "energy" },
    { tag: "g.p", device: "G", measure: "active_power" },
    { tag: "g.p", device: "G", measure: "energy_export" },
    { tag: "all.p", component: "system", measure: "active_power" },
  ],
};
const powers = ["s.p", "j.p", "g.p", "all.p"] as const;

/** In UTC the sun is over the site from 00:00 and from about noon on. */
const daylight = daylightOf(
  { latitude: 35.05, longitude: -106.54, timezone: "UTC" },
  dayNumber("2026-06-01"),
)
  .reduce((sum, { from_minute, to_minute }) => sum + to_minute - from_minute, 0);

/** Four hours, of which the site's own weather is silent in the second and the third. */
async function openSilent(spacing: number): Promise<Sites> {
  const sites = await openSites();
  for (const file of [neighbour, south]) equal((await sites.apply(file)).status, 200);
  const minutes = Array.from({ length: 240 / spacing + 1 }, (_, i) => i * spacing);
  await sites.send("north", minutes.flatMap((minute) => weatherAt("n", minute)));
  await sites.send("south", [
    ...minutes.filter((minute) => !isSilent(minute)).flatMap((minute) => weatherAt("s", minute)),
    ...[-600, ...minutes].flatMap((minute) => powers.map((tag) => [tag, minute, 500] as const)),
  ]);
  await sites.send("south", minutes.map((minute) => ["j.p", minute, 500]), "model");
  return sites;
}

const isSilent = (minute: number) => 60 <= minute && minute < 180;

const weatherAt = (key: string, minute: number) =>
  [[`${key}.poa`, minute, 500 + minute], [`${key}.air`, minute, 20]] as const;

type Query = Readonly<Record<string, string>>;

/** The shares from noon on, bucket by bucket. */
async function sharesOf(sites: Sites, interval: string, more: Query = {}) {
  const rows = await sites.rows(interval, { include: "evidence", ...more });
  return rows.filter(({ ts }) => Date.parse(`${ts}Z`) / 60_000 >= noon)
    .map(({ fallback_share }) => fallback_share);
}

/** The share of each of the buckets from noon to midnight, the minutes [from, to) being lent. */
function wantedOf(width: number, from: number, to: number): number[] {
  return Array.from({ length: 360 / width }, (_, i) => {
    const inside = Math.min(to, (i + 1) * width) - Math.max(from, i * width);
    return Math.max(inside, 0) / width;
  });
}

async function dayShare(sites: Sites, more: Query = {}, interval = "OneDay") {
  const rows = await sites.rows(interval, {
    ...{ include: "evidence", group_by: "project_id", ...more },
  });
  equal(rows.length, 1);
  return rows[0].fallback_share!;
}

const inverter = async (sites: Sites, tag: string) => {
  const rows: { sensor_tag?: string; hierarchy_id: string | null }[] = await sites.rows("Full");
  return rows.find((row) => row.sensor_tag === tag)!.hierarchy_id!;
};

/** How many rows differ from what is computed anew. */
async function differing({ services: { database, catalog, roll } }: Sites): Promise<number> {
  let sum = 0;
  for await (const { differences } of verify({ database, catalog, roll })) {
    for (const count of Object.values(differences)) sum += count;
  }
  return sum;
}

for (const spacing of [1, 5, 15]) {
  Deno.test(`each ${spacing} minutes, lent weather is marked in the evidence`, async () => {
    const sites = await openSilent(spacing);
    // The last own sample before the silence stands for its own minute.
    const [from, to] = [60 - spacing + 1, 180];
    const I = { hierarchy_ids: await inverter(sites, "s.p") };
    const J = { hierarchy_ids: await inverter(sites, "j.p") };
    const widths = { OneMinute: 1, FiveMinutes: 5, FifteenMinutes: 15, OneHour: 60 };
    for (const [interval, width] of Object.entries(widths)) {
      deepEqual(await sharesOf(sites, interval, I), wantedOf(width, from, to), interval);
      deepEqual(await sharesOf(sites, interval, J), wantedOf(width, 0, 0), interval);
    }
    const whole = (to - from) / daylight;
    for (const interval of ["OneDay", "Full"]) {
      equal(await dayShare(sites, I, interval), whole);
      equal(await dayShare(sites, J, interval), 0);
      // Of both inverters' minutes it is half.
      equal(await dayShare(sites, {}, interval), whole / 2);
      equal(await dayShare(sites, { component_measure: "energy" }, interval), whole / 2);
      for (const component of ["meter", "system"]) {
        equal(await dayShare(sites, { component }, interval), whole, component);
      }
      const export_of = { component: "meter", component_measure: "energy_export" };
      equal(await dayShare(sites, export_of, interval), whole);
    }
    // Late own samples take its place.
    const late = Array.from({ length: 120 / spacing }, (_, i) => 60 + i * spacing);
    await sites.send("south", late.flatMap((minute) => weatherAt("s", minute)));
    equal(await dayShare(sites), 0);
    deepEqual(await sharesOf(sites, "OneHour", I), wantedOf(60, 0, 0));
    equal(await differing(sites), 0);
    await sites.close();
  });
}

Deno.test("a share is of daylight, null in the dark, and only told when asked for", async () => {
  const sites = await openSilent(15);
  const dark = await sites.rows("OneHour", {
    ...{ include: "evidence", group_by: "project_id", use_solar_bounds: "false" },
  });
  const shares = dark.slice(0, 5).map(({ fallback_share }) => fallback_share);
  deepEqual(shares, [null, 14 / 60 / 2, 0.5, 0.5, 0]);
  ok((await sites.rows("OneDay")).every((row) => !("fallback_share" in row)));
  await sites.close();
});

Deno.test("marks of lent weather are verified, and go with the fallback", async () => {
  const sites = await openSilent(15);
  const { database } = sites.services;
  const marks = () =>
    database.read((connection) =>
      queryRows<{ sensor_no: number }>(connection, "SELECT sensor_no FROM lent_quarter")
    );
  /** Whether the roll-up looks for such marks, as the plant stands. */
  const isLooking = async () => {
    const session = await openRollSession(database);
    const { kind } = await readWorkPlant(session, undefined);
    session.close();
    return kind.has_fallbacks;
  };
  const { length } = await marks();
  equal(length, 5 * 9); // of I and what sums it nine quarter-hours, the first with 14 minutes
  await database.write(({ connection }) =>
    connection.script("UPDATE lent_quarter SET bits = 1 WHERE bits = 32766")
  );
  equal(await differing(sites), 5 * 2); // each to be deleted and inserted
  equal(await isLooking(), true);
  await sites.apply({ ...south, fallbacks: [] });
  equal(await isLooking(), true);
  await sites.settle();
  deepEqual(await marks(), []);
  equal(await isLooking(), false);
  equal(await differing(sites), 0);
  await sites.close();
});

Deno.test("marks go with their sensor", async () => {
  const sites = await openSilent(15);
  const applied = await sites.apply(
    {
      ...south,
      sensors: south.sensors!.filter((it) => it.device !== "I" || it.measure !== "energy"),
    },
    "?remap=true",
  );
  equal(applied.status, 200, JSON.stringify(applied.body));
  await sites.settle();
  const left = await sites.services.database.read((connection) =>
    queryRows<{ marks: number }>(
      connection,
      "SELECT count(*)::INTEGER AS marks FROM lent_quarter",
    )
  );
  deepEqual(left, [{ marks: 4 * 9 }]);
  equal(await differing(sites), 0);
  await sites.close();
});
