// The map of inverters by time: colours where one is abnormal, and the way to each cell.
import { numberText, percentText, quantityText } from "../frame/number.ts";
import { performance_path, performanceParams } from "../frame/performance.ts";
import { change, param } from "../frame/place.ts";
import { blocks } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import type { Load } from "../frame/load.ts";
import { instantText, longDateText, offsetText, timeText } from "../frame/zone.ts";
import { Export } from "../parts/export.tsx";
import { Heat, type HeatCell } from "../parts/heat.tsx";
import { heat_codes } from "../parts/heat_paint.ts";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Views } from "../views/views.tsx";
import { shownRows, ticksOf } from "./cells.ts";
import { full_share, sumCells, toleranceOf } from "./judge.ts";
import { isShortfall, type MapData, mapQuery } from "./map_data.ts";
import { nameOfMeasure, say, unitSign } from "./say.ts";
import { rangeText } from "./toolbar.tsx";
import {
  addressTime,
  hereWith,
  type MapRange,
  measuresOf,
  select,
  shownDevice,
  shownMeasure,
  shownSort,
  tellsLater,
} from "./view.ts";

/** The panel with the map. */
export function MapPanel(
  { map, range }: { readonly map: Load<MapData>; readonly range: MapRange },
) {
  const show = shownMeasure();
  const title = titleOf(show);
  return (
    <Panel
      title={`${title} · ${rangeText(range)}`}
      class="map"
      aside={
        <>
          <Views page="inverters" /> {!tellsLater(range) && (
            <Export
              path={performance_path}
              query={performanceParams(mapQuery(range, show))}
              name={`inverters-${range.from}`}
            />
          )}
        </>
      }
    >
      <Scale show={show} />
      <Loaded of={map} isEmpty={({ grid }) => grid.known === 0} empty={say().no_daylight}>
        {(data) => <Map data={data} show={show} />}
      </Loaded>
    </Panel>
  );
}

function Map({ data, show }: { readonly data: MapData; readonly show: string }) {
  const { devices, grid: { starts }, range } = data;
  const rows = mapRows(data);
  if (rows.length === 0) return <p class="quiet">{say().none_found}</p>;
  const device = shownDevice();
  const chosen_row = rows.findIndex((row) => devices[row] === device);
  const column = starts.indexOf(Date.parse(param("cell") ?? ""));
  const openCell = ({ row, column }: HeatCell) => {
    select({ device: devices[rows[row]].key, cell: addressTime(starts[column]) });
  };
  return (
    <>
      <Heat
        label={titleOf(show)}
        rows={rows.map((row) => ({
          key: devices[row].key,
          name: devices[row].name,
          href: hereWith({ device: devices[row].key, cell: undefined }),
        }))}
        columns={starts.length}
        codes={data.codes}
        order={rows}
        ticks={ticksOf(starts, { zone: zone.value, most: innerWidth < 720 ? 4 : 10 })}
        readout={(cell) => cell ? readoutOf(data, rows[cell.row], cell.column) : <Hint />}
        chosen={chosen_row < 0
          ? undefined
          : { row: chosen_row, column: column < 0 ? undefined : column }}
        onOpen={openCell}
        onZoom={range.kind === "month" ? undefined : (first, last) =>
          change({
            from: addressTime(starts[first]),
            to: addressTime(data.grid.ends[last]),
            cell: undefined,
          })}
        table={tableOf(data, rows)}
      />
      <p class="quiet">{say().inverters_of(rows.length, devices.length)}</p>
    </>
  );
}

function titleOf(show: string): string {
  return isShortfall(show) ? say()[`show_${show}`] : say().show_measure(nameOfMeasure(show));
}

function Hint() {
  if (innerWidth < 720) return <span class="quiet">{say().tap_hint}</span>;
  return (
    <span class="quiet">
      {say().hint}
      {param("range") !== "month" && ` ${say().zoom_hint}`}
    </span>
  );
}

