// What a heat map's cells look like in pixels.
import { equal, notEqual, ok } from "node:assert/strict";
import {
  heat_codes,
  heatCode,
  type HeatColors,
  paintHeat,
  paletteOf,
  pixelOf,
} from "../../../src/web/parts/heat_paint.ts";

const colors: HeatColors = {
  ground: pixelOf("rgb(240, 240, 240)"),
  quiet: pixelOf("rgb(200, 200, 200)"),
  low: pixelOf("rgb(240, 210, 160)"),
  middle: pixelOf("rgb(220, 120, 30)"),
  high: pixelOf("rgb(120, 40, 0)"),
  shared: pixelOf("rgb(140, 150, 150)"),
  outage: pixelOf("rgb(30, 10, 0)"),
  hatch: pixelOf("rgb(100, 100, 100)"),
  mark: pixelOf("rgb(255, 255, 255)"),
};

function painted(rows: readonly (readonly number[])[], { width, height, order }: {
  readonly width: number;
  readonly height: number;
  readonly order?: readonly number[];
}) {
  const pixels = new Uint32Array(width * height);
  paintHeat({ pixels, width, height }, {
    codes: Uint8Array.from(rows.flat()),
    columns: rows[0].length,
    order: order ?? rows.map((_, i) => i),
  }, colors);
  return (x: number, y: number) => pixels[y * width + x];
}

Deno.test("a colour of a style sheet is a pixel with red last", () => {
  equal(pixelOf("rgb(1, 2, 3)"), 0xff030201);
});

Deno.test("the scales begin at the ground and end at their last colour", () => {
  const palette = paletteOf(colors);
  equal(palette[heatCode("own", 0)], colors.ground);
  equal(palette[heatCode("own", 1)], colors.high);
  equal(palette[heatCode("own", 7)], colors.high);
  equal(palette[heatCode("shared", 1)], colors.shared);
  equal(palette[heat_codes.blank], 0);
});

Deno.test("rows are drawn in the order that is asked for", () => {
  const [fine, bad] = [heat_codes.fine, heatCode("own", 1)];
  const at = painted([[fine, fine], [bad, bad]], { width: 2, height: 2, order: [1, 0] });
  equal(at(0, 0), colors.high);
  equal(at(0, 1), colors.ground);
});

Deno.test("of cells that share a pixel the worst is seen", () => {
  const { fine, outage } = heat_codes;
  const row = [fine, outage, fine, heatCode("shared", 1)];
  const at = painted([row], { width: 2, height: 3 });
  equal(at(0, 0), colors.outage);
  equal(at(1, 0), colors.shared);
});

Deno.test("an outage has a bar, missing data are hatched, what is to come is empty", () => {
  const row = [heat_codes.outage, heat_codes.missing, heat_codes.blank];
  const at = painted([row], { width: 30, height: 9 });
  equal(at(4, 0), colors.outage);
  equal(at(4, 3), colors.mark);
  const hatched = Array.from({ length: 10 }, (_, i) => at(10 + i, 2));
  ok(hatched.includes(colors.hatch) && hatched.includes(colors.quiet));
  equal(at(25, 4), 0);
  notEqual(at(4, 8), colors.outage, "rows are apart");
});
