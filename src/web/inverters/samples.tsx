// The samples behind a chosen quarter-hour, as sent and scaled.
import { getRows } from "../frame/api.ts";
import { at_ms, moment_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { numberText } from "../frame/number.ts";
import type { Device } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { offsetText, secondText, timeText } from "../frame/zone.ts";
import { Export } from "../parts/export.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { nameOfMeasure, say, unitSign } from "./say.ts";
import { addressTime, type MapSpan } from "./view.ts";

/** How many rows are put on the page. */
const most_rows = 2000;

/** A sample as it is shown. */
type Shown = {
  readonly tag: string;
  readonly ts_ms: number;
  readonly value: string;
  readonly sent: string;
  readonly quality: string | null;
};

/** The samples of the chosen cell. */
export function CellSamples({ device, cell }: {
  readonly device: Device;
  readonly cell: MapSpan | undefined;
}) {
  if (!cell) {
    return (
      <Panel title={say().samples} class="samples">
        <p class="quiet">{say().pick_cell}</p>
      </Panel>
    );
  }
  return <SamplePanel device={device} cell={cell} />;
}

function SamplePanel({ device, cell }: { readonly device: Device; readonly cell: MapSpan }) {
  const samples = useSamples(device, cell);
  const [from, to] = [cell.from_ms, cell.to_ms].map((it) => timeText(it, zone.value));
  const title = say().samples_of(`${from}–${to} ${offsetText(cell.from_ms, zone.value)}`);
  return (
    <Panel title={title} class="samples" aside={<Aside device={device} cell={cell} />}>
      <Loaded of={samples} isEmpty={(it) => it.length === 0} empty={say().no_samples}>
        {(list) => <SampleTable list={list} device={device} />}
      </Loaded>
    </Panel>
  );
}

/** The way to the same time in trends, and the samples to take away. */
function Aside({ device, cell }: { readonly device: Device; readonly cell: MapSpan }) {
  const key = encodeURIComponent(device.key);
  const hour_ms = 3_600_000;
  const params = {
    curves: `${key}:active_power,${key}:active_power:expected`,
    from: addressTime(cell.from_ms - hour_ms),
    to: addressTime(cell.to_ms + hour_ms),
  };
  return (
    <span class="actions">
      <Link page="trends" params={params}>{say().to_trends}</Link>
      <Export
        path={samples_path}
        query={sampleQuery(device, cell)}
        name={`${device.key}-samples`}
      />
    </span>
  );
}

function SampleTable({ list, device }: {
  readonly list: readonly Shown[];
  readonly device: Device;
}) {
  const measures = new Map(device.sensors.map((it) => [it.sensor_tag, it.component_measure]));
  const heads = [
    [say().at],
    [say().tag],
    [say().value, "number"],
    [say().as_sent, "number"],
    [say().quality],
  ];
  return (
    <>
      {list.length >= most_rows && <p class="quiet">{say().samples_cut(list.length)}</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label={say().samples}>
        <table>
          <thead>
            <tr>{heads.map(([it, look]) => <th scope="col" class={look}>{it}</th>)}</tr>
          </thead>
          <tbody>
            {list.map(({ tag, ts_ms, value, sent, quality }) => (
              <tr>
                <td>{secondText(ts_ms, zone.value)}</td>
                <td title={nameOfMeasure(measures.get(tag) ?? "")}>{tag}</td>
                <td class="number">{value}</td>
                <td class="number">{sent}</td>
                <td>{quality}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const samples_path = "/platform/v1/signals";

/** What is asked for of an inverter's samples; nothing later than the moment. */
function sampleQuery({ sensors }: Device, { from_ms, to_ms }: MapSpan) {
  const end_ms = at_ms.value === undefined ? to_ms : Math.min(to_ms, at_ms.value);
  return {
    project_id: project.value!.id,
    from: new Date(from_ms).toISOString(),
    to: new Date(end_ms).toISOString(),
    tag: [...new Set(sensors.map(({ sensor_tag }) => sensor_tag))],
    resolution: "raw",
  };
}

/** Both lanes' raw samples of all tags of an inverter, one line a sample. */
function useSamples(device: Device, { from_ms, to_ms }: MapSpan) {
  const query = sampleQuery(device, { from_ms, to_ms });
  return useLoad(query.from < query.to ? [query] as const : undefined, async (_, signal) => {
    const columns = "lane,sensor_tag,unit,ts,value,value_int,value_str,quality";
    const rows = await getRows(samples_path, { ...query, columns, limit: most_rows * 2 }, signal);
    const [lanes, named] = [rows.texts("lane"), rows.texts("sensor_tag")];
    const [units, qualities] = [rows.texts("unit"), rows.texts("quality")];
    const instants = rows.numbers("ts");
    const [floats, integers] = [rows.numbers("value"), rows.numbers("value_int")];
    const texts = rows.texts("value_str");
    const shown = new Map<string, Shown>();
    for (let i = 0; i < rows.length; i++) {
      const key = `${instants[i]} ${named[i]}`;
      const text = texts[i] ??
        valueText(Number.isNaN(floats[i]) ? integers[i] : floats[i], units[i]);
      const sample: Shown = shown.get(key) ?? {
        tag: named[i]!,
        ts_ms: instants[i],
        value: "",
        sent: "",
        quality: qualities[i],
      };
      shown.set(key, { ...sample, [lanes[i] === "raw_signal" ? "sent" : "value"]: text });
    }
    return [...shown.values()];
  }, moment_ms.peek() < to_ms && at_ms.value === undefined ? { refresh_ms: 15_000 } : {});
}

function valueText(value: number, unit: string | null): string {
  const decimals = Number.isInteger(value) || Math.abs(value) >= 1000 ? 0 : 2;
  const text = numberText(value, decimals);
  return unit ? `${text}\u202f${unitSign(unit)}` : text;
}
