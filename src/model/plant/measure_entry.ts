// The measure dictionary as it is shown: each measure with a note and where its model comes from.
import { type Measure, type MeasureName, measures, rate_of } from "./measure.ts";

/**
 * Where a measure's expected value comes from when a site sends none: it is computed from the
 * weather and the devices' parameters, it is the integral of another measure's, or there is none.
 */
export const model_kinds = ["computed", "integral", "sent"] as const;

/** One measure of the dictionary. */
export type MeasureEntry = Measure & {
  readonly name: string;
  /** What the words of its aggregation leave open. */
  readonly note: string | null;
  readonly model: typeof model_kinds[number];
  /** The measure whose expected value is integrated, where `model` is `integral`. */
  readonly integral_of: MeasureName | null;
};

/** All measures in the order of the interface. */
export const measure_entries: readonly MeasureEntry[] = [...measures].map(([name, measure]) => {
  const integral_of = rate_of.get(name) ?? null;
  const model = name === "active_power" ? "computed" : integral_of === null ? "sent" : "integral";
  return { name, ...measure, note: noteOf(name as MeasureName, measure), model, integral_of };
});

/** What each kind of model means, for a reader. */
export const model_docs: Readonly<Record<typeof model_kinds[number], string>> = {
  computed: "computed from the weather and the parameters of the site file, for inverters and " +
    "for the devices that sum them: blocks, feeders, transformers, meters and the system",
  integral: "the integral over time of the expected value of another measure of the same device",
  sent: "only what the site sends in the lane model",
};

function noteOf(name: MeasureName, { over_time, over_sensors, unit }: Measure): string | null {
  if (name === "ppa_revenue") return "an amount per interval";
  if (name === "precipitation") return "a gauge may count tips or report intervals";
  if (over_sensors === "same") return "the common code of all sensors, else null";
  if (over_sensors === "power_mean") return "weighted by active power where known, else the mean";
  if (over_time === "increment") {
    const rate = unit === "Wh/m2" ? "irradiance" : "power";
    return `a counter, amounts per interval, or integrated ${rate}`;
  }
  if (over_time === "time_weighted_mean") {
    const weight = over_sensors === "capacity_mean" ? "; weighted by rated power" : "";
    return `held until the next sample${weight}`;
  }
  return over_sensors === "capacity_mean" ? "weighted by energy capacity" : null;
}
