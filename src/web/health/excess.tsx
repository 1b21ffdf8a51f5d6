// Powers that were beyond what their rating allows: how much, when, and which unit would fit.
import type { ExcessRow } from "../../model/samples/excess.ts";
import { getJson } from "../frame/api.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { numberText, quantityText, unitHintText } from "../frame/number.ts";
import { project } from "../frame/session.ts";
import { Panel } from "../parts/panel.tsx";
import { Listing } from "../parts/listing.tsx";
import { When } from "../parts/when.tsx";
import { say } from "./say.ts";
import { TrendLink } from "./trend_link.tsx";

const path = "/platform/v1/sensors/excess";
const refresh_ms = 60_000;
const most_rows = 1000;

/** Those of the plant. */
export function useExcess(): Load<readonly ExcessRow[]> {
  return useLoad(
    [project.value!.id],
    ([project_id], signal) =>
      getJson<readonly ExcessRow[]>(path, { project_id, limit: most_rows }, signal),
    { refresh_ms },
  );
}

/** The list of them. */
export function ExcessPanel({ rows }: { readonly rows: readonly ExcessRow[] }) {
  return (
    <Panel title={say().excess} aside={<a href="/docs/sensors#excess">{say().excess_to_do}</a>}>
      <p>{say().excess_help}</p>
      <Listing
        label={say().excess}
        columns={[
          { name: say().tag },
          { name: say().device },
          { name: say().rated, is_number: true },
          { name: say().greatest, is_number: true },
          { name: say().quarter_hours, is_number: true },
          { name: say().excess_last },
          { name: say().to_know },
          { name: say().look_at },
        ]}
        rows={rows.map((row) => ({ key: row.hierarchy_id, cells: cellsOf(row) }))}
      />
    </Panel>
  );
}

function cellsOf(row: ExcessRow) {
  return [
    <code>{row.sensor_tag}</code>,
    row.device_name ?? say().whole_site,
    quantityText(row.rated_w, "W"),
    <>
      {quantityText(row.greatest_w, "W")}
      <small class="quiet">
        <br />
        <When at={row.greatest_at} />
      </small>
    </>,
    numberText(row.quarter_hours),
    <When at={row.last_at} />,
    unitHintText(row),
    <TrendLink tag={row.sensor_tag} since={row.first_at} />,
  ];
}
