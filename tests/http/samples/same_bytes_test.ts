// The same question has the same bytes for an answer, whatever went through the memory before.
import assert from "node:assert/strict";
import { tableFromIPC } from "apache-arrow";
import { format_names } from "../../../src/wire/format.ts";
import { testService } from "../../help/service.ts";

const example = await Deno.readTextFile(
  new URL("../../../data/example.site.toml", import.meta.url),
);
/** A temperature in °F: its values have an offset. */
const fahrenheit = `[[sensors]]
tag = "met1.module_f"
device = "MET1"
measure = "module_temp_back"
scale = 0.5556
offset = -17.78
`;
/** Another organization's, whose samples are in the same memory. */
const other = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "o", name: "O", timezone: "UTC" },
  site: { key: "o", name: "O", latitude: 40, longitude: 10 },
  devices: [{ key: "I", type: "inverter" }],
  sensors: [{ tag: "secret", device: "I", measure: "active_power" }],
};
/** What no answer to the first project may hold: each byte of a sample's number. */
const secret = 0x5a;
const [secret_int] = new BigInt64Array(new Uint8Array(8).fill(secret).buffer);
const [secret_float] = new Float64Array(new Uint8Array(8).fill(secret).buffer);

const first_ms = Date.parse("2026-06-01T08:00:00Z");
const minutes = 70;
type Sample = Readonly<Record<string, unknown>>;

/** Samples of every sort, some minutes of each tag bad or silent, so that columns have holes. */
function sampleAt(minute: number): readonly Sample[] {
  const ts = new Date(first_ms + minute * 60_000).toISOString();
  const all: Sample[] = [
    {
      tag: "inv1.p_ac_kw",
      ts,
      value: 100 + minute,
      status_code: minute % 7 === 0 ? 0x80000000 : 0,
    },
    { tag: "inv2.p_ac_kw", ts, value: 90 + minute },
    { tag: "inv1.status", ts, value_int: 4 },
    { tag: "inv1.alarm_word", ts, value_int: minute },
    { tag: "note", ts, value_str: `at ${minute}` },
    { tag: "met1.poa", ts, value: 500 + minute },
    { tag: "met1.module_f", ts, value: 80, status_code: minute % 5 === 0 ? 0x80000000 : 0 },
  ];
  return all.filter((_, i) => (minute + 13 * i) % (30 + i) > 10);
}

function secretAt(minute: number): readonly Sample[] {
  return Array.from({ length: 6 }, (_, i) => ({
    tag: i % 2 === 0 ? "secret" : "secret count",
    ts: new Date(first_ms + minute * 60_000 + i * 1000).toISOString(),
    ...(i % 2 === 0 ? { value: secret_float } : { value_int: String(secret_int) }),
  }));
}

/** A service with both sites, their samples, and some readings of what is asked between. */
async function openBoth() {
  const service = await testService({ at: "2026-06-01T14:00:00Z" });
  const put = (key: string, body: string, type: string) =>
    service.fetch(`/admin/v1/sites/${key}`, {
      method: "PUT",
      body,
      headers: { "content-type": `application/${type}` },
    });
  await put("la-mancha-1", `${example}\n${fahrenheit}`, "toml");
  await put("o", JSON.stringify(other), "json");
  const [ours, theirs] = ["la-mancha", "o"].map((key) =>
    service.services.catalog.projects.find((project) => project.key === key)!.id
  );
  const send = async (project_id: string, lane: string, samples: readonly Sample[]) => {
    const response = await service.fetch(
      `/ingest/v1/signals?project_id=${project_id}&lane=${lane}`,
      {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: samples.map((sample) => JSON.stringify(sample)).join("\n"),
      },
    );
    const { rejected } = await response.json();
    assert.deepEqual(rejected, []);
  };
  const times = Array.from({ length: minutes }, (_, minute) => minute);
  for (let at = 0; at < minutes; at += 60) {
    const hour = times.slice(at, at + 60);
    await send(theirs, "signal", hour.flatMap(secretAt));
    await send(ours, "signal", hour.flatMap(sampleAt));
  }
  await send(ours, "model", [{
    tag: "inv1.p_ac_kw",
    ts: new Date(first_ms).toISOString(),
    value: 9,
  }]);
  await service.settle();
  service.clock.now_us += 60_000_000;
  const get = async (path: string) => {
    const response = await service.fetch(`/platform/v1/${path}`);
    const bytes = await response.bytes();
    assert.equal(response.status, 200, path);
    return bytes;
  };
  return { ...service, get, ours, theirs };
}

