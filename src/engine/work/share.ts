// Keeps what a write changed of issues and work orders for the other side of a line.
import { newId } from "../../base/id.ts";
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
import {
  type ChangeRow,
  type ChangeTold,
  insertChanges,
  type OwnersOf,
  readChanges,
  readLastPlaces,
} from "../../store/work/change.ts";
import { findIssues, readIssues } from "../../store/work/issue.ts";
import type { WorkCounts } from "../../store/work/number.ts";
import { readHistories } from "../../store/work/record.ts";
import { readWorkOrders } from "../../store/work/work_order.ts";
import type { WorkPile, WorkTools } from "./commit.ts";
import { personWith, type SharedFacts, sharedIssue, sharedOrder, toldRow } from "./shared.ts";

/** A change as it is to be kept: it is numbered as it is stored. */
export type FreshChange = Omit<ChangeRow, "change_no" | "since_no"> & {
  /** Who was told all up to this number has the history of what it makes. */
  readonly since_no?: number;
};

/** A change as it is kept; one of the centre's was told, by `told_at`. */
export function freshChange(
  change: WorkChange,
  { project_no, stored_at, told_at = null }: Pick<ChangeRow, "project_no" | "stored_at"> & {
    readonly told_at?: number | null;
  },
): FreshChange {
  const { id, kind, owner_id, order_us, made } = change;
  const body = JSON.stringify(made === null ? change : { ...change, ...no_history[kind] });
  return {
    ...{ id, project_no, kind, owner_id, body, told_at, reason: null, tried_at: null, order_us },
    ...{ says: made !== null || change.fields.length > 0, stored_at },
  };
}

/** The history of what is made is read as it is told. */
const no_history = { issue: { told: [] }, work_order: {} } as const;

/** Keeps changes behind all others. */
export async function keepChanges(
  connection: Connection,
  changes: readonly FreshChange[],
  counts: WorkCounts,
): Promise<void> {
  const rows = changes.map(({ since_no, ...row }): ChangeRow => {
    const change_no = ++counts.change_no;
    const is_made = row.id === row.owner_id;
    return { ...row, change_no, since_no: is_made ? since_no ?? change_no : null };
  });
  await insertChanges(connection, rows);
}

/** The changes that say what some issues and work orders are, by the owner's id. */
export async function changesByOwner(
  connection: Connection,
  owned: OwnersOf,
): Promise<ReadonlyMap<string, readonly WorkChange[]>> {
  const rows = await readChanges(connection, owned);
  return Map.groupBy(
    rows.map(({ body }): WorkChange => JSON.parse(body)),
    ({ owner_id }) => owner_id,
  );
}

/** Who is told changes of a project. */
type Hearing = {
  readonly project_no: number;
  /** A number up to which they were told when there was no more; null: none is known. */
  readonly whole_no: number | null;
  readonly facts: SharedFacts;
};

