// Whether the plant gets worse: the matched index by week with its robust trend.
import { numberText, percentText } from "../frame/number.ts";
import { performance_path } from "../frame/performance.ts";
import { say as frameSay } from "../frame/say.ts";
import { zone } from "../frame/session.ts";
import { longDateText } from "../frame/zone.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Export } from "../parts/export.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { indexQuery, useIndex } from "./data.ts";
import { say } from "./say.ts";
import { type Point, type Trend, trendOf } from "./trend.ts";
import { lastDay } from "./view.ts";

/** The index by week, its trend a year, and whether that can be said. */
export function Degradation() {
  const last = lastDay();
  return (
    <Panel
      title={say().degradation}
      aside={<Export path={performance_path} query={indexQuery(last)} name={`index ${last}`} />}
    >
      <Loaded of={useIndex(last)} isEmpty={(it) => it.length === 0} empty={say().no_index}>
        {(points) => {
          const trend = trendOf(points);
          return (
            <>
              <TrendWords {...{ points, trend }} />
              {points.length > 1 && <TrendPlot {...{ points, trend }} />}
              <DataTable
                columns={[say().week_from, frameSay().matched_index, say().coverage_head]}
                length={points.length}
                row={(i) => [
                  longDateText(points[i].at_ms, zone.value),
                  percentText(points[i].value),
                  percentText(points[i].coverage),
                ]}
              />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

type TrendProps = { readonly points: readonly Point[]; readonly trend: Trend | undefined };

function TrendWords({ points, trend }: TrendProps) {
  const span = say().weeks(points.length);
  if (!trend || trend.verdict === "short") return <p>{say().trend_short(span)}</p>;
  const rate = (share: number) => signed(100 * share);
  return (
    <p>
      <b class="rate">{say().per_year(rate(trend.per_year))}</b>{" "}
      {say().between(rate(trend.least), rate(trend.most))} {say()[`trend_${trend.verdict}`]}{" "}
      <span class="quiet">
        {say().trend_span(span, numberText(trend.years, 1))}
        {trend.is_provisional && ` ${say().trend_provisional}`}
      </span>
    </p>
  );
}

function signed(value: number): string {
  return `${value > 0 ? "+" : ""}${numberText(value, 2)}\u202f%`;
}

const [width, height] = [600, 150];

/** Points and line; the real figures are in the table below it. */
function TrendPlot({ points, trend }: TrendProps) {
  const values = points.map(({ value }) => value);
  const low = Math.floor(20 * Math.min(...values) - 0.2) / 20;
  const high = Math.ceil(20 * Math.max(...values) + 0.2) / 20;
  const [begin_ms, end_ms] = [points[0].at_ms, points[points.length - 1].at_ms];
  const x = (at_ms: number) => 8 + (width - 16) * (at_ms - begin_ms) / (end_ms - begin_ms);
  const y = (value: number) => height - height * (value - low) / (high - low);
  const is_line = trend !== undefined && trend.verdict !== "short";
  return (
    <div class="trend">
      <span class="high">{percentText(high, 0)}</span>
      <span class="low">{percentText(low, 0)}</span>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={say().degradation}>
        <path class="edge" d={`M0 0H${width}M0 ${height}H${width}`} />
        {points.map(({ at_ms, value }) => <circle cx={x(at_ms)} cy={y(value)} r="3" />)}
        {is_line && (
          <path
            class="line"
            d={`M${x(begin_ms)} ${y(trend.valueAt(begin_ms))}` +
              `L${x(end_ms)} ${y(trend.valueAt(end_ms))}`}
          />
        )}
      </svg>
      <span class="begin">{longDateText(begin_ms, zone.value)}</span>
      <span class="end">{longDateText(end_ms, zone.value)}</span>
    </div>
  );
}
