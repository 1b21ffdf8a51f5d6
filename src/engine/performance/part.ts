// What a shard of a fleet says of its sensors to the one that puts an answer together.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { answer_limits } from "../../model/data/limits.ts";
import { axisOf } from "../../model/time/bucket.ts";
import { isTimezone } from "../../model/time/zone.ts";
import type { Database } from "../../store/database.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { checkSize } from "../core/answer_size.ts";
import { type PartAnswer, requireMark } from "../core/gather.ts";
import type { CellValues } from "./aggregates.ts";
import { type Group, type PerformanceRequest, selectSensors } from "./group.ts";
import { requireRead, selectedDays } from "./performance.ts";
import { SlabReader } from "./slab.ts";
import { checkSeries } from "./statistics.ts";

const number = z.int().min(-(2 ** 31)).max(2 ** 31 - 1);

/** The days of a whole answer, whatever of them the shard would take by itself. */
export const range_form = z.strictObject({
  from_day: number,
  to_day: number,
  clip: z.strictObject({ from_minute: number, to_minute: number }).optional(),
});

/** What is asked of a shard: its groups, the days that have data, or some cells. */
export const performance_question = z.discriminatedUnion("want", [
  z.strictObject({ want: z.literal("groups"), range: range_form }),
  z.strictObject({ want: z.literal("days"), range: range_form }),
  z.strictObject({
    want: z.literal("cells"),
    range: range_form,
    /** The mark of the groups that the shard told. */
    groups: z.string(),
    /** Those of all projects, whose buckets lie on one axis. */
    timezones: z.array(z.string().refine(isTimezone)),
    from: number.min(0),
    to: number,
    /** Whether each group of the whole answer is one sensor. */
    is_single: z.boolean(),
  }),
]);

export type PerformanceQuestion = z.output<typeof performance_question>;

/** A group as another shard is told it: how many sensors it has at which sites. */
export type ToldGroup = Omit<Group, "sensors"> & {
  readonly sites: readonly (readonly [site_id: string, sensors: number])[];
};

/** What a shard says to a question. Throws a `Fault` as an answer of its own would. */
export async function performancePart(
  { database, catalog }: { readonly database: Database; readonly catalog: Catalog },
  { request, question, signal }: {
    readonly request: PerformanceRequest;
    readonly question: PerformanceQuestion;
    readonly signal: AbortSignal;
  },
): Promise<PartAnswer> {
  const selection = selectSensors(catalog, request);
  const { groups } = selection;
  if (question.want === "groups") return { facts: toldGroups(catalog, groups) };
  const { range } = question;
  if (question.want === "days") {
    return { facts: await selectedDays(database, selection, { range, signal }) ?? null };
  }
  requireMark(toldGroups(catalog, groups), question.groups);
  checkSize({ interval: request.interval, range }, groups.length);
  if (request.statistics) checkSeries(selection.sensors, range);
  requireRead(catalog, request, selection);
  const { from, to, timezones, is_single } = question;
  const axis = axisOf(request.interval, { range, timezones });
  const room = to - from;
  if (
    room < 1 || to > axis.size || room > 1 && room * groups.length > answer_limits.cells_per_slab
  ) {
    throw new Fault("invalid", "these positions are no slab of the answer");
  }
  const reader = new SlabReader({ catalog, request, selection, axis, is_single }, room);
  const { values } = await database.read(
    (connection) => reader.read(connection, { from, to }),
    signal,
  );
  return { numbers: numbersOf(values, room * groups.length) };
}

/** Groups as others are told them. */
export function toldGroups(catalog: Catalog, groups: readonly Group[]): readonly ToldGroup[] {
  const ids = new Map(catalog.sites.map(({ site_no, id }) => [site_no, id]));
  return groups.map(({ sensors, ...words }) => {
    const counts = Map.groupBy(sensors, ({ site_no }) => ids.get(site_no)!);
    return { ...words, sites: Array.from(counts, ([id, some]) => [id, some.length] as const) };
  });
}

/** The numbers of a slab's cells by name: what `cellsOfNumbers` makes cells of again. */
function numbersOf(values: CellValues, size: number): Record<string, Float64Array> {
  const { value, model, value_setpoint, model_setpoint, fallback_share } = values;
  const { forecast, matched, statistics } = values;
  const named = {
    ...{ value, model },
    ...(value_setpoint === value ? {} : { value_setpoint, model_setpoint }),
    ...(fallback_share && { fallback_share }),
    ...under(
      "forecast",
      forecast && {
        ...forecast,
        lead_minutes: Float64Array.from(forecast.lead_minutes),
      },
    ),
    ...under("matched", matched),
    ...under("statistics", statistics && Object.fromEntries(statistics)),
  };
  return Object.fromEntries(
    Object.entries(named).map(([name, numbers]) => [name, numbers.subarray(0, size)]),
  );
}

type Numbers = Readonly<Record<string, Float64Array>>;

function under(part: string, numbers: Numbers | undefined): Numbers {
  return Object.fromEntries(
    Object.entries(numbers ?? {}).map(([name, values]) => [`${part} ${name}`, values]),
  );
}

/** The cells whose numbers these are. */
export function cellsOfNumbers(numbers: Numbers): CellValues {
  const of = (part: string) =>
    Object.entries(numbers).filter(([name]) => name.startsWith(`${part} `))
      .map(([name, values]) => [name.slice(part.length + 1), values] as const);
  const { value, model, value_setpoint = value, model_setpoint = model, fallback_share } = numbers;
  const forecast = Object.fromEntries(of("forecast")) as Record<string, Float64Array>;
  const matched = of("matched");
  const statistics = of("statistics");
  return {
    ...{ value, model, value_setpoint, model_setpoint },
    ...(fallback_share && { fallback_share }),
    ...("value" in forecast && {
      forecast: {
        value: forecast.value,
        issued_us: forecast.issued_us,
        lead_minutes: Int32Array.from(forecast.lead_minutes),
      },
    }),
    ...(matched.length > 0 && {
      matched: Object.fromEntries(matched) as unknown as CellValues["matched"],
    }),
    ...(statistics.length > 0 && {
      statistics: new Map(statistics) as unknown as CellValues["statistics"],
    }),
  } as CellValues;
}
