// Files as portals and loggers write them, two of each kind, made with what must come out of them.
import { utf8 } from "../../../src/base/bytes.ts";
import { loggerExports } from "./loggers.ts";
import {
  american,
  clock,
  day_first,
  denver,
  type Export,
  german,
  iso,
  lines,
  type Made,
  make,
  minutes,
  month_first,
  pad,
  quarter_hours,
  wanted,
} from "./made.ts";
import { sheetOf } from "./sheet.ts";

function sunnyPortal(): Export[] {
  const made = make(quarter_hours, 2);
  const head = '"";"Solarpark Nord / Gesamtertrag [kWh]";"WR 1 / Leistung, Mittelwert [kW]"';
  const text = lines([head], made, (t, [a, b]) => {
    return `"${day_first(t)} ${clock(t)}";"${german(a, 2)}";"${german(b, 2)}"`;
  });
  const days = make({ begin: "2026-02-01T00:00:00", step_s: 86_400, rows: 40 }, 1);
  const daily = lines(["Date,Total yield [kWh]"], days, (t, [a]) => {
    return `${month_first(t)},"${american(a, 2)}"`;
  });
  return [
    { kind: "Sunny Portal, German", content: utf8(text), args: [], wanted: wanted(made, denver) },
    { kind: "Sunny Portal, days", content: utf8(daily), args: [], wanted: wanted(days, denver) },
  ];
}

function sunnyExplorer(): Export[] {
  const head = (devices: readonly string[]) => [
    "sep=;",
    "Version CSV1|Tool SE|Linebreaks CR/LF|Delimiter semicolon|Decimalpoint comma|Precision 3",
    "",
    `;${devices.flatMap((it) => [`SN: ${it}`, `SN: ${it}`]).join(";")}`,
    `;${devices.flatMap(() => ["SB 3000TL-20", "SB 3000TL-20"]).join(";")}`,
    `;${devices.flatMap((it) => [it, it]).join(";")}`,
    `;${devices.flatMap(() => ["Total yield", "Power"]).join(";")}`,
    `;${devices.flatMap(() => ["Counter", "Analog"]).join(";")}`,
    `dd/MM/yyyy HH:mm:ss;${devices.flatMap(() => ["kWh", "kW"]).join(";")}`,
  ];
  return [["2100112233"], ["2100112233", "2100112244"]].map((devices) => {
    const made = make({ ...quarter_hours, begin: "2026-04-03T00:00:00" }, 2 * devices.length);
    const text = lines(head(devices), made, (t, cells) => {
      const date = `${pad(t.day)}/${pad(t.month)}/${t.year} ${clock(t)}:00`;
      return [date, ...cells.map((it) => it.toFixed(3).replace(".", ","))].join(";");
    });
    const kind = `Sunny Explorer, ${devices.length} devices`;
    return { kind, content: utf8(text), args: [], wanted: wanted(made, denver) };
  });
}

function fusionSolar(): Export[] {
  const made = make(quarter_hours, 4);
  const text = lines(
    ["Inverter report 2026-04-28", "Start Time,ManageObject,Active power(kW),Total yield(kWh)"],
    made,
    (t, [a, b, c, d]) => `${iso(t)},INV-1,${a},${b}\r\n${iso(t)},INV-2,${c},${d}`,
  );
  const header = ["Plant Report", "", "", ""];
  const names = ["Statistical Period", "Plant Name", "PV Yield (kWh)", "Grid (kWh)"];
  const rows = made.times.map((t, i) => [iso(t), "Nord", ...made.cells[i].slice(0, 2)]);
  const numbers = { ...made, cells: made.cells.map((it) => it.slice(0, 2)) };
  return [
    { kind: "FusionSolar, devices", content: utf8(text), args: [], wanted: wanted(made, denver) },
    {
      kind: "FusionSolar, XLSX",
      content: sheetOf([header, names, ...rows]),
      args: ["--key-column", "Plant Name"],
      wanted: wanted(numbers, denver),
    },
  ];
}

