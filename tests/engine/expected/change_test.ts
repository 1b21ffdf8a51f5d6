// Expected power after a change: late or corrected weather, other parameters, several sites.
import { deepEqual, ok } from "node:assert/strict";
import { Catalog } from "../../../src/engine/catalog/catalog.ts";
import { Rollup } from "../../../src/engine/rollup/rollup.ts";
import { applySite } from "../../../src/engine/site/site.ts";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";
import { follow_nothing } from "../../help/site.ts";
import { acOf, expectedOf, inverter, params, power, same, weather } from "./model_help.ts";
import {
  assertVerified,
  at,
  each,
  noon,
  roll,
  rolledUp,
  withPlant,
} from "../rollup/setpoint_help.ts";
import { queryRows, runQuery } from "../../help/query.ts";

const devices = [inverter("d1"), inverter("d2"), { id: "sys", type: "system" }];
const tags = [
  ...[power(1), power(2, { device_id: "d2" })],
  { tag_no: 9, sensors: [{ device_id: "sys", component: "system" as const }] },
  ...[weather(100, "poa_front"), weather(101, "poa_front"), weather(102, "ambient_temp")],
];
const sky = (minute: number) => 640 + minute;
const worked = (poa: number) => acOf(poa, 10 + poa / 32).model;
const hour = (of: (minute: number) => number | null) => Array.from({ length: 60 }, (_, i) => of(i));

Deno.test("model: late and corrected weather counts as if it had come in order", async () => {
  await withPlant({ devices, tags }, async (plant) => {
    const air = each(102, [0, 60], 10);
    const bright = each(100, [0, 60], sky);
    await roll(plant, [...air, ...each(1, [0, 60], 500)]);
    same(await expectedOf(plant, 1, [0, 60]), hour(() => null));
    await roll(plant, bright.slice(20, 40));
    await roll(plant, bright.toReversed());
    same(await expectedOf(plant, 1, [0, 60]), hour((minute) => worked(sky(minute))));
    await roll(plant, each(100, [30, 40], 320));
    const dimmed = (minute: number) => minute < 30 || minute >= 40 ? sky(minute) : 320;
    same(await expectedOf(plant, 9, [0, 60]), hour((minute) => 2 * worked(dimmed(minute))));
    await assertVerified(plant);
    const late = await rolledUp(plant);
    await withPlant({ devices, tags }, async (other) => {
      await roll(other, [
        ...[...air, ...each(1, [0, 60], 500)],
        ...each(100, [0, 60], dimmed),
      ]);
      deepEqual(await rolledUp(other), late);
    });
  });
});

Deno.test("model: a few minutes after the others make the same as all at once", async () => {
  await withPlant({ devices, tags }, async (plant) => {
    const minutes = Array.from({ length: 52 }, (_, i) => i);
    const step = 4;
    // One sensor stands still for half an hour, then both are as they should be.
    const samples = (minute: number) => [
      at(1, minute, 500),
      at(100, minute, minute < 35 ? 600 : sky(minute)),
      at(101, minute, sky(minute)),
      at(102, minute, 10),
    ];
    for (let from = 0; from < minutes.length; from += step) {
      plant.clock.now_us = (noon + from + step) * 60_000_000;
      await roll(plant, minutes.slice(from, from + step).flatMap(samples));
    }
    const live = await rolledUp(plant);
    await assertVerified(plant);
    await withPlant({ devices, tags }, async (other) => {
      other.clock.now_us = plant.clock.now_us;
      await roll(other, minutes.flatMap(samples));
      deepEqual(await rolledUp(other), live);
    });
  });
});

Deno.test("model: a late power does not work expected power out anew", async () => {
  await withPlant({ devices, tags }, async (plant) => {
    await roll(plant, [...each(100, [0, 60], sky), ...each(102, [0, 60], 10)]);
    await roll(plant, each(1, [0, 60], 500));
    same(await expectedOf(plant, 1, [0, 60]), hour((minute) => worked(sky(minute))));
    await assertVerified(plant);
  });
});

const file: SiteInput = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "America/Denver" },
  site: { key: "s", name: "S", latitude: 35.05, longitude: -106.54 },
  device_models: [{ key: "M", pv: { ...params, losses: 0.3 } }],
  devices: [
    { key: "G", type: "meter", grid: { losses: 0.01 } },
    { key: "I", type: "inverter", parent: "G", device_model: "M", pv: { losses: params.losses } },
    { key: "W", type: "met" },
  ],
  sensors: [
    { tag: "i.p", device: "I", measure: "active_power" },
    { tag: "g.p", device: "G", measure: "active_power" },
    { tag: "w.poa", device: "W", measure: "poa_front" },
    { tag: "w.air", device: "W", measure: "ambient_temp" },
  ],
};

