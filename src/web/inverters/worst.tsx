// The inverters that make least of what they should, the worst first.
import { percentText, quantityText, spanText } from "../frame/number.ts";
import type { Load } from "../frame/load.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { normal_share, sumCells } from "./judge.ts";
import type { MapData } from "./map_data.ts";
import { rowsOf } from "./map_panel.tsx";
import { say } from "./say.ts";
import { rangeText } from "./toolbar.tsx";
import { placeWith, type Range } from "./view.ts";

/** How many are named. */
const most = 12;

/** The panel with the worst of the shown inverters. */
export function Worst({ map, range }: { readonly map: Load<MapData>; readonly range: Range }) {
  return (
    <Panel title={`${say().worst} · ${rangeText(range)}`} class="worst">
      <Loaded
        of={map}
        isEmpty={(data) => worstOf(data).length === 0}
        empty={say().nothing_wrong}
      >
        {(data) => <WorstTable data={data} />}
      </Loaded>
    </Panel>
  );
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
  return rowsOf(data).map((row) => {
    const sum = sumCells(cells, { row, count, first: 0, end: known });
    return { device: devices[row], sum, out_ms: sum.out_cells * bucket_ms };
  }).filter(({ sum, out_ms }) => {
    const missing = Number.isNaN(sum.shortfall) ? sum.against_peers : sum.shortfall;
    return out_ms > 0 || Math.max(missing, sum.against_peers || 0) >= normal_share;
  }).toSorted((a, b) => (b.sum.lost_wh || 0) - (a.sum.lost_wh || 0)).slice(0, most);
}