/** The rows that the address asks for. */
export function mapRows({ devices, cells, grid }: MapData): readonly number[] {
  const block = [...blocks.value.values()].find(({ key }) => key === param("block"));
  const [count, end] = [grid.starts.length, grid.known];
  const badness = devices.map((_, row) => sumCells(cells, { row, count, first: 0, end }).lost_wh);
  return shownRows(devices, badness, {
    sort: shownSort(),
    block_id: block?.block_id,
    names: blocks.value,
    find: param("find") ?? "",
  });
}

/** When a bucket is, in words. */
export function bucketText({ grid: { starts, ends }, range }: MapData, column: number): string {
  const at = starts[column];
  if (range.kind === "month") return longDateText(at + 12 * 3_600_000, zone.value);
  const span = `${instantText(at, zone.value)}–${timeText(ends[column], zone.value)}`;
  return `${span} ${offsetText(at, zone.value)}`;
}

function readoutOf(data: MapData, row: number, column: number) {
  return (
    <>
      <b>{data.devices[row].name}</b>
      <span>{bucketText(data, column)}</span>
      {cellTexts(data, row, column).map((text) => <span>{text}</span>)}
    </>
  );
}

/** What there is to say of a cell. */
function cellTexts(data: MapData, row: number, column: number): readonly string[] {
  const { cells, grid: { starts, known }, codes, values } = data;
  const i = row * starts.length + column;
  if (column >= known) return [say().not_yet];
  const out = cells.is_out[i] ? [say().scale_out] : [];
  if (codes[i] === heat_codes.missing) return [...out, say().scale_missing];
  if (values) {
    const unit = measuresOf().get(shownMeasure()) ?? "";
    const text = (value: number) =>
      unit === "code" ? numberText(value) : quantityText(value, unitSign(unit));
    return [...out, text(values.own[i]), say().peers_at(text(values.peers[i]))];
  }
  const quiet = codes[i] === heat_codes.quiet ? [say().scale_quiet] : [];
  const { measured, shortfall, against_peers } = cells;
  return [
    ...out,
    quantityText(measured[i], "W"),
    ...quiet,
    ...Number.isNaN(shortfall[i]) ? [] : [say().of_expected(percentText(1 - shortfall[i], 0))],
    ...Number.isNaN(against_peers[i])
      ? []
      : [say().against_peers(percentText(-against_peers[i], 0).replace(/^(?=\d*[1-9])/, "+"))],
  ];
}

/** The map as a table: a row an inverter, a column a bucket. */
function tableOf(data: MapData, rows: readonly number[]) {
  const { devices, grid: { starts, known }, cells, codes, values, range } = data;
  const head = Array.from(
    starts,
    (at) =>
      range.kind === "month"
        ? longDateText(at + 12 * 3_600_000, zone.value)
        : `${timeText(at, zone.value)} ${offsetText(at, zone.value)}`,
  );
  const cellText = (i: number) => {
    if (i % starts.length >= known) return "";
    if (cells.is_out[i]) return say().scale_out;
    if (codes[i] === heat_codes.missing) return say().scale_missing;
    if (values) return numberText(values.own[i], toleranceOf("").is_share ? 1 : 0);
    const missing = shownMeasure() === "peers" ? cells.against_peers[i] : cells.shortfall[i];
    return percentText(missing, 0);
  };
  return {
    columns: [say().inverter, ...head],
    row: (i: number) => [
      devices[rows[i]].name,
      ...Array.from(starts, (_, column) => cellText(rows[i] * starts.length + column)),
    ],
  };
}

/** What the colours of the map mean. */
function Scale({ show }: { readonly show: string }) {
  const is_power = isShortfall(show);
  const { full, is_share } = toleranceOf(measuresOf().get(show) ?? "");
  const most = is_power
    ? percentText(full_share, 0)
    : is_share
    ? percentText(full, 0)
    : `${numberText(full)}\u202fK`;
  const entries = [
    ["ramp", is_power ? say().scale_own(most) : say().scale_apart(most)],
    ...show === "shortfall" ? [["shared", say().scale_shared]] : [],
    ["outage", say().scale_out],
    ["missing", say().scale_missing],
  ];
  return (
    <div class="heat-scale">
      {entries.map(([look, text]) => (
        <span>
          <i class={look} />
          {text}
        </span>
      ))}
    </div>
  );
}
