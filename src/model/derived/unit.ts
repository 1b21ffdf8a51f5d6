// Units of measurement as formulas need them: what can be added, and by which factor.

/** A unit: so many of its base units, each with its power; no base for a plain number. */
export type UnitOfMeasure = {
  /** As people write it; empty for a plain number. */
  readonly name: string;
  readonly factor: number;
  readonly powers: Readonly<Record<string, number>>;
};

/** A number without a unit. */
export const plain: UnitOfMeasure = { name: "", factor: 1, powers: {} };

const [watt, second, metre] = [{ W: 1 }, { s: 1 }, { m: 1 }];
const prefixed = (
  name: string,
  powers: UnitOfMeasure["powers"],
  factor = 1,
): [string, UnitOfMeasure][] =>
  Object.entries({ m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9 })
    .map(([prefix, times]) => [prefix + name, unit(prefix + name, powers, times * factor)]);

/**
 * The units that convert into each other; any other word is a unit of its own. Volt times ampere is
 * watt; reactive and apparent power are kinds of their own, which are never added to it.
 */
const known: ReadonlyMap<string, UnitOfMeasure> = new Map([
  ...prefixed("W", watt),
  ...prefixed("Wh", { ...watt, ...second }, 3600),
  ...prefixed("var", { var: 1 }),
  ...prefixed("varh", { var: 1, ...second }, 3600),
  ...prefixed("VA", { VA: 1 }),
  ...prefixed("VAh", { VA: 1, ...second }, 3600),
  ...prefixed("V", { V: 1 }),
  ...prefixed("A", { ...watt, V: -1 }),
  ...prefixed("Ah", { ...watt, V: -1, ...second }, 3600),
  ...prefixed("Hz", { s: -1 }),
  ...prefixed("W/m2", { ...watt, m: -2 }),
  ...prefixed("Wh/m2", { ...watt, m: -2, ...second }, 3600),
  ...prefixed("ohm", { V: 2, W: -1 }),
  ...Object.entries({ ms: 1e-3, s: 1, min: 60, h: 3600, d: 86_400 })
    .map(([name, factor]): [string, UnitOfMeasure] => [name, unit(name, second, factor)]),
  ["1", plain],
  ...Object.entries({ mm: 1e-3, cm: 1e-2, m: 1, km: 1e3 })
    .map(([name, factor]): [string, UnitOfMeasure] => [name, unit(name, metre, factor)]),
  ["m/s", unit("m/s", { m: 1, s: -1 }, 1)],
  ["km/h", unit("km/h", { m: 1, s: -1 }, 1 / 3.6)],
  ["m2", unit("m2", { m: 2 }, 1)],
  ...["%", "°C", "K", "°F", "°"].map((
    name,
  ): [string, UnitOfMeasure] => [name, unit(name, { [name]: 1 }, 1)]),
  ...Object.entries({ Pa: 1, hPa: 100, kPa: 1e3, mbar: 100, bar: 1e5 })
    .map(([name, factor]): [string, UnitOfMeasure] => [name, unit(name, { Pa: 1 }, factor)]),
]);

const same_words: Readonly<Record<string, string>> = {
  ...{ "Ω": "ohm", "kΩ": "kohm", "MΩ": "Mohm", Ohm: "ohm", C: "°C", degC: "°C", deg: "°" },
  ...{ kvar: "kvar", VAr: "var", kVAr: "kvar", MVAr: "Mvar", Var: "var", Mvar: "Mvar" },
  ...{ W_m2: "W/m2", sec: "s", hour: "h", percent: "%" },
};

function unit(name: string, powers: UnitOfMeasure["powers"], factor: number): UnitOfMeasure {
  return { name, powers, factor };
}

/** The unit of a word, or of none; a word that is not known is a unit of its own. */
export function unitOf(word: string | null | undefined): UnitOfMeasure {
  return !word ? plain : knownUnit(word) ?? unit(word, { [word]: 1 }, 1);
}

