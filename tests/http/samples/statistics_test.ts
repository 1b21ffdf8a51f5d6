// Statistics of minutes and values at instants over HTTP: the published examples, stretched to
// whole minutes, and cases worked out by hand.
import { deepEqual, equal, ok } from "node:assert/strict";
import { differing, examples, type ExampleTable } from "../../help/aggregate.ts";
import { openStatistics, type SentSample, type StatisticsRow } from "../../help/statistics.ts";

const day_ms = 86_400_000;
const first_ms = Date.parse("2026-06-01T00:00:00Z");
/** Each length of interval has a day of its own, apart from the others, stretched to a minute. */
const interval_days: Readonly<Record<number, number>> = { 5: 0, 16: 2, 20: 4 };

/** A historian's samples on a day; those that hold steps are states. */
function stretched(historian: keyof typeof examples.historians, interval_s: number): SentSample[] {
  const { samples, stepped, uncertain_is_bad } = examples.historians[historian];
  return samples.map(([at_s, value, quality]) => ({
    tag: `${historian}${stepped ? ".state" : ""}`,
    at: first_ms + interval_days[interval_s] * day_ms + (at_s as number) * 60_000 / interval_s,
    quality: quality === "uncertain" && uncertain_is_bad ? "bad" : quality as string,
    ...(value === null ? {} : { [stepped ? "value_int" : "value"]: value }),
  }));
}

/** The figure of a 1m row, in the unit of the published one. */
const figures: Readonly<Record<string, (row: StatisticsRow, interval_s: number) => unknown>> = {
  Average: ({ value, carried }) => carried ? null : value,
  TimeAverage: ({ time_average }) => time_average,
  Count: ({ good_count, carried }) => carried ? null : good_count,
  Minimum: ({ minimum }) => minimum,
  Maximum: ({ maximum }) => maximum,
  Range: ({ range }) => range,
  StandardDeviationSample: ({ standard_deviation }) => standard_deviation,
  Start: ({ first }) => first,
  DurationGood: ({ duration_good }, interval_s) => Number(duration_good) * 1000 * interval_s / 60,
  DurationBad: ({ duration_bad }, interval_s) => Number(duration_bad) * 1000 * interval_s / 60,
  PercentGood: ({ percent_good }) => percent_good,
  NumberOfTransitions: ({ number_of_transitions }) => number_of_transitions,
  Interpolative: ({ value }) => value,
};

/** Of states only what a state has: no mean of the minute. */
function isAsked({ aggregate, historian }: ExampleTable): boolean {
  const { stepped } = examples.historians[historian as keyof typeof examples.historians];
  if (aggregate === "PercentBad") return false;
  return stepped ? !["Average"].includes(aggregate) : aggregate !== "NumberOfTransitions";
}

function isNear(a: unknown, b: unknown): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(Number(a) - Number(b)) < 0.0006;
}

/** The mean of a minute is of usable samples, the published Average of good ones. */
const of_usable = ["Average Historian1 1.05.07 70", "Average Historian5 1.05.07 75"];

Deno.test("the published examples come out, but for those that a clause explains", async () => {
  const service = await openStatistics("2026-06-06T00:00:00Z");
  const historians = Object.keys(examples.historians) as (keyof typeof examples.historians)[];
  await service.send(
    historians.flatMap((historian) => [5, 16, 20].flatMap((it) => stretched(historian, it))),
  );
  const known = new Set([...Object.values(differing).flat(), ...of_usable]);
  let compared = 0;
  let missing = 0;
  for (const table of examples.tables.filter(isAsked)) {
    const { aggregate, historian, interval_s, edition } = table;
    const { stepped } = examples.historians[historian as keyof typeof examples.historians];
    const from = new Date(first_ms + interval_days[interval_s] * day_ms).toISOString();
    const to = new Date(Date.parse(from) + day_ms / 24).toISOString();
    const rows = await service.rows(
      `/platform/v1/signals?from=${from}&to=${to}&tag=${historian}${stepped ? ".state" : ""}` +
        (aggregate === "Interpolative"
          ? "&every=PT1M"
          : "&resolution=1m&include=stats&aggregate=time_weighted"),
    );
    const by_ts = new Map(rows.map((row) => [Date.parse(row.ts as string), row]));
    for (const [i, published] of table.values.entries()) {
      // Behind the last sample data ends there, and goes on here while the value holds.
      if (
        (i + 1) * interval_s > 90 ||
        known.has(`${aggregate} ${historian} ${edition} ${i * interval_s}`)
      ) {
        continue;
      }
      const row = by_ts.get(Date.parse(from) + i * 60_000);
      // A minute behind a bad sample, without one of its own, has no row.
      if (!row && published !== null) {
        missing++;
        continue;
      }
      const asked = row && stepped && aggregate === "Interpolative"
        ? { ...row, value: row.value_int }
        : row;
      const found = asked ? figures[aggregate](asked, interval_s) : null;
      ok(
        isNear(published, found),
        `${aggregate} ${historian} ${edition} ${i * interval_s}: ${found}`,
      );
      if (aggregate === "Interpolative") {
        const quality = row!.quality === "bad" ? "none" : row!.quality;
        equal(quality, table.quality![i], `${historian} ${i * interval_s}`);
      }
      compared++;
    }
  }
  deepEqual([compared, missing], [395, 1]);
  await service.close();
});

