// The cells of a slab: setpoint values that are the plain ones, for all readings or for some.
import assert from "node:assert/strict";
import { Cells } from "../../../src/engine/performance/aggregates.ts";
import type { OverSensors } from "../../../src/model/plant/measure.ts";
import type { Readings } from "../../../src/store/performance/performance.ts";

const cell_count = 4;
const ways: readonly (OverSensors | undefined)[] = [
  ...["sum", "mean", "max", "min", "same", "capacity_mean", "power_mean"] as const,
  undefined,
];

/** A reading of each cell; `set` is what a setpoint takes off the model. */
function readingsOf(sensor_no: number, set?: number): Readings {
  const value = Float64Array.of(sensor_no, NaN, 3 * sensor_no, -1);
  const model = value.map((it) => it + 2);
  return {
    sensor_no: new Int32Array(cell_count).fill(sensor_no),
    bucket: Int32Array.from(value.keys()),
    ...{ value, model },
    value_setpoint: set === undefined ? value : value.map((it) => it + set),
    model_setpoint: set === undefined ? model : model.map((it) => it - set),
  };
}

function targetsOf({ bucket, sensor_no }: Readings) {
  return { cells: bucket, weights: Float64Array.from(sensor_no) };
}

/** The same readings, whose setpoint arrays are arrays of their own. */
function apart(readings: Readings): Readings {
  const { value_setpoint, model_setpoint } = readings;
  return {
    ...readings,
    value_setpoint: value_setpoint.slice(),
    model_setpoint: model_setpoint.slice(),
  };
}

function filled(cells: Cells, readings: readonly Readings[]) {
  cells.clear(cell_count);
  for (const each of readings) cells.add(each, targetsOf(each));
  return cells.finish();
}

Deno.test("setpoint values split from the plain ones where the first setpoint is active", () => {
  for (const op of ways) {
    const cells = new Cells(cell_count, op);
    const readings = [readingsOf(1), readingsOf(2, 0.5), readingsOf(3)];
    const expected = filled(new Cells(cell_count, op), readings.map(apart));
    assert.deepEqual(filled(cells, readings), expected, op);
    assert.deepEqual(filled(cells, readings), expected, `${op}, cleared`);
  }
});

Deno.test("cells without an active setpoint have their values once", () => {
  for (const op of ways) {
    const cells = new Cells(cell_count, op);
    filled(cells, [readingsOf(1), readingsOf(2, 0.5)]);
    const plain = filled(cells, [readingsOf(1), readingsOf(2)]);
    assert.equal(plain.value_setpoint, plain.value);
    assert.equal(plain.model_setpoint, plain.model);
    const expected = filled(new Cells(cell_count, op), [readingsOf(1), readingsOf(2)].map(apart));
    assert.deepEqual(plain, expected, op);
  }
});
