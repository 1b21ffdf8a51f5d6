// Inverters: which of them makes less than it should, since when, and why.
import { Link, Message, Pending } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import type { Load } from "../frame/load.ts";
import { percentText, quantityText, spanText } from "../frame/number.ts";
import { devicesOf, plant_load } from "../frame/plant.ts";
import { DeviceView } from "./device_view.tsx";
import { type MapData, useMap } from "./map_data.ts";
import { MapPanel, mapRows } from "./map_panel.tsx";
import { normal_share, sumCells } from "./judge.ts";
import { say } from "./say.ts";
import { MapToolbar, rangeText } from "./toolbar.tsx";
import { type MapRange, mapRange, placeWith, shownDevice, shownMeasure } from "./view.ts";

/** The map of all inverters, and the one that is looked at. */
export function InvertersPage() {
  if (!plant_load.value.data) return <Loaded of={plant_load.value}>{() => null}</Loaded>;
  if (devicesOf("inverter").length === 0) return <Message>{say().no_inverters}</Message>;
  return <Inverters />;
}

function Inverters() {
  const range = mapRange();
  const map = useMap(range, shownMeasure());
  const device = shownDevice();
  return (
    <div class={device ? "inverters with-device" : "inverters"}>
      <MapToolbar range={range} />
      <Pending {...range} />
      <MapPanel map={map} range={range} />
      {device
        ? <DeviceView key={device.device_id} {...{ device, range, map }} />
        : <Worst map={map} range={range} />}
    </div>
  );
}

/** How many are named. */
const most = 12;

/** The panel with the worst of the shown inverters. */
function Worst({ map, range }: { readonly map: Load<MapData>; readonly range: MapRange }) {
  return (
    <Panel title={`${say().worst} · ${rangeText(range)}`} class="worst">
      <Loaded
        of={map}
        isEmpty={(data) => worstOf(data).length === 0}
        empty={whyNone(map.data)}
      >
        {(data) => <WorstTable data={data} />}
      </Loaded>
    </Panel>
  );
}

/** Why no inverter is named: there is no data, or nothing is wrong. */
function whyNone(data: MapData | undefined): string {
  if (data?.grid.known === 0) return say().no_daylight;
  const isSilent = data?.cells.measured.every(Number.isNaN);
  return isSilent ? say().no_curve : say().nothing_wrong;
}

function WorstTable({ data }: { readonly data: MapData }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{say().inverter}</th>
          <th scope="col" class="number">{say().missing}</th>
          <th scope="col" class="number">{say().versus_peers}</th>
          <th scope="col" class="number">{say().lost}</th>
          <th scope="col" class="number">{say().out_for}</th>
        </tr>
      </thead>
      <tbody>
        {worstOf(data).map(({ device, sum, out_ms }) => (
          <tr>
            <td>
              <Link page="inverters" params={placeWith({ device: device.key, cell: undefined })}>
                {device.name}
              </Link>
            </td>
            <td class="number">{percentText(sum.shortfall, 0)}</td>
            <td class="number">{percentText(sum.against_peers, 0)}</td>
            <td class="number">{quantityText(Math.max(0, sum.lost_wh), "Wh")}</td>
            <td class="number">{out_ms > 0 ? spanText(out_ms) : ""}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function worstOf(data: MapData) {
  const { devices, cells, grid: { starts, ends, known } } = data;
  const count = starts.length;
  const bucket_ms = count > 0 ? ends[0] - starts[0] : 0;
  return mapRows(data).map((row) => {
    const sum = sumCells(cells, { row, count, first: 0, end: known });
    return { device: devices[row], sum, out_ms: sum.out_cells * bucket_ms };
  }).filter(({ sum, out_ms }) => {
    const missing = Number.isNaN(sum.shortfall) ? sum.against_peers : sum.shortfall;
    return out_ms > 0 || Math.max(missing, sum.against_peers || 0) >= normal_share;
  }).toSorted((a, b) => (b.sum.lost_wh || 0) - (a.sum.lost_wh || 0)).slice(0, most);
}
