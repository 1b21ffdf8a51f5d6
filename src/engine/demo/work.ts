// The demo's work: an issue from the newest trip of an inverter, with a work order on its devices.
import type { Project } from "../../model/plant/plant.ts";
import type { Grant } from "../../model/access/token.ts";
import { listOccurrences } from "../../store/alarms/alarm.ts";
import { listIssues } from "../../store/work/issue.ts";
import { rule_names } from "./rule.ts";
import { createIssue } from "../work/issue_action.ts";
import type { Parts } from "../service/service.ts";
import { createWorkOrder } from "../work/work_order_action.ts";

/** Opens them in the name of a user; the next time that the demo is filled changes nothing. */
export async function openWork(
  parts: Parts,
  { project, user_id }: { readonly project: Project; readonly user_id: string },
): Promise<void> {
  const { project_no } = project;
  const trips = await parts.database.read((it) =>
    listOccurrences(it, { project_no, rule_names: [rule_names.trip] })
  );
  const newest = trips.toSorted((a, b) => b.raised_at - a.raised_at)[0];
  if (newest === undefined || await hasIssues(parts, project)) return;
  const grant: Grant = {
    token_id: "demo",
    name: "demo",
    organization_id: project.organization_id,
    project_ids: [project.id],
    scopes: ["manage"],
    user_id,
  };
  const ask = { project, grant };
  const issue = await createIssue(parts, { from: { alarm: newest.occurrence_id } }, ask);
  await createWorkOrder(parts, {
    issue_id: JSON.parse(issue.body).id,
    title: "Find out what tripped it",
    description: "Read its fault log, look at the DC side, reset it.",
    work_type: "corrective",
    status: "scheduled",
    assigned_to: user_id,
  }, ask);
}

async function hasIssues({ database }: Parts, { project_no }: Project): Promise<boolean> {
  const chunks = await database.read((it) => listIssues(it, { project_no, limit: 1 }));
  return Iterator.from(chunks).some(({ rows }) => rows > 0);
}
