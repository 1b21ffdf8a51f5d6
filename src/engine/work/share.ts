// Keeps what a write changed of issues and work orders for the other side of a line.
import { newId } from "../../base/id.ts";
import type { Effects } from "../../base/effects.ts";
import {
  type FieldChange,
  isSame,
  type IssueChange,
  issueDifference,
  type OrderChange,
  orderDifference,
  type SharedIssue,
  type SharedOrder,
  type ToldRow,
  valueOf,
  type WorkChange,
} from "../../model/work/change.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { HistoryEvent } from "../../model/work/history.ts";
import type { Issue } from "../../model/work/issue.ts";
import { mergeIssue, mergeOrder } from "../../model/work/merge.ts";
import type { WorkOrder } from "../../model/work/work_order.ts";
import type { Connection } from "../../store/connection.ts";
import type { Write } from "../../store/database.ts";
import { type ChangeRow, readChanges } from "../../store/work/change.ts";
import { readIssues } from "../../store/work/issue.ts";
import type { WorkCounts } from "../../store/work/number.ts";
import { readHistories } from "../../store/work/record.ts";
import { readWorkOrders } from "../../store/work/work_order.ts";
import type { WorkPile, WorkTools } from "./commit.ts";
import { personWith, type SharedFacts, sharedIssue, sharedOrder, toldRow } from "./shared.ts";

/** A change as it is kept; one of the centre's was told, by `told_at`. */
export function changeRow(
  change: WorkChange,
  project_no: number,
  counts: WorkCounts,
): ChangeRow {
  return { ...storedChange(change, { project_no, told_at: null }), change_no: ++counts.change_no };
}

/** The same without its number. */
export function storedChange(
  change: WorkChange,
  { project_no, told_at }: Pick<ChangeRow, "project_no" | "told_at">,
): Omit<ChangeRow, "change_no"> {
  const { id, kind, owner_id } = change;
  const body = JSON.stringify(change);
  return { id, project_no, kind, owner_id, body, told_at, reason: null, tried_at: null };
}

/** All changes of some issues and work orders, by the owner's id. */
export async function changesByOwner(
  connection: Connection,
  owned: Parameters<typeof readChanges>[1],
): Promise<ReadonlyMap<string, readonly WorkChange[]>> {
  const rows = await readChanges(connection, owned);
  return Map.groupBy(
    rows.map(({ body }): WorkChange => JSON.parse(body)),
    ({ owner_id }) => owner_id,
  );
}

/** The changes of an issue among some. */
export function issueChanges(changes: readonly WorkChange[] = []): readonly IssueChange[] {
  return changes.filter((it) => it.kind === "issue");
}

/** The changes of a work order among some. */
export function orderChanges(changes: readonly WorkChange[] = []): readonly OrderChange[] {
  return changes.filter((it) => it.kind === "work_order");
}

/** What a write changes of projects that are shared; `rows` are what it adds to histories. */
export async function changesOf(
  write: Write,
  pile: WorkPile,
  { rows, tools }: { readonly rows: readonly HistoryEvent[]; readonly tools: WorkTools },
): Promise<readonly ChangeRow[]> {
  if (tools.shared.size === 0) return [];
  const nos = new Set([
    ...pile.issues.map(({ after }) => after.issue_no),
    ...rows.map(({ issue_no }) => issue_no),
  ]);
  const issues = [...nos].map(pile.issueAt).filter((it) => tools.shared.has(it.project_no));
  const recorder = new Recorder(write, pile, tools);
  const found: ChangeRow[] = [];
  for (const [project_no, own] of Map.groupBy(issues, (it) => it.project_no)) {
    const orders = pile.orders.filter(({ after }) => after.project_no === project_no);
    const owner_ids = [...own.map(({ id }) => id), ...orders.map(({ after }) => after.id)];
    const known = new Map(await changesByOwner(write.connection, { project_no, owner_ids }));
    // What was there before the project was shared, and was not looked at yet.
    const isWhole = owner_ids.every((id) => known.has(id));
    const own_nos = isWhole ? [] : own.map(({ issue_no }) => issue_no);
    const was = await wholeChanges(write.connection, own_nos, tools);
    for (const change of was) {
      if (!recorder.isOld(change) || known.has(change.owner_id)) continue;
      known.set(change.owner_id, [change]);
      found.push(changeRow(change, project_no, tools.counts));
    }
    const changes = [
      ...own.map((issue) => recorder.issueChange(issue, rows, issueChanges(known.get(issue.id)))),
      ...orders.map((it) => recorder.orderChange(it, orderChanges(known.get(it.after.id)))),
    ];
    for (const change of changes) {
      if (change) found.push(changeRow(change, project_no, tools.counts));
    }
  }
  return found;
}

/** Says of each thing that a write changed what is new of it. */
class Recorder {
  readonly #write: Write;
  readonly #pile: WorkPile;
  readonly #tools: WorkTools;

  constructor(write: Write, pile: WorkPile, tools: WorkTools) {
    this.#write = write;
    this.#pile = pile;
    this.#tools = tools;
  }

  /** Whether something was there before the write. */
  isOld({ kind, owner_id }: WorkChange): boolean {
    const changed = kind === "issue" ? this.#pile.issues : this.#pile.orders;
    const change = changed.find(({ after }) => after.id === owner_id);
    return change === undefined || change.before !== undefined;
  }

