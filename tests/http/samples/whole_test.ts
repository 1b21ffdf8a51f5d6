// Minutes of a quarter-hour that is stored by its samples alone, while one of these is corrected.
import { deepEqual, equal } from "node:assert/strict";
import { queryRows } from "../../help/query.ts";
import { openSite } from "../../help/raw.ts";

Deno.test("a minute keeps its value until a corrected sample is rolled up", async () => {
  const open = await openSite({}, { at: "2026-06-02T12:00:00Z" });
  const at = (minute: number) => `2026-06-01T10:${String(minute).padStart(2, "0")}:00Z`;
  const sample = (minute: number, value: number) =>
    JSON.stringify({ tag: "x", ts: at(minute), value });
  const minutes = Array.from({ length: 30 }, (_, minute) => minute);
  const values = async () =>
    (await open.signals({ tag: "x", resolution: "1m" }))
      .filter(({ carried }) => !carried).map(({ value }) => value);
  const wholes = async () => {
    const [{ n }] = await open.services.database.read((connection) =>
      queryRows<{ n: number }>(connection, "SELECT count(*)::INTEGER AS n FROM whole_quarter")
    );
    return n;
  };
  try {
    await open.send(minutes.map((minute) => sample(minute, minute)).join("\n"));
    await open.settle();
    equal(await wholes(), 2);
    deepEqual(await values(), minutes);
    await open.send([sample(7, 700), sample(8, 8)].join("\n"));
    equal(await wholes(), 1, "the quarter-hour with another sample is stored minute by minute");
    deepEqual(await values(), minutes);
    await open.settle();
    deepEqual(await values(), minutes.with(7, 700));
    await open.send(sample(20, 20));
    equal(await wholes(), 1, "the same again changes nothing");
  } finally {
    await open.close();
  }
});

Deno.test("event words that a site file names later are looked at", async () => {
  const devices = [{ key: "I", type: "inverter" as const }];
  const site = {
    device_models: [
      { key: "M", status: "sunspec" as const, events: { "2": "forced_outage" as const } },
    ],
    devices,
    sensors: [{ tag: "p", device: "I", measure: "active_power" as const }],
  };
  const open = await openSite(site, { at: "2026-06-02T12:00:00Z" });
  const unavailable = () =>
    open.services.database.read((connection) =>
      queryRows(connection, "SELECT unavailable_s FROM inverter_day WHERE basis_s > 0")
    );
  const begin_ms = Date.parse("2026-06-01T08:00:00Z");
  const minutes = Array.from({ length: 120 }, (_, i) => ({
    ts: new Date(begin_ms + i * 60_000).toISOString(),
    word: i % 40 === 3 ? 4 : 0,
  }));
  const lines = minutes.flatMap(({ ts, word }) => [
    JSON.stringify({ tag: "p", ts, value: 5 }),
    JSON.stringify({ tag: "words", ts, value_int: word }),
  ]);
  try {
    await open.send(lines.join("\n"));
    await open.settle();
    await open.services.availability.settle();
    deepEqual(await unavailable(), [{ unavailable_s: 0 }]);
    const named = { ...devices[0], device_model: "M", event_tag: "words" };
    const { status, text } = await open.apply({ ...site, devices: [named] });
    equal(status, 200, text);
    await open.settle();
    await open.services.availability.settle();
    deepEqual(await unavailable(), [{ unavailable_s: 180 }]);
  } finally {
    await open.close();
  }
});
