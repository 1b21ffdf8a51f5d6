// An inverter's power against what is expected of it, its peers in grey, alarms marked.
import type { Load } from "../frame/load.ts";
import { at_ms } from "../frame/clock.ts";
import type { Device } from "../frame/plant.ts";
import { Chart, type Line, type Mark } from "../parts/chart.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { digitOf } from "../parts/priority.tsx";
import type { Grid } from "./cells.ts";
import { useCurves } from "./device_data.ts";
import type { MapData } from "./map_data.ts";
import type { ShownAlarm } from "./past.ts";
import { say } from "./say.ts";
import { addressTime, type MapRange, type MapSpan } from "./view.ts";
import { change } from "../frame/place.ts";

/** How many peers are drawn. */
const most_peers = 8;

type CurveProps = {
  readonly device: Device;
  readonly range: MapRange;
  readonly cell: MapSpan | undefined;
  readonly alarms: Load<readonly ShownAlarm[]>;
  readonly map: Load<MapData>;
};

/** The panel with the curve. */
export function PowerCurve({ device, range, cell, alarms, map }: CurveProps) {
  const curves = useCurves(device, map.data ? peersOf(device, map.data) : [], range);
  const title = `${device.name}: ${range.kind === "month" ? say().curve_days : say().curve}`;
  return (
    <Panel title={title} class="curve">
      <Loaded of={curves} isEmpty={hasNothing} empty={say().no_curve}>
        {(grid) => (
          <>
            <Chart
              label={title}
              instants={grid.starts}
              lines={linesOf(device, grid)}
              marks={marksOf(alarms.data ?? [], cell)}
              decimals={0}
              height={240}
              onSelect={range.kind === "month"
                ? undefined
                : (from_ms, to_ms) =>
                  change({ from: addressTime(from_ms), to: addressTime(to_ms), cell: undefined })}
            />
            {(alarms.data ?? []).length > 0 && <p class="quiet">{say().marks}</p>}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** Those that the inverter is compared with. */
function peersOf(device: Device, { devices, groups }: MapData): readonly Device[] {
  const row = devices.indexOf(device);
  const group = groups.find((rows) => rows.includes(row)) ?? [];
  return group.filter((it) => it !== row).slice(0, most_peers).map((it) => devices[it]);
}

function hasNothing({ columns }: Grid): boolean {
  return columns.sensor_value.every((it) => Number.isNaN(it));
}

function linesOf(device: Device, { rows, starts, columns }: Grid): readonly Line[] {
  const scale = (device.rated_w ?? 0) >= 1e6 ? 1e6 : 1e3;
  const unit = scale === 1e6 ? "MW" : "kW";
  const valuesOf = (values: Float64Array, row: number) =>
    values.slice(row * starts.length, (row + 1) * starts.length).map((it) => it / scale);
  const peers = Array.from({ length: rows - 1 }, (_, i): Line => ({
    label: say().peers,
    unit,
    values: valuesOf(columns.sensor_value, i + 1),
    color: "--line-peer",
    width: 1,
    is_quiet: i > 0,
  }));
  const power = valuesOf(columns.sensor_value, 0);
  const expected = valuesOf(columns.model_value, 0);
  return [
    ...peers,
    ...expected.some((it) => it > 0)
      ? [
        {
          label: say().expected,
          unit,
          values: expected,
          color: "--line-expected",
          look: "dashed",
        } as const,
      ]
      : [],
    {
      label: say().power,
      unit,
      values: power,
      color: "--line-1",
      width: 2.5,
    },
  ];
}

function marksOf(alarms: readonly ShownAlarm[], cell: MapSpan | undefined): readonly Mark[] {
  const marks: Mark[] = alarms.map(({ raised_ms, severity, name }) => ({
    at_ms: raised_ms,
    label: name,
    color: `--priority-${digitOf(severity)}`,
  }));
  if (cell) marks.push({ at_ms: cell.from_ms, label: say().why });
  if (at_ms.value !== undefined) marks.push({ at_ms: at_ms.value, label: "" });
  return marks;
}