/** Another site of the same project, its tags its own. */
const second: SiteInput = {
  ...file,
  site: { key: "t", name: "T", latitude: 36, longitude: -107 },
  devices: file.devices!.map(({ key, parent, ...it }) => (
    { ...it, key: `${key}2`, ...(parent && { parent: `${parent}2` }) }
  )),
  sensors: file.sensors!.map((it) => ({ ...it, tag: `${it.tag}2`, device: `${it.device}2` })),
};

/** A service's database with site files applied, and what is expected of its tags' sensors. */
async function openSites() {
  const { effects } = fakeEffects("2026-06-01T22:00:00Z");
  const database = await Database.open({ path: ":memory:", effects, threads: 1, memory_mb: 512 });
  const catalog = await Catalog.load(database);
  const parts = {
    database,
    catalog,
    effects,
    roll: await Rollup.open({ database, catalog, effects }),
    follow: follow_nothing,
  };
  return {
    ...parts,
    apply: (site: SiteInput) => applySite(parts, site, { dry_run: false, remap: true }),
    async store(samples: Readonly<Record<string, number>>) {
      await database.write(async ({ connection, stamp_us }) => {
        for (const [name, value] of Object.entries(samples)) {
          const { tag_no } = catalog.tags.find((tag) => tag.sensor_tag === name)!;
          const row = { tag_no, ts: noon * 60_000_000, stamp_us, value };
          await runQuery(
            connection,
            "INSERT INTO sample VALUES ($tag_no, $ts, $stamp_us, $value, NULL, NULL, NULL, NULL)",
            row,
          );
        }
      });
      await parts.roll.settle();
    },
    async expected(...names: string[]) {
      const rows = await database.read((connection) =>
        queryRows<{ sensor_tag: string; model: number }>(
          connection,
          "SELECT t.sensor_tag, r.model FROM reading AS r JOIN sensor AS s USING (sensor_no) " +
            `JOIN tag AS t USING (tag_no) WHERE r.minute = ${noon} ORDER BY t.sensor_tag`,
        )
      );
      return names.map((name) => rows.find((row) => row.sensor_tag === name)?.model ?? null);
    },
    async close() {
      await parts.roll.close();
      await database.close();
    },
  };
}

Deno.test("model: other parameters in a site file work history out anew", async () => {
  const sites = await openSites();
  await sites.apply(file);
  await sites.store({ "w.poa": 640, "w.air": 10, "i.p": 500 });
  const before = worked(640);
  same(await sites.expected("i.p", "g.p"), [before, before * 0.99]);
  await sites.apply({
    ...file,
    devices: [{ key: "G", type: "meter", grid: { losses: 0.05 } }, ...file.devices!.slice(1)],
  });
  await sites.roll.settle();
  same(await sites.expected("i.p", "g.p"), [before, before * 0.95]);
  const own = { ...file.devices![1], pv: { losses: 0.5 } };
  await sites.apply({ ...file, devices: [file.devices![0], own, file.devices![2]] });
  await sites.roll.settle();
  const [after] = await sites.expected("i.p");
  ok(after! < before * 0.6 && after! > before * 0.5, `${after} after ${before}`);
  const bare = { key: "I", type: "inverter", parent: "G" } as const;
  await sites.apply({ ...file, devices: [file.devices![0], bare, file.devices![2]] });
  await sites.roll.settle();
  deepEqual(await sites.expected("i.p", "g.p"), [null, null]);
  await sites.close();
});

Deno.test("model: sites of a project have their own weather and sums", async () => {
  const sites = await openSites();
  await sites.apply(file);
  await sites.apply(second);
  await sites.store({ "w.poa": 640, "w.air": 10, "w.poa2": 320, "w.air2": 10 });
  same(await sites.expected("i.p", "g.p", "i.p2", "g.p2"), [
    ...[worked(640), worked(640) * 0.99, worked(320), worked(320) * 0.99],
  ]);
  await sites.store({ "i.p": 1, "i.p2": 2 });
  same(await sites.expected("i.p", "i.p2"), [worked(640), worked(320)]);
  await assertVerified(sites as unknown as Parameters<typeof assertVerified>[0]);
  await sites.close();
});
