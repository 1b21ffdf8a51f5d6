// The values of an alarm's tag around it, with the limit, and what its device gave meanwhile.
import { getRows, type Rows } from "../frame/api.ts";
import { moment_minute_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { lengthBefore } from "../frame/performance.ts";
import { deviceOf, type Sensor, sensorOf } from "../frame/plant.ts";
import { scaleOf } from "../frame/number.ts";
import { project } from "../frame/session.ts";
import { Chart, type Line } from "../parts/chart.tsx";
import { Loaded } from "../parts/panel.tsx";
import type { Alarm } from "./alarm.ts";
import { limitsOf, sensorOfAlarm, unitOf } from "./figures.ts";
import { say } from "./say.ts";

const hour_ms = 3_600_000;

/** The values of one tag by minute. */
type Curve = { readonly instants: Float64Array; readonly values: Float64Array };

/** The span that is drawn around an alarm: at most two days, and nothing after the moment. */
export function spanAround(
  { raised_ms, cleared_ms }: Pick<Alarm, "raised_ms" | "cleared_ms">,
  moment_ms: number,
): { readonly from_ms: number; readonly to_ms: number } {
  const end_ms = (cleared_ms ?? moment_ms) + hour_ms;
  const to_ms = Math.min(end_ms, raised_ms + 46 * hour_ms, moment_ms);
  return { from_ms: raised_ms - 2 * hour_ms, to_ms: Math.max(to_ms, raised_ms) };
}

/** The trend of an alarm's tag. */
export function Trend({ alarm }: { readonly alarm: Alarm }) {
  const { source_tag, device_id, device_name, raised_ms, cleared_ms } = alarm;
  const { from_ms, to_ms } = spanAround(alarm, moment_minute_ms.value);
  const sensor = sensorOfAlarm(alarm);
  const device = deviceOf(device_id);
  const power = device && sensorOf(device, "active_power");
  const key = [project.value!.id, source_tag, power?.sensor_tag, from_ms, to_ms];
  const curves = useLoad(key, (_, signal) =>
    getCurves([sensor ?? source_tag, power], {
      project_id: project.value!.id,
      from: new Date(from_ms).toISOString(),
      to: new Date(to_ms).toISOString(),
    }, signal), {});
  const isPower = power?.sensor_tag === source_tag;
  const marks = [
    { at_ms: raised_ms, label: say().raised_mark },
    ...(cleared_ms === null ? [] : [{ at_ms: cleared_ms, label: say().cleared_mark }]),
  ];
  const common = { height: 162, marks, from_ms, to_ms };
  return (
    <Loaded
      of={curves}
      isEmpty={([own, other]) => own.values.length + (other?.values.length ?? 0) === 0}
      empty={say().no_trend}
    >
      {([own, other]) => (
        <>
          {own.values.length > 0 && (
            <Chart
              {...common}
              label={source_tag}
              instants={own.instants}
              lines={ownLines(alarm, own)}
            />
          )}
          {!isPower && other && other.values.length > 0 && (
            <Chart
              {...common}
              label={say().power_of(device_name ?? "")}
              instants={other.instants}
              lines={[
                scaledLine(other.values, { label: say().power_of(device_name ?? ""), unit: "W" }),
              ]}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

/** The tag's values, and each limit as a line of its own. */
function ownLines(alarm: Alarm, { values }: Curve): readonly Line[] {
  const isCode = alarm.kind === "bitmask" || alarm.kind === "enum";
  const unit = unitOf(alarm);
  const limits = limitsOf(alarm);
  const { divisor, unit: shown } = scaleOf(greatest([...values, ...limits]), unit);
  return [
    {
      ...scaledLine(values, { label: alarm.source_tag, unit, limits }),
      look: isCode ? "step" : "line",
    },
    ...limits.map((limit) => ({
      label: say().limit,
      unit: shown,
      values: new Float64Array(values.length).fill(limit / divisor),
      color: "--line-2",
      look: "dashed" as const,
    })),
  ];
}

function scaledLine(
  values: Float64Array,
  { label, unit, limits = [] }: {
    readonly label: string;
    readonly unit: string;
    readonly limits?: readonly number[];
  },
): Line {
  const scale = scaleOf(greatest([...values, ...limits]), unit);
  return {
    label,
    unit: scale.unit,
    values: values.map((it) => it / scale.divisor),
    color: "--line-1",
    width: 2,
  };
}

function greatest(values: readonly number[]): number {
  return values.reduce((most, it) => Number.isNaN(it) ? most : Math.max(most, Math.abs(it)), 0);
}

/** The curves of tags by minute; a sensor's in its own unit, a plain tag's as it was sent. */
async function getCurves(
  of: readonly (Sensor | string | undefined)[],
  span: { readonly project_id: string; readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<readonly Curve[]> {
  const wanted = of.filter((it) => it !== undefined);
  const tags = [...new Set(wanted.map((it) => typeof it === "string" ? it : it.sensor_tag))];
  const rows = await getRows("/platform/v1/signals", {
    ...span,
    tag: tags,
    resolution: "1m",
    columns: "lane,sensor_tag,hierarchy_id,ts,value,value_int",
    limit: 100_000,
  }, signal);
  return wanted.map((it) => curveOf(rows, it, Date.parse(span.to)));
}

function curveOf(rows: Rows, of: Sensor | string, to_ms: number): Curve {
  const [tags, ids] = [rows.texts("sensor_tag"), rows.texts("hierarchy_id")];
  const isOwn = (i: number) =>
    typeof of === "string" ? tags[i] === of && ids[i] === null : ids[i] === of.hierarchy_id;
  const indexes = Array.from({ length: rows.length }, (_, i) => i).filter(isOwn);
  const column = (name: string) => {
    const all = rows.numbers(name);
    return Float64Array.from(indexes, (i) => all[i]);
  };
  const [instants, floats, integers] = [column("ts"), column("value"), column("value_int")];
  // A minute that is not over at the moment would show what comes after it.
  const length = lengthBefore(instants, to_ms - 59_999);
  return {
    instants: instants.subarray(0, length),
    values: floats.map((it, i) => Number.isNaN(it) ? integers[i] : it).subarray(0, length),
  };
}
