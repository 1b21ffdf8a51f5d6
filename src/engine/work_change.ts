// Changes of issues and work orders within one write: collected, then stored whole.
import { assert } from "../base/assert.ts";
import { newId } from "../base/id.ts";
import { type Occurrence, refOf } from "../model/alarm.ts";
import type { Issue, IssueDraft } from "../model/issue.ts";
import type { HistoryDraft } from "../model/work_history.ts";
import type { WorkOrder, WorkOrderDraft } from "../model/work_order.ts";
import type { Write } from "../store/database.ts";
import { findIssues } from "../store/issue.ts";
import { readWorkNumbers, type WorkNumbers } from "../store/work_number.ts";
import type { AlarmLink } from "../store/work_record.ts";
import { changedHistory, createdHistory, orderAdded, orderGone } from "./work_history.ts";
import { loadWork } from "./work_load.ts";
import {
  type HistoryLine,
  type IssueChange,
  type OrderChange,
  type StoredWork,
  storeWork,
  type WorkTools,
} from "./work_take.ts";

/**
 * The issues and work orders that a write looks at and changes. What is not loaded is unknown:
 * load first, then decide. History of changed fields, numbers, versions and snapshots follow by
 * themselves. Nothing is stored before `store`, which comes last and once.
 */
export class WorkChanges {
  readonly write: Write;
  /** The user whose changes the next ones are, as history tells; null: nobody's. */
  user_id: string | null = null;
  /** The subscription whose word this write is, by its id; null: nobody's. */
  origin: string | null = null;
  readonly #tools: WorkTools;
  readonly #issues = new Map<number, IssueChange>();
  readonly #orders = new Map<number, OrderChange>();
  readonly #issue_nos = new Map<string, number>();
  readonly #order_nos = new Map<string, number>();
  readonly #numbers = new Map<string, WorkNumbers>();
  readonly #links = new Map<number, AlarmLink[]>();
  readonly #new_links: AlarmLink[] = [];
  readonly #history: HistoryLine[] = [];

  constructor(write: Write, tools: WorkTools) {
    this.write = write;
    this.#tools = tools;
  }

