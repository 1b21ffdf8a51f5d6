// Files of loggers that are no tables as they stand: days of SURFRAD, logs of KOSTAL's inverters.
import { utf8 } from "../../../src/base/bytes.ts";
import { type Export, lines, type Made, make, minutes, pad, wanted } from "./made.ts";

/** Two of each kind. */
export function loggerExports(): readonly Export[] {
  return [...surfrad(), ...kostal()];
}

const measured = 20;

function surfrad(): Export[] {
  const head = (name: string) => [` ${name}`, "   40.13  -105.24 1689 m version 1"];
  const number = (value: number) => value.toFixed(1).padStart(7);
  const row = (t: Temporal.PlainDateTime, [zenith, ...cells]: readonly number[], none: number) => {
    const time = [t.month, t.day, t.hour, t.minute].map((it) => String(it).padStart(2)).join(" ");
    const day = String(t.dayOfYear).padStart(3);
    const hours = (t.hour + t.minute / 60).toFixed(3).padStart(6);
    const marked = cells.map((it, i) => i === none ? "-9999.9 1" : `${number(it)} ${i % 2 * 2}`);
    return ` ${t.year} ${day} ${time} ${hours} ${zenith.toFixed(2).padStart(6)} ` +
      marked.join(" ");
  };
  const of = (kind: string, made: Made, none: number): Export => {
    const text = lines(head("Table Mountain"), made, (t, cells) => row(t, cells, none))
      .replaceAll("\r", "");
    const kept = made.cells.map((cells) => cells.filter((_, i) => i !== none + 1));
    return { kind, content: utf8(text), args: [], wanted: wanted({ ...made, cells: kept }, "UTC") };
  };
  const plan = (step_s: number) => rounded(make({ ...minutes, step_s, rows: 40 }, 1 + measured));
  return [of("SURFRAD, minutes", plan(60), 10), of("SURFRAD, three minutes", plan(180), 19)];
}

/** The same with one decimal. */
function rounded({ times, cells }: Made): Made {
  return { times, cells: cells.map((row) => row.map((it) => Math.round(it * 10) / 10)) };
}

function kostal(): Export[] {
  const step_s = 900;
  const made = make({ begin: "2026-04-28T00:00:00", step_s, rows: 60 }, 7);
  const names = ["DC1 U", "DC1 I", "DC1 P", "AC1 U", "AC1 P", "AC F", "Err"];
  const seconds = (t: Temporal.PlainDateTime) => t.toZonedDateTime("UTC").epochMilliseconds / 1000;
  const log = (words: readonly string[], written_s: number, timeOf: (s: number) => number) =>
    lines(
      [
        ...[words[0], `${words[1]}:\t255`, "Name:\tpiko", `${words[2]}:\t ${written_s}`, ""],
        "Logdaten U[V], I[mA], P[W], E[kWh], F[Hz], R[kOhm], Ain T[digit], Zeit[sec]",
        "",
        [words[3], ...names, "total E", "Iso R", words[4]].join("\t"),
      ],
      made,
      (t, cells, i) => {
        const seldom = i % 30 === 0 ? ["", "", "80001200h"] : [];
        const own = cells.map((it) => String(it).padStart(6));
        return [String(timeOf(seconds(t))).padStart(11), ...own, ...seldom].join("\t");
      },
    );
  const [first, last] = [seconds(made.times[0]), seconds(made.times.at(-1)!)];
  const german = ["Wechselrichter Logdaten", "Wechselrichter Nr", "akt. Zeit", "Zeit", "Ereignis"];
  const english = ["Inverter logdata", "Inverter number", "Current time", "Time", "Event"];
  const start_s = 40_000_000;
  const old = log(german, start_s + last - first + 60, (s) => s - first + start_s);
  const written = `${new Date((last + 60) * 1000).toISOString()}`;
  const new_ = log(english, last + 60, (s) => s);
  // The texts of events are values, too.
  const said = wanted(made, "UTC");
  const texts = Math.ceil(made.times.length / 30);
  const result = { ...said, texts, values: said.values, tags: said.tags + 1 };
  return [
    { kind: "KOSTAL, of 1970", content: utf8(new_), args: [], wanted: result },
    {
      kind: "KOSTAL, of the start",
      content: utf8(old),
      args: ["--written-at", written],
      wanted: result,
    },
    {
      kind: "KOSTAL, of an unknown start",
      content: utf8(old),
      args: [],
      wanted: new RegExp(`${pad(start_s + last - first + 60)} had passed[^]*--written-at 2026`),
    },
  ];
}
