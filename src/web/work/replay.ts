// Issues and work orders as they were at a moment, as far as their history tells, and what differs
// between two readings of one. Pure.
import type { HistoryRow, IssueRow } from "../../model/work/issue_shape.ts";
import type { Issue, Order } from "./item.ts";

/** An issue at a moment: what its history says was changed later is undone. */
export function issueAt(
  issue: IssueRow,
  { history, at_ms }: { readonly history: readonly HistoryRow[]; readonly at_ms: number },
): Issue | undefined {
  if (Date.parse(issue.created_at) > at_ms) return undefined;
  // A conflict tells of changes that have rows of their own, also of a work order's.
  const later = history.filter(({ kind, created_at }) =>
    kind !== "conflict" && Date.parse(created_at) > at_ms
  );
  const before: Record<string, unknown> = {};
  for (const { field, previous_value } of later.toReversed()) {
    if (field !== null && field !== "work_orders" && field in issue) {
      before[field] = field === "assigned_to" ? userOf(issue, previous_value) : previous_value;
    }
  }
  return {
    ...asNow({ ...issue, ...before }),
    resolved_at: isLater(issue.resolved_at, at_ms) ? null : issue.resolved_at,
    work_orders: asNow(issue).work_orders.flatMap((order) => orderAt(order, at_ms) ?? []),
  };
}

/** An issue as it is. */
export function asNow(issue: IssueRow): Issue {
  return issue as unknown as Issue;
}

/**
 * A work order at a moment. Its changes are not kept one by one: where it was changed later, what
 * its status was is not known.
 */
export function orderAt(order: Order, at_ms: number): Order | undefined {
  if (isLater(order.created_at, at_ms)) return undefined;
  if (!isLater(order.updated_at, at_ms)) return order;
  const devices = order.devices.map((line) =>
    isLater(line.completed_at, at_ms) ? { ...line, status: "pending", completed_at: null } : line
  );
  return { ...order, status: null, devices };
}

/** Whether an issue may have been otherwise at a moment than it is now. */
export function isChangedAfter({ updated_at }: Pick<IssueRow, "updated_at">, at_ms: number) {
  return isLater(updated_at, at_ms);
}

function isLater(instant: string | null, at_ms: number): boolean {
  return instant !== null && Date.parse(instant) > at_ms;
}

/** The history names users by id. */
function userOf(issue: IssueRow, id: unknown): IssueRow["assigned_to"] {
  if (typeof id !== "string") return null;
  const known = [issue.assigned_to, issue.created_by].find((it) => it?.id === id);
  return known ?? { id, first_name: "", last_name: "", email: "" };
}

type Fields = Readonly<Record<string, unknown>>;

/** A field that somebody changed. */
export type Difference = {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
};

/** What changes with every write and says nothing, and what has its own page. */
const unsaid = ["updated_at", "resolved_at", "work_orders", "photos", "issue"];

/** The fields in which a thing now is otherwise than it was read. */
export function differencesOf(read: Fields, now: Fields): readonly Difference[] {
  return Object.keys(now)
    .filter((field) => !unsaid.includes(field))
    .filter((field) => JSON.stringify(read[field]) !== JSON.stringify(now[field]))
    .map((field) => ({ field, before: read[field], after: now[field] }));
}
