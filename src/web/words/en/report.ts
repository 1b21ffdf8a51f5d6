// The texts of the monthly report in English.

/** What the monthly report says. */
export const report_en = {
  title: "Monthly report",
  month: "Month",
  earlier: "Earlier",
  later: "Later",
  print: "Print, or save as PDF",
  not_whole: "This month is not over: the report has the days that are.",
  plant_inverters: (count: string, power: string) => `${count} inverters with ${power} AC`,
  plant_dc: (power: string) => `${power} DC`,
  plant_storage: (energy: string) => `storage of ${energy}`,
  made: (instant: string) => `Made ${instant}`,
  made_for: (instant: string) => `Made as of ${instant}`,
  expected: "Energy expected",
  produced: "Energy produced",
  availability: "Availability",
  known: (percent: string) => `${percent} of the states known`,
  no_account:
    "There is no loss account for this month. Choose another one, or see under Data what is " +
    "missing.",
  account: "Where the energy went",
  of_expected: "Of expected",
  by_day_short: "days",
  by_day: "Expected energy by day, and what became of it",
  day_of: (produced: string, expected: string, unit: string) =>
    `${produced} of ${expected} ${unit} produced`,
  worst: "Inverters with the largest share lost",
  inverter: "Inverter",
  lost: "Lost",
  lost_to: "Lost to",
  others: (count: number) => `${count} others`,
  total: "Total",
  alarms: "Alarms",
  no_alarms: (site: string) => `${site}: no alarm was raised.`,
  alarms_of: (site: string, count: string) =>
    `${site}: ${count} ${count === "1" ? "alarm" : "alarms"} raised, by priority`,
  alarm_rate: (average: string, peak: string) =>
    `${average} per ten minutes on average, ${peak} at most`,
  floods: (count: string) => `floods: ${count}`,
  stale: (count: string) => `standing for more than a day at the end: ${count}`,
  median_clear: (span: string) => `half of them cleared within ${span}`,
  work: "Work",
  no_work: "No issue was resolved or open, and no work order completed.",
  issue: "Issue",
  resolved: "Resolved",
  entered: (date: string) => `entered ${date}`,
  still_open: "open at the end",
  cost: "Cost of the fault",
  order: "Work order completed",
  completed: "On",
  data: "Data: what was measured, what is missing",
  data_measured: (percent: string) =>
    `${percent} of the daylight has both measured and expected energy.`,
  data_states: (percent: string) =>
    `In ${percent} of capacity and daylight the state of the inverters is known.`,
  data_days: (with_account: number, days: number) =>
    `${with_account} of ${days} days have a loss account; the others are in no sum.`,
  data_poor: (days: number, percent: string) =>
    `On ${days} days less than ${percent} of the daylight was measured.`,
  data_partial_all: "Every inverter lacks an account for at least one day.",
  data_partial: (names: string) => `Without an account for at least one day: ${names}.`,
  data_unmeasured: (energy: string) =>
    `${energy} were expected while nothing tells what was produced; they are in no sum.`,
  definitions: "What the figures mean",
  define_expected:
    "Expected: what the modules could have delivered in daylight by the model, before the " +
    "inverters' rating, in time in which what was produced is known.",
  define_produced: "Produced: what the inverters delivered in daylight.",
  define_index:
    "Matched index: measured by expected energy, limits by setpoints taken in, over the " +
    "minutes in which both are known.",
  define_coverage: "Daylight measured: the share of the daylight in which both are known.",
  define_availability:
    "Availability: time-based, by capacity, after IEC TS 63019; of capacity times daylight " +
    "hours with a known state, the share that was not out for faults, repair, maintenance or " +
    "suspension.",
  define_known:
    "States known: the share of capacity times daylight hours of which a state is known.",
  define_unavailability:
    "Unavailable: expected energy of the time in which an inverter was unavailable.",
  define_grid: "Grid outage: expected energy of the time in which the grid was outside its " +
    "specification.",
  define_curtailment: "Curtailed: what setpoints took from available inverters.",
  define_clipping: "Clipped: energy of the modules above the inverters' rating.",
  define_derate:
    "Derated: what an inverter made less than its peers, or than its own status allowed.",
  define_dc: "DC side: outages of the DC side, and strings far below the others.",
  define_declared: "Snow and soiling: as an operator has declared them.",
  define_other: "Other: what is left of the losses; nothing tells why.",
  define_cost:
    "Cost of a fault: what the devices of an issue lost while it lasted, within the month, " +
    "without limits by setpoints and rating.",
  define_rounding:
    "All energies are rounded to the same decimal; what is left by rounding goes to the " +
    "largest remainders, so that parts add up to their sums.",
};
