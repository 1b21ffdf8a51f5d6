// What a shard of a fleet says of its sensors to the one that puts an answer together.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { answer_limits } from "../../model/data/limits.ts";
import { axisOf } from "../../model/time/bucket.ts";
import { minute_us } from "../../model/time/series.ts";
import { day_minutes, isTimezone } from "../../model/time/zone.ts";
import type { Database } from "../../store/database.ts";
import { earliest_us, latest_us } from "../../wire/bytes/instant.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { checkSize } from "../core/answer_size.ts";
import { type PartAnswer, requireMark } from "../core/gather.ts";
import { type Group, type PerformanceRequest, selectSensors } from "./group.ts";
import { requireRead, selectedDays } from "./performance.ts";
import { SlabReader } from "./slab.ts";
import { checkSeries } from "./statistics.ts";

const number = z.int().min(-(2 ** 31)).max(2 ** 31 - 1);
const dayOf = (us: number) => Math.floor(us / (day_minutes * minute_us));
/** Of the years that a request can name, in any time zone; the last one is exclusive. */
const day = z.int().min(dayOf(earliest_us) - 1).max(dayOf(latest_us) + 2);

/** The days of a whole answer, whatever of them the shard would take by itself. */
export const range_form = z.strictObject({
  from_day: day,
  to_day: day,
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
    /** The time until which statistics are, by one clock; not asked for where it is left out. */
    until_us: z.number().optional(),
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
  const { from, to, timezones, is_single, until_us } = question;
  if (!selection.zones.every(({ timezone }) => timezones.includes(timezone))) {
    throw new Fault("invalid", "these time zones are not those of all projects");
  }
  const axis = axisOf(request.interval, { range, timezones });
  const room = to - from;
  if (
    room < 1 || to > axis.size || room > 1 && room * groups.length > answer_limits.cells_per_slab
  ) {
    throw new Fault("invalid", "these positions are no slab of the answer");
  }
  const { statistics } = request;
  const told = statistics && until_us !== undefined ? { ...statistics, until_us } : statistics;
  const plan = { catalog, request: { ...request, statistics: told }, selection, axis, is_single };
  const reader = new SlabReader(plan, room);
  const sums = await database.read(
    (connection) => reader.sums(connection, { from, to }),
    signal,
  );
  return { numbers: sums.numbers(room * groups.length) };
}

/** Groups as others are told them. */
export function toldGroups(catalog: Catalog, groups: readonly Group[]): readonly ToldGroup[] {
  const ids = new Map(catalog.sites.map(({ site_no, id }) => [site_no, id]));
  return groups.map(({ sensors, ...words }) => {
    const counts = Map.groupBy(sensors, ({ site_no }) => ids.get(site_no)!);
    return { ...words, sites: Array.from(counts, ([id, some]) => [id, some.length] as const) };
  });
}
