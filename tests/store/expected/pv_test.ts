// The macros of expected power: published figures, the edges of curves, and missing inputs.
import assert from "node:assert/strict";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";
import { installPv } from "../../../src/store/expected/pv.ts";
import vectors from "../../vectors/pv_model.json" with { type: "json" };
import { queryRows } from "../../help/query.ts";

type Case = readonly [expression: string, wanted: number | null, within?: number];

/** Works expressions out on a connection with the macros; null where they are NULL. */
async function work(expressions: readonly string[]): Promise<(number | null)[]> {
  const database = await Database.open({ path: ":memory:", effects: fakeEffects().effects });
  try {
    return await database.read(async (connection) => {
      await installPv(connection);
      const columns = expressions.map((it, i) => `(${it})::DOUBLE AS e${i}`);
      const [row] = await queryRows<Record<string, number | null>>(
        connection,
        `SELECT ${columns.join(", ")}`,
      );
      return Object.values(row);
    });
  } finally {
    await database.close();
  }
}

async function check(cases: readonly Case[]): Promise<void> {
  const found = await work(cases.map(([expression]) => expression));
  cases.forEach(([expression, wanted, within = 1e-8], i) => {
    if (wanted === null || found[i] === null) assert.equal(found[i], wanted, expression);
    else assert.ok(Math.abs(found[i] - wanted) <= within, `${expression} is ${found[i]}`);
  });
}

Deno.test("DC power is PVWatts'", async () => {
  await check(vectors.pvwatts_dc.map((it): Case => [
    `pv_dc(${it.poa}, ${it.cell_temp}, ${it.pdc0}, ${it.gamma})`,
    it.dc,
  ]));
});

Deno.test("an inverter's AC power is PVWatts'", async () => {
  await check(vectors.pvwatts_inverter.map((it): Case => [
    `least(pv_inverter(${it.pdc}, ${it.pdc0 * it.eta}, ${it.eta}), ${it.pdc0 * it.eta})`,
    it.ac,
  ]));
});

Deno.test("an inverter gives over its rating before it is clipped, never under 0", async () => {
  await check([
    ["pv_inverter(120, 95, 0.95) > 95", 1],
    ["pv_inverter(0.3, 95, 0.95)", 0],
    ["pv_inverter(-5, 95, 0.95)", 0],
  ]);
});

Deno.test("cell temperatures are Faiman's, Sandia's and PVsyst's", async () => {
  const macros: Record<string, string> = {
    faiman: "pv_cell_faiman(900, 20, 5, 25, 6.84)",
    sapm_cell: "pv_cell_sapm(900, 20, 5, -3.47, -0.0594, 3)",
    pvsyst: "pv_cell_pvsyst(900, 20, 5, 29, 0, 0.1, 0.9)",
  };
  await check(vectors.cell_temperature.map((it): Case => [macros[it.model], it.celsius, 0.001]));
});

Deno.test("an efficiency curve is straight between its points and flat outside", async () => {
  const curve = "[[0.1, 0.8], [0.3, 0.96], [1.0, 0.94]]::DOUBLE[][]";
  const at = (load: number) => `pv_curve(${load * 100}, 96, 0.96, ${curve})`;
  await check([
    [at(0), 0],
    [at(-0.1), 0],
    [at(0.05), 4],
    [at(0.1), 8],
    [at(0.2), 17.6],
    [at(0.3), 28.8],
    [at(0.65), 61.75],
    [at(1), 94],
    [at(1.2), 112.8],
    ["pv_curve(50, 96, 0.96, [[0.5, 0.9]]::DOUBLE[][])", 45],
  ]);
});

Deno.test("a sun behind the plane or below the horizon gives no beam", async () => {
  const sky = (beam: string) => `pv_transpose(100, 500, 80, 1400, ${beam}, 1, 0.2, false)`;
  await check([
    [sky("0.5, -0.2"), 80],
    [sky("0.5, 0.5"), 330],
    ["pv_transpose(0, 0, 4, 1400, -0.1, 0.4, 0.5, 0.2, true)", 3],
    ["pv_transpose(5, 100, 4, 1400, 0.0001, 1, 1, 0, true) < 125", 1],
  ]);
});

Deno.test("without an input there is no answer", async () => {
  await check(
    [
      "pv_transpose(NULL, 500, 80, 1400, 0.5, 0.5, 0.9, 0.2, true)",
      "pv_transpose(100, NULL, 80, 1400, 0.5, 0.5, 0.9, 0.2, true)",
      "pv_transpose(100, 500, NULL, 1400, 0.5, 0.5, 0.9, 0.2, true)",
      "pv_transpose(100, 500, NULL, 1400, 0.5, 0.5, 0.9, 0.2, false)",
      "pv_transpose(100, 500, 80, 1400, 0.5, NULL, 0.9, 0.2, false)",
      "pv_cell_faiman(900, NULL, 5, 25, 6.84)",
      "pv_dc(NULL, 25, 100, -0.003)",
      "pv_inverter(NULL, 95, 0.95)",
      "pv_curve(NULL, 96, 0.96, [[0.1, 0.8], [0.3, 0.96]]::DOUBLE[][])",
    ].map((expression): Case => [expression, null]),
  );
});
