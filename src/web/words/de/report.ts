// The texts of the monthly report in German.
import type { report_en } from "../en/report.ts";

export const report_de: typeof report_en = {
  title: "Monatsbericht",
  month: "Monat",
  earlier: "Früher",
  later: "Später",
  print: "Drucken oder als PDF sichern",
  not_whole: "Dieser Monat ist nicht vorbei: der Bericht hat die Tage, die es sind.",
  plant_inverters: (count, power) => `${count} Wechselrichter mit ${power} AC`,
  plant_dc: (power) => `${power} DC`,
  plant_storage: (energy) => `Speicher mit ${energy}`,
  made: (instant) => `Erstellt ${instant}`,
  made_for: (instant) => `Erstellt mit dem Stand ${instant}`,
  expected: "Energie erwartet",
  produced: "Energie erzeugt",
  availability: "Verfügbarkeit",
  known: (percent) => `${percent} der Zustände bekannt`,
  no_account:
    "Für diesen Monat gibt es keine Verlustbilanz. Wählen Sie einen anderen, oder sehen Sie " +
    "unter Daten, was fehlt.",
  account: "Wohin die Energie ging",
  of_expected: "Von erwartet",
  by_day_short: "Tage",
  by_day: "Erwartete Energie nach Tagen und was daraus wurde",
  day_of: (produced, expected, unit) => `${produced} von ${expected} ${unit} erzeugt`,
  worst: "Wechselrichter mit dem größten verlorenen Anteil",
  inverter: "Wechselrichter",
  lost: "Verloren",
  lost_to: "Verloren durch",
  others: (count) => `${count} weitere`,
  total: "Summe",
  alarms: "Alarme",
  no_alarms: (site) => `${site}: kein Alarm wurde gemeldet.`,
  alarms_of: (site, count) =>
    `${site}: ${count} ${count === "1" ? "Alarm" : "Alarme"} gemeldet, nach Priorität`,
  alarm_rate: (average, peak) => `im Mittel ${average} in zehn Minuten, höchstens ${peak}`,
  floods: (count) => `Meldeschauer: ${count}`,
  stale: (count) => `am Ende länger als einen Tag anstehend: ${count}`,
  median_clear: (span) => `die Hälfte ging innerhalb von ${span}`,
  work: "Arbeit",
  no_work: "Kein Vorgang wurde gelöst oder war offen, kein Arbeitsauftrag wurde abgeschlossen.",
  issue: "Vorgang",
  resolved: "Gelöst",
  entered: (date) => `eingetragen am ${date}`,
  still_open: "am Ende offen",
  cost: "Kosten der Störung",
  order: "Abgeschlossener Arbeitsauftrag",
  completed: "Am",
  data: "Daten: was gemessen wurde, was fehlt",
  data_measured: (percent) =>
    `In ${percent} des Tageslichts sind gemessene und erwartete Energie bekannt.`,
  data_states: (percent) =>
    `In ${percent} von Leistung und Tageslicht ist der Zustand der Wechselrichter bekannt.`,
  data_days: (with_account, days) =>
    `${with_account} von ${days} Tagen haben eine Verlustbilanz; die anderen sind in keiner Summe.`,
  data_poor: (days, percent) =>
    `An ${days} Tagen wurde weniger als ${percent} des Tageslichts gemessen.`,
  data_partial_all: "Jedem Wechselrichter fehlt für mindestens einen Tag eine Bilanz.",
  data_partial: (names) => `Ohne Bilanz für mindestens einen Tag: ${names}.`,
  data_unmeasured: (energy) =>
    `${energy} waren erwartet, während nichts sagt, was erzeugt wurde; sie sind in keiner Summe.`,
  definitions: "Was die Zahlen bedeuten",
  define_expected:
    "Erwartet: was die Module bei Tageslicht nach dem Modell hätten liefern können, vor der " +
    "Nennleistung der Wechselrichter, in der Zeit, in der das Erzeugte bekannt ist.",
  define_produced: "Erzeugt: was die Wechselrichter bei Tageslicht geliefert haben.",
  define_index:
    "Abgeglichener Index: gemessene durch erwartete Energie, Vorgaben eingerechnet, über die " +
    "Minuten, in denen beides bekannt ist.",
  define_coverage: "Tageslicht gemessen: der Teil des Tageslichts, in dem beides bekannt ist.",
  define_availability:
    "Verfügbarkeit: zeitbezogen, nach Leistung gewichtet, nach IEC TS 63019; von Leistung " +
    "mal Tageslichtstunden mit bekanntem Zustand der Teil, der nicht wegen Störung, " +
    "Reparatur, Wartung oder Aussetzung ausfiel.",
  define_known:
    "Zustände bekannt: der Teil von Leistung mal Tageslichtstunden, dessen Zustand bekannt " +
    "ist.",
  define_unavailability:
    "Nicht verfügbar: erwartete Energie der Zeit, in der ein Wechselrichter nicht verfügbar " +
    "war.",
  define_grid:
    "Netzausfall: erwartete Energie der Zeit, in der das Netz außerhalb der Spezifikation " +
    "war.",
  define_curtailment: "Abgeregelt: was Vorgaben verfügbaren Wechselrichtern nahmen.",
  define_clipping:
    "Begrenzt (Clipping): Energie der Module über der Nennleistung der Wechselrichter.",
  define_derate:
    "Gedrosselt: was ein Wechselrichter weniger machte als die Vergleichsgeräte oder nach " +
    "eigenem Status.",
  define_dc: "DC-Seite: Ausfälle der DC-Seite und Stränge weit unter den anderen.",
  define_declared: "Schnee und Verschmutzung: wie ein Operator sie erklärt hat.",
  define_other: "Sonstiges: der Rest der Verluste; nichts sagt, warum.",
  define_cost:
    "Kosten einer Störung: was die Geräte eines Vorgangs verloren, solange er dauerte, " +
    "innerhalb des Monats, ohne Vorgaben und Nennleistung.",
  define_rounding:
    "Alle Energien sind auf dieselbe Stelle gerundet; Rundungsreste gehen an die größten " +
    "Reste, damit die Teile ihre Summen ergeben.",
};
