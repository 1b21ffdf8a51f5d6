// An issue: something wrong with the plant, its statuses, how it moves among them, its events.
import { json, oneOf, type PlainRow } from "../data/row.ts";

/** Statuses of issues that someone is still to deal with. */
export const active_issue_statuses = ["open", "in_progress", "on_hold"] as const;

/** What an issue can be: a fixed set. `closed` and `merged` are ends. */
export const issue_statuses = [...active_issue_statuses, "resolved", "closed", "merged"] as const;
export type IssueStatus = typeof issue_statuses[number];

/** How urgent an issue or a work order is, the most urgent first. */
export const work_priorities = ["urgent", "high", "medium", "low"] as const;
export type WorkPriority = typeof work_priorities[number];

/** What made someone open an issue. */
export const issue_sources = ["manual", "alarm", "performance", "availability", "import"] as const;

/** A device that an issue affects; instants are microseconds since 1970 UTC. */
export type IssueDevice = {
  readonly device_id: string;
  readonly component: string;
  readonly effective_from: number | null;
  readonly effective_to: number | null;
};

/** An issue as it is kept; instants are microseconds since 1970 UTC. */
export const issue_table = {
  /** Its number in this installation. */
  issue_no: "int64",
  id: "text",
  organization_id: "text",
  project_no: "int32",
  /** Its number in its organization, from 1 on. */
  number: "int32",
  sentinel_tag: "text?",
  name: "text",
  description: "text?",
  status: oneOf(issue_statuses),
  priority: oneOf(work_priorities),
  source: oneOf(issue_sources),
  external_id: "text?",
  effective_from: "instant?",
  effective_to: "instant?",
  /** Since when it is resolved, closed ones too; null for every other. */
  resolved_at: "instant?",
  /** Ids of users. */
  assigned_to: "text?",
  created_by: "text?",
  devices: json<readonly IssueDevice[]>(),
  created_at: "instant",
  /** The stamp of the write that last changed it or one of its work orders. */
  updated_at: "instant",
  deleted_at: "instant?",
  /** `issue_no` of the one that it was merged into. */
  merged_into: "int64?",
  /** 1 at first; rises with each snapshot. */
  version: "int32",
  /** Its latest snapshot. */
  snapshot_no: "int64",
} as const;

/** An issue as it is kept; instants are microseconds since 1970 UTC. */
export type Issue = PlainRow<typeof issue_table>;

/** What is decided of a new issue, which is open; the rest follows when it is added. */
export type IssueDraft = Omit<
  Issue,
  | "issue_no"
  | "id"
  | "organization_id"
  | "number"
  | "status"
  | "resolved_at"
  | "created_at"
  | "updated_at"
  | "deleted_at"
  | "merged_into"
  | "version"
  | "snapshot_no"
>;

/** What of an issue a change of status depends on. */
type Stepping = Pick<Issue, "status" | "resolved_at">;

/** What a change of status comes to; `refused` says why, of "it". */
type IssueStep<I extends Stepping> =
  | { readonly issue: I }
  | { readonly unchanged: true }
  | { readonly refused: string };

/** An issue with another status, at an instant: `resolved_at` follows. */
export function issueStep<I extends Stepping>(
  issue: I,
  { to, at_us }: { readonly to: IssueStatus; readonly at_us: number },
): IssueStep<I> {
  if (issue.status === to) return { unchanged: true };
  const refused = refusals[issue.status][to];
  if (refused !== undefined) return { refused };
  const resolved_at = to === "resolved" ? at_us : to === "closed" ? issue.resolved_at : null;
  return { issue: { ...issue, status: to, resolved_at } };
}

/** The statuses that a status allows, but for `merged`, which a merge gives. */
export function issueMoves(from: IssueStatus): readonly IssueStatus[] {
  return issue_statuses.filter((to) => to !== from && refusals[from][to] === undefined);
}

/** What a merge comes to: the merged issues, and the id that forbids it with its reason. */
type MergeStep =
  | { readonly merged: readonly Issue[] }
  | { readonly refused: string; readonly id: string };

/** Merges issues into a surviving one of the same project; all of them must be active. */
export function mergeStep(survivor: Issue, issues: readonly Issue[]): MergeStep {
  if (!isActive(survivor)) {
    return { refused: `it is ${survivor.status}: nothing is merged into it`, id: survivor.id };
  }
  for (const [i, issue] of issues.entries()) {
    const is_first = issues.findIndex(({ issue_no }) => issue_no === issue.issue_no) === i;
    const refused = is_first ? mergeRefusal(issue, survivor) : "it is named twice";
    if (refused !== undefined) return { refused, id: issue.id };
  }
  const merged = issues.map((issue) => ({
    ...issue,
    status: "merged" as const,
    merged_into: survivor.issue_no,
  }));
  return { merged };
}

/** The types of an issue's events. */
export const issue_event_types = [
  "issue.created",
  "issue.updated",
  "issue.resolved",
  "issue.merged",
  "issue.deleted",
] as const;
export type IssueEventType = typeof issue_event_types[number];

/** The one event of an issue's change in a write; undefined: it came and went within it. */
export function issueEvent(before: Issue | undefined, after: Issue): IssueEventType | undefined {
  if (after.deleted_at !== null) return before && "issue.deleted";
  if (before === undefined) return "issue.created";
  if (before.status !== after.status) {
    if (after.status === "resolved") return "issue.resolved";
    if (after.status === "merged") return "issue.merged";
  }
  return "issue.updated";
}

/** Whether someone is still to deal with it. */
export function isActive({ status }: Pick<Issue, "status">): boolean {
  return (active_issue_statuses as readonly string[]).includes(status);
}

const by_merge = "it becomes merged by a merge into another issue, not by its status";
const after_close = "it is closed, for good";
const after_merge = "it was merged into another issue, for good";

const from_active = { closed: "it is not resolved: resolve it first", merged: by_merge };
const from_resolved = "it is resolved: open it again first";

/** Why a status (outer) forbids another one; what is not here is allowed. */
const refusals: Record<IssueStatus, Partial<Record<IssueStatus, string>>> = {
  open: from_active,
  in_progress: from_active,
  on_hold: from_active,
  resolved: { in_progress: from_resolved, on_hold: from_resolved, merged: by_merge },
  closed: {
    open: after_close,
    in_progress: after_close,
    on_hold: after_close,
    resolved: after_close,
    merged: after_close,
  },
  merged: {
    open: after_merge,
    in_progress: after_merge,
    on_hold: after_merge,
    resolved: after_merge,
    closed: after_merge,
  },
};

function mergeRefusal(issue: Issue, survivor: Issue): string | undefined {
  if (issue.issue_no === survivor.issue_no) return "an issue is not merged into itself";
  if (issue.project_no !== survivor.project_no) return "it is another project's";
  return isActive(issue) ? undefined : `it is ${issue.status}: only an active issue is merged`;
}