  issueChange(
    after: Issue,
    rows: readonly HistoryEvent[],
    known: readonly IssueChange[],
  ): IssueChange | undefined {
    const change = this.#pile.issues.find((it) => it.after.issue_no === after.issue_no);
    const told = rows.filter(({ issue_no }) => issue_no === after.issue_no)
      .map((row) => toldRow(row, this.#tools));
    const merged = mergeIssue(known);
    const head = this.#headOf(after, merged?.last_us);
    const state = this.#issue(after);
    if (merged === undefined) {
      return { ...head, id: after.id, kind: "issue", made: state, fields: [], told };
    }
    const before = change?.before ?? after;
    const fields = knownBefore(issueDifference(this.#issue(before), state), merged.state);
    if (fields.length === 0 && told.length === 0) return undefined;
    return { ...head, kind: "issue", made: null, fields, told };
  }

  orderChange(
    { before, after }: WorkPile["orders"][number],
    known: readonly OrderChange[],
  ): OrderChange | undefined {
    const merged = mergeOrder(known);
    const head = this.#headOf(after, merged?.last_us);
    const state = this.#order(after);
    if (merged === undefined) {
      return { ...head, id: after.id, kind: "work_order", made: state, fields: [] };
    }
    const fields = knownBefore(orderDifference(this.#order(before ?? after), state), merged.state);
    return fields.length === 0 ? undefined : { ...head, kind: "work_order", made: null, fields };
  }

  #headOf({ id: owner_id }: Issue | WorkOrder, last_us = -Infinity) {
    const { stamp_us: at_us, now_us } = this.#write;
    return {
      ...{ id: newId(this.#tools.effects), owner_id, at_us },
      order_us: Math.max(now_us, last_us + 1),
      person: personWith(this.#pile.user_id, this.#tools),
    };
  }

  #issue(issue: Issue): SharedIssue {
    const { merged_into: no } = issue;
    const merged_into = no === null ? null : this.#pile.issueAt(no).id;
    return sharedIssue(issue, { merged_into, facts: this.#tools });
  }

  #order(order: WorkOrder): SharedOrder {
    const issue_id = this.#pile.issueAt(order.issue_no).id;
    return sharedOrder(order, { issue_id, facts: this.#tools });
  }
}

/** Changes of fields from what is shared: what stands here may leave out what is unknown here. */
function knownBefore(
  fields: readonly FieldChange[],
  state: SharedIssue | SharedOrder,
): FieldChange[] {
  return fields.map((it) => ({ ...it, before: valueOf(state, it.field) }))
    .filter(({ before, after }) => !isSame(before, after));
}

/** The newest rows of a history, as many as one exchange has room for. */
function newest(rows: readonly ToldRow[]): ToldRow[] {
  let length = 0;
  const { work_length, work_rows_whole } = upstream_limits;
  const first = rows.findLastIndex((row) => (length += JSON.stringify(row).length) > work_length);
  return rows.slice(Math.max(first + 1, rows.length - work_rows_whole));
}

/** Issues and their work orders as they are, each as one change that makes it. */
export async function wholeChanges(
  connection: Connection,
  issue_nos: readonly number[],
  facts: SharedFacts & { readonly effects: Pick<Effects, "now_us"> },
): Promise<readonly WorkChange[]> {
  const issues = await readIssues(connection, issue_nos);
  const survivors = await readIssues(
    connection,
    issues.flatMap(({ merged_into }) => merged_into ?? []),
  );
  const idOf = (no: number) => survivors.find(({ issue_no }) => issue_no === no)?.id ?? null;
  const orders = await readWorkOrders(connection, { issue_nos });
  const owner_ids = [...issues, ...orders].map(({ id }) => id);
  const kept = new Set<string>();
  for (const project_no of new Set(issues.map((it) => it.project_no))) {
    const rows = await readChanges(connection, { project_no, owner_ids });
    for (const { owner_id } of rows) kept.add(owner_id);
  }
  const headOf = ({ id, created_at, created_by }: Issue | WorkOrder) => (
    { id, owner_id: id, at_us: created_at, order_us: 0, person: personWith(created_by, facts) }
  );
  const fresh_nos = issues.filter(({ id }) => !kept.has(id)).map(({ issue_no }) => issue_no);
  const histories = Map.groupBy(
    await readHistories(connection, fresh_nos),
    ({ issue_no }) => issue_no,
  );
  const changes: WorkChange[] = [];
  for (const issue of issues) {
    if (!kept.has(issue.id)) {
      const { merged_into: no } = issue;
      const merged_into = no === null ? null : idOf(no);
      const made = sharedIssue(issue, { merged_into, facts });
      const history = histories.get(issue.issue_no) ?? [];
      const told = newest(history.map((row) => toldRow(row, facts)));
      changes.push({ ...headOf(issue), kind: "issue", made, fields: [], told });
    }
    for (const order of orders) {
      if (order.issue_no !== issue.issue_no || kept.has(order.id)) continue;
      const made = sharedOrder(order, { issue_id: issue.id, facts });
      changes.push({ ...headOf(order), kind: "work_order", made, fields: [] });
    }
  }
  return changes;
}
