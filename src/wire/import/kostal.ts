// Logs of KOSTAL's inverters: times in seconds, of 1970 or of the inverter's start, and short rows.
import { Fault } from "../../base/fault.ts";
import { instantFlaw, instantOf } from "../bytes/instant.ts";
import type { Rewrite } from "./known_text.ts";

const units_line = /\bU ?\[V\].*\bI ?\[mA\]/;
const time_line = /^[^\t:]*(?:zeit|time)[^\t:]*:\s*(\d{1,10})\s*$/i;
const time_name = /^(?:zeit|time)$/i;
const measured_name = /^(?:DC|AC)\d? ?[A-Z]$/;
/** Seconds beyond these are those since 1970: no inverter runs for thirty years. */
const least_epoch_s = 1_000_000_000;
/** The units by the last letter of a name, as the line above the names says them. */
const units: Readonly<Record<string, string>> = {
  ...{ U: "V", I: "mA", P: "W", E: "kWh", F: "Hz", R: "kOhm" },
};

/** Knows a log by its line of units and the names below it. */
export function kostalLog(
  lines: readonly string[],
  { written_at }: { readonly written_at?: string },
): Rewrite | undefined {
  const names_at = lines.findIndex(isNames);
  const above = lines.slice(0, Math.max(0, names_at));
  if (!above.some((line) => units_line.test(line))) return undefined;
  const names = cellsOf(lines[names_at].trimEnd());
  const said = above.map((line) => time_line.exec(line)?.[1]).find((it) => it !== undefined);
  const start_s = startOf(said === undefined ? undefined : Number(said), written_at);
  return (line, number) => {
    if (number < names_at) return "";
    if (number === names_at) return names.join("\t");
    if (number === names_at + 1) return names.map(unitOf).join("\t");
    return row(line, { width: names.length, start_s });
  };
}

function isNames(line: string): boolean {
  const [first, ...others] = cellsOf(line);
  return time_name.test(first) && others.filter((it) => measured_name.test(it)).length > 1;
}

/** Seconds since 1970 at which the log's times begin. */
function startOf(told_s: number | undefined, written_at: string | undefined): number {
  if (told_s !== undefined && told_s >= least_epoch_s) {
    if (written_at === undefined) return 0;
    throw new Fault("invalid", "the log's times are of 1970: leave out --written-at");
  }
  if (told_s === undefined) {
    throw new Fault(
      "invalid",
      'the log has no line above its names that says its own time, such as "akt. Zeit: 4711": ' +
        "export it again",
    );
  }
  if (written_at === undefined) {
    throw new Fault(
      "invalid",
      `the log's times are seconds since the inverter's start, of which ${told_s} had passed ` +
        "when it was written: say when that was, such as --written-at 2026-04-28T12:00:00Z",
    );
  }
  const written_us = instantOf(written_at);
  if (Number.isNaN(written_us)) {
    throw new Fault("invalid", `--written-at ${instantFlaw(written_at)}`);
  }
  return Math.round(written_us / 1e6) - told_s;
}

/** The unit of a column by the last letter of its name. */
function unitOf(name: string, at: number): string {
  return at === 0 ? "" : units[/(?<= )[A-Z]$/.exec(name)?.[0] ?? ""] ?? "";
}

/** A row with its time as an instant and a cell for each name: what happens seldom is left off. */
function row(line: string, way: { readonly width: number; readonly start_s: number }): string {
  const cells = cellsOf(line);
  const [time] = cells;
  const s = /^\d{1,10}$/.test(time) ? Number(time) + way.start_s : NaN;
  const is_time = s >= (way.start_s === 0 ? least_epoch_s : 0);
  const at = is_time ? new Date(s * 1000).toISOString().replace(".000Z", "Z") : time;
  // A code such as 80001200h would be hours.
  const own = [at, ...cells.slice(1).map((it) => it.replace(/^([\dA-F]+)h$/i, "0x$1"))];
  const missing = line.trim() === "" ? 0 : Math.max(0, way.width - own.length);
  return [...own, ...Array(missing).fill("")].join("\t");
}

function cellsOf(line: string): readonly string[] {
  return line.split("\t").map((it) => it.trim());
}
