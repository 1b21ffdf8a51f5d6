// Draws lines over time, one panel for each, or bars in groups, as a PNG by Chromium.
import { chromium } from "playwright-core";

/** One panel: values at the times of the plot, in `unit`; the axis begins at 0. */
export type Panel = {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
};

const [width, height, left, top, gap] = [1000, 130, 70, 40, 46];

/** Writes the plot to `path`; `times` are minutes, one for each value of a panel. */
export async function savePlot(
  path: string,
  { title, times, panels }: {
    readonly title: string;
    readonly times: readonly number[];
    readonly panels: readonly Panel[];
  },
): Promise<void> {
  const end = times.at(-1) ?? 1;
  const drawn = panels.map((panel, i) =>
    panelOf(panel, { times, end, y: top + i * (height + gap) })
  );
  const size = { width: left + width + 40, height: top + panels.length * (height + gap) };
  await saveSvg(path, { title, size, drawn: drawn.join("") });
}

/** A group of bars: a value for each series, or none. */
export type Bars = { readonly name: string; readonly values: readonly (number | undefined)[] };

const bar_height = 11;
const colours = ["#06c", "#c60", "#393", "#a3a", "#888", "#c33", "#099"];

/** Writes groups of bars on a scale of powers of ten to `path`. */
export async function saveBars(
  path: string,
  { title, series, groups }: {
    readonly title: string;
    readonly series: readonly string[];
    readonly groups: readonly Bars[];
  },
): Promise<void> {
  const all = groups.flatMap(({ values }) => values.filter((it) => it !== undefined));
  const least = 10 ** Math.floor(Math.log10(Math.min(...all)));
  const most = Math.log10(Math.max(...all) / least);
  const names_width = 300;
  const group_height = (series.length + 1) * bar_height;
  const drawn = groups.map(({ name, values }, i) => {
    const y = top + 20 + i * group_height;
    const bars = values.map((value, k) => {
      if (value === undefined) return "";
      const long = Math.max(1, (width - names_width) * Math.log10(value / least) / most);
      const at = y + k * bar_height;
      return `<rect x="${left + names_width}" y="${at}" width="${long}" height="${bar_height - 2}"
        fill="${colours[k % colours.length]}"/><text font-size="9" y="${at + bar_height - 3}"
        x="${left + names_width + long + 4}">${value.toPrecision(3)}</text>`;
    });
    const middle = y + group_height / 2;
    return `<text x="${left + names_width - 8}" y="${middle}" text-anchor="end">${name}</text>${
      bars.join("")
    }`;
  });
  const legend = series.map((name, k) =>
    `<text x="${left + k * 150}" y="${top}" fill="${colours[k % colours.length]}">■ ${name}</text>`
  );
  const size = { width: left + width + 60, height: top + 40 + groups.length * group_height };
  await saveSvg(path, { title, size, drawn: [...legend, ...drawn].join("") });
}

type Drawing = {
  readonly title: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly drawn: string;
};

async function saveSvg(path: string, { title, size, drawn }: Drawing): Promise<void> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"
    font-family="sans-serif" font-size="12"><text x="${left}" y="18" font-size="15">${title}</text>
    ${drawn}</svg>`;
  const executablePath = "/usr/bin/chromium";
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage({ viewport: size });
    await page.setContent(`<body style="margin:0;background:#fff">${svg}</body>`);
    await page.screenshot({ path });
  } finally {
    await browser.close();
  }
}

function panelOf(
  { name, unit, values }: Panel,
  { times, end, y }: {
    readonly times: readonly number[];
    readonly end: number;
    readonly y: number;
  },
): string {
  const most = Math.max(...values, 1e-9) * 1.1;
  const at = (i: number) =>
    `${(left + width * times[i] / end).toFixed(1)},${
      (y + height * (1 - values[i] / most)).toFixed(1)
    }`;
  const marks = [0, 0.5, 1].map((share) =>
    `<text x="${left - 8}" y="${y + height * (1 - share) + 4}" text-anchor="end">${
      (most * share).toPrecision(3)
    }</text>`
  );
  return `<text x="${left}" y="${y - 6}" font-weight="bold">${name} (${unit})</text>${
    marks.join("")
  }
    <rect x="${left}" y="${y}" width="${width}" height="${height}" fill="none" stroke="#bbb"/>
    <polyline fill="none" stroke="#06c" points="${values.map((_, i) => at(i)).join(" ")}"/>
    <text x="${left + width}" y="${y + height + 16}" text-anchor="end">${
    end.toFixed(1)
  } min</text>`;
}
