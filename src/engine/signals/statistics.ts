// Statistics of the minutes of a page, out of their samples.
import { assert } from "../../base/assert.ts";
import type { Vector } from "../../model/data/chunk.ts";
import { SeriesStatistics, seriesSums, type Spans } from "../../model/statistics/series.ts";
import {
  statisticOf,
  type StatisticsAsked,
  statisticVector,
} from "../../model/statistics/statistic.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../../store/connection.ts";
import { addSeries, holdOf, isState, type TagSeries } from "../samples/series.ts";
import { partOf, type SignalLine, type SignalRows } from "./row.ts";

/** What they take of a page. */
export const statistic_parts = ["line", "ts"] as const;

/** The columns of statistics of a page of minutes, whose rows rise in time. */
export async function pageStatistics(
  connection: Connection,
  { page, lines }: SignalRows,
  { columns, until_us }: StatisticsAsked,
): Promise<Vector[]> {
  const line = partOf(page, "line");
  const ts = partOf(page, "ts");
  assert(line.kind === "int32" && ts.kind === "int64", "a line and a time");
  const sums = seriesSums(page.rows);
  // Both lanes of a tag share its sums: those of the row that is first of its minute.
  const first_row = Int32Array.from(line.values, (_, row) => row);
  const rows_of = new Map<SignalLine["tag"], number[]>();
  for (let row = 0; row < page.rows; row++) {
    const { tag } = lines[line.values[row]];
    const rows = rows_of.get(tag);
    const last = rows?.at(-1);
    if (last !== undefined && ts.values[last] === ts.values[row]) first_row[row] = last;
    else if (rows) rows.push(row);
    else rows_of.set(tag, [row]);
  }
  const all = [...rows_of].map(([tag, rows]): TagSeries => ({
    tag,
    series: new SeriesStatistics(spansOf(rows, ts.values, until_us), sums, {
      stepped: isState(tag),
      hold_us: holdOf(tag),
    }),
  }));
  const from_us = Number(ts.values[0]);
  const to_us = Number(ts.values[page.rows - 1]) + minute_us;
  await addSeries(connection, all, { from_us, to_us });
  const views = lines.map(({ tag, sensor }) => ({
    scale: sensor?.scale ?? 1,
    offset: sensor?.offset ?? 0,
    is_state: isState(tag),
  }));
  return columns.map((column) => {
    const values = Float64Array.from(
      line.values,
      (no, row) => statisticOf(column.name, { sums, bucket: first_row[row], view: views[no] }),
    );
    return statisticVector(column, values);
  });
}

/** The minutes of some rows, each a bucket: the row's number. */
function spansOf(rows: readonly number[], ts: BigInt64Array, until_us: number): Spans {
  const from_us = Float64Array.from(rows, (row) => Number(ts[row]));
  return {
    from_us,
    to_us: from_us.map((from) => Math.max(from, Math.min(from + minute_us, until_us))),
    bucket: Int32Array.from(rows),
  };
}
