// Draws lines over time, one panel for each, as a PNG by Chromium.
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
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"
    font-family="sans-serif" font-size="12"><text x="${left}" y="18" font-size="15">${title}</text>
    ${drawn.join("")}</svg>`;
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