function solarEdge(): Export[] {
  const made = make(quarter_hours, 2);
  const text = lines(["Time,System Production (W),Consumption (W)"], made, (t, [a, b]) => {
    return `${month_first(t)} ${t.hour}:${pad(t.minute)},${a},${b}`;
  });
  // Days of one month below 13 could be either.
  const days = make({ begin: "2026-03-01T00:00:00", step_s: 86_400, rows: 12 }, 1);
  const doubtful = lines(
    ["Time,System Production (Wh)"],
    days,
    (t, [a]) => `${month_first(t)},${a}`,
  );
  return [
    { kind: "SolarEdge", content: utf8(text), args: [], wanted: wanted(made, denver) },
    {
      kind: "SolarEdge, doubtful days",
      content: utf8(doubtful),
      args: [],
      wanted: /can't tell day, month and year apart.*--time-format mdy or --time-format dmy/,
    },
  ];
}

function fronius(): Export[] {
  const made = make(quarter_hours, 2);
  const head = [
    "Date and time;Energy | Symo 10.0-3-M (1);Energy | Symo 10.0-3-M (2)",
    "[dd.MM.yyyy HH:mm];[Wh];[Wh]",
  ];
  const text = lines(head, made, (t, [a, b]) => {
    return `${day_first(t)} ${clock(t)};${german(a, 2)};${german(b, 2)}`;
  });
  // A spreadsheet holds days since the end of 1899.
  const serial = (t: Temporal.PlainDateTime) =>
    Number((Temporal.PlainDate.from("1899-12-30").until(t.toPlainDate()).days +
      (t.hour * 60 + t.minute) / 1440).toFixed(9));
  const rows = made.times.map((t, i) => [serial(t), ...made.cells[i]]);
  return [
    { kind: "Fronius, CSV", content: utf8(text), args: [], wanted: wanted(made, denver) },
    {
      kind: "Fronius, XLSX",
      content: sheetOf([["Date and time", "Energy", "Consumed"], ["", "[Wh]", "[Wh]"], ...rows]),
      args: [],
      wanted: wanted(made, denver),
    },
  ];
}

function homeAssistant(): Export[] {
  const made = make(minutes, 2);
  const row = (name: string, value: number | string, t: Temporal.PlainDateTime) =>
    `${name},${value},${t.toPlainDate()}T${clock(t)}:00.000Z`;
  const head = ["entity_id,state,last_changed"];
  const mixed = lines(head, made, (t, [a, b]) => {
    return `${row("sensor.pv", a, t)}\r\n${row("sensor.grid", b, t)}`;
  });
  const of = (name: string, column: number) =>
    made.times.map((t, i) => row(name, made.cells[i][column], t));
  const outage = row("sensor.pv", "unavailable", made.times.at(-1)!.add({ minutes: 1 }));
  const blocks = [...head, ...of("sensor.pv", 0), outage, ...of("sensor.grid", 1), ""].join("\n");
  return [
    { kind: "Home Assistant", content: utf8(mixed), args: [], wanted: wanted(made, "UTC") },
    {
      kind: "Home Assistant, blocks",
      content: utf8(blocks),
      args: [],
      wanted: wanted(made, "UTC"),
    },
  ];
}

function midc(): Export[] {
  const made = make(minutes, 2);
  const names = "Global Horizontal [W/m^2],Air Temperature [deg C]";
  const text = lines([`DATE (MM/DD/YYYY),MST,${names}`], made, (t, [a, b]) => {
    return `${t.month}/${t.day}/${t.year},${clock(t)},${a},${b}`;
  });
  const raw = lines([`Year,DOY,MST,${names}`], made, (t, [a, b]) => {
    return `${t.year},${t.dayOfYear},${t.hour * 100 + t.minute},${a},${b}`;
  });
  const result = wanted(made, "-07:00");
  return [
    { kind: "NREL MIDC", content: utf8(text), args: [], wanted: result },
    { kind: "NREL MIDC, day of year", content: utf8(raw), args: [], wanted: result },
  ];
}

