// Statistics of buckets over HTTP, worked out by hand, for samples 1, 5 and 15 minutes apart.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { openStatistics, type SentSample, type StatisticsRow } from "../../help/statistics.ts";

const minute_ms = 60_000;
const day = "dt_start=2026-06-01&dt_end=2026-06-01&component=inverter";
const stats = "&include=stats&aggregate=time_weighted";
const start_ms = Date.parse("2026-06-01T10:00:00Z");

/** Kilowatts that climb by 1 a minute from 10:00, at that spacing, to a minute and without some. */
function climb(tag: string, spacing: number, to: number, without: readonly number[] = []) {
  return Array.from({ length: Math.floor(to / spacing) + 1 }, (_, i) => i * spacing)
    .map((minute): SentSample => {
      const sample = { tag, at: start_ms + minute * minute_ms };
      return without.includes(minute)
        ? { ...sample, quality: "bad" }
        : { ...sample, value: minute, quality: "good" };
    });
}

type Service = Awaited<ReturnType<typeof openStatistics>>;

/** The row of an hour of the day, in daylight. */
async function hoursOf(service: Service, query: string): Promise<Map<number, StatisticsRow>> {
  const rows = await service.rows(
    `/platform/v1/performance-v2?${day}&time_interval=OneHour&${query}${stats}`,
  );
  return new Map(rows.map((row) => [Number((row.ts as string).slice(11, 13)), row]));
}

function near(found: unknown, wanted: number): void {
  ok(
    Math.abs(Number(found) - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)),
    `${found}: ${wanted}`,
  );
}

/** Standard deviation (n − 1) of 0, spacing, 2 × spacing … below 60. */
function deviation(spacing: number): number {
  const count = 60 / spacing;
  return spacing * Math.sqrt(count * (count + 1) / 12);
}

for (const spacing of [1, 5, 15]) {
  Deno.test(`a ramp, a bad sample and four silent hours, ${spacing} min apart`, async () => {
    const service = await openStatistics("2026-06-01T20:00:00Z");
    // Bad at 11:30; nothing from 13:00 (the last sample, of 180) to 17:00.
    await service.send([
      ...climb("i1.p", spacing, 180, [90]),
      { tag: "i1.p", at: start_ms + 420 * minute_ms, value: 5, quality: "good" },
    ]);
    const query = "component_measure=active_power&hierarchy_ids=";
    const power = service.services.catalog.sensors.find((it) => it.measure === "active_power")!;
    const hours = await hoursOf(service, query + power.hierarchy_id);
    const of = (hour: number, name: string) => hours.get(hour)![name];
    // Before the first sample of all there is no data.
    deepEqual([of(9, "percent_good"), of(9, "duration_bad"), of(9, "first")], [null, null, null]);
    deepEqual([of(10, "percent_good"), of(10, "duration_good"), of(10, "duration_bad")], [
      100,
      3600,
      0,
    ]);
    deepEqual([of(10, "first"), of(10, "minimum"), of(10, "maximum"), of(10, "range")], [
      0,
      0,
      (60 - spacing) * 1000,
      (60 - spacing) * 1000,
    ]);
    near(of(10, "standard_deviation"), 1000 * deviation(spacing));
    // The mean over time is that of the line, whatever the spacing.
    near(of(10, "time_average"), 30_000);
    near(of(11, "time_average"), 90_000);
    deepEqual([of(11, "duration_good"), of(11, "duration_bad")], [
      3600 - 60 * spacing,
      60 * spacing,
    ]);
    near(of(11, "percent_good"), 100 - 100 * spacing / 60);
    // The last sample speaks for a quarter-hour.
    deepEqual([of(13, "percent_good"), of(13, "duration_good"), of(13, "duration_bad")], [
      25,
      900,
      2700,
    ]);
    deepEqual([of(13, "time_average"), of(13, "first"), of(13, "standard_deviation")], [
      180_000,
      180_000,
      0,
    ]);
    deepEqual([of(15, "percent_good"), of(15, "duration_bad"), of(15, "time_average")], [
      0,
      3600,
      null,
    ]);
    equal(of(15, "number_of_transitions"), null);
    await service.close();
  });

  Deno.test(`a day's daylight is its hours together, ${spacing} min apart`, async () => {
    const service = await openStatistics("2026-06-02T12:00:00Z");
    await service.send(climb("i1.p", spacing, 180, [90]));
    const power = service.services.catalog.sensors.find((it) => it.measure === "active_power")!;
    const query = `component_measure=active_power&hierarchy_ids=${power.hierarchy_id}`;
    const hours = [...(await hoursOf(service, query)).values()];
    const total = (name: string) => hours.reduce((sum, row) => sum + Number(row[name]), 0);
    const [row] = await service.rows(
      `/platform/v1/performance-v2?${day}&time_interval=OneDay&${query}${stats}`,
    );
    near(row.duration_good, total("duration_good"));
    near(row.duration_good, 195 * 60 - 60 * spacing);
    near(row.time_average, (30 + 90 + 150 + 180 / 4) / 3.25 * 1000);
    deepEqual([row.first, row.range], [0, 180_000]);
    const night = await service.rows(
      `/platform/v1/performance-v2?${day}&time_interval=OneDay&${query}${stats}` +
        "&use_solar_bounds=false",
    );
    // Before the first sample too, as it lies in the bucket: bad without data.
    near(night[0].duration_bad, 86_400 - Number(night[0].duration_good));
    await service.close();
  });
}

