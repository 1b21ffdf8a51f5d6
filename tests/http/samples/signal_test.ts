// Tests GET /platform/v1/signals by sample time: every column, every filter, every refusal.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { sample_limits } from "../../../src/model/samples/limits.ts";
import { signal_columns } from "../../../src/model/samples/signal.ts";
import { openSignals, printed, type SignalRow, start_us } from "../../help/signal.ts";

const day = "from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z";
const null_row = Object.fromEntries(signal_columns.map(({ name }) => [name, null]));

Deno.test("raw_signal rows hold what was sent, performance rows the scaled value", async () => {
  const { rows, close } = await openSignals();
  const raw = { ...null_row, carried: false, resolution: "raw" };
  const received_at = "2026-06-01T00:00:10.000000Z";
  const ts = "2026-06-01T00:00:00.000000Z";
  const p = { device_key: "INV1", device_name: "Inverter 1", tag_class: "measurement" };
  const found = await rows(`${day}&resolution=raw&tag=p&tag=ghi`);
  const as_sent = { ...raw, lane: "raw_signal", sensor_tag: "p", ...p, unit: "kW", received_at };
  const scaled = {
    ...as_sent,
    lane: "performance",
    hierarchy_id: "h-p",
    device_id: "device-1",
    unit: "W",
  };
  const good = { value_encoding: "float", quality: "good", status_code: 0, status_name: "Good" };
  const ghi = { ...raw, sensor_tag: "ghi", ts, received_at, value_encoding: "float" };
  const ghi_value = { value: -0.25, raw_value: -0.25, status_code: 2415853568 };
  deepEqual(found.slice(0, 4), [
    { ...ghi, ...ghi_value, lane: "raw_signal" },
    {
      ...ghi,
      ...ghi_value,
      lane: "performance",
      hierarchy_id: "h-ghi",
      device_id: "",
      unit: "W/m2",
    },
    { ...as_sent, ...good, ts, value: 1.5, raw_value: 1.5 },
    { ...scaled, ...good, ts, value: 1505, raw_value: 1.5 },
  ]);
  const bad = {
    value_encoding: "float",
    quality: "bad",
    status_code: 2150891520,
    status_name: "BadNodeIdUnknown",
    ts: "2026-06-01T00:00:00.000001Z",
  };
  deepEqual(found.slice(4, 6), [{ ...as_sent, ...bad }, { ...scaled, ...bad }]);
  equal(found[6].quality, "uncertain");
  deepEqual([found[7].value, found[7].raw_value], [3505, 3.5]);
  await close();
});

Deno.test("integers are exact, strings whole, and each row says which column has it", async () => {
  const { fetch, rows, close } = await openSignals();
  const path = `/platform/v1/signals?project_id=project-1&format=ndjson&${day}&tag=code`;
  match(await (await fetch(path)).text(), /"value_int":9223372036854775807,/);
  const [text] = await rows(`${day}&tag=text`);
  deepEqual([text.value_encoding, text.value_str, text.quality], ["string", "grüße", null]);
  const [blank] = await rows(`${day}&tag=blank`);
  deepEqual([blank.value_encoding, blank.status_name, blank.quality], ["float", "Bad", "bad"]);
  const [code, scaled] = await rows(`${day}&tag=code&resolution=raw`);
  deepEqual([code.value_encoding, code.value, code.status_name], ["integer", null, "Good"]);
  deepEqual([scaled.lane, scaled.unit], ["performance", null]);
  await close();
});

Deno.test("1m rows have the minute's start, quality and counts, in both lanes", async () => {
  const { rows, close } = await openSignals();
  const found = await rows(`${day}&resolution=1m`);
  deepEqual(found.map((row) => [row.sensor_tag, row.lane]), [
    ["code", "raw_signal"],
    ["code", "performance"],
    ["p", "raw_signal"],
    ["p", "performance"],
  ]);
  const { value_int, carried, good_count, quality } = found[0];
  deepEqual([value_int, carried, good_count, quality], [-7, true, 0, "good"]);
  const p = found[3];
  deepEqual([p.value, p.raw_value, p.quality, p.status_code], [2505, 2.5, "partial", null]);
  deepEqual([p.good_count, p.uncertain_count, p.bad_count, p.carried], [1, 1, 1, false]);
  equal(p.ts, "2026-06-01T00:00:00.000000Z");
  equal(p.received_at, "2026-06-01T00:01:10.000000Z");
  await close();
});

Deno.test("every value is of its column's kind, null only where the column allows it", async () => {
  const { rows, close } = await openSignals();
  const types = {
    text: "string",
    instant: "string",
    float64: "number",
    int64: "number",
    int32: "number",
    uint32: "number",
    bool: "boolean",
  };
  const found = await rows(day);
  ok(found.length > 10);
  for (const row of found) {
    deepEqual(Object.keys(row), signal_columns.map((column) => column.name));
    for (const { name, kind, nullable } of signal_columns) {
      if (row[name] === null) ok(nullable, name);
      else equal(typeof row[name], types[kind], name);
    }
  }
  await close();
});

const filters: readonly (readonly [string, readonly string[]])[] = [
  ["resolution=raw&lane=raw_signal", ["blank", "code", "ghi", "p", "text", "p", "p"]],
  ["resolution=raw&lane=performance", ["code", "ghi", "p", "p", "p"]],
  ["resolution=raw&tag=text&tag=blank", ["blank", "text"]],
  ["tag_class=alarms&lane=raw_signal&resolution=1m", ["code"]],
  ["device_id=device-2&resolution=raw", ["code"]],
  ["device_id=device-2&device_id=device-1&resolution=1m", ["code", "p"]],
  ["device_id=device-2&lane=raw_signal", []],
  ["device_id=unknown", []],
  ["tag=unknown", []],
  ["tag_class=unknown", []],
  ["resolution=raw&lane=raw_signal&limit=2", ["blank", "code"]],
  ["resolution=raw&lane=raw_signal&limit=2&offset=2", ["ghi", "p"]],
  ["offset=1000", []],
];