function pvdaq(): Export[] {
  const made = make(minutes, 3);
  const old = lines(
    ["SiteID,Date-Time,poa_irradiance,dc_power,module_temp_1"],
    made,
    (t, cells) => {
      return ["2", iso(t), ...cells].join(",");
    },
  );
  const ids = make(minutes, 3).cells.length * 2;
  const lake = lines(["measured_on,ac_power__315,dc_power__320,poa__312"], made, (t, cells) => {
    return [iso(t), ...cells].join(",");
  });
  const { sum, values, ...rest } = wanted(made, denver);
  return [
    {
      kind: "NREL PVDAQ, site",
      content: utf8(old),
      args: [],
      wanted: { ...rest, values: values + made.times.length, sum: sum + ids, tags: 4 },
    },
    { kind: "NREL PVDAQ, lake", content: utf8(lake), args: [], wanted: wanted(made, denver) },
  ];
}

function toa5(): Export[] {
  const head = (kind: string) => [
    '"TOA5","Mast","CR1000X","1234","CR1000X.Std","CPU:Prog.CR1X","55","Table1"',
    '"TIMESTAMP","RECORD","GHI_Avg","T_Avg"',
    '"TS","RN","W/m^2","Deg C"',
    `"","","${kind}","${kind}"`,
  ];
  const made = make(minutes, 2);
  const table = (kind: string) =>
    lines(head(kind), made, (t, [a, b], i) => `"${iso(t)}",${i},${a},${b}`);
  const moved = { ...made, times: made.times.map((it) => it.subtract({ minutes: 1 })) };
  return [
    { kind: "TOA5, means", content: utf8(table("Avg")), args: [], wanted: wanted(moved, denver) },
    { kind: "TOA5, samples", content: utf8(table("Smp")), args: [], wanted: wanted(made, denver) },
  ];
}

function influx(): Export[] {
  const made = make(minutes, 2);
  const instant = (t: Temporal.PlainDateTime) => `${t.toPlainDate()}T${clock(t)}:00Z`;
  const head = [
    "#group,false,false,true,true,false,false,true,true,true",
    "#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string," +
    "string,string",
    "#default,_result,,,,,,,,",
    ",result,table,_start,_stop,_time,_value,_field,_measurement,host",
  ];
  const of = (column: number) =>
    made.times.map((t, i) =>
      `,,${column},2026-05-01T00:00:00Z,2026-06-01T00:00:00Z,${instant(t)},` +
      `${made.cells[i][column]},p_ac,inverter,inv${column}`
    );
  const one = [...head, ...of(0), ...of(1), ""].join("\r\n");
  // Each query result has its own head.
  const two = [...head, ...of(0), "", ...head, ...of(1), ""].join("\r\n");
  const result = wanted(made, "UTC");
  return [
    { kind: "InfluxDB", content: utf8(one), args: [], wanted: result },
    { kind: "InfluxDB, two results", content: utf8(two), args: [], wanted: result },
  ];
}

function vcom(): Export[] {
  const made = make(quarter_hours, 2);
  const head = ["Date;Inverter 1 - P_AC [kW];Inverter 2 - P_AC [kW]"];
  const text = lines(head, made, (t, [a, b]) => `${iso(t)};${a};${b}`);
  const numbers = lines(["Datum;P_AC;E_Tag"], made, (t, [a]) => {
    return `${iso(t)};${pad(Math.floor(a) % 900 + 100, 3)};1.${pad(Math.floor(a) % 1000, 3)}`;
  });
  return [
    { kind: "VCOM", content: utf8(text), args: [], wanted: wanted(made, denver) },
    {
      kind: "VCOM, doubtful numbers",
      content: utf8(
        numbers.replaceAll(
          /;1\.(\d)(\d\d)\r/g,
          (_, a, b) => a === "0" ? `;${b}\r` : `;1.${a}${b}\r`,
        ),
      ),
      args: [],
      wanted: /can't tell whether "1\.\d+" is .* --decimal \. or --decimal ,/,
    },
  ];
}

