// The portfolio's texts in English.

export const portfolio_en = {
  title: "Portfolio, worst first",
  days: (days: number) => `the last ${days} whole days`,
  plant: "Plant",
  trend: "By day",
  trend_of: (plant: string) => `Matched index of ${plant} by day`,
  energy: "Energy",
  expected: "Expected, as setpoints allow",
  coverage: "Measured",
  availability: "Availability",
  alarms: "Open alarms",
  no_alarms: "none",
};