/** Changes as they are told: what is made, and was not told by `whole_no`, with its history. */
export async function toldChanges<Row extends ChangeTold>(
  connection: Connection,
  rows: readonly Row[],
  { project_no, whole_no, facts }: Hearing,
): Promise<readonly Row[]> {
  const isNew = ({ kind, since_no }: ChangeTold) =>
    kind === "issue" && since_no !== null && since_no > (whole_no ?? -1);
  const issue_ids = rows.filter(isNew).map(({ owner_id }) => owner_id);
  if (issue_ids.length === 0) return rows;
  const issue_nos = await findIssues(connection, {
    ...{ project_no, issue_ids, work_order_ids: [], deleted: true },
  });
  const ids = new Map(
    (await readIssues(connection, issue_nos)).map(({ issue_no, id }) => [issue_no, id]),
  );
  const histories = Map.groupBy(
    await readHistories(connection, issue_nos),
    ({ issue_no }) => ids.get(issue_no),
  );
  return rows.map((row) => {
    const history = isNew(row) ? histories.get(row.owner_id) : undefined;
    if (history === undefined) return row;
    const told = newest(history.map((it) => toldRow(it, facts)));
    return { ...row, body: JSON.stringify({ ...JSON.parse(row.body), told }) };
  });
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
): Promise<readonly FreshChange[]> {
  if (tools.shared.size === 0) return [];
  const nos = new Set([
    ...pile.issues.map(({ after }) => after.issue_no),
    ...rows.map(({ issue_no }) => issue_no),
  ]);
  const issues = [...nos].map(pile.issueAt).filter((it) => tools.shared.has(it.project_no));
  const recorder = new Recorder(write, pile, tools);
  const found: FreshChange[] = [];
  const { connection, now_us: stored_at } = write;
  for (const [project_no, own] of Map.groupBy(issues, (it) => it.project_no)) {
    const orders = pile.orders.filter(({ after }) => after.project_no === project_no);
    const owner_ids = [...own.map(({ id }) => id), ...orders.map(({ after }) => after.id)];
    const known = new Map(await changesByOwner(connection, { project_no, owner_ids }));
    const lasts = await readLastPlaces(connection, { project_no, owner_ids });
    const knownOf = (id: string) => ({ changes: known.get(id), last_us: lasts.get(id) });
    // What was there before the project was shared, and was not looked at yet.
    const isWhole = owner_ids.every((id) => known.has(id));
    const own_nos = isWhole ? [] : own.map(({ issue_no }) => issue_no);
    const was = await wholeChanges(connection, own_nos, { ...tools, now_us: stored_at });
    for (const change of was) {
      if (!recorder.isOld(change) || known.has(change.owner_id)) continue;
      known.set(change.owner_id, [change]);
      found.push(freshChange(change, { project_no, stored_at }));
    }
    const changes = [
      ...own.map((issue) => recorder.issueChange(issue, rows, knownOf(issue.id))),
      ...orders.map((it) => recorder.orderChange(it, knownOf(it.after.id))),
    ];
    for (const change of changes) {
      if (change) found.push(freshChange(change, { project_no, stored_at }));
    }
  }
  return found;
}

/** What is known of an issue or a work order: what says what it is, and its last change's place. */
type KnownWork = {
  readonly changes: readonly WorkChange[] | undefined;
  readonly last_us: number | undefined;
};

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
    { changes, last_us }: KnownWork,
  ): IssueChange | undefined {
    const change = this.#pile.issues.find((it) => it.after.issue_no === after.issue_no);
    const told = rows.filter(({ issue_no }) => issue_no === after.issue_no)
      .map((row) => toldRow(row, this.#tools));
    const merged = mergeIssue(issueChanges(changes));
    const head = this.#headOf(after, last_us ?? merged?.last_us);
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
    { changes, last_us }: KnownWork,
  ): OrderChange | undefined {
    const merged = mergeOrder(orderChanges(changes));
    const head = this.#headOf(after, last_us ?? merged?.last_us);
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

/** What is known at an instant, the place of changes that have all before it in them. */
type FactsAt = SharedFacts & { readonly now_us: number };

/** Issues and their work orders as they are, each as one change that makes it. */
export async function wholeChanges(
  connection: Connection,
  issue_nos: readonly number[],
  { now_us, ...facts }: FactsAt,
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
    { id, owner_id: id, at_us: created_at, order_us: now_us, person: personWith(created_by, facts) }
  );
  const changes: WorkChange[] = [];
  for (const issue of issues) {
    if (!kept.has(issue.id)) {
      const { merged_into: no } = issue;
      const merged_into = no === null ? null : idOf(no);
      const made = sharedIssue(issue, { merged_into, facts });
      changes.push({ ...headOf(issue), kind: "issue", made, fields: [], told: [] });
    }
    for (const order of orders) {
      if (order.issue_no !== issue.issue_no || kept.has(order.id)) continue;
      const made = sharedOrder(order, { issue_id: issue.id, facts });
      changes.push({ ...headOf(order), kind: "work_order", made, fields: [] });
    }
  }
  return changes;
}
