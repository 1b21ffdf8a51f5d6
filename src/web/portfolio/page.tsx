// The portfolio: every plant that the reader reaches, the worst first.
import { AlarmCounts } from "../alarms/counts.tsx";
import { getJson, getRows } from "../frame/api.ts";
import { moment_minute_ms } from "../frame/clock.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { percentText, quantityText } from "../frame/number.ts";
import { performance_path, performanceParams } from "../frame/performance.ts";
import { say as frameSay } from "../frame/say.ts";
import { type Project, session } from "../frame/session.ts";
import { dayAfter, dayOf } from "../frame/zone.ts";
import { Export } from "../parts/export.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Spark } from "../parts/spark.tsx";
import { say } from "./say.ts";
import { type Standing, standing_columns, standingsOf } from "./standing.ts";

/** How many whole days before today are looked at. */
const days = 30;

/** The plants of a reader. */
export function PortfolioPage() {
  const standings = useStandings();
  const { groups = [] } = standings.data ?? {};
  return (
    <Panel
      title={say().title}
      aside={
        <>
          {say().days(days)} {groups.map((projects) => (
            <Export
              path={performance_path}
              query={queryOf(projects, "energy")}
              name={`portfolio ${queryOf(projects, "energy").dt_end}`}
              of={groups.length > 1 ? projects.map(({ name }) => name).join(", ") : undefined}
            />
          ))}
        </>
      }
    >
      <Loaded of={standings}>
        {({ rows }) => (
          <div class="scroll tall" tabIndex={0} role="region" aria-label={say().title}>
            <table class="portfolio">
              <thead>
                <tr>
                  <th scope="col">{say().plant}</th>
                  <th scope="col">{say().alarms}</th>
                  <th scope="col" class="number" title={frameSay().matched_index_help}>
                    {frameSay().matched_index}
                  </th>
                  <th scope="col">{say().trend}</th>
                  {[say().energy, say().expected, say().coverage, say().availability].map((
                    name,
                  ) => <th scope="col" class="number">{name}</th>)}
                </tr>
              </thead>
              <tbody>{rows.map((row) => <Row key={row.project.id} of={row} />)}</tbody>
            </table>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function Row({ of }: { readonly of: Standing }) {
  const { project, index, trend, measured, expected, coverage, availability } = of;
  return (
    <tr>
      <th scope="row">
        <Link page="overview" params={{ project: project.key }}>{project.name}</Link>
      </th>
      <td>
        <AlarmCounts of={project} none={say().no_alarms} />
      </td>
      <td class="number">
        <b>{percentText(index)}</b>
      </td>
      <td>
        <Spark label={say().trend_of(project.name)} values={trend} low={0.7} high={1.05} />
      </td>
      <td class="number">{quantityText(measured, "Wh")}</td>
      <td class="number">{quantityText(expected, "Wh")}</td>
      <td class="number">{percentText(coverage, 0)}</td>
      <td class="number">
        <Link page="losses" params={{ project: project.key }}>{percentText(availability)}</Link>
      </td>
    </tr>
  );
}

/** How the plants stand, and which are asked for together. */
type Standings = {
  readonly rows: readonly Standing[];
  readonly groups: readonly (readonly Project[])[];
};

/** Each organization's plants in one request; days that are over at the moment looked at. */
function useStandings(): Load<Standings> {
  const projects = session.value!.projects;
  const ids = projects.map(({ id }) => id);
  const day = Math.floor(moment_minute_ms.value / 3_600_000);
  return useLoad([ids, day], async ([ids], signal) => {
    const { projects: known } = await getJson<{
      projects: readonly { readonly project_id: string; readonly organization_id: string }[];
    }>("/platform/v1/meta/projects", {}, signal);
    const asked = projects.filter(({ id }) => ids.includes(id));
    const groups = [
      ...Map.groupBy(
        asked,
        ({ id, timezone }) =>
          known.find(({ project_id }) => project_id === id)?.organization_id + timezone,
      ).values(),
    ];
    const found = await Promise.all(groups.map((it) => readDays(it, signal)));
    return { rows: standingsOf(asked, found), groups };
  });
}

/** The request for the days of plants of one organization and zone. */
function queryOf(projects: readonly Project[], measure: "energy" | "active_power") {
  const [{ id, timezone }] = projects;
  const to = dayAfter(dayOf(moment_minute_ms.peek(), timezone), -1);
  const params = performanceParams({
    project_id: id,
    component: "inverter",
    measure,
    interval: "OneDay",
    from: dayAfter(to, 1 - days),
    to,
    group_by: "project_id",
    include: ["matched"],
    columns: ["project_id", ...standing_columns],
  });
  return { ...params, project_ids: projects.map(({ id }) => id) };
}

/** The days of plants of one organization and zone. */
async function readDays(projects: readonly Project[], signal: AbortSignal) {
  const { project_ids, dt_start, dt_end } = queryOf(projects, "energy");
  const read = (measure: "energy" | "active_power") =>
    getRows(performance_path, queryOf(projects, measure), signal);
  const [energy, power, availability] = await Promise.all([
    read("energy"),
    read("active_power"),
    getRows("/platform/v1/availability", {
      project_ids,
      dt_start,
      dt_end,
      group_by: ["project_id"],
      time_interval: "Full",
      columns: "project_id,capacity_hours,unavailable_capacity_hours",
    }, signal),
  ]);
  return { energy, power, availability };
}
