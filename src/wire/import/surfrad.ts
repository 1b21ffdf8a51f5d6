// Daily files of NOAA's SURFRAD stations: a place in two lines, then rows of numbers without names.
import { quality_names } from "../../model/samples/sample.ts";
import type { Rewrite } from "./known_text.ts";

/** What stands behind the parts of the time, each with its unit and a mark of quality behind it. */
const measured = [
  ...[["dw_solar", "W/m2"], ["uw_solar", "W/m2"], ["direct_n", "W/m2"], ["diffuse", "W/m2"]],
  ...[["dw_ir", "W/m2"], ["dw_casetemp", "K"], ["dw_dometemp", "K"]],
  ...[["uw_ir", "W/m2"], ["uw_casetemp", "K"], ["uw_dometemp", "K"]],
  ...[["uvb", "mW/m2"], ["par", "W/m2"]],
  ...[["netsolar", "W/m2"], ["netir", "W/m2"], ["totalnet", "W/m2"]],
  ...[["temp", "°C"], ["rh", "%"], ["windspd", "m/s"], ["winddir", "deg"], ["pressure", "mbar"]],
] as const;

/** Year, day of the year, month, day, hour, minute, the hour with decimals, the zenith's angle. */
const before = 8;
const zenith_at = before - 1;
const cells_of_row = before + 2 * measured.length;
const place_line = /^\s*-?\d+\.\d+\s+-?\d+\.\d+\s+-?\d+\s+m\s+version\s+\d+\s*$/i;

/** What the name of a column of marks adds to that of its values. */
export const mark_suffix = "_qc";
/** The names that the rows are given. */
export const surfrad_names = ["time", "zen", ...measured.flatMap(([it]) => [it, it + mark_suffix])]
  .join("\t");
const units = ["", "deg", ...measured.flatMap(([, unit]) => [unit, ""])].join("\t");

/** The value that means none. */
export const surfrad_no_value = -9999.9;

/** Knows a file by its second line and the number of cells below it. */
export function surfradDay(lines: readonly string[]): Rewrite | undefined {
  if (!place_line.test(lines[1] ?? "")) return undefined;
  if (cellsOf(lines[2] ?? "").length !== cells_of_row) return undefined;
  return (line, number) => number === 1 ? surfrad_names : number === 2 ? units : row(line);
}

/** A row with its time, which is UTC, in one cell; one with other cells stays as it is. */
function row(line: string): string {
  const cells = cellsOf(line);
  if (cells.length !== cells_of_row) return cells.join("\t");
  const [year, , ...parts] = cells;
  const [month, day, hour, minute] = parts.map((it) => it.padStart(2, "0"));
  return [`${year}-${month}-${day}T${hour}:${minute}:00Z`, ...cells.slice(zenith_at)].join("\t");
}

function cellsOf(line: string): readonly string[] {
  return line.trim().split(/\s+/);
}

/** What a mark says: 1 is beyond what is possible, 2 and more are improbable. */
export function qualityOfMark(mark: string): number {
  return quality_names.indexOf(mark === "0" ? "good" : mark === "1" ? "bad" : "uncertain");
}
