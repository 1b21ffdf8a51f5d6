// `deno run -A tests/cli/import/fuzz.ts [files] [seed]`: damaged exports, none may lose a row.
import assert from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import { Fault } from "../../../src/base/fault.ts";
import { checkImport, refuseRepeats } from "../../../src/engine/ingest/check.ts";
import type { SampleBatch } from "../../../src/model/samples/sample.ts";
import { type ImportFile, openImport } from "../../../src/wire/import/import_file.ts";
import { surfrad_names, surfrad_no_value } from "../../../src/wire/import/surfrad.ts";
import { portalExports } from "./exports.ts";
import { withFolder } from "./folder.ts";

/** What became of the files. */
export type FuzzCount = { taken: number; rejected: number; refused: number; stored: number };

type Chance = (below: number) => number;

/** A row of values: a cell of it begins as a time. */
const row_form = /(^|[;,\t"])(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{13}|\d{4},\d{3}),?/;

/** Whole numbers from a seed. */
function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 4_294_967_296 * below);
  };
}

const signs = [...'";,\t\n\r.|0-x#€ ', "\r\n", "\n\n", '""', "NaN", "1.5", ";;", ",,", "\u0000"];

/** A file with a few places cut out, put in, doubled, moved or spoilt. */
function damaged(lines: readonly string[], chance: Chance): string {
  const rows = [...lines];
  let text: string | undefined;
  for (let i = chance(3); i >= 0; i--) {
    // What stands at the head decides how all is read.
    const at = chance(chance(3) === 0 ? Math.min(12, rows.length) : rows.length);
    const row = rows[at];
    const place = chance(row.length + 1);
    const sign = signs[chance(signs.length)];
    const ways = [
      () => void (rows[at] = row.slice(0, place) + sign + row.slice(place)),
      () => void (rows[at] = row.slice(0, place) + row.slice(place + 1 + chance(3))),
      () => void (rows[at] = row.slice(0, place) + sign + row.slice(place + 1)),
      () => void rows.splice(at, 1),
      () => void rows.splice(at, 0, rows[chance(rows.length)]),
      () => void rows.push(...rows.splice(at, 1)),
      () => void (rows[at] = row.slice(0, place)),
      () => void (rows[at] = `${row}${rows[chance(rows.length)]}`),
      () => void rows.splice(at, 0, "", sign),
      () => void (text = rows.join("\n").slice(0, chance(rows.join("\n").length))),
    ];
    ways[chance(ways.length)]();
    if (rows.length === 0) rows.push("");
  }
  return text ?? rows.join("\n");
}

/** Damages exports and imports them; throws where a row is gone and nobody says so. */
export async function fuzzImports(
  { files, seed, stored_every }: {
    readonly files: number;
    readonly seed: number;
    /** Every so many files that are taken are stored, too. */
    readonly stored_every: number;
  },
): Promise<FuzzCount> {
  const originals = portalExports().filter(({ content }) => content[0] !== 0x50)
    .map((it) => ({ ...it, lines: textOf(it.content).split(/\r?\n/) }))
    .map((it) => ({ ...it, rows: it.lines.filter((line) => row_form.test(line)) }));
  const chance = chanceOf(seed);
  const count: FuzzCount = { taken: 0, rejected: 0, refused: 0, stored: 0 };
  await withFolder(async ({ run, write, printed }) => {
    for (let i = 0; i < files; i++) {
      const { lines, rows, kind } = originals[chance(originals.length)];
      const text = damaged(lines, chance);
      const place = `file ${i} of seed ${seed}, ${kind}`;
      const verdict = await verdictOf(text, rows, place);
      count[verdict.became]++;
      if (verdict.became !== "taken" || count.taken % stored_every !== 0) continue;
      printed.out = printed.err = "";
      const file = await write("damaged", text);
      const code = await run("import", file, "--project", "plant", "--prefix", `${i}/`);
      assert.equal(code, 0, `${place}: ${printed.err}${printed.out}`);
      const sql = "SELECT count(*) AS n FROM sample JOIN tag USING (tag_no) " +
        `WHERE starts_with(sensor_tag, '${i}/')`;
      printed.out = "";
      assert.equal(await run("query", sql, "--json"), 0, printed.err);
      assert.equal(JSON.parse(printed.out).n, verdict.values, place);
      count.stored++;
    }
  });
  return count;
}