const times = "from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z";
const day = "dt_start=2026-06-01&dt_end=2026-06-01";
const signals = (project_id: string) => `signals?project_id=${project_id}&limit=100000`;
const power = "component=inverter&component_measure=active_power&include=forecast";

/** Both lanes of signals by time and by watermark; sparse minutes of powers; availability. */
function questions(project_id: string): readonly string[] {
  return [
    `${signals(project_id)}&${times}`,
    `${signals(project_id)}&received_since=2026-06-01T00:00:00Z`,
    `performance-v2?project_ids=${project_id}&${day}&${power}&time_interval=FiveMinutes`,
    `availability?project_ids=${project_id}&${day}`,
  ];
}

/** Asserts that rows without a value are zeros, as are the bits behind the last row. */
function assertZeros(bytes: Uint8Array, question: string): number {
  let absent = 0;
  for (const { data, schema } of tableFromIPC(bytes).batches) {
    for (const [i, { nullBitmap, values, length, stride }] of data.children.entries()) {
      const { name } = schema.fields[i];
      if (nullBitmap.length === 0 || values === undefined) continue;
      const has = (row: number) => (nullBitmap[row >> 3] >> (row & 7) & 1) === 1;
      for (let row = length; row < 8 * nullBitmap.length; row++) {
        assert.equal(has(row), false, `${name} has bits behind the end of ${question}`);
      }
      const width = stride * values.BYTES_PER_ELEMENT;
      const memory = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      // A column without any value is sent without memory; a text's is of its own.
      if (memory.length < length * width || name === "value_str") continue;
      const dirty = Array.from({ length }, (_, row) => row).filter((row) =>
        !has(row) && memory.subarray(row * width, (row + 1) * width).some((byte) => byte !== 0)
      );
      assert.deepEqual(dirty, [], `rows of ${name} of ${question}`);
      for (let row = 0; row < length; row++) if (!has(row)) absent++;
    }
  }
  return absent;
}

Deno.test("a row without a value is zero in Arrow, and holds nothing of another's", async () => {
  const { get, ours, theirs, close } = await openBoth();
  let absent = 0;
  for (let round = 0; round < 3; round++) {
    for (const question of questions(ours)) {
      for (const between of questions(theirs)) await get(`${between}&format=arrow`);
      const bytes = await get(`${question}&format=arrow`);
      absent += assertZeros(bytes, question);
      assert.ok(longestRun(bytes) < 8, question);
    }
  }
  assert.ok(absent > 2_000, `only ${absent} rows without a value`);
  await close();
});

/** The longest run of the secret byte. */
function longestRun(bytes: Uint8Array): number {
  let longest = 0;
  let run = 0;
  for (const byte of bytes) {
    run = byte === secret ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}

Deno.test("the same question twenty times, between others, has the same bytes", async () => {
  const { get, ours, theirs, close } = await openBoth();
  const first = new Map<string, Uint8Array>();
  for (let round = 0; round < 20; round++) {
    const between = questions(theirs);
    for (const [i, question] of questions(ours).entries()) {
      await get(`${between[(i + round) % between.length]}&format=${format_names[round % 5]}`);
      for (const format of format_names) {
        const path = `${question}&format=${format}`;
        const bytes = await get(path);
        if (round === 0) first.set(path, bytes);
        else assert.deepEqual(bytes, first.get(path), path);
      }
    }
  }
  await close();
});
