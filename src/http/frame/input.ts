// A request's parameters from text to checked values, by the route's table; every flaw at once.
import { Fault, type Flaw } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { meant } from "../../base/did_you_mean.ts";
import { isDay } from "../../model/time/calendar.ts";
import type { Param, ParamKind } from "../../model/data/param.ts";
import { asUtc, dayHint, instantFlaw, instantOf } from "../../wire/bytes/instant.ts";

/** The text of a request's parameters: the query as it came (without `?`), the path's by name. */
export type RawInput = { readonly query: string; readonly path: Readonly<Record<string, string>> };

type Values = Record<string, unknown>;

/**
 * The values of `params` by name. Throws a `Fault` (invalid) with a flaw for each parameter that
 * is unknown, missing, repeated, or not of its form.
 */
export function parseInput(params: readonly Param[], raw: RawInput): Values {
  const flaws: Flaw[] = [];
  const texts = readQuery(raw.query, flaws);
  for (const [name, text] of Object.entries(raw.path)) texts.set(name, [text]);
  for (const name of texts.keys()) {
    if (!params.some((param) => param.name === name)) flaws.push(unknown(name, params));
  }
  const values: Values = Object.fromEntries(
    params.map((param) => {
      const given = texts.get(param.name) ?? [];
      const said = param.blank ? given.filter((text) => text !== "") : given;
      return [param.name, valueOf(param, said, flaws)];
    }),
  );
  if (flaws.length > 0) throw inputRefusal(flaws);
  return values;
}

/** Every value of one query parameter as sent; broken encodings are left out. */
export function rawValues(query: string, name: string): readonly string[] {
  // Most are not there, which a look tells; a name may be encoded.
  if (!query.includes(name) && !query.includes("%")) return [];
  return readQuery(query, []).get(name) ?? [];
}

/** The refusal of parameters for their flaws, all of them. */
export function inputRefusal(flaws: readonly Flaw[]): Fault {
  return new Fault("invalid", summary(flaws), { flaws });
}

/** The refusal of one parameter or header. */
export function invalid(path: string, message: string): Fault {
  return inputRefusal([{ path, message }]);
}

/** One sentence for some flaws: the flaw itself when it is the only one. */
function summary(flaws: readonly Flaw[]): string {
  if (flaws.length === 1) return `${flaws[0].path}: ${flaws[0].message}`;
  return `${flaws.length} parameters are wrong: ${flaws.map((flaw) => flaw.path).join(", ")}`;
}

function readQuery(query: string, flaws: Flaw[]): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const text = decode(at < 0 ? "" : pair.slice(at + 1));
    if (name === undefined || text === undefined) {
      flaws.push({ path: name ?? "query", message: "is not percent-encoded UTF-8" });
      continue;
    }
    const list = texts.get(name);
    if (list) list.push(text);
    else texts.set(name, [text]);
  }
  return texts;
}

