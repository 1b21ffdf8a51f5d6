// What is written into the form of an issue or a work order, and what is sent of it. Pure.
import type { WorkPriority } from "../../model/work/issue.ts";
import { instantOf, offsetMinutes } from "../frame/zone.ts";
import type { Issue, Order } from "./item.ts";

/** The fields of the form; times are local ones, `YYYY-MM-DDTHH:MM`, or empty. */
export type Draft = {
  readonly name: string;
  readonly description: string;
  readonly priority: WorkPriority;
  readonly assigned_to: string;
  readonly device_ids: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly due: string;
  readonly work_type: string;
  readonly issue_id: string;
};

export const empty_draft: Draft = {
  name: "",
  description: "",
  priority: "medium",
  assigned_to: "",
  device_ids: [],
  from: "",
  to: "",
  due: "",
  work_type: "corrective",
  issue_id: "",
};

/** What stands in the form of an issue. */
export function draftOfIssue(issue: Issue, zone: string): Draft {
  return {
    ...commonOf(issue),
    name: issue.name,
    from: localText(issue.effective_from, zone),
    to: localText(issue.effective_to, zone),
    issue_id: issue.id,
  };
}

/** What stands in the form of a work order. */
export function draftOfOrder(order: Order, zone: string): Draft {
  return {
    ...commonOf(order),
    name: order.title,
    due: localText(order.due_date, zone),
    work_type: order.work_type,
    issue_id: order.issue_id,
  };
}

function commonOf(row: Issue | Order): Draft {
  return {
    ...empty_draft,
    description: row.description ?? "",
    priority: row.priority as WorkPriority,
    assigned_to: row.assigned_to?.id ?? "",
    device_ids: row.devices.map(({ device_id }) => device_id),
  };
}

type Body = Readonly<Record<string, unknown>>;

/** The body that makes what a draft says. */
export function bodyOf(
  draft: Draft,
  { what, zone }: { readonly what: "issue" | "order"; readonly zone: string },
): Body {
  const common = {
    description: draft.description.trim() || null,
    priority: draft.priority,
    assigned_to: draft.assigned_to || null,
    devices: draft.device_ids.map((device_id) => ({ device_id })),
  };
  if (what === "issue") {
    return {
      ...common,
      name: draft.name.trim(),
      effective_from: instantText(draft.from, zone),
      effective_to: instantText(draft.to, zone),
    };
  }
  const { devices, ...rest } = common;
  return {
    ...rest,
    // Of a new one that names no device, the service takes those of its issue.
    ...(devices.length > 0 ? { devices } : {}),
    title: draft.name.trim(),
    due_date: instantText(draft.due, zone),
    work_type: draft.work_type,
  };
}

/** The body that changes what differs between two drafts; devices that stay are as they are. */
export function changeOf(
  { before, after, row, what, zone }: {
    readonly before: Draft;
    readonly after: Draft;
    readonly row: Pick<Issue, "devices"> | Pick<Order, "devices">;
    readonly what: "issue" | "order";
    readonly zone: string;
  },
): Body {
  const [old, made] = [before, after].map((it) => bodyOf(it, { what, zone }));
  const changed = Object.entries(made).filter(([field, value]) =>
    field !== "devices" && JSON.stringify(value) !== JSON.stringify(old[field])
  );
  const isSame = JSON.stringify(before.device_ids) === JSON.stringify(after.device_ids);
  if (isSame) return Object.fromEntries(changed);
  const kept = row.devices.filter(({ device_id }) => after.device_ids.includes(device_id));
  const known = new Set(kept.map(({ device_id }) => device_id));
  const added = after.device_ids.filter((id) => !known.has(id)).map((device_id) => ({ device_id }));
  return { ...Object.fromEntries(changed), devices: [...kept.map(sentOf), ...added] };
}

/** A device as a change takes it: when it was completed is for the service to say. */
function sentOf(device: Readonly<Record<string, unknown>>): Body {
  const { completed_at: _, ...rest } = device;
  return rest;
}

/** An instant as a field of local time has it. */
export function localText(instant: string | null, zone: string): string {
  if (instant === null) return "";
  const at = Date.parse(instant);
  return new Date(at + offsetMinutes(at, zone) * 60_000).toISOString().slice(0, 16);
}

function instantText(local: string, zone: string): string | null {
  return local === "" ? null : new Date(instantOf(local, zone)).toISOString();
}
