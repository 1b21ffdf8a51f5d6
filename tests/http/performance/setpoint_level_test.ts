// Setpoints of a plant, of a meter in it and of inverters at once, through the API.
import assert from "node:assert/strict";
import { siteOf } from "./site_help.ts";

/** Inverters A and C and a battery; the meter and the system read what they give. */
const plant = {
  devices: [
    { key: "SYS", name: "System", type: "system" },
    { key: "M", name: "Meter", type: "meter" },
    ...["A", "C"].map((key) => ({ key, name: key, type: "inverter", parent: "M" })),
  ],
  sensors: [
    ...["A", "C", "M", "SYS"].flatMap((device) => [
      { tag: `${device}.p`, device, measure: "active_power", capacity: 5000 },
      { tag: `${device}.limit`, device, measure: "active_power_setpoint", capacity: 5000 },
    ]),
    { tag: "A.e", device: "A", measure: "energy" },
    { tag: "M.e", device: "M", measure: "energy" },
  ],
};
const battery = {
  devices: [...plant.devices, { key: "P", name: "P", type: "bess_pcs", parent: "M" }],
  sensors: [...plant.sensors, { tag: "P.p", device: "P", measure: "active_power" }],
};

/** Minutes of an hour before noon, every so many. */
function hour(spacing: number, value: number): (readonly [number, number])[] {
  return Array.from({ length: 60 / spacing }, (_, i) => [660 + i * spacing, value] as const);
}

type Values = Readonly<Record<string, number>>;

/** What is expected and measured in that hour, under setpoints. */
async function found(
  made: typeof plant,
  { signal, model, spacing }: {
    readonly signal: Values;
    readonly model: Values;
    readonly spacing: number;
  },
) {
  const site = await siteOf(made);
  for (const [tag, value] of Object.entries(model)) {
    await site.send("model", tag, [...hour(1, value), [720, 0]]);
  }
  for (const [tag, value] of Object.entries(signal)) {
    await site.send("signal", tag, hour(spacing, value));
  }
  await site.settle();
  const rows = async (component: string, measure?: string) => {
    const asked = { interval: "OneHour", component, measure, by: "hierarchy_id" };
    const all = await site.rows(asked);
    const noon = all.filter(({ ts }) => String(ts).slice(11, 13) === "11");
    return noon.map((row) => [row.model_value_setpoint, row.sensor_value_setpoint]);
  };
  const out = {
    inverters: (await rows("inverter")).toSorted((a, b) => Number(b[1]) - Number(a[1])),
    meter: await rows("meter"),
    system: await rows("system"),
    meter_energy: await rows("meter", "energy"),
  };
  await site.close();
  return out;
}

const model = { "A.p": 800, "C.p": 400 };
const signal = { "A.p": 290, "C.p": 280, "M.p": 570, "SYS.p": 570 };

for (const spacing of [1, 5, 15]) {
  Deno.test(`what A cannot take of the plant's goes to C, each ${spacing} minutes`, async () => {
    const limits = { "SYS.limit": 600, "A.limit": 300 };
    deepNear(await found(plant, { model, signal: { ...signal, ...limits }, spacing }), {
      // Sensor and what is not to be given: 290 + 800 - 300 and 280 + 400 - 300.
      inverters: [[300, 790], [300, 380]],
      meter: [[600, 570 + 1200 - 600]],
      system: [[600, 570 + 1200 - 600]],
      meter_energy: [[600, null]],
    });
  });
}

Deno.test("the meter's is what its inverters' come to, at most its own", async () => {
  const limits = { "SYS.limit": 600, "A.limit": 100 };
  const powers = { "A.p": 90, "C.p": 390, "M.p": 480, "SYS.p": 480 };
  deepNear(await found(plant, { model, signal: { ...powers, ...limits }, spacing: 1 }), {
    inverters: [[100, 90 + 700], [400, 390]],
    meter: [[500, 480 + 700]],
    system: [[500, 480 + 700]],
    meter_energy: [[500, null]],
  });
});

Deno.test("with storage, the generation is limited first, then the meter to its own", async () => {
  const limits = { "SYS.limit": 600, "A.limit": 300 };
  // Charging takes from what is limited; discharging adds nothing over the limit.
  for (const [power, expected] of [[-200, 400], [200, 600]]) {
    const total = { "M.p": expected - 10, "SYS.p": expected - 10, "P.p": power };
    const rows = await found(battery, {
      model,
      signal: { ...signal, ...total, ...limits },
      spacing: 5,
    });
    const shown = [expected, expected - 10 + 1200 + power - expected];
    deepNear(rows, {
      inverters: [[300, 790], [300, 380]],
      meter: [shown],
      system: [shown],
      meter_energy: [[expected, null]],
    });
  }
});

Deno.test("a setpoint that is contradicted is void from the first minute of that", async () => {
  const site = await siteOf(plant);
  const minutes = Array.from({ length: 40 }, (_, i) => 660 + i);
  for (const [tag, value] of Object.entries(model)) {
    await site.send("model", tag, minutes.map((minute) => [minute, value]));
  }
  // All four report 800 and 400 from the 13th minute on, and followed before.
  await site.send("signal", "SYS.limit", [[660, 600]]);
  const power = (minute: number) => minute < 673 ? 590 : 1200;
  const rows = async () => {
    const all = await site.rows({ interval: "OneMinute", component: "system" });
    return all.flatMap(({ ts, model_value_setpoint: value }) => {
      const minute = 60 * Number(String(ts).slice(11, 13)) + Number(String(ts).slice(14, 16));
      return minute >= 670 && minute < 680 ? [value] : [];
    });
  };
  const send = async (until: number) => {
    const heard = minutes.filter((minute) => minute < until);
    for (const tag of ["M.p", "SYS.p"]) {
      await site.send("signal", tag, heard.map((minute) => [minute, power(minute)]));
    }
    await site.settle();
  };
  await send(677);
  assert.deepEqual(await rows(), Array(10).fill(600));
  // The fifth minute is in the next quarter-hour.
  await send(678);
  assert.deepEqual(await rows(), [600, 600, 600, ...Array(5).fill(1200), 600, 600]);
  await site.close();
});

type Rows = Awaited<ReturnType<typeof found>>;

/** Asserts that figures are equal but for rounding; null in `expected` is not looked at. */
function deepNear(actual: Rows, expected: Record<keyof Rows, readonly (readonly unknown[])[]>) {
  for (const [name, rows] of Object.entries(expected)) {
    const found = actual[name as keyof Rows];
    assert.equal(found.length, rows.length, name);
    rows.forEach((row, i) =>
      row.forEach((value, c) => {
        const close = value === null || Math.abs(Number(found[i][c]) - Number(value)) < 1e-6;
        assert.ok(close, `${name}: ${JSON.stringify(actual)}`);
      })
    );
  }
}
