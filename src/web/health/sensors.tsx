// Sensors that can't be relied on now: what is wrong with each, since when, and its last value.
import type { HealthRow, HealthState } from "../../model/samples/health.ts";
import { getJson } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { no_number, quantityText } from "../frame/number.ts";
import { change, param } from "../frame/place.ts";
import { devices, plant_load, type Sensor } from "../frame/plant.ts";
import { project } from "../frame/session.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Listing } from "../parts/listing.tsx";
import { ExcessPanel, useExcess } from "./excess.tsx";
import { measureText, say } from "./say.ts";
import { TrendLink } from "./trend_link.tsx";
import { Ago, When } from "../parts/when.tsx";

/** A sensor that can't be relied on. */
type Unwell = Omit<HealthRow, "state"> & { readonly state: HealthState };

const path = "/platform/v1/sensors/health";
const refresh_ms = 30_000;
const most_rows = 1000;
const states: readonly HealthState[] = ["dead", "stuck", "silent", "ahead"];

/** The section. */
export function Sensors() {
  const rows = useLoad(
    [project.value!.id],
    ([project_id], signal) =>
      getJson<readonly Unwell[]>(path, { project_id, limit: most_rows }, signal),
    { refresh_ms },
  );
  const excess = useExcess().data;
  return (
    <>
      {excess && excess.length > 0 && <ExcessPanel rows={excess} />}
      <Panel title={say().section_sensors} aside={<a href="/docs/sensors">{say().what_states}</a>}>
        <Loaded
          of={rows}
          isEmpty={(rows) => rows.length === 0}
          empty={<Well isWhole={excess?.length === 0} />}
        >
          {(rows) => <UnwellList rows={rows} />}
        </Loaded>
      </Panel>
    </>
  );
}

/** Says that none is in any of the states; `isWhole`: nor is anything else wrong. */
function Well({ isWhole }: { readonly isWhole: boolean }) {
  const { size } = sensorsById();
  if (size === 0) return <>{say().no_sensors}</>;
  return (
    <>
      {isWhole ? say().all_well(size) : say().none_unwell}{" "}
      <Link page="rules">{say().all_well_hint}</Link>
    </>
  );
}

function UnwellList({ rows }: { readonly rows: readonly Unwell[] }) {
  const wanted = states.find((it) => it === param("state"));
  const sensors = sensorsById();
  return (
    <>
      <p>{say().unwell(rows.length, sensors.size)}</p>
      <StateFilter rows={rows} wanted={wanted} />
      <Listing
        label={say().section_sensors}
        columns={columns()}
        rows={rows.filter(({ state }) => !wanted || state === wanted).toSorted(byUrgency)
          .map((row) => ({
            key: row.hierarchy_id,
            cells: cellsOf(row, sensors.get(row.hierarchy_id)),
          }))}
      />
    </>
  );
}

function StateFilter({ rows, wanted }: {
  readonly rows: readonly Unwell[];
  readonly wanted: HealthState | undefined;
}) {
  return (
    <p class="row" role="group" aria-label={say().state}>
      {states.map((state) => (
        <button
          type="button"
          aria-pressed={state === wanted}
          title={say()[`means_${state}`]}
          onClick={() => change({ state: state === wanted ? undefined : state })}
        >
          {say()[`sensor_${state}`]} {rows.filter((row) => row.state === state).length}
        </button>
      ))}
    </p>
  );
}

const columns = () => [
  { name: say().tag },
  { name: say().state },
  { name: say().device },
  { name: say().measure },
  { name: say().since },
  { name: say().last_value, is_number: true },
  { name: say().look_at },
];

function cellsOf(row: Unwell, sensor: Sensor | undefined) {
  const { state, sensor_tag, since, last_ts, last_value } = row;
  return [
    <code>{sensor_tag}</code>,
    <span class={`badge ${state}`} title={say()[`means_${state}`]}>
      {say()[`sensor_${state}`]}
    </span>,
    row.device_name ?? say().whole_site,
    measureText(row.component_measure),
    since
      ? (
        <>
          <When at={since} />{" "}
          <span class="quiet">
            (<Ago at={since} />)
          </span>
        </>
      )
      : no_number,
    <>
      {quantityText(last_value, sensor?.unit ?? "")}
      {last_ts && (
        <small class="quiet">
          <br />
          <When at={last_ts} />
        </small>
      )}
    </>,
    <TrendLink tag={sensor_tag} since={since ?? last_ts} />,
  ];
}

/** Every sensor of the plant, by its id. */
function sensorsById(): ReadonlyMap<string, Sensor> {
  const of_site = plant_load.value.data?.sensors ?? [];
  const all = [...devices.value.flatMap((device) => device.sensors), ...of_site];
  return new Map(all.map((sensor) => [sensor.hierarchy_id, sensor]));
}

function byUrgency(a: Unwell, b: Unwell): number {
  return states.indexOf(a.state) - states.indexOf(b.state) ||
    (a.since ?? "").localeCompare(b.since ?? "");
}
