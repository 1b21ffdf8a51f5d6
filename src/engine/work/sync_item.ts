// One item of the inbound sync: applied whole to its issue, or refused with the reason.
import { type Issue, issue_statuses, issueStep, work_priorities } from "../../model/work/issue.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { SyncItem, SyncReason, SyncResult } from "../../model/work/sync.ts";
import { userNamed } from "../access/actor.ts";
import type { Users } from "../access/user.ts";
import type { WorkChanges } from "./unit_of_work.ts";

/** Where the issue is, and who can be given it. */
export type SyncPlace = { readonly users: Pick<Users, "named">; readonly project: Project };

/** Applies an item to an issue that was loaded, as changed so far. */
export function applyItem(changes: WorkChanges, item: SyncItem, place: SyncPlace): SyncResult {
  const { issue_id } = item;
  const issue = changes.issue(issue_id);
  if (issue === undefined) {
    const reason = "unknown_issue";
    return { external_id: item.external_id ?? null, issue_id, status: "not_found", reason };
  }
  const next = changed(issue, item, { ...place, at_us: changes.write.stamp_us });
  if (typeof next === "string") {
    return { external_id: issue.external_id, issue_id, status: "rejected", reason: next };
  }
  const { external_id } = next;
  if (next === issue) return { external_id, issue_id, status: "unchanged", reason: null };
  changes.changeIssue(next);
  return { external_id, issue_id, status: "updated", reason: null };
}

/** The issue as the item wants it, the very same if it is so already; or why it can't be. */
function changed(
  issue: Issue,
  item: SyncItem,
  { users, project, at_us }: SyncPlace & { readonly at_us: number },
): Issue | SyncReason {
  const to = wordOf(issue_statuses, item.status ?? issue.status);
  if (to === undefined) return "invalid_status";
  const priority = wordOf(work_priorities, item.priority ?? issue.priority);
  if (priority === undefined) return "invalid_priority";
  const { assignee: word } = item;
  const assignee = word ? userNamed(users, { word, project }) : undefined;
  if (typeof word === "string" && assignee === undefined) return "unknown_assignee";
  const step = issueStep(issue, { to, at_us });
  if ("refused" in step) return "invalid_transition";
  const stepped = "issue" in step ? step.issue : issue;
  const assigned_to = word === undefined ? issue.assigned_to : assignee?.id ?? null;
  const { external_id = issue.external_id } = item;
  const isSame = stepped === issue && priority === issue.priority &&
    assigned_to === issue.assigned_to && external_id === issue.external_id;
  if (isSame) return issue;
  // What was merged into another issue stays as it was then.
  if (issue.status === "merged") return "invalid_transition";
  return { ...stepped, priority, assigned_to, external_id };
}

function wordOf<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  return words.find((word) => word === text);
}
