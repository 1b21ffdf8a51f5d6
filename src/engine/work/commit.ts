// Stores what a write changed of issues and work orders: snapshots, rows, events for webhooks.
import type { Effects } from "../../base/effects.ts";
import { newId } from "../../base/id.ts";
import { type Issue, issueEvent, type IssueEventType } from "../../model/work/issue.ts";
import type { HistoryDraft, HistoryEvent } from "../../model/work/history.ts";
import {
  orderEvent,
  workedDevices,
  type WorkOrder,
  type WorkOrderEventType,
} from "../../model/work/work_order.ts";
import type { Connection } from "../../store/connection.ts";
import type { Write } from "../../store/database.ts";
import { type StoredIssue, storeIssues } from "../../store/work/issue.ts";
import type { WorkCounts } from "../../store/work/number.ts";
import { type StoredOrder, storeWorkOrders } from "../../store/work/work_order.ts";
import {
  type AlarmLink,
  insertHistory,
  insertLinks,
  insertSnapshots,
  type WorkSnapshot,
} from "../../store/work/record.ts";
import { closeWindows, openWindows, type WorkWindow } from "../../store/work/window.ts";
import { placeIssues } from "./place.ts";
import { changesOf, type FreshChange, keepChanges } from "./share.ts";
import type { Change } from "./identity_map.ts";
import type { SharedFacts } from "./shared.ts";
import { showIssue, showWorkOrder, type WorkFacts } from "./view.ts";

/** What changes of work are made with. */
export type WorkTools = SharedFacts & WorkFacts & {
  readonly effects: Pick<Effects, "now_us" | "random">;
  readonly counts: WorkCounts;
  readonly marks: readonly WorkMark[];
  /** Whether the service is a gateway. */
  readonly has_centre: boolean;
  /** The projects whose changes are kept for the other side of a line. */
  readonly shared: ReadonlySet<number>;
};

/** A row of history before it is stored; one that another service made is complete. */
export type HistoryTold =
  & HistoryDraft
  & Partial<Pick<HistoryEvent, "id" | "created_at" | "user_id">>;

/** A row of history to be. */
export type HistoryLine = HistoryTold & Pick<HistoryEvent, "issue_no" | "user_id">;

/** What a write changed, each with its version and the number of its snapshot to be. */
export type WorkPile = {
  readonly issues: readonly Change<Issue>[];
  readonly orders: readonly Change<WorkOrder>[];
  /** Any issue that hangs together with them, by its `issue_no`. */
  readonly issueAt: (issue_no: number) => Issue;
  /** The work orders under an issue, by number. */
  readonly ordersOf: (issue: Issue) => readonly WorkOrder[];
  readonly links: readonly AlarmLink[];
  readonly history: readonly HistoryLine[];
  readonly origin: string | null;
  /** Who made the changes. */
  readonly user_id: string | null;
  /** Changes of another service, from which all of this follows; undefined: of none. */
  readonly taken: readonly FreshChange[] | undefined;
  /** The sites of the gateway where the changes were made; null: they were made here. */
  readonly made_at: readonly string[] | null;
};

/** An event for webhooks: one for each snapshot; none for a comment or a link. */
type WorkEvent = {
  readonly type: IssueEventType | WorkOrderEventType;
  readonly project_no: number;
  /** Microseconds since 1970 UTC: the write's stamp. */
  readonly occurred_at: number;
  /** JSON: the snapshot, or the id and the name of what was deleted. */
  readonly data: string;
  /** Id of the subscription that the change came from. */
  readonly origin: string | null;
};

/** What a write stores, and its events: those of issues first. */
type TakenWork = Pick<WorkPile, "issues" | "orders"> & {
  readonly events: readonly WorkEvent[];
};

/** Looks at what a write stores, within it; gives what to do after the commit. */
export type WorkMark = (taken: TakenWork, write: Write) => Promise<() => void>;

/** What a write stored; `settle` is what its marks do after the commit. */
export type StoredWork = TakenWork & { readonly settle: readonly (() => void)[] };

/** Takes the snapshots of what was changed, stores everything, lets the marks look at it. */
export async function storeWork(
  write: Write,
  pile: WorkPile,
  tools: WorkTools,
): Promise<StoredWork> {
  const { connection, stamp_us } = write;
  const { links, history, origin } = pile;
  const issues = pile.issues.map(({ after }) => withSnapshot(after, issueRow(after, pile, tools)));
  const orders = pile.orders.map(({ after }) => withSnapshot(after, orderRow(after, pile, tools)));
  await storeIssues(connection, issues);
  await storeWorkOrders(connection, orders);
  await insertSnapshots(connection, [
    ...issues.map((issue) => snapshotOf(issue, { kind: "issue", owner_no: issue.issue_no })),
    ...orders.map((order) =>
      snapshotOf(order, { kind: "work_order", owner_no: order.work_order_no })
    ),
  ]);
  const rows = historyOf(history, stamp_us, tools);
  const changes = pile.taken ?? await changesOf(write, pile, { rows, tools });
  await keepChanges(connection, changes, tools.counts);
  await insertHistory(connection, rows);
  await insertLinks(connection, links.map((link) => ({ ...link, created_at: stamp_us })));
  await placeShared(connection, pile, tools);
  await storeWindows(write, pile.orders);
  const told = [
    ...issues.map((issue, i) => issueTold(pile.issues[i], issue)),
    ...orders.map((order, i) => orderTold(pile.orders[i], order)),
  ];
  const events = told.flatMap((event) =>
    event === undefined ? [] : [{ ...event, occurred_at: stamp_us, origin }]
  );
  const taken: TakenWork = { issues: pile.issues, orders: pile.orders, events };
  const settle: (() => void)[] = [];
  if (events.length > 0) { for (const mark of tools.marks) settle.push(await mark(taken, write)); }
  return { ...taken, settle };
}

