// What the board and the lists know of issues and work orders alike, and which of them are wanted.
import {
  active_issue_statuses,
  type IssueStatus,
  work_priorities,
  type WorkPriority,
} from "../../model/work/issue.ts";
import type { IssueRow } from "../../model/work/issue_shape.ts";
import { active_order_statuses, type OrderStatus } from "../../model/work/work_order.ts";
import type { EmbeddedOrderRow } from "../../model/work/work_order_shape.ts";
import type { Digit } from "../parts/priority.tsx";

/** A person as issues and work orders name one. */
type Assignee = IssueRow["assigned_to"];

/** A work order; its status is null where it is not known what it was. */
export type Order = Omit<EmbeddedOrderRow, "status"> & { readonly status: OrderStatus | null };

/** An issue with its work orders. */
export type Issue = Omit<IssueRow, "status" | "work_orders"> & {
  readonly status: IssueStatus;
  readonly work_orders: readonly Order[];
};

/** The columns of the board, each of several statuses. */
export const stages = ["todo", "doing", "waiting", "done"] as const;
export type Stage = typeof stages[number] | "unknown";

const stage_of: Readonly<Record<IssueStatus | OrderStatus, Stage>> = {
  draft: "todo",
  open: "todo",
  scheduled: "todo",
  in_progress: "doing",
  on_hold: "waiting",
  resolved: "done",
  closed: "done",
  merged: "done",
  completed: "done",
  cancelled: "done",
};

/** An issue or a work order in a list; instants are milliseconds since 1970 UTC. */
export type Item = {
  readonly kind: "issue" | "order";
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly text: string;
  readonly status: IssueStatus | OrderStatus | null;
  readonly stage: Stage;
  readonly priority: WorkPriority;
  readonly assignee: Assignee;
  readonly device_ids: readonly string[];
  readonly due_ms: number | undefined;
  readonly created_ms: number;
  readonly updated_ms: number;
  readonly issue_id: string;
  /** The issue's name, of a work order. */
  readonly issue_name: string | undefined;
};

/** A priority's digit: 1 is the most urgent. */
export function digitOfWork(priority: string): Digit {
  return work_priorities.indexOf(priority as WorkPriority) + 1 as Digit;
}

/** An issue and its work orders, each as an item. */
export function itemsOf(issue: Issue): readonly Item[] {
  const { id, name } = issue;
  return [
    itemOf(issue, { kind: "issue", title: name, issue_id: id }),
    ...issue.work_orders.map((order) =>
      itemOf(order, { kind: "order", title: order.title, issue_id: id, issue_name: name })
    ),
  ];
}

type Naming = Pick<Item, "kind" | "title" | "issue_id"> & { readonly issue_name?: string };

function itemOf(row: Issue | Order, { kind, title, issue_id, issue_name }: Naming): Item {
  const { id, number, status, assigned_to } = row;
  const due_date = "due_date" in row ? row.due_date : null;
  return {
    ...{ kind, id, number, title, issue_id, issue_name, status },
    text: row.description ?? "",
    stage: status === null ? "unknown" : stage_of[status],
    priority: row.priority as WorkPriority,
    assignee: assigned_to,
    device_ids: row.devices.map(({ device_id }) => device_id),
    due_ms: due_date === null ? undefined : Date.parse(due_date),
    created_ms: Date.parse(row.created_at),
    updated_ms: Date.parse(row.updated_at),
  };
}

/** What is looked for; undefined and empty are anything. */
export type Wanted = {
  readonly user_id?: string;
  readonly kind?: Item["kind"];
  readonly priority?: string;
  readonly device_id?: string;
  readonly words: string;
};

/** Whether an item is one of those that are looked for. */
export function isWanted(item: Item, { user_id, kind, priority, device_id, words }: Wanted) {
  const number = `#${item.number}`;
  const text = [number, item.title, item.text, item.issue_name, item.assignee?.last_name]
    .join(" ").toLocaleLowerCase();
  return (user_id === undefined || item.assignee?.id === user_id) &&
    (!kind || item.kind === kind) &&
    (!priority || item.priority === priority) &&
    (!device_id || item.device_ids.includes(device_id)) &&
    words.toLocaleLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** Whether somebody is still to deal with it; where that is not known, it is taken so. */
export function isOpen({ status }: Pick<Item, "status">): boolean {
  const active: readonly string[] = [...active_issue_statuses, ...active_order_statuses];
  return status === null || active.includes(status);
}

/** Whether its time is over, and it is not done. */
export function isLate(item: Item, moment_ms: number): boolean {
  return item.due_ms !== undefined && item.due_ms < moment_ms && isOpen(item);
}

/** What lists are sorted by. */
export const orders_by = ["urgency", "due", "changed", "number"] as const;
export type OrderBy = typeof orders_by[number];

const urgencyOf = ({ priority }: Item) => work_priorities.indexOf(priority);

const compare: Readonly<Record<OrderBy, (a: Item, b: Item) => number>> = {
  urgency: (a, b) => urgencyOf(a) - urgencyOf(b) || b.created_ms - a.created_ms,
  due: (a, b) => (a.due_ms ?? Infinity) - (b.due_ms ?? Infinity) || compare.urgency(a, b) || 0,
  changed: (a, b) => b.updated_ms - a.updated_ms,
  number: (a, b) => a.kind.localeCompare(b.kind) || b.number - a.number,
};

/** Items in an order. */
export function sorted(items: readonly Item[], by: OrderBy): readonly Item[] {
  // Two without a date: infinity minus infinity is no number, and then urgency decides.
  return items.toSorted((a, b) => compare[by](a, b) || compare.urgency(a, b));
}