const noon_ms = Date.parse("2026-06-01T12:00:00Z");
const minute_ms = 60_000;
const hour = "from=2026-06-01T12:00:00Z&to=2026-06-01T13:00:00Z";

for (const spacing of [1, 5, 15]) {
  Deno.test(`instants between samples ${spacing} min apart lie on their line`, async () => {
    const service = await openStatistics("2026-06-01T14:00:00Z");
    const times = Array.from({ length: 60 / spacing }, (_, i) => i * spacing);
    await service.send(times.flatMap((minute) => [
      { tag: "i1.p", at: noon_ms + minute * minute_ms, value: minute },
      { tag: "i1.status", at: noon_ms + minute * minute_ms, value_int: minute },
    ]));
    const rows = await service.rows(`/platform/v1/signals?${hour}&every=PT90S&tag=i1.p`);
    equal(rows.length, 80);
    const last = times.at(-1)!;
    for (const [i, row] of rows.entries()) {
      const minute = Math.floor(i / 2) * 1.5;
      const is_scaled = row.lane === "performance";
      const wanted = Math.min(minute, last);
      equal(row.value, wanted * (is_scaled ? 1000 : 1), `${row.ts}`);
      equal(row.raw_value, wanted);
      equal(row.quality, minute > last ? "uncertain" : minute % spacing === 0 ? null : "good");
      deepEqual([row.resolution, row.carried], ["interpolated", minute > last]);
    }
    const states = await service.rows(
      `/platform/v1/signals?${hour}&every=450s&tag=i1.status&lane=raw_signal`,
    );
    deepEqual(
      states.map((row) => row.value_int),
      [0, 7.5, 15, 22.5, 30, 37.5, 45, 52.5].map((at) => Math.floor(at / spacing) * spacing),
    );
    await service.close();
  });
}

Deno.test("an instant tells what it comes from: quality, status, time of storing", async () => {
  const service = await openStatistics("2026-06-01T16:00:00Z");
  const at = (minutes: number) => noon_ms + minutes * minute_ms;
  await service.send([
    { tag: "f", at: at(0), value: 10, quality: "good" },
    { tag: "f", at: at(10), value: 20, quality: "uncertain" },
    { tag: "f", at: at(15), quality: "bad" },
    { tag: "f", at: at(20), value: 40, quality: "good" },
    { tag: "f", at: at(60), value: 80, quality: "good" },
    { tag: "s", at: at(0), value_str: "run", quality: "good" },
    { tag: "s", at: at(5), quality: "bad" },
    { tag: "s", at: at(10), value_str: "stop", quality: "good" },
  ]);
  const ask = async (tag: string, minutes: number) => {
    const instant = new Date(at(minutes)).toISOString();
    const [row] = await service.rows(`/platform/v1/signals?at=${instant}&tag=${tag}`);
    return [row.value ?? row.value_str, row.quality, row.status_name, row.carried];
  };
  deepEqual(await ask("f", -1), [null, "bad", "BadNoData", false]);
  deepEqual(await ask("f", 0), [10, "good", null, false]);
  deepEqual(await ask("f", 5), [15, "uncertain", "UncertainDataSubNormal", false]);
  deepEqual(await ask("f", 10), [20, "uncertain", null, false]);
  deepEqual(await ask("f", 15), [30, "uncertain", "UncertainDataSubNormal", false]);
  // The next sample is 40 min away, longer than a value holds: 15 min.
  deepEqual(await ask("f", 35), [40, "uncertain", "UncertainDataSubNormal", true]);
  deepEqual(await ask("f", 36), [null, "bad", "BadNoData", false]);
  deepEqual(await ask("s", 3), ["run", "good", "Good", true]);
  deepEqual(await ask("s", 7), ["run", "uncertain", "UncertainDataSubNormal", true]);
  deepEqual(await ask("s", 12), ["stop", "uncertain", "UncertainDataSubNormal", true]);
  const [row] = await service.rows("/platform/v1/signals?at=2026-06-01T12:02:00Z&tag=f");
  deepEqual([row.status_code, row.value_encoding], [0x40a40402, "float"]);
  const raw = await service.rows(`/platform/v1/signals?${hour}&tag=f&resolution=raw`);
  equal(row.received_at, raw[1].received_at);
  await service.close();
});

Deno.test("a line runs between the largest numbers, too", async () => {
  const service = await openStatistics("2026-06-01T16:00:00Z");
  const values = [1.5e308, -1.5e308, 1.5e308, 1.5e308];
  await service.send(values.map((value, i) => (
    { tag: "f", at: noon_ms + i * 4 * minute_ms, value, quality: "good" }
  )));
  const rows = await service.rows(
    "/platform/v1/signals?from=2026-06-01T12:00:00Z&to=2026-06-01T12:13:00Z&every=PT1M&tag=f",
  );
  const shares = [1, 0.5, 0, -0.5, -1, -0.5, 0, 0.5, 1, 1, 1, 1, 1];
  deepEqual(rows.map(({ value }) => value), shares.map((share) => share * 1.5e308));
  deepEqual(new Set(rows.map(({ quality }) => quality)), new Set(["good"]));
  await service.close();
});

