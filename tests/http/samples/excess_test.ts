// Powers beyond what the rating of their devices allows, through HTTP.
import { deepEqual, equal } from "node:assert/strict";
import { unitHint } from "../../../src/model/samples/excess.ts";
import { testService } from "../../help/service.ts";

const now = Date.parse("2026-06-20T20:02:00Z");
/** An instant some minutes before now. */
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
/** The quarter-hour of an instant, as answers have it. */
const quarter = (minutes: number) => {
  const ms = now - minutes * 60_000;
  return new Date(ms - ms % 900_000).toISOString().replace(".000Z", ".000000Z");
};
const day = 1440;
const of_model = { rated_dc_w: 120e3, rated_ac_w: 100e3, tilt: 20, azimuth: 180 };

type Told = readonly [minute: number, value: number][];

/** What each inverter's power is, and what it sends: minutes before now, and the values. */
const told: Readonly<Record<string, readonly [object, object, Told]>> = {
  in_watts: [{ scale: 1000, capacity: 100e3 }, {}, [[70, 61e3], [69, 62e3], [30, 250]]],
  at_bound: [{ scale: 1000, capacity: 100e3 }, {}, [[70, 200], [69, -200]]],
  by_model: [{ scale: 1000 }, { pv: of_model }, [[3 * day, 90], [2 * day, 201], [60, 90]]],
  negative: [{ scale: 1000, capacity: 100e3 }, {}, [[60, 250], [40, -300]]],
  long_ago: [{ scale: 1000, capacity: 100e3 }, {}, [[60 * day, 99e3], [60, 90]]],
  no_rating: [{ scale: 1000 }, {}, [[70, 61e3]]],
  bad_rating: [{ scale: 1, capacity: 100 }, {}, [[70, 61e3]]],
};

async function open() {
  const service = await testService({ at: ago(0) });
  const put = async (key: string, powers: typeof told) => {
    const site = {
      version: 1,
      organization: { key: "o", name: "O" },
      project: { key, name: key, timezone: "UTC" },
      site: { key, name: key, latitude: 35.05, longitude: -106.54 },
      devices: Object.entries(powers).map(([tag, [, device]]) => (
        { key: `${key}-${tag}`, type: "inverter", name: `Inverter ${tag}`, ...device }
      )),
      sensors: Object.entries(powers).map(([tag, [power]]) => (
        { tag, device: `${key}-${tag}`, measure: "active_power", ...power }
      )),
    };
    const applied = await service.fetch(`/admin/v1/sites/${key}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(site),
    });
    equal(applied.status, 200, await applied.text());
    await service.settle();
  };
  const idOf = (key: string) => service.services.catalog.projects.find((it) => it.key === key)!.id;
  const send = async (key: string, rows: readonly object[]) => {
    const response = await service.fetch(`/ingest/v1/signals?project_id=${idOf(key)}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: rows.map((it) => JSON.stringify(it)).join("\n"),
    });
    equal(response.status, 200, await response.text());
    await service.settle();
  };
  const list = async (key: string, more = "") => {
    const path = `/platform/v1/sensors/excess?project_id=${idOf(key)}${more}`;
    const response = await service.fetch(path);
    equal(response.status, 200, await response.clone().text());
    return await response.json() as Record<string, unknown>[];
  };
  await put("p", told);
  await send(
    "p",
    Object.entries(told).flatMap(([tag, [, , rows]]) =>
      rows.map(([minute, value]) => ({ tag, ts: ago(minute), value }))
    ),
  );
  return { ...service, put, send, list };
}

Deno.test("a power beyond its rating is listed with how much, when and by which unit", async () => {
  const { list, close } = await open();
  const [in_watts, ...others] = await list("p");
  const { hierarchy_id, device_id, ...rest } = in_watts;
  deepEqual([typeof hierarchy_id, typeof device_id], ["string", "string"]);
  deepEqual(rest, {
    ...{ sensor_tag: "in_watts", device_name: "Inverter in_watts", component: "inverter" },
    ...{ rated_w: 100e3, greatest_w: 62e6, greatest_at: quarter(69), quarter_hours: 2 },
    ...{ first_at: quarter(70), last_at: quarter(30) },
    ...{ divisor: 1000, read_as: "kW", fits_as: "W" },
  });
  const shown = others.map((it) => [it.sensor_tag, it.greatest_w, it.quarter_hours, it.divisor]);
  deepEqual(shown, [
    ["by_model", 201e3, 1, null],
    ["negative", -300e3, 2, null],
    ["bad_rating", 61e3, 1, 1000],
  ]);
  deepEqual([others[0].first_at, others[2].read_as], [quarter(2 * day), null]);
  await close();
});

Deno.test("pages choose among what was beyond its rating in the last thirty days", async () => {
  const { list, clock, close } = await open();
  const tags = async (more: string) => (await list("p", more)).map((it) => it.sensor_tag);
  deepEqual(await tags("&limit=2"), ["in_watts", "by_model"]);
  deepEqual(await tags("&limit=2&offset=2"), ["negative", "bad_rating"]);
  clock.advance(28.5 * day * 60_000);
  deepEqual(await tags(""), ["in_watts", "negative", "bad_rating"]);
  clock.advance(2 * day * 60_000);
  deepEqual(await tags(""), []);
  await close();
});

Deno.test("the list ends with the mistake, and is of its own project", async () => {
  const { list, put, send, close } = await open();
  await put("q", { in_watts: told.in_watts });
  deepEqual(await list("q"), []);
  const mended = { ...told, in_watts: [{ scale: 1, capacity: 100e3 }, {}, []] as const };
  await put("p", mended);
  const tags = async () => (await list("p")).map((it) => it.sensor_tag);
  deepEqual(await tags(), ["by_model", "negative", "bad_rating"]);
  await send("p", [{ tag: "by_model", ts: ago(2 * day), value: 20.1 }]);
  deepEqual(await tags(), ["negative", "bad_rating"]);
  await close();
});

Deno.test("a unit is hinted at where a thousand or a million fits", () => {
  const hint = (greatest_w: number, scale = 1000) => unitHint(greatest_w, { rated_w: 100, scale });
  const none = { read_as: null, fits_as: null };
  const of_watts = { divisor: 1000, read_as: "kW", fits_as: "W" };
  for (const at of [2000, 98_100, -98_100, 150_000]) deepEqual(hint(at), of_watts, `${at}`);
  for (const at of [201, 1999, 150_001, 1.99e6, 1.5001e8, Infinity, NaN]) {
    deepEqual(hint(at), { divisor: null, ...none }, `${at}`);
  }
  deepEqual(hint(2e6, 1e6), { divisor: 1e6, read_as: "MW", fits_as: "W" });
  deepEqual(hint(2e4, 1e6), { divisor: 1000, read_as: "MW", fits_as: "kW" });
  deepEqual(hint(2e4, -1000), of_watts);
  deepEqual([hint(2e4, 1), hint(2e4, 10)], [{ divisor: 1000, ...none }, {
    divisor: 1000,
    ...none,
  }]);
});
