// SunSpec's table: models, points in a device, and what their registers mean.
import assert from "node:assert/strict";
import { model_ids, modelName, pathFlaw } from "../../../src/model/sources/sunspec.ts";
import { placePoints, scaled, sunspecValue } from "../../../src/wire/sources/sunspec.ts";

const none = () => Promise.reject(new Error("no count is asked for"));

Deno.test("the path of every point that a device can have is right", async () => {
  for (const id of model_ids) {
    const model = { id, address: 40_002, length: 2_000 };
    for (const twin of [1, 2]) {
      for (const { path } of await placePoints({ model, twin }, () => Promise.resolve(2))) {
        assert.equal(pathFlaw(path), undefined, path);
      }
    }
  }
});

Deno.test("every model can be placed, and its points do not overlap", async () => {
  assert.ok(model_ids.length >= 110);
  for (const id of model_ids) {
    const model = { id, address: 40_002, length: 2_000 };
    const points = await placePoints({ model, twin: 1 }, () => Promise.resolve(2));
    assert.equal(points[0].point.name, "ID", `model ${id}`);
    assert.equal(points[0].address, 40_002);
    const sorted = points.toSorted((a, b) => a.address - b.address);
    sorted.slice(1).forEach((it, i) => {
      const { address, point, path } = sorted[i];
      assert.ok(address + point.size <= it.address, `${path} reaches into ${it.path}`);
    });
  }
});

Deno.test("the fixed part of well-known models is as long as SunSpec says", async () => {
  // From the models' documents: registers behind id and length.
  for (const [id, length] of [[1, 66], [103, 50], [113, 60], [120, 26], [203, 105]]) {
    const model = { id, address: 0, length };
    const points = await placePoints({ model, twin: 1 }, none);
    const end = Math.max(...points.map(({ address, point }) => address + point.size));
    assert.equal(end, length + 2, modelName(id));
    const longer = await placePoints({ model: { id, address: 0, length: 500 }, twin: 1 }, none);
    assert.equal(longer.length, points.length, `${modelName(id)} has more`);
  }
});

Deno.test("an older device lacks the points behind its model's length", async () => {
  const model = { id: 103, address: 40_070, length: 40 };
  const points = await placePoints({ model, twin: 1 }, none);
  const paths = points.map(({ path }) => path);
  assert.ok(paths.includes("103.Evt1"));
  assert.ok(!paths.includes("103.Evt2"));
});

Deno.test("copies of a group fill the model, with the scale factors before them", async () => {
  const model = { id: 160, address: 40_122, length: 8 + 3 * 20 };
  const points = await placePoints({ model, twin: 1 }, none);
  const third = points.find(({ path }) => path === "160.module:3.DCA")!;
  assert.deepEqual(third.scale, { address: 40_124 });
  assert.equal(third.address, 40_122 + 2 + 8 + 2 * 20 + 9);
  assert.ok(!points.some(({ path }) => path.startsWith("160.module:4")));
});

Deno.test("groups within groups stand as often as their counters say", async () => {
  const model = { id: 705, address: 0, length: 500 };
  const points = await placePoints(
    { model, twin: 2 },
    ({ point }) => Promise.resolve(point.name === "NCrv" ? 3 : 2),
  );
  const paths = points.map(({ path }) => path);
  assert.ok(paths.includes("705:2.Crv:3.Pt:2.Var"));
  assert.ok(!paths.includes("705:2.Crv:3.Pt:3.Var"));
  assert.ok(!paths.includes("705:2.Crv:4.ActPt"));
});

Deno.test("what is not implemented is no value, and all else is", () => {
  const value = (type: string, ...words: number[]) =>
    sunspecValue({ type }, new Uint8Array(words.flatMap((it) => [it >> 8, it & 0xff])));
  assert.equal(value("int16", 0x8000), undefined);
  assert.equal(value("int16", 0xffff), -1);
  assert.equal(value("uint16", 0xffff), undefined);
  assert.equal(value("uint16", 0x8000), 0x8000);
  assert.equal(value("acc32", 0, 0), undefined);
  assert.equal(value("acc32", 1, 2), 65_538);
  assert.equal(value("uint32", 0xffff, 0xffff), undefined);
  assert.equal(value("int32", 0x8000, 0), undefined);
  assert.equal(value("int64", 0x8000, 0, 0, 0), undefined);
  assert.equal(value("uint64", 0xffff, 0xffff, 0xffff, 0xffff), undefined);
  assert.equal(value("float32", 0x7fc0, 0), undefined);
  assert.equal(value("float32", 0x42c8, 0), 100);
  assert.equal(value("string", 0, 0), undefined);
  assert.equal(value("string", 0x5357, 0x4100), "SWA");
  assert.equal(value("sunssf", 0x8000), undefined);
});

Deno.test("a scale factor of tenths gives the number that was meant", () => {
  assert.equal(scaled(2301, -1), 230.1);
  assert.equal(scaled(35, 2), 3500);
  assert.equal(scaled(35, undefined), undefined);
  assert.equal(scaled(35, 11), undefined);
});
