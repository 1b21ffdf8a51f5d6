// The demo's operator, who puts down when an inverter is switched off for its service.
import { Fault } from "../../base/fault.ts";
import type { Project } from "../../model/plant/plant.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Incident } from "./incident.ts";
import { deviceKey } from "./point.ts";
import { type DemoStory, incidentsUntil } from "./story.ts";
import { addOverride } from "../availability/override.ts";
import type { Parts } from "../service/service.ts";

/** The demo's project, and the instant up to whose day is noted. */
type Noting = { readonly project: Project; readonly until_us: number };

/** Puts down every service of a story up to the day of `until_us` that is not yet put down. */
export async function noteMaintenance(
  parts: Parts,
  story: DemoStory,
  { project, until_us }: Noting,
): Promise<void> {
  for (const incident of incidentsUntil(story, until_us)) {
    if (incident.kind !== "maintenance") continue;
    try {
      const data = overrideOf(parts, project, incident);
      await addOverride(parts, data, { project, author: "demo" });
    } catch (error) {
      if (!(error instanceof Fault && error.code === "conflict")) throw error;
    }
  }
}

function overrideOf({ catalog }: Parts, project: Project, incident: Incident): object {
  const power = `${deviceKey("INV", incident.target)}.P_AC`;
  const { tag_no } = catalog.findTag(project.project_no, "signal", power)!;
  return {
    hierarchy_ids: catalog.sensorsOfTag(tag_no).map((sensor) => sensor.hierarchy_id),
    state: "scheduled_maintenance",
    from: instantText(incident.from_s * 1_000_000),
    to: instantText(incident.to_s * 1_000_000),
    reason: "Yearly service: filters and fans",
  };
}