function splitTimes(): Export[] {
  const made = make(quarter_hours, 2);
  const text = lines(["Datum;Uhrzeit;P_AC (kW);E_Gesamt (kWh)"], made, (t, [a, b]) => {
    return `${day_first(t)};${clock(t)}:00;${german(a, 2)};${german(b, 2)}`;
  });
  const spanish = lines(["Fecha\tHora\tG_H1\tP_AC(1)", "\t\tW/m²\tkW"], made, (t, [a, b]) => {
    return [day_first(t), `${t.hour}:${pad(t.minute)}:00`, german(a, 2), german(b, 2)].join("\t");
  });
  return [
    {
      kind: "date and time, German",
      content: cp1252(text),
      args: [],
      wanted: wanted(made, denver),
    },
    {
      kind: "date and time, UTF-16",
      content: utf16(spanish),
      args: [],
      wanted: wanted(made, denver),
    },
  ];
}

function epochs(): Export[] {
  const made = make(minutes, 2);
  const ms = (t: Temporal.PlainDateTime) => t.toZonedDateTime("UTC").epochMilliseconds;
  const text = lines(["timestamp,P,P"], made, (t, [a, b]) => `${ms(t)},${a},${b}`);
  // The clock's column was taken for a value: every row of a day has the same time.
  const lost = lines(["Datum;Stunde;P_AC"], made, (t, [a]) => {
    return `${day_first(t)};${t.hour + t.minute / 60};${german(a, 2)}`;
  });
  return [
    { kind: "epoch, a name twice", content: utf8(text), args: [], wanted: wanted(made, "UTC") },
    {
      kind: "hours as numbers",
      content: utf8(lost),
      args: [],
      wanted: /have the tag and the time of another one, and differ.*--time-column.*--repeats last/,
    },
  ];
}

/** All of them. */
export function portalExports(): readonly Export[] {
  return [
    ...[...sunnyPortal(), ...sunnyExplorer(), ...fusionSolar(), ...solarEdge(), ...fronius()],
    ...[...homeAssistant(), ...midc(), ...pvdaq(), ...toa5(), ...influx(), ...vcom()],
    ...[...splitTimes(), ...epochs(), ...publicData(), ...loggerExports()],
  ];
}

/** Hours of a model of PVGIS; a market's production with the begin and the end of each span. */
function publicData(): Export[] {
  const hours = make({ begin: "2023-01-01T00:10:00", step_s: 3600, rows: 200 }, 3);
  const head = [
    "Latitude (decimal degrees):\t45.000",
    ...["", "Slope: 35 deg. (optimum) ", "System losses (%):\t14.0", "", "time,P,G(i),T2m"],
  ];
  const pvgis = lines(head, hours, (t, cells) => {
    return `${t.toPlainDate().toString().replaceAll("-", "")}:${pad(t.hour)}${pad(t.minute)},` +
      cells.map((it) => it.toFixed(2)).join(",");
  });
  const spans = make(quarter_hours, 2);
  const at = (t: Temporal.PlainDateTime) =>
    `${pad(t.day)}/${pad(t.month)}/${t.year} ${clock(t)}:00`;
  const market = lines(['"MTU (CET/CEST)","Solar (MW)","Wind (MW)"'], spans, (t, [a, b]) => {
    return `"${at(t)} - ${at(t.add({ minutes: 15 }))}","${a.toFixed(2)}","${b.toFixed(2)}"`;
  });
  const of = (kind: string, text: string, [made, zone]: readonly [Made, string]) => (
    { kind, content: utf8(text), args: ["--timezone", zone], wanted: wanted(made, zone) }
  );
  const zone = "Europe/Madrid";
  return [of("PVGIS", pvgis, [hours, "UTC"]), of("market spans", market, [spans, zone])];
}

function cp1252(text: string): Uint8Array {
  return Uint8Array.from(text, (it) => it.charCodeAt(0));
}

function utf16(text: string): Uint8Array {
  const units = Uint16Array.from(`\ufeff${text}`, (it) => it.charCodeAt(0));
  return new Uint8Array(units.buffer);
}