Deno.test("instants are rows of pages: by time and tag, cut anywhere", async () => {
  const service = await openStatistics("2026-06-01T16:00:00Z");
  await service.send(
    ["a", "b", "c"].flatMap((tag, i) =>
      [0, 10, 20].map((minute) => ({ tag, at: noon_ms + minute * minute_ms, value: i + minute }))
    ),
  );
  const list = "at=2026-06-01T12:20:00Z&at=2026-06-01T12:00:00Z&at=2026-06-01T12:05:00Z" +
    "&at=2026-06-01T12:00:00Z&tag=a&tag=b&tag=c";
  const all = await service.rows(`/platform/v1/signals?${list}`);
  deepEqual(all.map((row) => row.value), [0, 1, 2, 5, 6, 7, 20, 21, 22]);
  for (const [offset, limit] of [[0, 2], [2, 3], [4, 5], [8, 5], [9, 5]]) {
    const page = await service.rows(`/platform/v1/signals?${list}&offset=${offset}&limit=${limit}`);
    deepEqual(page, all.slice(offset, offset + limit));
  }
  const grid = await service.rows(
    `/platform/v1/signals?${hour}&every=PT1M&tag=b&offset=10&limit=3`,
  );
  deepEqual(grid.map((row) => row.value), [11, 12, 13]);
  deepEqual(await service.rows(`/platform/v1/signals?${hour}&every=P1D&tag=nobody`), []);
  await service.close();
});

Deno.test("statistics of a minute, in both lanes and in every format", async () => {
  const service = await openStatistics("2026-06-01T16:00:00Z");
  const second = (s: number) => noon_ms + s * 1000;
  await service.send([
    { tag: "i1.temp", at: second(0), value: 1, quality: "good" },
    { tag: "i1.temp", at: second(15), value: 4, quality: "good" },
    { tag: "i1.temp", at: second(30), quality: "bad" },
    { tag: "i1.temp", at: second(40), value: 8, quality: "uncertain" },
    { tag: "i1.temp", at: second(60), value: 2, quality: "good" },
  ]);
  const query = `/platform/v1/signals?${hour}&tag=i1.temp&resolution=1m&include=stats` +
    "&aggregate=time_weighted";
  const [raw, scaled] = await service.rows(query);
  // Lines: 1 to 4 in 15 s, 4 to 8 in 25 s over the bad one, 8 to 2 in 20 s.
  const average = (2.5 * 15 + 6 * 25 + 5 * 20) / 60;
  const times = { percent_good: 50, duration_good: 30, duration_bad: 10 };
  const picked = (row: StatisticsRow) =>
    Object.fromEntries(Object.entries(row).slice(Object.keys(row).indexOf("percent_good")));
  deepEqual(picked(raw), {
    ...times,
    minimum: 1,
    maximum: 4,
    range: 3,
    standard_deviation: Math.sqrt(4.5),
    first: 1,
    number_of_transitions: null,
    time_average: average,
  });
  // The performance lane is 10 − value.
  deepEqual(picked(scaled), {
    ...picked(raw),
    minimum: 6,
    maximum: 9,
    first: 9,
    time_average: 10 - average,
  });
  for (const format of ["arrow", "parquet", "ndjson", "csv"]) {
    const response = await service.get(`${query}&format=${format}`);
    equal(response.status, 200, format);
    const bytes = await response.bytes();
    ok(new TextDecoder().decode(bytes).includes("standard_deviation"), format);
  }
  await service.close();
});

Deno.test("what does not go together is refused by name", async () => {
  const service = await openStatistics("2026-06-01T16:00:00Z");
  const refused = async (query: string, path: string) => {
    const response = await service.get(`/platform/v1/signals?${query}`);
    equal(response.status, 400, query);
    const { errors } = await response.json();
    ok(errors.some((flaw: { path: string }) => flaw.path === path), JSON.stringify(errors));
  };
  const instant = "at=2026-06-01T12:00:00Z";
  await refused(`${instant}&${hour}`, "from");
  await refused(`${instant}&${hour}&every=5m`, "every");
  await refused(`${instant}&resolution=1m`, "resolution");
  await refused(`${instant}&include=stats`, "include");
  await refused(`${hour}&include=stats`, "include");
  await refused(`${hour}&resolution=raw&aggregate=time_weighted`, "aggregate");
  await refused("received_since=2026-06-01T12:00:00Z&resolution=1m&include=stats", "include");
  await refused("received_since=2026-06-01T12:00:00Z&every=5m", "every");
  await refused("every=5m", "from");
  for (const every of ["0s", "5", "PT", "P", "1.5h", "5 min"]) {
    await refused(`${hour}&every=${every}`, "every");
  }
  const many = Array.from({ length: 201 }, (_, i) => `at=${new Date(i * 1000).toISOString()}`);
  await refused(many.join("&"), "at");
  await service.close();
});
