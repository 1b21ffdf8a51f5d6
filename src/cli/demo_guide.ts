// What the demo prints when it is ready: where it is, a token, and four commands to paste.
import { dayText } from "../model/calendar.ts";
import type { Project } from "../model/plant.ts";

/** What the commands need to reach the demo. */
export type Guide = {
  readonly address: string;
  readonly token: string;
  readonly project: Project;
  readonly now_us: number;
  readonly days: number;
};

const day_us = 86_400_000_000;

/** The address of the daily energy and performance index of each inverter. */
export function exampleUrl(
  { address, project, now_us, days }: Guide,
  query: Readonly<Record<string, string>>,
): string {
  const today = Math.floor(now_us / day_us);
  const search = new URLSearchParams({
    project_ids: project.id,
    dt_start: dayText(today - days),
    dt_end: dayText(today),
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
  python3 -c 'import polars as pl, urllib.request as u; print(pl.read_ipc_stream(u.urlopen(u.Request(
    "${arrow}",
    headers={"Authorization": "Bearer ${token}"})).read()))'

Excel, Power BI: Get Data > Blank Query > Advanced Editor; sign in with Basic, the token as password
  let Rows = Csv.Document(Web.Contents("${inverters}"), [Delimiter = ",", Encoding = 65001])
  in Table.PromoteHeaders(Rows)
`;
}