/** Notes where what was changed of shared projects, or is told of there, is now. */
async function placeShared(
  connection: Connection,
  { issues, orders, links, history, issueAt, ordersOf, made_at }: WorkPile,
  tools: WorkTools,
): Promise<void> {
  const changed = [...issues, ...orders].map(({ after }) => after);
  const nos = new Set([...changed, ...links, ...history].map(({ issue_no }) => issue_no));
  const shared = [...nos].map(issueAt).filter(({ project_no }) => tools.shared.has(project_no));
  for (const [project_no, all] of Map.groupBy(shared, (issue) => issue.project_no)) {
    const placed = all.map((issue) => {
      // Those that are deleted in this write, too.
      const own = orders.filter(({ after }) => after.issue_no === issue.issue_no);
      return { issue, orders: [...new Set([...ordersOf(issue), ...own.map((it) => it.after)])] };
    });
    await placeIssues(connection, { project_no, placed }, { ...tools, made_at });
  }
}

function issueRow(issue: Issue, { issueAt, ordersOf }: WorkPile, facts: WorkFacts) {
  const { merged_into: into_no } = issue;
  const merged_into = into_no === null ? null : issueAt(into_no).id;
  return showIssue(issue, { orders: ordersOf(issue), merged_into }, facts);
}

function orderRow(order: WorkOrder, { issueAt }: WorkPile, facts: WorkFacts) {
  return showWorkOrder(order, issueAt(order.issue_no), facts);
}

function withSnapshot<T extends Issue | WorkOrder>(thing: T, shown: object) {
  return { ...thing, snapshot: JSON.stringify(shown) };
}

function snapshotOf(
  { snapshot_no, project_no, updated_at, snapshot }: StoredIssue | StoredOrder,
  owner: Pick<WorkSnapshot, "kind" | "owner_no">,
): WorkSnapshot {
  return { snapshot_no, ...owner, project_no, changed_at: updated_at, body: snapshot };
}

function historyOf(
  lines: readonly HistoryLine[],
  created_at: number,
  { counts, effects }: WorkTools,
): readonly HistoryEvent[] {
  return lines.map(({ id, issue_no, kind, field = null, user_id, ...values }) => ({
    history_no: ++counts.history_no,
    id: id ?? newId(effects),
    issue_no,
    kind,
    field,
    previous_value: jsonOrNull(values.previous_value),
    next_value: jsonOrNull(values.next_value),
    detail: jsonOrNull(values.detail),
    user_id,
    created_at: values.created_at ?? created_at,
  }));
}

function jsonOrNull(data: unknown): string | null {
  return data === undefined || data === null ? null : JSON.stringify(data);
}

type Told = Pick<WorkEvent, "type" | "project_no" | "data">;

function issueTold({ before }: Change<Issue>, issue: StoredIssue): Told | undefined {
  const { id, name, project_no, snapshot } = issue;
  const type = issueEvent(before, issue);
  if (type === undefined) return undefined;
  const data = type === "issue.deleted" ? JSON.stringify({ id, name }) : snapshot;
  return { type, project_no, data };
}

function orderTold({ before }: Change<WorkOrder>, order: StoredOrder): Told | undefined {
  const { id, title, project_no, snapshot } = order;
  const type = orderEvent(before, order);
  if (type === undefined) return undefined;
  const data = type === "workorder.deleted" ? JSON.stringify({ id, title }) : snapshot;
  return { type, project_no, data };
}

/** Begins and ends the spans in which devices are worked on. */
async function storeWindows(
  { connection, now_us }: Write,
  orders: readonly Change<WorkOrder>[],
): Promise<void> {
  const open: WorkWindow[] = [];
  const close: WorkWindow[] = [];
  for (const { before, after } of orders) {
    const was = before ? windowsOf(before) : [];
    const is = windowsOf(after);
    const isIn = (windows: readonly WorkWindow[], { device_id, work_type }: WorkWindow) =>
      windows.some((it) => it.device_id === device_id && it.work_type === work_type);
    open.push(...is.filter((it) => !isIn(was, it)).map((it) => ({ ...it, from_us: now_us })));
    close.push(...was.filter((it) => !isIn(is, it)).map((it) => ({ ...it, to_us: now_us })));
  }
  await closeWindows(connection, close);
  await openWindows(connection, open);
}

/** The windows that go on while a work order is as it is. */
function windowsOf(order: WorkOrder): readonly WorkWindow[] {
  const { work_order_no, project_no, work_type } = order;
  return Array.from(workedDevices(order), (device_id) => (
    { work_order_no, project_no, device_id, work_type, from_us: 0, to_us: null }
  ));
}
