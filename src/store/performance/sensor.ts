// How a statement says which sensors it reads, by a list or by a rule that only they obey, and to
// which buckets their days fall.
import type { Columns } from "../../model/data/row.ts";
import type { DayPositions } from "../../model/time/bucket.ts";
import { allReadings } from "./whole.ts";
import {
  type ParameterTypes,
  type Statement,
  statement,
  type StatementParts,
} from "../statement.ts";

const first = "($sensors::INTEGER[])[1]";
const last = "($sensors::INTEGER[])[2]";
const step = "($sensors::INTEGER[])[3]";

/**
 * A list is joined; a rule costs nothing, and rows of no such sensor are not even read. Numbers a
 * step apart are bounded a step further: between others' numbers, whole segments then lie within
 * the bounds, and no row of theirs is compared.
 */
const conditions = {
  listed: "sensor_no IN (SELECT unnest($sensors::INTEGER[]))",
  single: `sensor_no = ${first}`,
  spanned: `sensor_no BETWEEN ${first} AND ${last}`,
  spaced: `sensor_no BETWEEN ${first} - ${step} + 1 AND ${last} + ${step} - 1
    AND sensor_no % ${step} = ${first} % ${step}`,
} as const;

type Form = keyof typeof conditions;

/** A statement in each form. */
export type OfSensors<P extends ParameterTypes, C extends Columns> = Readonly<
  Record<Form, Statement<P, C>>
>;

/** The forms of a statement, in whose text `{wanted}` stands for the condition on `sensor_no`. */
export function ofSensors<const P extends ParameterTypes, const C extends Columns>(
  parts: StatementParts<P, C>,
): OfSensors<P, C> {
  return formsOf((wanted) => statement({ ...parts, names: { ...parts.names, wanted } }));
}

function formsOf<S>(make: (wanted: string) => S): Readonly<Record<Form, S>> {
  const { listed, single, spanned, spaced } = conditions;
  return {
    ...{ listed: make(listed), single: make(single) },
    ...{ spanned: make(spanned), spaced: make(spaced) },
  };
}

const of_tags = { tags: "int32[]" } as const;

/**
 * The same of one on readings in [$from_minute, $to_minute), for which `{readings}` stands: of
 * those that are stored, and of all, by the same form of the sensors' tags.
 */
export function ofReadings<const P extends ParameterTypes, const C extends Columns>(
  parts: StatementParts<P, C>,
) {
  const stored = ofSensors({ ...parts, names: { ...parts.names, readings: "reading" } });
  const all = formsOf((wanted) =>
    statement({
      ...{ ...parts, reach: "near" },
      parameters: { ...parts.parameters as P, ...of_tags },
      names: { ...parts.names, wanted, readings: readingsOf(wanted) },
    })
  );
  return { stored, all };
}

function readingsOf(wanted: string): string {
  const samples = wanted.replaceAll("sensor_no", "tag_no").replaceAll("$sensors", "$tags");
  const [begin, end] = ["$from_minute::INTEGER::BIGINT", "$to_minute::INTEGER::BIGINT"];
  return allReadings({ samples, wholes: wanted, begin, end });
}

/** Some different sensors as a form takes them: the list, or the first, the last and the step. */
export type Wanted = { readonly form: Form; readonly sensors: Int32Array };

/** The form for some sensors and their tags alike. */
export function wantedBoth(
  { sensors, tags }: { readonly sensors: Int32Array; readonly tags: Int32Array },
): Wanted & { readonly tags: Int32Array } {
  const [by_sensor, by_tag] = [wantedOf(sensors), wantedOf(tags)];
  if (by_sensor.form !== by_tag.form) return { form: "listed", sensors, tags };
  return { ...by_sensor, tags: by_tag.sensors };
}

/** The cheapest form for some different sensors: those of one kind often lie a step apart. */
export function wantedOf(sensors: Int32Array): Wanted {
  const sorted = sensors.toSorted();
  const [first, second = first + 1] = sorted;
  const step = second - first;
  const is_even = sorted.every((sensor_no, i) => sensor_no === first + i * step);
  if (sorted.length === 0 || !is_even) return { form: "listed", sensors };
  const form = sorted.length === 1 ? "single" : step === 1 ? "spanned" : "spaced";
  return { form, sensors: Int32Array.of(first, sorted.at(-1)!, step) };
}

/** A statement on whole days: for several buckets, and for one that has all days. */
type OfDays<P extends ParameterTypes, C extends Columns> = {
  readonly several: OfSensors<P, C>;
  readonly one: OfSensors<P, C>;
};

const several = {
  bucket: "days.bucket",
  days: "JOIN (SELECT unnest(range($from_day::INTEGER, $to_day::INTEGER))::INTEGER AS day, " +
    "unnest($buckets::INTEGER[]) AS bucket) AS days USING (day)",
};
const one = { bucket: "($buckets::INTEGER[])[1]", days: "" };

/** The forms of a statement, in whose text `{bucket}` is a day's, once `{days}` is joined. */
export function ofDays<const P extends ParameterTypes, const C extends Columns>(
  parts: StatementParts<P, C>,
): OfDays<P, C> {
  return {
    several: ofSensors({ ...parts, names: { ...parts.names, ...several } }),
    one: ofSensors({ ...parts, names: { ...parts.names, ...one } }),
  };
}

/** The form for some days' buckets, and what it takes for them. */
export function bucketsOf(
  { from_day, to_day, buckets }: DayPositions,
): DayPositions & { readonly many: "several" | "one" } {
  const is_one = buckets.every((bucket) => bucket === buckets[0]);
  if (is_one) return { many: "one", from_day, to_day, buckets: buckets.subarray(0, 1) };
  return { many: "several", from_day, to_day, buckets };
}
