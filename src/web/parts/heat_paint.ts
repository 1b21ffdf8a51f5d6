// How the cells of a heat map become pixels: one code a cell, one pass over the picture.

/** What a cell shows. Where several share a pixel the greatest is seen, so nothing is lost. */
export const heat_codes = {
  /** Nothing is drawn: it has not been yet. */
  blank: 0,
  /** Nothing can be told, and nothing need be: too little light. */
  quiet: 1,
  /** As it should be. */
  fine: 2,
  /** Nothing was measured: hatched. */
  missing: 3,
  /** From here on `heat_levels` greys: it is low, and so are the others. */
  shared: 4,
  /** From here on `heat_levels` colours: it alone is abnormal. */
  own: 68,
  /** Out of service: dark, with a mark of its own. */
  outage: 255,
} as const;

/** How many steps a scale has. */
export const heat_levels = 64;

/** The code of a part of a scale, 0 to 1. */
export function heatCode(kind: "shared" | "own", part: number): number {
  const level = Math.round(Math.min(1, Math.max(0, part)) * (heat_levels - 1));
  return heat_codes[kind] + level;
}

/** The colours of a heat map as canvases keep pixels: alpha, blue, green, red. */
export type HeatColors = Readonly<
  Record<"ground" | "quiet" | "low" | "middle" | "high" | "shared" | "outage", number> & {
    readonly hatch: number;
    readonly mark: number;
  }
>;

/** Rows of codes, `columns` each, and in which order the rows are drawn. */
export type HeatCells = {
  readonly codes: Uint8Array;
  readonly columns: number;
  readonly order: ArrayLike<number>;
};

/** A picture of `width` × `height`, a number a pixel. */
export type Picture = {
  readonly pixels: Uint32Array;
  readonly width: number;
  readonly height: number;
};

/** The colour of each code. */
export function paletteOf(colors: HeatColors): Uint32Array {
  const palette = new Uint32Array(256);
  palette[heat_codes.fine] = colors.ground;
  palette[heat_codes.quiet] = palette[heat_codes.missing] = colors.quiet;
  for (let i = 0; i < heat_levels; i++) {
    const part = i / (heat_levels - 1);
    palette[heat_codes.shared + i] = mixed(colors.ground, colors.shared, Math.sqrt(part));
    palette[heat_codes.own + i] = part < 0.3
      ? mixed(colors.ground, colors.low, part / 0.3)
      : part < 0.65
      ? mixed(colors.low, colors.middle, (part - 0.3) / 0.35)
      : mixed(colors.middle, colors.high, (part - 0.65) / 0.35);
  }
  palette[heat_codes.outage] = colors.outage;
  return palette;
}

/** Paints every row; rows of eight pixels and more are one pixel apart. */
export function paintHeat(picture: Picture, cells: HeatCells, colors: HeatColors): void {
  const { pixels, width, height } = picture;
  const palette = paletteOf(colors);
  const rows = cells.order.length;
  const line = new Uint8Array(width);
  pixels.fill(0);
  for (let r = 0; r < rows; r++) {
    const top = Math.floor(r * height / rows);
    const bottom = Math.floor((r + 1) * height / rows);
    const gap = bottom - top >= 8 ? 1 : 0;
    const from = cells.order[r] * cells.columns;
    const greatest = fillLine(line, cells.codes.subarray(from, from + cells.columns));
    const at = top * width;
    for (let x = 0; x < width; x++) pixels[at + x] = palette[line[x]];
    for (let y = top + 1; y < bottom - gap; y++) pixels.copyWithin(y * width, at, at + width);
    const band = { line, width, top, bottom: bottom - gap };
    if (line.includes(heat_codes.missing)) hatch(pixels, band, colors.hatch);
    if (greatest === heat_codes.outage) strike(pixels, band, colors.mark);
  }
}

type Band = {
  readonly line: Uint8Array;
  readonly width: number;
  readonly top: number;
  readonly bottom: number;
};

/** Spreads a row's codes over its pixels; the answer is the greatest of them. */
function fillLine(line: Uint8Array, codes: Uint8Array): number {
  let greatest = 0;
  for (let x = 0; x < line.length; x++) {
    const first = Math.floor(x * codes.length / line.length);
    const end = Math.floor((x + 1) * codes.length / line.length);
    let code = codes[first];
    for (let i = first + 1; i < end; i++) if (codes[i] > code) code = codes[i];
    line[x] = code;
    if (code > greatest) greatest = code;
  }
  return greatest;
}

function hatch(pixels: Uint32Array, { line, width, top, bottom }: Band, color: number): void {
  for (let y = top; y < bottom; y++) {
    for (let x = 0; x < width; x++) {
      if (line[x] === heat_codes.missing && (x + y) % 7 < 2) pixels[y * width + x] = color;
    }
  }
}

/** A bar along the middle, so that an outage is told without its colour. */
function strike(pixels: Uint32Array, { line, width, top, bottom }: Band, color: number): void {
  const thick = Math.max(1, Math.round((bottom - top) / 7));
  const from = Math.floor((top + bottom - thick) / 2);
  for (let y = from; y < from + thick; y++) {
    for (let x = 0; x < width; x++) {
      if (line[x] === heat_codes.outage) pixels[y * width + x] = color;
    }
  }
}

function mixed(a: number, b: number, part: number): number {
  let color = 0xff000000;
  for (const shift of [0, 8, 16]) {
    const [from, to] = [(a >>> shift) & 255, (b >>> shift) & 255];
    color |= Math.round(from + (to - from) * part) << shift;
  }
  return color >>> 0;
}

/** A colour as style sheets say it, `rgb(233, 235, 234)`, as pixels keep it. */
export function pixelOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = color.match(/[\d.]+/g)?.map(Number) ?? [];
  return (0xff000000 | blue << 16 | green << 8 | red) >>> 0;
}