Deno.test("each filter leaves exactly its rows", async () => {
  const { rows, close } = await openSignals();
  for (const [query, tags] of filters) {
    const found = await rows(`${day}&${query}`);
    deepEqual(found.map((row) => row.sensor_tag), tags, query);
  }
  await close();
});

Deno.test("a header names the tags of a request that do not exist", async () => {
  const { fetch, close } = await openSignals();
  const namesOf = async (query: string) => {
    const path = `/platform/v1/signals?project_id=project-1&${day}&${query}`;
    const { headers, status, body } = await fetch(path);
    await body?.cancel();
    equal(status, 200);
    return headers.get("x-svc-unknown-tags")?.split(",").map(decodeURIComponent);
  };
  deepEqual(await namesOf(""), undefined);
  deepEqual(await namesOf("tag=p&tag=text"), undefined);
  deepEqual(await namesOf("tag=p&tag=P&tag=%C3%9C,1"), ["P", "\u00dc,1"]);
  const many = Array.from({ length: 30 }, (_, i) => `tag=x${i}`).join("&");
  equal((await namesOf(many))?.length, sample_limits.unknown_tags_shown);
  await close();
});

Deno.test("from is inclusive and to exclusive, to the microsecond", async () => {
  const { rows, close } = await openSignals();
  const at = (from: number, to: number) =>
    rows(`from=${printed(start_us + from)}&to=${printed(start_us + to)}&tag=p&lane=raw_signal`);
  const values = (found: readonly SignalRow[]) =>
    found.map((row) => `${row.resolution} ${String(row.ts).slice(-4)}`);
  deepEqual(values(await at(0, 1)), ["raw 000Z", "1m 000Z"]);
  deepEqual(values(await at(1, 3)), ["raw 001Z", "raw 002Z"]);
  deepEqual(values(await at(3, 60_000_000)), []);
  await close();
});

const refused: readonly (readonly [string, ...string[]])[] = [
  ["", "from", "to"],
  ["from=2026-06-01T00:00:00Z", "to"],
  ["to=2026-06-01T00:00:00Z", "from"],
  ["from=2026-06-02T00:00:00Z&to=2026-06-01T00:00:00Z", "to"],
  ["from=2026-06-01T00:00:00Z&to=2026-06-01T00:00:00Z", "to"],
  ["from=2026-06-01&to=2026-06-02T00:00:00Z", "from"],
  ["from=2026-06-01T00:00:00&to=2026-06-02T00:00:00Z", "from"],
  ["from=2026-02-30T00:00:00Z&to=2026-06-02T00:00:00Z", "from"],
  ["from=2026-06-01T00:00:00Z&to=9999-06-02T00:00:00Z", "to"],
  [`${day}&limit=0`, "limit"],
  [`${day}&limit=100001`, "limit"],
  [`${day}&limit=1e9`, "limit"],
  [`${day}&limit=ten`, "limit"],
  [`${day}&limit=`, "limit"],
  [`${day}&limit=1&limit=2`, "limit"],
  [`${day}&offset=-1`, "offset"],
  [`${day}&offset=1.5`, "offset"],
  [`${day}&lane=raw`, "lane"],
  [`${day}&lane=raw_signal&lane=performance`, "lane"],
  [`${day}&resolution=5m`, "resolution"],
  [`${day}&tag=`, "tag"],
  [`${day}&tag=%FF`, "tag"],
  [`${day}&tags=p`, "tags"],
  [`${day}&tag[]=p`, "tag[]"],
  [`${day}&after_ts=2026-06-01T00:00:00Z`, "after_ts"],
  [`${day}&after_tag=p`, "after_tag"],
  ["received_since=yesterday", "received_since"],
  ["received_since=2026-06-01T00:00:00Z&after_tag=p", "after_ts"],
  ["received_since=2026-06-01T00:00:00Z&after_ts=2026-06-01T00:00:00Z", "after_tag"],
  [`${day}&limit=0&offset=-1&lane=x`, "lane", "limit", "offset"],
  [`${day}&format=xml`, "format"],
];

Deno.test("each wrong or missing parameter is named, all at once", async () => {
  const { fetch, close } = await openSignals();
  for (const [query, ...paths] of refused) {
    const answer = await fetch(`/platform/v1/signals?project_id=project-1&${query}`);
    const problem = await answer.json();
    equal(answer.status, 400, query);
    deepEqual(problem.errors.map((flaw: { path: string }) => flaw.path), paths, query);
    for (const path of paths) ok(problem.detail.includes(path), problem.detail);
  }
  const many = Array.from({ length: 201 }, (_, i) => `tag=${i}`).join("&");
  const answer = await fetch(`/platform/v1/signals?project_id=project-1&${day}&${many}`);
  match((await answer.json()).detail, /tag: give at most 200/);
  equal((await fetch(`/platform/v1/signals?${day}`)).status, 400);
  await close();
});

Deno.test("an offset's plus sign may arrive as a space, and a century is a range", async () => {
  const { rows, close } = await openSignals();
  const plus = await rows("from=2026-06-01T02:00:00+02:00&to=2026-06-01T02:01:00%2B02:00&tag=text");
  equal(plus.length, 1);
  equal((await rows("from=1970-01-01T00:00:00Z&to=2199-01-01T00:00:00Z&tag=text")).length, 1);
  await close();
});