function textOf(content: Uint8Array): string {
  if (content[0] === 0xff) return new TextDecoder("utf-16le").decode(content);
  return new TextDecoder().decode(content);
}

type Verdict = { readonly became: "taken" | "rejected" | "refused"; readonly values: number };

async function verdictOf(
  text: string,
  original: readonly string[],
  place: string,
): Promise<Verdict> {
  const bytes = new TextEncoder().encode(text);
  const source = async function* (offset: number) {
    for (let at = offset; at < bytes.length; at += 7_001) {
      yield await Promise.resolve(bytes.subarray(at, at + 7_001));
    }
  };
  try {
    const table = { home_timezone: "America/Denver" };
    const file = await openImport(source, { lane: "signal", table });
    const check = await checkImport(file, () => {});
    refuseRepeats(file, check);
    const bad = check.rejected_count > 0 || check.repeats.differing > 0;
    if (bad) return { became: "rejected", values: 0 };
    await assertNoneLost(file, text, { original, place });
    return { became: "taken", values: check.rows - check.repeats.same };
  } catch (error) {
    if (error instanceof Fault) return { became: "refused", values: 0 };
    throw error;
  }
}

const no_values = /^(|unavailable|nan)$/i;

/** A line's cells where they stand in the table: one of SURFRAD has its time in seven. */
function cellsOf({ delimiter, names }: ImportFile["layout"] & object, line: string) {
  if (names.join("\t") !== surfrad_names) return line.split(delimiter).map((it) => it.trim());
  const cells = line.trim().split(/\s+/).map((it) => Number(it) === surfrad_no_value ? "" : it);
  return cells.length === surfrad_cells ? ["", ...cells.slice(7)] : cells;
}

const surfrad_cells = 48;

/**
 * Looks at each line by itself: all above the values is no row of the original, and every other
 * line has as many samples as it has cells with values.
 */
async function assertNoneLost(
  file: ImportFile,
  text: string,
  { original, place }: { readonly original: readonly string[]; readonly place: string },
): Promise<void> {
  const layout = file.layout!;
  const samples = new Map<number, number>();
  for await (const { decoded } of file.pieces()) {
    for (const batch of decoded.batches as readonly SampleBatch[]) {
      for (const line of batch.line) samples.set(line, (samples.get(line) ?? 0) + 1);
    }
  }
  const lines = text.split("\n");
  const rows = original.map((line) => line.split(layout.delimiter));
  for (const [i, line] of lines.entries()) {
    const bare = line.replace(/\r$/, "");
    const number = i + 1;
    if (number < layout.first_line) {
      const cells = bare.split(layout.delimiter);
      const like = rows.find((row) => alike(row, cells));
      assert(!like, `${place}: line ${number} was taken for a header: ${bare}`);
      continue;
    }
    if (bare.includes('"')) continue;
    const cells = cellsOf(layout, bare);
    const is_blank = cells.every((it) => it === "");
    const is_header = layout.names.every((name, at) => cells[at] === name);
    const is_note = layout.influx && bare.startsWith("#");
    const within = samples.get(number) === undefined && /"/.test(lines.slice(0, i).join("\n"));
    if (is_blank || is_header || is_note || within) continue;
    const wanted = layout.columns.filter(({ at }) => !no_values.test(cells[at] ?? "")).length;
    assert.equal(samples.get(number) ?? 0, wanted, `${place}: line ${number}: ${bare}`);
  }
}

/** Whether a line is mostly as a row of values was. */
function alike(row: readonly string[], cells: readonly string[]): boolean {
  const same = row.filter((cell, at) => /\d/.test(cell) && cell === cells[at]).length;
  return row.length > 1 && row.length === cells.length && same > 0 && 2 * same >= row.length;
}

if (import.meta.main) {
  const [files = "2000", seed = "1"] = Deno.args;
  const options = { files: Number(files), seed: Number(seed), stored_every: 20 };
  const { taken, rejected, refused, stored } = await fuzzImports(options);
  systemEffects().out(
    `${files} files, seed ${seed}: ${taken} taken whole (${stored} of them stored and counted), ` +
      `${rejected} with rows that were rejected or repeated, ${refused} refused; no row was lost\n`,
  );
}
