// The example site with expected values sent: a power's, which its energy is the integral of.
import assert from "node:assert/strict";
import type { TestRow } from "../../help/reading.ts";
import { testService } from "../../help/service.ts";

const file = await Deno.readTextFile(new URL("../../../data/example.site.toml", import.meta.url));
const limit = `[[sensors]]
tag = "inv1.limit_kw"
device = "INV1"
measure = "active_power_setpoint"
scale = 1000
`;
/** Four hours around noon at the site, in minutes after the first of them. */
const [first_ms, minutes] = [Date.parse("2026-06-01T10:00:00Z"), 240];
/** W that are expected of the inverters in a minute; each quarter-hour has its own. */
const expected = {
  "inv1.p_ac_kw": (minute: number) => 150e3 + 10e3 * (Math.floor(minute / 15) % 5),
  "inv2.p_ac_kw": (minute: number) => 120e3 + 5e3 * (Math.floor(minute / 15) % 7),
} as const;
const [first, second] = ["inv1.p_ac_kw", "inv2.p_ac_kw"] as const;
type Tag = keyof typeof expected | "mtr1.p_kw" | "inv1.limit_kw";

/** The service after those hours, with the site and 100 kW measured at each inverter. */
async function openSite(toml: string) {
  const service = await testService({ at: "2026-06-01T15:00:00Z" });
  const put = await service.fetch("/admin/v1/sites/la-mancha-1", {
    method: "PUT",
    body: toml,
    headers: { "content-type": "application/toml" },
  });
  assert.equal(put.status, 200, await put.text());
  const [{ id }] = service.services.catalog.projects;
  const send = async (lane: string, points: readonly (readonly [Tag, number, number])[]) => {
    const response = await service.fetch(`/ingest/v1/signals?project_id=${id}&lane=${lane}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: points.map(([tag, minute, value]) =>
        JSON.stringify({ tag, ts: new Date(first_ms + minute * 60_000).toISOString(), value })
      ).join("\n"),
    });
    assert.equal(response.status, 200, await response.text());
  };
  /** Sends what is expected of both inverters: a value each so many minutes, then nothing more. */
  const expect = async (spacing: number, factor = 1) => {
    for (const tag of [first, second]) {
      const times = Array.from({ length: minutes / spacing }, (_, i) => i * spacing);
      await send("model", [
        ...times.map((minute) => [tag, minute, factor * expected[tag](minute) / 1000] as const),
        [tag, minutes, 0],
      ]);
    }
    await service.settle();
  };
  const rows = async (
    interval: string,
    sensor: readonly [string, string],
    more: Record<string, string> = {},
  ): Promise<TestRow[]> => {
    const query = new URLSearchParams({
      ...more,
      ...{ project_ids: id, dt_start: "2026-06-01", dt_end: "2026-06-01", format: "json" },
      ...{ time_interval: interval, component: sensor[0], component_measure: sensor[1] },
    });
    const response = await service.fetch(`/platform/v1/performance-v2?${query}`);
    const rows: TestRow[] = await response.json();
    return rows.filter((row) => row.model_value !== 0);
  };
  const measured = Array.from({ length: minutes + 1 }, (_, minute) => minute);
  for (const tag of [first, second, "mtr1.p_kw"] as const) {
    await send("signal", measured.map((minute) => [tag, minute, 100]));
  }
  return { ...service, send, expect, rows };
}

/** The sum of `of` over each bucket's minutes, as Wh. */
function energies(length: number, of: (minute: number) => number): number[] {
  return Array.from({ length: minutes / length }, (_, bucket) => {
    const watts = Array.from({ length }, (_, i) => of(bucket * length + i));
    return watts.reduce((sum, power) => sum + power, 0) / 60;
  });
}

function near(rows: readonly TestRow[], column: string, wanted: readonly number[]): void {
  assert.equal(rows.length, wanted.length);
  for (const [i, row] of rows.entries()) {
    const found = Number(row[column]);
    assert.ok(Math.abs(found - wanted[i]) <= 1e-9 * wanted[i], `${column} ${found}: ${wanted[i]}`);
  }
}

const lengths = {
  OneMinute: 1,
  FiveMinutes: 5,
  FifteenMinutes: 15,
  OneHour: 60,
  OneDay: minutes,
} as const;
const [power, energy] = [["inverter", "active_power"], ["inverter", "energy"]] as const;
const delivered = ["meter", "active_energy_delivered"] as const;

for (const spacing of [1, 5, 15]) {
  Deno.test(`a tag's sent power, each ${spacing} minutes, makes its energy's model`, async () => {
    const site = await openSite(file);
    await site.expect(spacing);
    const own = expected[first];
    const both = (minute: number) => 0.988 * (own(minute) + expected[second](minute));
    for (const [interval, length] of Object.entries(lengths)) {
      const rows = await site.rows(interval, energy);
      const wanted = energies(length, own);
      near(rows, "model_value", wanted);
      near(rows, "model_value_setpoint", wanted);
      near(rows, "sensor_value_setpoint", energies(length, () => 100e3));
      near(rows, "performance_index", energies(length, () => 100e3).map((it, i) => it / wanted[i]));
      near(await site.rows(interval, delivered), "model_value", energies(length, both));
    }
    await site.close();
  });
}

Deno.test("a corrected power that was sent corrects its energy's model", async () => {
  const site = await openSite(file);
  await site.expect(15);
  await site.expect(15, 1.2);
  for (const [interval, length] of Object.entries(lengths)) {
    const wanted = energies(length, (minute) => 1.2 * expected[first](minute));
    near(await site.rows(interval, energy), "model_value", wanted);
  }
  await site.close();
});

Deno.test("a setpoint limits a sent power's energy as it limits the power", async () => {
  const site = await openSite(`${file}\n${limit}`);
  await site.send("signal", [0, 60, 120, 180].map((minute) => ["inv1.limit_kw", minute, 160]));
  await site.expect(5);
  const own = expected[first];
  for (const [interval, length] of Object.entries(lengths)) {
    const rows = await site.rows(interval, energy);
    const limited = (minute: number) => Math.min(160e3, own(minute));
    near(rows, "model_value_setpoint", energies(length, limited));
    const lost = (minute: number) => 100e3 + own(minute) - limited(minute);
    near(rows, "sensor_value_setpoint", energies(length, lost));
  }
  const powers = await site.rows("OneHour", power);
  const inv1 = powers.filter((row) => row.sensor_tag === first);
  near(
    await site.rows("OneHour", energy),
    "model_value",
    inv1.map((row) => Number(row.model_value)),
  );
  await site.close();
});

Deno.test("expected and forecast values over twice the rated power are rejected", async () => {
  const site = await openSite(file);
  const [{ id }] = site.services.catalog.projects;
  const put = async (lane: "model" | "forecast", tag: string, value: number) => {
    const issued = lane === "model" ? {} : { issued_at: "2026-06-01T06:00:00Z" };
    const response = await site.fetch(`/ingest/v1/signals?project_id=${id}&lane=${lane}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: JSON.stringify({ tag, ts: "2026-06-01T10:00:00Z", value, ...issued }),
    });
    return await response.json();
  };
  for (const lane of ["model", "forecast"] as const) {
    // Two inverters of 250 kW each.
    for (const [tag, most] of [[first, 500], ["mtr1.p_kw", 1000]] as const) {
      const taken = await put(lane, tag, most);
      assert.deepEqual([taken.accepted, taken.rejected], [1, []]);
      assert.match(taken.note, /raw unit of the tag/);
      for (const value of [most * 1000, -most - 1, most + 1]) {
        const { accepted, rejected: [{ reason }] } = await put(lane, tag, value);
        assert.equal(accepted, 0);
        assert.match(
          reason,
          /over \d+ W \(2 × rated\): send it in the tag's raw unit.*W = value × 1000/,
        );
      }
    }
    assert.equal((await put(lane, "nobody.knows_it", 1e9)).accepted, 1);
  }
  await site.close();
});

for (const spacing of [1, 5, 15]) {
  Deno.test(`each ${spacing} minutes, a number is as much expected as forecast`, async () => {
    const site = await openSite(file);
    await site.expect(spacing);
    const times = Array.from({ length: minutes / spacing }, (_, i) => i * spacing);
    const [{ id }] = site.services.catalog.projects;
    const sent = await site.fetch(`/ingest/v1/signals?project_id=${id}&lane=forecast`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: times.map((minute) =>
        JSON.stringify({
          ...{ tag: first, ts: new Date(first_ms + minute * 60_000).toISOString() },
          ...{ value: expected[first](minute) / 1000, issued_at: "2026-06-01T06:00:00Z" },
        })
      ).join("\n"),
    });
    assert.equal(sent.status, 200, await sent.text());
    for (const sensor of [power, energy]) {
      const rows = (await site.rows("OneHour", sensor, { include: "forecast" }))
        .filter((row) => row.sensor_tag === first);
      assert.equal(rows.length, minutes / 60);
      near(rows, "forecast_value", rows.map((row) => Number(row.model_value)));
    }
    await site.close();
  });
}
