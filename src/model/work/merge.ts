// One issue or work order in two services: what it is, from the changes of both in their order.
import type { Person } from "../upstream/alarm.ts";
import {
  deviceField,
  deviceOfField,
  type FieldChange,
  isSame,
  type IssueChange,
  type OrderChange,
  type SharedIssue,
  type SharedOrder,
  valueOf,
  type WorkChange,
} from "./change.ts";
import { isActive, type IssueStatus, issueStep } from "./issue.ts";
import { work_limits } from "./limits.ts";
import {
  endOf,
  isSameLine,
  type LineStatus,
  lineStep,
  type OrderStatus,
  workOrderStep,
} from "./work_order.ts";

/** A value, and who said it when. */
export type Said = {
  readonly value: FieldChange["after"];
  readonly person: Person | null;
  readonly at_us: number;
};

/** Two changes of a field of which the second one was made without knowing of the first. */
export type Conflict = {
  /** The second one; with the field it names the conflict. */
  readonly change_id: string;
  readonly field: string;
  readonly holds: Said;
  readonly lost: Said;
  /** Why the first one holds; null: the second one does. */
  readonly reason: string | null;
};

/** What follows from the changes of all. */
export type MergedWork<Shared> = {
  readonly state: Shared;
  readonly conflicts: readonly Conflict[];
  /** The place of the last change. */
  readonly last_us: number;
};

/** What a change of a field comes to: the next state, nothing, or why it is refused. */
type Setter<Shared> = (
  state: Shared,
  change: FieldChange & { readonly at_us: number },
) => Shared | undefined | { readonly refused: string };

/**
 * An issue as all changes make it, whatever order they came in. A change is placed behind all that
 * its maker knew; where two are of one place, the one with the lower id goes first. Of a field the
 * last change holds; of a status, what the life of an issue allows. Undefined: nobody made it.
 */
export function mergeIssue(changes: readonly IssueChange[]): MergedWork<SharedIssue> | undefined {
  return merge(changes, setIssue);
}

/** A work order as all changes make it, likewise. */
export function mergeOrder(changes: readonly OrderChange[]): MergedWork<SharedOrder> | undefined {
  return merge(changes, setOrder);
}

function merge<Shared extends SharedIssue | SharedOrder>(
  changes: readonly (WorkChange & { readonly made: Shared | null })[],
  set: Setter<Shared>,
): MergedWork<Shared> | undefined {
  const ordered = changes.toSorted((a, b) => a.order_us - b.order_us || (a.id < b.id ? -1 : 1));
  const first = ordered.find(({ made }) => made !== null);
  if (first === undefined) return undefined;
  let state = first.made!;
  const conflicts: Conflict[] = [];
  const writers = new Map<string, WorkChange>();
  const saidBy = (change: WorkChange, value: FieldChange["after"]): Said => (
    { value, person: change.person, at_us: change.at_us }
  );
  const made_at = ordered.indexOf(first);
  for (const [i, change] of ordered.entries()) {
    for (const said of change.fields) {
      const { field, before, after } = said;
      const current = valueOf(state, field);
      if (isSame(current, after)) continue;
      // What was made has all changes up to its place in it: of those that come late, it does not
      // say what they would have come to.
      const is_late = i < made_at && !isSame(current, before);
      const next = is_late ? overtaken : set(state, { ...said, at_us: change.at_us });
      if (next === undefined) continue;
      if ("refused" in next) {
        const end = writers.get(state.deleted_at === null ? "status" : "deleted_at");
        const other = isSame(current, before) ? end : writers.get(field) ?? end;
        conflicts.push({
          ...{ change_id: change.id, field, reason: next.refused },
          holds: saidBy(other ?? first, current),
          lost: saidBy(change, after),
        });
        continue;
      }
      if (!isSame(current, before)) {
        conflicts.push({
          ...{ change_id: change.id, field, reason: null },
          holds: saidBy(change, after),
          lost: saidBy(writers.get(field) ?? first, current),
        });
      }
      for (const line of next.devices) {
        if (!(state.devices as readonly unknown[]).includes(line)) {
          writers.set(deviceField(line), change);
        }
      }
      writers.set(field, change);
      state = next;
    }
  }
  return { state, conflicts, last_us: ordered.at(-1)!.order_us };
}