  /**
   * Reads a project's issues by their ids and by their work orders' ids, each with all its work
   * orders and links; unknown and deleted ones are none. Nothing is added to a project before it.
   */
  async load(
    { project_no, issue_ids = [], work_order_ids = [] }: {
      readonly project_no: number;
      readonly issue_ids?: readonly string[];
      readonly work_order_ids?: readonly string[];
    },
  ): Promise<void> {
    const { connection } = this.write;
    const { organization_id } = this.#tools.catalog.projectByNo(project_no)!;
    if (!this.#numbers.has(organization_id)) {
      this.#numbers.set(organization_id, await readWorkNumbers(connection, organization_id));
    }
    if (issue_ids.length + work_order_ids.length === 0) return;
    const nos = await findIssues(connection, { project_no, issue_ids, work_order_ids });
    const loaded = await loadWork(connection, nos, { known: this.#issues });
    for (const issue of loaded.issues) this.#putIssue({ before: issue, issue });
    for (const order of loaded.orders) this.#putOrder({ before: order, order });
    for (const [issue_no, links] of loaded.links) this.#links.set(issue_no, links);
  }

  /** An issue that was loaded or added, as changed so far; a deleted one is none. */
  issue(id: string): Issue | undefined {
    const issue = this.#issues.get(this.#issue_nos.get(id) ?? 0)?.issue;
    return issue && isThere(issue) ? issue : undefined;
  }

  /** A work order that was loaded or added, as changed so far; a deleted one is none. */
  workOrder(id: string): WorkOrder | undefined {
    const order = this.#orders.get(this.#order_nos.get(id) ?? 0)?.order;
    return order && isThere(order) ? order : undefined;
  }

  /** The issue that a work order is under. */
  issueOf({ issue_no }: Pick<WorkOrder, "issue_no">): Issue {
    return this.#issues.get(issue_no)!.issue;
  }

  /** The work orders under an issue, by number; deleted ones are none. */
  ordersOf({ issue_no }: Pick<Issue, "issue_no">): readonly WorkOrder[] {
    return Array.from(this.#orders.values(), ({ order }) => order)
      .filter((order) => order.issue_no === issue_no && isThere(order))
      .sort(byNumber);
  }

  /** The alarm occurrences that an issue is linked to. */
  linksOf({ issue_no }: Pick<Issue, "issue_no">): readonly AlarmLink[] {
    return this.#links.get(issue_no) ?? [];
  }

  /** Takes a new issue, which is open, and numbers it. */
  addIssue(draft: IssueDraft, history: readonly HistoryDraft[] = []): Issue {
    const { catalog, counts, effects } = this.#tools;
    const { organization_id } = catalog.projectByNo(draft.project_no)!;
    const issue: Issue = {
      ...draft,
      issue_no: ++counts.issue_no,
      id: newId(effects),
      organization_id,
      number: ++this.#numbersOf(organization_id).issue,
      status: "open",
      resolved_at: null,
      deleted_at: null,
      merged_into: null,
      ...this.#fresh(),
    };
    this.#putIssue({ before: undefined, issue });
    this.tell(issue, [createdHistory(issue), ...history]);
    return issue;
  }

  /** Takes an issue as it is to be; `history` is what its fields don't tell, such as a comment. */
  changeIssue(next: Issue, history: readonly HistoryDraft[] = []): void {
    const { before, issue } = this.#changeOf(next);
    const changed = changedHistory(issue, next);
    if (changed.length > 0) this.#putIssue({ before, issue: next });
    this.tell(next, [...changed, ...history]);
  }

  /** Deletes an issue, and the work orders under it. */
  deleteIssue(issue: Issue): void {
    const { before } = this.#changeOf(issue);
    for (const order of this.ordersOf(issue)) this.deleteOrder(order);
    this.#putIssue({ before, issue: { ...issue, deleted_at: this.write.stamp_us } });
    this.tell(issue, [{ kind: "deleted" }]);
  }

  /** Takes a new work order under an issue, and numbers it. */
  addOrder(issue: Issue, draft: WorkOrderDraft): WorkOrder {
    const { counts, effects } = this.#tools;
    const { organization_id, project_no, issue_no } = this.#changeOf(issue).issue;
    const order: WorkOrder = {
      ...draft,
      work_order_no: ++counts.work_order_no,
      id: newId(effects),
      organization_id,
      project_no,
      number: ++this.#numbersOf(organization_id).work_order,
      issue_no,
      devices: draft.devices.map(({ device_id, component }) => (
        { device_id, component, status: "pending", completed_at: null }
      )),
      deleted_at: null,
      ...this.#fresh(),
    };
    this.#putOrder({ before: undefined, order });
    this.tell(issue, [orderAdded(order)]);
    return order;
  }

  /** Takes a work order as it is to be, under another issue too. */
  changeOrder(next: WorkOrder): void {
    const change = this.#orders.get(next.work_order_no);
    assert(change !== undefined, "the work order is neither loaded nor added");
    const { before, order } = change;
    if (JSON.stringify(order) === JSON.stringify(next)) return;
    this.#putOrder({ before, order: next });
    if (next.issue_no === order.issue_no) return;
    this.tell(order, [orderGone(order)]);
    this.tell(next, [orderAdded(next)]);
  }

  /** Deletes a work order. */
  deleteOrder(order: WorkOrder): void {
    this.changeOrder({ ...order, deleted_at: this.write.stamp_us });
    this.tell(order, [orderGone(order)]);
  }

  /** Links an issue to alarm occurrences; to those that it is linked to, nothing changes. */
  link(
    issue: Issue,
    occurrences: readonly Pick<Occurrence, "occurrence_no" | "occurrence_id">[],
  ): void {
    const { issue_no } = issue;
    const links = this.#links.get(issue_no) ?? [];
    this.#links.set(issue_no, links);
    for (const { occurrence_no, occurrence_id } of occurrences) {
      if (links.some((link) => link.occurrence_no === occurrence_no)) continue;
      const link = { issue_no, occurrence_no, occurrence_id };
      links.push(link);
      this.#new_links.push(link);
      const detail = { occurrence_id, svc_occurrence_ref: refOf(occurrence_no) };
      this.tell(issue, [{ kind: "alarm_linked", detail }]);
    }
  }

  /** Adds rows to the history of an issue, such as a comment: it stays as it is. */
  tell({ issue_no }: Pick<Issue, "issue_no">, history: readonly HistoryDraft[]): void {
    for (const draft of history) {
      this.#history.push({ issue_no, user_id: this.user_id, ...draft });
    }
  }

  /** Stores everything that changed; a work order's change is one of its issue too. */
  async store(): Promise<StoredWork> {
    const orders = this.#touchedOrders();
    const issues = this.#touchedIssues(orders);
    const by_issue = Map.groupBy(
      Array.from(this.#orders.values(), ({ order }) => order).filter(isThere).sort(byNumber),
      ({ issue_no }) => issue_no,
    );
    return await storeWork(this.write, {
      issues,
      orders,
      issueAt: (issue_no) => this.#issues.get(issue_no)!.issue,
      ordersOf: ({ issue_no }) => by_issue.get(issue_no) ?? [],
      links: this.#new_links,
      history: this.#history,
      origin: this.origin,
    }, this.#tools);
  }

  /** The work orders that changed, in their new versions. */
  #touchedOrders(): readonly OrderChange[] {
    const touched = [...this.#orders.values()].filter(({ before, order }) => before !== order)
      .map(({ before, order }) => ({ before, order: this.#renewed(order) }));
    for (const change of touched) this.#putOrder(change);
    return touched;
  }

  /** The issues that changed, or whose work orders did, in their new versions. */
  #touchedIssues(orders: readonly OrderChange[]): readonly IssueChange[] {
    const nos = new Set(
      orders.flatMap((
        { before = null, order },
      ) => [before?.issue_no ?? order.issue_no, order.issue_no]),
    );
    const touched = [...this.#issues.values()]
      .filter(({ before, issue }) => before !== issue || nos.has(issue.issue_no))
      .map(({ before, issue }) => ({ before, issue: this.#renewed(issue) }));
    for (const change of touched) this.#putIssue(change);
    return touched;
  }

  /** The next version of something, whose snapshot is to be taken. */
  #renewed<T extends Issue | WorkOrder>(thing: T): T {
    return {
      ...thing,
      updated_at: this.write.stamp_us,
      version: thing.version + 1,
      snapshot_no: ++this.#tools.counts.snapshot_no,
    };
  }

  #changeOf({ issue_no }: Issue): IssueChange {
    const change = this.#issues.get(issue_no);
    assert(change !== undefined, "the issue is neither loaded nor added");
    return change;
  }

  #putIssue(change: IssueChange): void {
    this.#issues.set(change.issue.issue_no, change);
    this.#issue_nos.set(change.issue.id, change.issue.issue_no);
  }

  #putOrder(change: OrderChange): void {
    this.#orders.set(change.order.work_order_no, change);
    this.#order_nos.set(change.order.id, change.order.work_order_no);
  }

  #numbersOf(organization_id: string): WorkNumbers {
    const numbers = this.#numbers.get(organization_id);
    assert(numbers !== undefined, "nothing was loaded of the organization");
    return numbers;
  }

  /** What a new thing has until it is stored. */
  #fresh() {
    const { stamp_us } = this.write;
    return { created_at: stamp_us, updated_at: stamp_us, version: 0, snapshot_no: 0 };
  }
}

function isThere({ deleted_at }: Issue | WorkOrder): boolean {
  return deleted_at === null;
}

function byNumber(a: WorkOrder, b: WorkOrder): number {
  return a.number - b.number;
}
