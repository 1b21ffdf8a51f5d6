// What an inverter is: its ratings and tags with their latest values, and its DC inputs.
import { getRows } from "../frame/api.ts";
import { at_ms, moment_ms } from "../frame/clock.ts";
import { type Latest, latestOf } from "../frame/latest.ts";
import { useLoad } from "../frame/load.ts";
import { no_number, numberText, quantityText } from "../frame/number.ts";
import { blocks, type Device, deviceOf, devices, type Sensor } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { timeText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Panel } from "../parts/panel.tsx";
import { nameOfMeasure, say, unitSign } from "./say.ts";

/** How far back a latest value is looked for. */
const latest_ms = 30 * 60_000;

/** What the inverter is, and what it and its inputs say. */
export function DeviceAbout({ device }: { readonly device: Device }) {
  const inputs = inputsOf(device);
  const latest = useLatest([device, ...inputs]).data ?? new Map<string, Latest>();
  return (
    <>
      <Panel title={say().about} class="about">
        <Ratings device={device} />
        <SensorTable sensors={device.sensors.map((sensor) => ({ sensor }))} latest={latest} />
      </Panel>
      {inputs.length > 0 && (
        <Panel title={say().inputs} class="about">
          <SensorTable
            latest={latest}
            sensors={inputs.flatMap(({ name, sensors }) =>
              sensors.map((sensor) => ({ sensor, name }))
            )}
          />
        </Panel>
      )}
    </>
  );
}

function Ratings({ device }: { readonly device: Device }) {
  const { key, rated_w, rated_dc_w, block_id, parent_id } = device;
  const parent = deviceOf(parent_id);
  const ratio = rated_w && rated_dc_w ? rated_dc_w / rated_w : undefined;
  const block = block_id === null ? undefined : blocks.value.get(block_id);
  const entries = [
    [say().key, key],
    [say().block, block?.name ?? no_number],
    [say().parent, parent?.name ?? no_number],
    [say().rated_ac, quantityText(rated_w, "W")],
    [say().rated_dc, quantityText(rated_dc_w, "W")],
    [say().ratio, numberText(ratio, 2)],
    ...mountEntries(device),
  ];
  return (
    <dl class="ratings">
      {entries.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How the modules stand, where that is declared. */
function mountEntries({ mount }: Device): readonly (readonly [string, string])[] {
  const angle = (degrees: number) => `${numberText(degrees)}°`;
  if (!mount) return [[say().mount, no_number]];
  if (mount.kind === "fixed") {
    return [[say().tilt, angle(mount.tilt)], [say().azimuth, angle(mount.azimuth)]];
  }
  return [
    [say().mount, say().tracker(angle(mount.max_angle))],
    [say().axis_tilt, angle(mount.axis_tilt)],
    [say().axis_azimuth, angle(mount.axis_azimuth)],
    [say().backtrack, mount.backtrack ? say().yes : say().no],
  ];
}

function SensorTable({ sensors, latest }: {
  readonly sensors: readonly { readonly sensor: Sensor; readonly name?: string }[];
  readonly latest: ReadonlyMap<string, Latest>;
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={say().latest}>
      <table>
        <thead>
          <tr>
            <th scope="col">{say().measure}</th>
            <th scope="col" class="number">{say().latest}</th>
            <th scope="col">{say().at}</th>
            <th scope="col">{say().tag}</th>
          </tr>
        </thead>
        <tbody>
          {sensors.map(({ sensor, name }) => {
            const found = latest.get(sensor.hierarchy_id);
            const measure = nameOfMeasure(sensor.component_measure);
            return (
              <tr>
                <td>
                  <Link page="trends" params={{ curves: curveWord(sensor) }}>
                    {name ? `${name}: ${measure}` : measure}
                  </Link>
                </td>
                <td class="number">{valueText(found?.value, sensor)}</td>
                <td>{found?.ts_ms ? timeText(found.ts_ms, zone.value) : no_number}</td>
                <td>{sensor.sensor_tag}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The word by which trends know a measure of a device. */
function curveWord({ hierarchy_id, component_measure }: Sensor): string {
  return `${encodeURIComponent(deviceOf(hierarchy_id)?.key ?? "")}:${component_measure}`;
}

function valueText(value: number | undefined, { unit }: Sensor): string {
  if (unit === "code" || unit === null) return numberText(value);
  return quantityText(value, unitSign(unit));
}

/** Combiners and strings below an inverter, at any depth. */
function inputsOf({ device_id }: Device): readonly Device[] {
  const below = devices.value.filter(({ parent_id }) => parent_id === device_id);
  return below.flatMap((it) => [it, ...inputsOf(it)]).filter(({ sensors }) =>
    sensors.some(isInput)
  );
}

function isInput({ component_measure }: Sensor): boolean {
  return component_measure.startsWith("dc_");
}

/** The newest whole minute before the moment of every sensor of some devices. */
function useLatest(shown: readonly Device[]) {
  const ids = shown.map(({ device_id }) => device_id);
  const key = [project.value!.id, ids, at_ms.value] as const;
  return useLoad(key, async ([project_id], signal) => {
    const to_ms = Math.floor(moment_ms.peek() / 60_000) * 60_000;
    const rows = await getRows("/platform/v1/signals", {
      project_id,
      device_id: ids,
      lane: "performance",
      resolution: "1m",
      from: new Date(to_ms - latest_ms).toISOString(),
      to: new Date(to_ms).toISOString(),
      columns: "hierarchy_id,ts,value,value_int,carried",
      limit: 100_000,
    }, signal);
    return latestOf(rows);
  }, at_ms.value === undefined ? { refresh_ms: 30_000 } : {});
}
