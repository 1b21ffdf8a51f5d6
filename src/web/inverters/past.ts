// Alarms and issues as they were at a moment: what came later is taken back.
import { outage_classes } from "../../model/availability/availability.ts";

/** An alarm as the service gives it, as far as it is looked at here. */
export type AlarmRow = {
  readonly occurrence_id: string;
  readonly rule_name: string;
  readonly severity: string;
  readonly alarm_class: string | null;
  readonly decoded_labels: readonly string[];
  readonly raised_at: string;
  readonly cleared_at: string | null;
};

/** An alarm as it was. */
export type ShownAlarm = {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly severity: string;
  /** Whether it says that the inverter is out of service. */
  readonly is_outage: boolean;
  readonly raised_ms: number;
  /** Undefined while it stood. */
  readonly cleared_ms: number | undefined;
};

/** An alarm as it was at a moment; undefined where there was none yet. */
export function alarmThen(row: AlarmRow, at_ms: number): ShownAlarm | undefined {
  const raised_ms = Date.parse(row.raised_at);
  if (raised_ms > at_ms) return undefined;
  const cleared_ms = Date.parse(row.cleared_at ?? "");
  return {
    id: row.occurrence_id,
    name: row.rule_name,
    labels: row.decoded_labels,
    severity: row.severity,
    is_outage: outage_classes.includes(row.alarm_class ?? ""),
    raised_ms,
    cleared_ms: cleared_ms <= at_ms ? cleared_ms : undefined,
  };
}

type OrderRow = {
  readonly number: number;
  readonly title: string;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
};

/** An issue as the service gives it, as far as it is looked at here. */
export type IssueRow = {
  readonly id: string;
  readonly number: number;
  readonly name: string;
  readonly status: string;
  readonly priority: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly devices: readonly { readonly device_id: string }[];
  readonly work_orders: readonly OrderRow[];
};

/** A row of an issue's history. */
export type HistoryRow = {
  readonly kind: string;
  readonly field: string | null;
  readonly next_value: unknown;
  readonly created_at: string;
};

/** The issue after what its history says until a moment; work orders that changed later are out. */
export function foldIssue(
  row: IssueRow,
  { history, at_ms }: { readonly history: readonly HistoryRow[]; readonly at_ms: number },
): IssueRow {
  const fields: Record<string, unknown> = {};
  for (const { kind, field, next_value, created_at } of history) {
    if (Date.parse(created_at) > at_ms) continue;
    if (kind === "created") Object.assign(fields, next_value);
    else if (field !== null) fields[field] = next_value;
  }
  const text = (name: "name" | "status" | "priority") => String(fields[name] ?? "");
  return {
    ...row,
    name: text("name"),
    status: text("status"),
    priority: text("priority"),
    work_orders: row.work_orders.filter(({ updated_at }) => Date.parse(updated_at) <= at_ms),
  };
}

/** Whether an issue is still to be worked on. */
export function isOpenIssue({ status }: Pick<IssueRow, "status">): boolean {
  return !["resolved", "closed", "merged"].includes(status);
}