/** The unit of a word, where it is one that converts into others. */
export function knownUnit(word: string): UnitOfMeasure | undefined {
  const usual = word.replaceAll("²", "2").replaceAll("µ", "u");
  return known.get(usual) ?? known.get(same_words[usual] ?? "");
}

/**
 * The end of a message about a word that is no known unit, such as Watt or KW: `; meant W?`, or
 * nothing.
 */
export function unitMeant(word: string): string {
  if (knownUnit(word) !== undefined) return "";
  const small = word.toLowerCase().replaceAll(/[\s_-]/g, "");
  const written = [...known.keys()].filter((it) => it.toLowerCase() === small);
  const [, prefix, name, times] = spelled_form.exec(small) ?? [];
  const spelled = name === undefined
    ? other_words[small]
    : `${prefix_letters[prefix] ?? ""}${spelled_units[name]}${times ? "h" : ""}`;
  const all = spelled === undefined ? written : [spelled];
  return all.length === 0 ? "" : `; meant ${all.join(" or ")}?`;
}

const prefix_letters: Readonly<Record<string, string>> = {
  milli: "m",
  kilo: "k",
  mega: "M",
  giga: "G",
};
const spelled_units: Readonly<Record<string, string>> = {
  ...{ watt: "W", volt: "V", ampere: "A", amp: "A", voltampere: "VA", hertz: "Hz" },
};
const spelled_form =
  /^(milli|kilo|mega|giga)?(watt|voltampere|volt|ampere|amp|hertz)s?(hours?|stunden?)?$/;
const other_words: Readonly<Record<string, string>> = {
  ...{ celsius: "°C", degreecelsius: "°C", kelvin: "K", fahrenheit: "°F", degree: "°" },
  ...{ degrees: "°", second: "s", seconds: "s", minute: "min", minutes: "min", hours: "h" },
  ...{ day: "d", days: "d", meter: "m", metre: "m", "w/m^2": "W/m2", "wh/m^2": "Wh/m2" },
};

/** The unit of a product, or of a quotient (`power` -1). */
export function combined(a: UnitOfMeasure, b: UnitOfMeasure, power: 1 | -1): UnitOfMeasure {
  const powers: Record<string, number> = { ...a.powers };
  for (const [base, times] of Object.entries(b.powers)) {
    powers[base] = (powers[base] ?? 0) + power * times;
    if (powers[base] === 0) delete powers[base];
  }
  const factor = power === 1 ? a.factor * b.factor : a.factor / b.factor;
  const name = b.name === "" ? a.name : `${a.name || "1"}${power === 1 ? "·" : "/"}${b.name}`;
  return { name: a.name === "" && power === 1 ? b.name : name, factor, powers };
}

/** Whether values of two units can be added. */
export function isSameKind(a: UnitOfMeasure, b: UnitOfMeasure): boolean {
  return kindOf(a) === kindOf(b);
}

/** Makes numbers in one unit numbers in another of the same kind; undefined where they are that. */
export function conversion(
  from: UnitOfMeasure,
  to: UnitOfMeasure,
): ((value: number) => number) | undefined {
  const times = from.factor / to.factor;
  if (Math.abs(times - 1) < 1e-12) return undefined;
  // Divided where it can be: a thousandth is no number that a double holds.
  const divisor = Math.round(1 / times);
  if (divisor > 1 && Math.abs(1 / times - divisor) < 1e-9 * divisor) {
    return (value) => value / divisor;
  }
  return (value) => value * times;
}

/** A unit for a sentence. */
export function unitWord({ name, powers }: UnitOfMeasure): string {
  if (name === "") return "a plain number";
  const [base] = Object.keys(powers);
  return base === name ? `${name}${unitMeant(name)}` : name;
}

function kindOf({ powers }: UnitOfMeasure): string {
  return Object.keys(powers).sort().map((base) => `${base}${powers[base]}`).join(" ");
}