function decode(text: string): string | undefined {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function unknown(name: string, params: readonly Param[]): Flaw {
  const known = params.filter((param) => param.in === "query").map((param) => param.name);
  const hint = meant(name, known) || `; known are ${known.join(", ") || "none"}`;
  return { path: name.slice(0, 100), message: `there is no such parameter${hint}` };
}

function valueOf(param: Param, texts: readonly string[], flaws: Flaw[]): unknown {
  const flaw = (message: string) => void flaws.push({ path: param.name, message });
  if (texts.length === 0) {
    if (param.required) flaw(`is required: ${wanted(param)}`);
    return param.repeated ? [] : param.default;
  }
  if (param.repeated && texts.length > limits.repeated_values) {
    return flaw(`give at most ${limits.repeated_values} values, not ${texts.length}`);
  }
  if (!param.repeated && texts.length > 1) return flaw("give it once");
  const values = texts.map((text) => {
    const value = parse(param, text);
    if (value === undefined) flaw(flawOf(param, text));
    return value;
  });
  return param.repeated ? values : values[0];
}

/** The value of a text, or undefined when it is not of the parameter's form. */
function parse(param: Param, text: string): string | number | boolean | undefined {
  const value = parsers[param.kind](text);
  if (value === undefined) return undefined;
  if (param.values && !param.values.includes(text)) return undefined;
  if (typeof value === "number" && param.kind === "integer") {
    if (value < (param.minimum ?? -Infinity) || value > (param.maximum ?? Infinity)) {
      return undefined;
    }
  }
  return value;
}

const parsers: Record<ParamKind, (text: string) => string | number | boolean | undefined> = {
  text: (text) => text === "" ? undefined : text,
  instant: (text) => finite(instantOf(withPlus(text))),
  duration: durationOf,
  time: (text) => timeOf(withPlus(text)),
  integer: (text) => /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined,
  flag: (text) => text === "true" ? true : text === "false" ? false : undefined,
};

/** A day, a local time or an instant; undefined of what is none. */
function timeOf(text: string): string | undefined {
  const is_time = [text, asUtc(text)].some((it) => !Number.isNaN(instantOf(it)));
  return is_time || isDay(text) && /^(19[789]|20|21)/.test(text) ? text : undefined;
}

/** Microseconds of a duration of whole seconds, `PT1H30M` or `90m`; undefined of none. */
function durationOf(text: string): number | undefined {
  const short = /^(\d{1,7})([smhd])$/.exec(text);
  if (short) return finite(Number(short[1]) * units_us[short[2]] || NaN);
  const iso = /^P(?:(\d{1,7})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,7})S)?)?$/.exec(text);
  const [days, hours, minutes, seconds] = (iso ?? []).slice(1).map((it) => Number(it ?? 0));
  const { d, h, m, s } = units_us;
  return finite(days * d + hours * h + minutes * m + seconds * s || NaN);
}

const units_us: Readonly<Record<string, number>> = {
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
  d: 86_400_000_000,
};

/** A "+" that nobody encoded arrives as a space. */
export function withPlus(text: string): string {
  return text.replace(/ (\d\d:?\d\d)$/, "+$1");
}

function finite(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

function flawOf(param: Param, text: string): string {
  if (param.kind === "instant") return instantFlaw(withPlus(text));
  const shown = JSON.stringify(text.slice(0, 100));
  const parts = text.split(",");
  if (param.repeated && parts.length > 1 && parts.every((it) => parse(param, it) !== undefined)) {
    const each = parts.slice(0, 3).map((part) => `${param.name}=${part}`).join("&");
    return `repeat the parameter for each: ${each}`;
  }
  const hint = param.values ? meant(text, param.values) : "";
  if (hint) return `there is no ${shown}${hint}`;
  if (param.kind !== "time") return `${wanted(param)}, not ${shown}`;
  return `${wanted(param)}, not ${shown}${dayHint(text)}`;
}

/** Where the names of projects are. */
export const projects_hint = "GET /platform/v1/meta/projects lists those that the token reaches";

/** The form that a parameter wants, as an instruction. */
function wanted(param: Param): string {
  if (param.names === "project") return `give a project, by id or key: ${projects_hint}`;
  if (param.values) return `give ${param.values.length > 1 ? "one of " : ""}${list(param.values)}`;
  const forms: Record<ParamKind, string> = {
    text: "give a text",
    instant: "give a date-time with an offset, such as 2026-11-21T05:00:00Z",
    duration: "give a duration such as PT15M or 15m, of whole seconds, minutes, hours or days",
    time: "give a day from 1970 to 2199 as YYYY-MM-DD, or a time as 2026-06-01T06:00, with an " +
      "offset where it is not local",
    integer: `give a whole number${bounds(param)}`,
    flag: "give true or false",
  };
  return forms[param.kind];
}

function list(values: readonly string[]): string {
  if (values.length <= 12) return values.join(", ");
  return `${values.slice(0, 12).join(", ")} … (all ${values.length} are in /docs)`;
}

function bounds({ minimum, maximum }: Param): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  return maximum === undefined ? "" : ` up to ${maximum}`;
}
