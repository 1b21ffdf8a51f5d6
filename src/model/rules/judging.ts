// Which service judges a rule: this one, or the gateway or the centre that it works with.
import type { JudgingPlace } from "../alarms/alarm.ts";

/** What a service works with. */
export type Judging = {
  /** Whether it forwards to a centre. */
  readonly has_centre: boolean;
  /** Numbers of the projects of which a gateway told its alarms. */
  readonly gateway_projects: ReadonlySet<number>;
};

/** Whether a rule of a project is judged by the service that works so. */
export function isJudgedHere(
  { judged_at, project_no }: { readonly judged_at: JudgingPlace; readonly project_no: number },
  { has_centre, gateway_projects }: Judging,
): boolean {
  if (judged_at === "centre") return !has_centre;
  return judged_at === "here" || has_centre || !gateway_projects.has(project_no);
}