Deno.test("states, integrals and groups have what has a meaning for them", async () => {
  const service = await openStatistics("2026-06-01T20:00:00Z");
  const states = [1, 1, 4, 4, 1, 7].map((value_int, i) => (
    { tag: "i1.status", at: start_ms + (50 + i * 5) * minute_ms, value_int }
  ));
  await service.send([
    ...climb("i1.p", 5, 180),
    ...climb("i2.p", 5, 90),
    ...states,
    { tag: "i1.status", at: start_ms + 79 * minute_ms, quality: "bad" },
    { tag: "i1.status", at: start_ms + 80 * minute_ms, value_int: 7 },
  ]);
  // 1 at 10:50, 10:55; 4 at 11:00, 11:05; 1 at 11:10; 7 at 11:15, 11:20 after a bad one.
  const status = await hoursOf(service, "component_measure=operating_status");
  equal(status.get(10)!.number_of_transitions, 0);
  equal(status.get(11)!.number_of_transitions, 3);
  deepEqual([status.get(11)!.first, status.get(11)!.range], [4, 6]);
  // Steps: 4 for 10 min, 1 for 5, 7 for 5 + 15 over the bad one; then nothing is known.
  near(status.get(11)!.time_average, (4 * 10 + 5 + 7 * 20) / 35);
  // An energy that integrates a power has no samples of its own.
  const energy = await hoursOf(service, "component_measure=energy");
  const { percent_good, first, range, time_average } = energy.get(10)!;
  deepEqual([percent_good, first, range, time_average], [100, null, null, null]);
  // Both inverters in a row: times are added up, the average as the measure is.
  const both = await hoursOf(service, "component_measure=active_power&group_by=project_id");
  const eleven = both.get(11)!;
  deepEqual([eleven.duration_good, eleven.duration_bad], [3600 + 2700, 900]);
  near(eleven.percent_good, 100 * 6300 / 7200);
  near(both.get(10)!.time_average, 60_000);
  deepEqual([eleven.first, eleven.minimum, eleven.standard_deviation], [null, null, null]);
  await service.close();
});

Deno.test("only what is asked is added, in every format and at every interval", async () => {
  const service = await openStatistics("2026-06-01T20:00:00Z");
  await service.send(climb("i1.p", 5, 180));
  const path = `/platform/v1/performance-v2?${day}&component_measure=active_power&time_interval=`;
  const names = async (query: string) => Object.keys((await service.rows(path + query))[0]);
  const plain = await names("OneHour");
  const added = await names("OneHour&include=stats");
  deepEqual(added.slice(0, plain.length), plain);
  deepEqual(added.slice(plain.length), [
    "percent_good",
    "duration_good",
    "duration_bad",
    "minimum",
    "maximum",
    "range",
    "standard_deviation",
    "first",
    "number_of_transitions",
  ]);
  deepEqual((await names("OneHour&aggregate=time_weighted")).slice(plain.length), ["time_average"]);
  const forecast = await names("OneHour&include=stats&include=forecast");
  ok(forecast.includes("forecast_value") && forecast.includes("percent_good"));
  for (const interval of ["OneMinute", "FiveMinutes", "OneDay", "OneWeek", "OneMonth", "Full"]) {
    const rows = await service.rows(`${path}${interval}${stats}`);
    const good = rows.reduce((sum, row) => sum + Number(row.duration_good), 0);
    equal(good, 195 * 60, interval);
  }
  for (const format of ["arrow", "parquet", "ndjson", "csv"]) {
    const response = await service.get(`${path}OneHour${stats}&format=${format}`);
    equal(response.status, 200, format);
    ok(new TextDecoder().decode(await response.bytes()).includes("time_average"), format);
  }
  await service.close();
});

Deno.test("too many days of sensors, or another way of aggregation, are refused", async () => {
  const service = await openStatistics("2026-06-01T20:00:00Z");
  await service.send(climb("i1.p", 5, 30));
  const path = "/platform/v1/performance-v2?component=inverter&component_measure=active_power";
  const refusal = async (query: string) => {
    const response = await service.get(`${path}&time_interval=OneDay&${query}`);
    equal(response.status, 400, query);
    return (await response.json()).detail;
  };
  const long = "dt_start=2010-01-01&dt_end=2026-06-01";
  match(await refusal(`${long}&include=stats`), /11,992 days of sensors; the most are 10,000/);
  match(await refusal("dt_start=2026-06-01&dt_end=2026-06-01&aggregate=mean"), /time_weighted/);
  await service.close();
});
