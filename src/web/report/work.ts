// The work of a time: what was done, what was still open at its end, and what each fault cost.

type Device = {
  readonly device_id: string;
  readonly effective_from?: string | null;
  readonly effective_to?: string | null;
  readonly completed_at?: string | null;
};

/** An issue as the interface says it. */
export type Issue = {
  readonly id: string;
  readonly number: number;
  readonly name: string;
  readonly status: string;
  readonly priority: string;
  readonly effective_from: string | null;
  readonly effective_to: string | null;
  readonly resolved_at: string | null;
  readonly created_at: string;
  readonly devices: readonly Device[];
};

/** A work order as the interface says it. */
export type WorkOrder = {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly status: string;
  readonly work_type: string;
  readonly updated_at: string;
  readonly devices: readonly Device[];
};

/** Energy that a device lost in a span, in Wh. */
export type LossSpan = {
  readonly device_id: string | null;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly part: string;
  readonly energy: number;
};

/** A time, `[from_ms, to_ms)`. */
export type Time = { readonly from_ms: number; readonly to_ms: number };

/** Parts that a fault costs; setpoints and the rating are none. */
const no_fault = new Set(["curtailment", "clipping", "unmeasured"]);

/** What an issue's devices lost while it lasted, within the time, in Wh. */
export function costOf(issue: Issue, { losses, time }: {
  readonly losses: readonly LossSpan[];
  readonly time: Time;
}): number {
  return issue.devices.reduce((sum, device) => {
    const begin = device.effective_from ?? issue.effective_from ?? issue.created_at;
    const end = device.effective_to ?? issue.effective_to ?? issue.resolved_at;
    const from_ms = Math.max(Date.parse(begin), time.from_ms);
    const to_ms = Math.min(end ? Date.parse(end) : Infinity, time.to_ms);
    const of = losses.filter((it) => it.device_id === device.device_id && !no_fault.has(it.part));
    return sum + of.reduce((energy, it) => energy + it.energy * overlap(it, { from_ms, to_ms }), 0);
  }, 0);
}

/** The share of a span that lies in a time. */
function overlap(span: Time, time: Time): number {
  const shared = Math.min(span.to_ms, time.to_ms) - Math.max(span.from_ms, time.from_ms);
  return Math.max(0, shared) / (span.to_ms - span.from_ms);
}

/**
 * An issue at the end of a time: when it was entered, where that was later; when it was resolved,
 * if it was by then; and what it cost.
 */
export type IssueRow = {
  readonly issue: Issue;
  readonly entered_ms: number | undefined;
  readonly resolved_ms: number | undefined;
  readonly cost: number;
};

/** Issues that were resolved in the time or still open at its end; the dearest first. */
export function issuesOf(issues: readonly Issue[], about: {
  readonly losses: readonly LossSpan[];
  readonly time: Time;
}): IssueRow[] {
  const { from_ms, to_ms } = about.time;
  return issues.filter(({ status }) => status !== "merged").flatMap((issue) => {
    const resolved = issue.resolved_at === null ? Infinity : Date.parse(issue.resolved_at);
    const is_there = Date.parse(issue.effective_from ?? issue.created_at) < to_ms;
    if (!is_there || resolved < from_ms) return [];
    const resolved_ms = resolved < to_ms ? resolved : undefined;
    const created_ms = Date.parse(issue.created_at);
    const entered_ms = created_ms < to_ms ? undefined : created_ms;
    return [{ issue, entered_ms, resolved_ms, cost: costOf(issue, about) }];
  }).toSorted((a, b) => b.cost - a.cost);
}

/** When a completed work order was: its last device, or else its last change. */
export function completedMs({ status, devices, updated_at }: WorkOrder): number {
  if (status !== "completed") return NaN;
  const times = devices.flatMap(({ completed_at }) =>
    completed_at ? [Date.parse(completed_at)] : []
  );
  return times.length > 0 ? Math.max(...times) : Date.parse(updated_at);
}