/**
 * All changes of an issue or a work order as one that makes it what they come to. A change that
 * comes later and is placed before holds where a field is still what its maker knew.
 */
export function folded(changes: readonly WorkChange[]): WorkChange | undefined {
  const issues = changes.filter((it) => it.kind === "issue");
  const orders = changes.filter((it) => it.kind === "work_order");
  const merged = mergeIssue(issues) ?? mergeOrder(orders);
  if (merged === undefined) return undefined;
  const { state: made, last_us: order_us } = merged;
  const [{ owner_id, kind }] = changes;
  const { person, at_us } = changes.reduce((a, b) => b.order_us >= a.order_us ? b : a);
  const common = { id: owner_id, owner_id, at_us, order_us, person, fields: [] };
  if (kind === "issue") return { ...common, kind, made: made as SharedIssue, told: [] };
  return { ...common, kind, made: made as SharedOrder };
}

const overtaken = { refused: "it was changed again before this was told" };

const deleted = { refused: "it was deleted" };

const setIssue: Setter<SharedIssue> = (issue, { field, after, at_us }) => {
  if (issue.deleted_at !== null) return field === "deleted_at" ? undefined : deleted;
  if (field === "merged_into") {
    const isFree = issue.status === "merged" && issue.merged_into === null;
    return isFree ? { ...issue, merged_into: after as string } : undefined;
  }
  if (issue.status === "merged" && field !== "deleted_at") {
    return { refused: "it was merged into another issue, for good" };
  }
  const device = deviceOfField(field);
  if (device) {
    const [effective_from, effective_to] = after as [number | null, number | null] ?? [];
    const next = after === null ? undefined : { ...device, effective_from, effective_to };
    if (next && isFull(issue.devices, device)) return full;
    return { ...issue, devices: replaced(issue.devices, device, next) };
  }
  if (field !== "status") return { ...issue, [field]: after };
  if (after === "merged") {
    if (isActive(issue)) return { ...issue, status: after };
    return { refused: `it is ${issue.status}: only an active issue is merged` };
  }
  const step = issueStep(issue, { to: after as IssueStatus, at_us });
  return "issue" in step ? step.issue : "refused" in step ? step : undefined;
};

const setOrder: Setter<SharedOrder> = (order, { field, after, at_us }) => {
  if (order.deleted_at !== null) return field === "deleted_at" ? undefined : deleted;
  const device = deviceOfField(field);
  if (device === undefined) {
    if (field !== "status") return { ...order, [field]: after };
    return stepped(workOrderStep(order, { to: after as OrderStatus, at_us }));
  }
  const isThere = order.devices.some((it) => isSameLine(it, device));
  if (isThere && after !== null) {
    return stepped(lineStep(order, { ...device, to: after as LineStatus, at_us }));
  }
  const refused = endOf(order);
  if (refused !== undefined) return { refused };
  const status = after as LineStatus;
  const completed_at = status === "completed" ? at_us : null;
  const next = after === null ? undefined : { ...device, status, completed_at };
  if (next && isFull(order.devices, device)) return full;
  return { ...order, devices: replaced(order.devices, device, next) };
};

function stepped(
  step: ReturnType<typeof workOrderStep<SharedOrder>>,
): SharedOrder | undefined | { readonly refused: string } {
  return "order" in step ? step.order : "refused" in step ? step : undefined;
}

const full = { refused: `it has ${work_limits.devices} devices, and no room for more` };

/** Whether there is no room for a device that is not there yet. */
function isFull(devices: readonly Place[], place: Place): boolean {
  return devices.length >= work_limits.devices && !devices.some((it) => isSameLine(it, place));
}

type Place = { readonly device_id: string; readonly component: string };

/** Devices with another one of the same place, or without it. */
function replaced<D extends Place>(
  devices: readonly D[],
  place: Place,
  next: D | undefined,
): D[] {
  const isThere = devices.some((it) => isSameLine(it, place));
  if (next === undefined) return devices.filter((it) => !isSameLine(it, place));
  return isThere ? devices.map((it) => isSameLine(it, place) ? next : it) : [...devices, next];
}
