// What the demo prints when it is ready: where it is, a token, and four commands to paste.
import type { Project } from "../model/plant.ts";

/** What the commands need to reach the demo; `days` is how much of the past it has. */
export type Guide = {
  readonly address: string;
  readonly token: string;
  readonly project: Project;
  readonly now_us: number;
  readonly days: number;
};

/** The address of the inverters' daily power; `query` changes the question. */
export function exampleUrl(
  { address, project, now_us, days }: Guide,
  query: Readonly<Record<string, string>>,
): string {
  const today = Temporal.Instant.fromEpochMilliseconds(Math.floor(now_us / 1000))
    .toZonedDateTimeISO(project.timezone).toPlainDate();
  const search = new URLSearchParams({
    project_ids: project.id,
    dt_start: today.subtract({ days }).toString(),
    dt_end: today.toString(),
    component: "inverter",
    component_measure: "active_power",
    time_interval: "OneDay",
    ...query,
  });
  return `${address}/platform/v1/performance-v2?${search}`;
}

/** The text for a person. */
export function guideText(guide: Guide): string {
  const { address, token } = guide;
  const plant = exampleUrl(guide, { group_by: "project_id", format: "csv" });
  const inverters = exampleUrl(guide, { format: "csv" });
  const arrow = exampleUrl(guide, { time_interval: "OneHour" });
  return `
A 20 MW solar plant with a battery is at ${address}
Read token:  ${token}
Project:     ${guide.project.id}
Reference:   ${address}/docs

curl: the plant's days
  curl -s -H "Authorization: Bearer ${token}" \\
    "${plant}"

pandas: each inverter's days
  python3 -c 'import pandas as pd; print(pd.read_csv(
    "${inverters}",
    storage_options={"Authorization": "Bearer ${token}"}))'

polars: each inverter's hours, as Arrow
  python3 -c 'import polars as pl, urllib.request as u; print(pl.read_ipc_stream(u.urlopen(
    u.Request("${arrow}",
    headers={"Authorization": "Bearer ${token}"})).read()))'

Excel, Power BI: Get Data > Blank Query > Advanced Editor; sign in with Basic, the token as password
  let Rows = Csv.Document(Web.Contents("${inverters}"), [Delimiter = ",", Encoding = 65001])
  in Table.PromoteHeaders(Rows)
`;
}
