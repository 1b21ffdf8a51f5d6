// The overview's texts in English.

export const overview_en = {
  power_now: "Power now",
  of_expected: (quantity: string) => `of ${quantity} expected`,
  energy_so_far: "Energy so far",
  index: "Performance index",
  irradiance: "Irradiance",
  in_plane: "in the plane of the modules",
  inverters: "Inverters",
  producing: "producing",
  power_chart: "Power against expected",
  actual: "actual",
  expected: "expected",
  tiles: (time: string) => `Inverters at ${time}: power as part of expected`,
  no_tiles: "No quarter-hour of daylight has passed yet today.",
  no_curve: "Nothing was measured yet today. Data appear here as soon as the plant sends them.",
};
