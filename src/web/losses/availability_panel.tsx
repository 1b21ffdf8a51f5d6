// Availability by IEC TS 63019: what was unavailable or not known, by time, and the states.
import type { Load } from "../frame/load.ts";
import { percentText } from "../frame/number.ts";
import { devicesOf } from "../frame/plant.ts";
import { say as frameSay } from "../frame/say.ts";
import { daysText } from "../frame/zone.ts";
import { Columns, Shares } from "../parts/columns.tsx";
import { DataTable } from "../parts/data_table.tsx";
import { Export } from "../parts/export.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import {
  type Availabilities,
  type Availability,
  availableShare,
  knownShare,
  sumOfAvailabilities,
  timeInStates,
} from "./availability.ts";
import { bucketLabel, bucketParams } from "./by_time.tsx";
import { availability_path, availabilityQuery, most_spans, useStates } from "./data.ts";
import { bucketDays, type Range } from "./range.ts";
import { say } from "./say.ts";
import { type StateName, stateText } from "./state.ts";

type AvailabilityProps = { readonly of: Load<Availabilities>; readonly range: Range };

/** Availability by time. */
export function AvailabilityByTime({ of, range }: AvailabilityProps) {
  return (
    <Panel
      title={say().availability_by_time}
      aside={
        <Export
          path={availability_path}
          query={availabilityQuery(range, { interval: range.interval })}
          name={`availability ${range.from} ${range.to}`}
        />
      }
    >
      <Loaded
        of={of}
        isEmpty={({ buckets }) => buckets.every(({ daylight }) => !(daylight > 0))}
        empty={say().no_availability}
      >
        {({ buckets }) => (
          <>
            <AvailabilityColumns {...{ buckets, range }} />
            <DataTable
              columns={[say().days, say().availability, say().known_head]}
              length={buckets.length}
              row={(i) => [
                daysText(bucketDays(buckets[i].key, range)),
                percentText(availableShare(buckets[i]), 2),
                percentText(knownShare(buckets[i])),
              ]}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** The shares of the daylight that were unavailable or are not known, stacked. */
export function AvailabilityColumns(
  { buckets, range }: { readonly buckets: readonly Availability[]; readonly range: Range },
) {
  const shares = buckets.map((it) => ({
    unavailable: it.unavailable / it.daylight,
    unknown: 1 - knownShare(it),
  }));
  // Time that is not known is cut at the top, so that it hides no outage.
  const highest = Math.max(0, ...shares.map((it) => it.unavailable || 0));
  return (
    <>
      <Shares of={[["unavailable", say().unavailable], ["unknown", say().not_known]]} />
      <Columns
        label={say().availability_by_time}
        page="losses"
        most={[0.02, 0.05, 0.1, 0.2, 0.5].find((it) => it >= highest) ?? 1}
        text={(share) => percentText(share)}
        columns={buckets.map((it, i) => ({
          key: it.key,
          label: bucketLabel(it.key, range),
          title: `${daysText(bucketDays(it.key, range))}: ${
            it.daylight > 0
              ? say().available_known(
                percentText(availableShare(it), 2),
                percentText(knownShare(it)),
              )
              : frameSay().no_data
          }`,
          params: bucketParams(it.key, range),
          parts: [
            { kind: "unavailable", value: shares[i].unavailable },
            { kind: "unknown", value: shares[i].unknown },
          ],
          is_unknown: !(it.daylight > 0),
        }))}
      />
    </>
  );
}

/** How long inverters were in each state, weighted by their capacity. */
export function States({ of, range }: AvailabilityProps) {
  const states = useStates(range);
  const daylight = sumOfAvailabilities(of.data?.buckets ?? []).daylight;
  const capacities = new Map(
    devicesOf("inverter").map(({ hierarchy_id, rated_w }) => [hierarchy_id, rated_w ?? NaN]),
  );
  return (
    <Panel title={say().states} class="time-in-states">
      <Loaded
        of={of.data ? states : { ...states, data: undefined, problem: of.problem }}
        isEmpty={() => !(daylight > 0)}
        empty={say().no_availability}
      >
        {(spans) =>
          spans.length >= most_spans ? <p class="quiet">{say().too_many}</p> : (
            <table>
              <thead>
                <tr>
                  <th scope="col">{say().state}</th>
                  <th scope="col">{say().counts_as}</th>
                  <th scope="col" class="number">{say().share_of_daylight}</th>
                </tr>
              </thead>
              <tbody>
                {timeInStates(spans, { capacities_w: capacities, daylight_kwh: daylight }).map((
                  [state, kwh],
                ) => (
                  <tr key={state}>
                    <th scope="row">{stateText(state)}</th>
                    <td>{say()[`counts_${countsAs(state as StateName)}`]}</td>
                    <td class="number">{percentText(kwh / daylight, 2)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
      </Loaded>
    </Panel>
  );
}

const unavailable_states = new Set<StateName>([
  "forced_outage",
  "planned_corrective_action",
  "scheduled_maintenance",
  "suspended",
]);

function countsAs(state: StateName): "available" | "unavailable" | "neither" {
  if (state === "unknown") return "neither";
  return unavailable_states.has(state) ? "unavailable" : "available";
}
