// `deno run -A tests/bench/import.ts [millions] [columns]`: a wide CSV into a database file.
import process from "node:process";
import { type Effects, systemEffects } from "../../src/base/effects.ts";
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { checkImport } from "../../src/engine/ingest/check.ts";
import { databaseTarget, importFile } from "../../src/engine/ingest/import.ts";
import { Ingest } from "../../src/engine/ingest/ingest.ts";
import { openRuleEngine } from "../../src/engine/rules/open.ts";
import type { Project } from "../../src/model/plant/plant.ts";
import { Database } from "../../src/store/database.ts";
import { body_limits } from "../../src/wire/bytes/limits.ts";
import { type ImportFile, openImport } from "../../src/wire/import/import_file.ts";
import type { Source } from "../../src/wire/import/options.ts";
import { body_values } from "./bodies.ts";
import type { Figure } from "./figure.ts";
import { measureAppend } from "./ingest.ts";

const project: Project = {
  project_no: 1,
  ...{ id: "bench", organization_id: "bench", key: "bench", name: "Bench" },
  ...{ portfolio: null, timezone: "UTC" },
};

/** Values a second, and seconds of the processor for a million of them. */
type Rate = { readonly rate: number; readonly cpu_s: number };

/** A file: read only, read through and checked, checked and stored (committed, not rolled up). */
type ImportFigures = {
  readonly read: Rate;
  readonly check: Rate;
  readonly whole: Rate;
  /** The limit: the same number of values appended and committed, and nothing else. */
  readonly append: Rate;
  /** Most memory of the process, in bytes. */
  readonly peak_bytes: number;
};

/** Writes minutes of `columns` inverters. */
async function writeWide(path: string, values: number, columns: number): Promise<void> {
  const file = await Deno.open(path, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter();
  const encode = (text: string) => writer.write(new TextEncoder().encode(text));
  await encode(`time,${Array.from({ length: columns }, (_, i) => `INV${i}.P_AC`).join(",")}\n`);
  const begin_ms = Date.UTC(2024, 0, 1);
  for (let row = 0; row < values / columns; row += 1000) {
    const lines = Array.from({ length: Math.min(1000, values / columns - row) }, (_, i) => {
      const time = new Date(begin_ms + (row + i) * 60_000).toISOString();
      const cells = Array.from(
        { length: columns },
        (_, at) => (((row + i) * 7919 + at * 104_729) % 99_991 / 100).toFixed(2),
      );
      return `${time.slice(0, 10)} ${time.slice(11, 19)},${cells.join(",")}\n`;
    });
    await encode(lines.join(""));
  }
  await writer.close();
}

function sourceOf(path: string): Source {
  return async function* (offset) {
    const file = await Deno.open(path);
    await file.seek(offset, Deno.SeekMode.Start);
    yield* file.readable;
  };
}

/** Imports a wide CSV of so many values, in a folder of its own. */
export async function measureImport(
  { values, columns, effects }: {
    readonly values: number;
    readonly columns: number;
    readonly effects: Effects;
  },
): Promise<ImportFigures> {
  const folder = await Deno.makeTempDir({ prefix: "wattkeeper-import-" });
  try {
    await writeWide(`${folder}/wide.csv`, values, columns);
    const database = await Database.open({ path: `${folder}/import.duckdb`, effects });
    try {
      const open = () =>
        openImport(sourceOf(`${folder}/wide.csv`), {
          lane: "signal",
          table: { home_timezone: "UTC" },
        });
      const read = await rateOf(values, async () => await readOnly(await open()));
      const check = await rateOf(
        values,
        async () => void await checkImport(await open(), () => {}),
      );
      const catalog = await Catalog.load(database);
      const parts = { database, catalog, effects };
      const room = body_limits.import_piece_rows;
      const ingest = await Ingest.open({ ...parts, ...await openRuleEngine(parts), room });
      let peak_bytes = 0;
      const whole = await rateOf(values, async () => {
        const file = await open();
        const check = await checkImport(file, () => {});
        await importFile(file, databaseTarget({ database, catalog, ingest, effects }, project), {
          check,
          onStored: () => {
            peak_bytes = Math.max(peak_bytes, Deno.memoryUsage().rss);
            return Promise.resolve();
          },
        });
      });
      const append = await measureAppend(database, Math.ceil(values / body_values));
      return { read, check, whole, append, peak_bytes };
    } finally {
      await database.close();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function readOnly(file: ImportFile): Promise<void> {
  for await (const { decoded } of file.pieces()) {
    if (decoded.rejected_count > 0) throw new Error("a row was rejected");
  }
}

async function rateOf(values: number, work: () => Promise<void>): Promise<Rate> {
  const from_ms = performance.now();
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return { rate: values / (performance.now() - from_ms) * 1000, cpu_s: (user + system) / values };
}

/** The figure of the gate. */
export async function* measureImports(values: number): AsyncGenerator<Figure> {
  const { append, whole } = await measureImport({ values, columns: 100, effects: systemEffects() });
  yield {
    ...{ workload: "I1", what: "import of a wide CSV, checked and committed", unit: "values/s" },
    value: whole.rate,
    limit: { what: "append alone", value: append.rate },
    target: "1,000,000",
    met: whole.rate >= 1e6,
  };
}

async function main(): Promise<void> {
  const [millions = 2, columns = 100] = Deno.args.map(Number);
  const effects = systemEffects();
  const show = ({ rate, cpu_s }: Rate) =>
    `${cpu_s.toFixed(2)} (${(rate / 1e6).toFixed(2)})`.padEnd(15);
  effects.out("CPU seconds per million values (million values a second)\n");
  const heads = ["read", "checked", "whole", "append alone", "whole/append", "peak MB"];
  effects.out(`${"values".padEnd(12)}${heads.map((it) => it.padEnd(15)).join("")}\n`);
  for (const values of [millions * 1e6, 4 * millions * 1e6]) {
    const { read, check, whole, append, peak_bytes } = await measureImport({
      values,
      columns,
      effects,
    });
    const ratio = (whole.rate / append.rate).toFixed(2).padEnd(15);
    effects.out(
      `${String(values).padEnd(12)}${show(read)}${show(check)}${show(whole)}${
        show(append)
      }${ratio}` +
        `${Math.round(peak_bytes / 1e6)}\n`,
    );
  }
}

if (import.meta.main) await main();
