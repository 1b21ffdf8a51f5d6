// Changes of issues and work orders within one write: loaded, made with their history, stored.
import { assert } from "../../base/assert.ts";
import { newId } from "../../base/id.ts";
import { type Occurrence, refOf } from "../../model/alarms/alarm.ts";
import type { Issue, IssueDraft } from "../../model/work/issue.ts";
import { isSame } from "../../model/work/change.ts";
import type { HistoryDraft } from "../../model/work/history.ts";
import type { WorkOrder, WorkOrderDraft } from "../../model/work/work_order.ts";
import type { Connection } from "../../store/connection.ts";
import type { Write } from "../../store/database.ts";
import { findIssues, readIssues } from "../../store/work/issue.ts";
import { readWorkNumbers, type WorkNumbers } from "../../store/work/number.ts";
import { type AlarmLink, readLinks } from "../../store/work/record.ts";
import { readWorkOrders } from "../../store/work/work_order.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { Held } from "./identity_map.ts";
import {
  type HistoryLine,
  type HistoryTold,
  type StoredWork,
  storeWork,
  type WorkTools,
} from "./commit.ts";
import type { FreshChange } from "./share.ts";
import { changedHistory, createdHistory, orderAdded, orderGone } from "./view.ts";

/**
 * The issues and work orders that a write looks at and changes. What is not loaded is unknown:
 * load first, then decide. History of changed fields, numbers, versions and snapshots follow by
 * themselves. Nothing is stored before `store`, which comes last and once.
 */
export class WorkUnitOfWork {
  readonly write: Write;
  /** The user whose changes the next ones are, as history tells; null: nobody's. */
  user_id: string | null = null;
  /** Id of the subscription that the changes come from; null: none. */
  origin: string | null = null;
  readonly #tools: WorkTools;
  readonly #issues = new Held<Issue>(({ issue_no }) => issue_no);
  readonly #orders = new Held<WorkOrder>(({ work_order_no }) => work_order_no);
  readonly #numbers = new Map<string, WorkNumbers>();
  readonly #links = new Map<number, AlarmLink[]>();
  readonly #new_links: AlarmLink[] = [];
  readonly #history: HistoryLine[] = [];
  /** The sites of the gateway where the changes were made; null: they were made here. */
  made_at: readonly string[] | null = null;
  #taken: FreshChange[] | undefined;

  constructor(write: Write, tools: WorkTools) {
    this.write = write;
    this.#tools = tools;
  }

  /**
   * Reads a project's issues by their ids and by their work orders' ids, each with all its work
   * orders and links; unknown and deleted ones are none. Nothing is added to a project before it.
   */
  async load(
    { project_no, issue_ids = [], work_order_ids = [], deleted = false }: {
      readonly project_no: number;
      readonly issue_ids?: readonly string[];
      readonly work_order_ids?: readonly string[];
      /** Whether what is deleted is read, too, for `known…`. */
      readonly deleted?: boolean;
    },
  ): Promise<void> {
    const { connection } = this.write;
    const { has_centre: is_gateway } = this.#tools;
    const { organization_id } = this.#tools.catalog.projectByNo(project_no)!;
    if (!this.#numbers.has(organization_id)) {
      const numbers = await readWorkNumbers(connection, { organization_id, is_gateway });
      this.#numbers.set(organization_id, numbers);
    }
    if (issue_ids.length + work_order_ids.length === 0) return;
    const nos = await findIssues(connection, { project_no, issue_ids, work_order_ids, deleted });
    const loaded = await loadWork(connection, nos, { known: this.#issues, deleted });
    for (const issue of loaded.issues) this.#issues.load(issue);
    for (const order of loaded.orders) this.#orders.load(order);
    for (const [issue_no, links] of loaded.links) this.#links.set(issue_no, links);
  }

  /** An issue that was loaded or added, as changed so far; a deleted one is none. */
  issue(id: string): Issue | undefined {
    return this.#issues.find(id);
  }

  /** A work order that was loaded or added, as changed so far; a deleted one is none. */
  workOrder(id: string): WorkOrder | undefined {
    return this.#orders.find(id);
  }

  /** An issue that was loaded or added, deleted or not. */
  knownIssue(id: string): Issue | undefined {
    return this.#issues.findAny(id);
  }

  /** A work order that was loaded or added, deleted or not. */
  knownOrder(id: string): WorkOrder | undefined {
    return this.#orders.findAny(id);
  }

  /** The issue that a work order is under. */
  issueOf({ issue_no }: Pick<WorkOrder, "issue_no">): Issue {
    return this.#issues.at(issue_no);
  }

  /** The work orders under an issue, by number; deleted ones are none. */
  ordersOf({ issue_no }: Pick<Issue, "issue_no">): readonly WorkOrder[] {
    return this.#orders.all.filter((order) => order.issue_no === issue_no).sort(byNumber);
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
    this.#issues.add(issue);
    this.tell(issue, [createdHistory(issue), ...history]);
    return issue;
  }

  /** Takes an issue as it is to be; `history` is what its fields don't say, such as a comment. */
  changeIssue(next: Issue, history: readonly HistoryDraft[] = []): void {
    const changed = changedHistory(this.#issues.at(next.issue_no), next);
    if (changed.length > 0) this.#issues.change(next);
    this.tell(next, [...changed, ...history]);
  }

  /** Deletes an issue, and the work orders under it. */
  deleteIssue(issue: Issue): void {
    for (const order of this.ordersOf(issue)) this.deleteOrder(order);
    this.#issues.change({ ...issue, deleted_at: this.write.stamp_us });
    this.tell(issue, [{ kind: "deleted" }]);
  }

  /** Takes issues as `mergeStep` made them: their work orders and links go to the survivor. */
  merge(survivor: Issue, merged: readonly Issue[]): void {
    const { issue_no } = survivor;
    for (const issue of merged) {
      this.changeIssue(issue);
      for (const order of this.ordersOf(issue)) this.changeOrder({ ...order, issue_no });
      this.link(survivor, this.linksOf(issue));
    }
    const issue_ids = merged.map(({ id }) => id);
    const merged_at = instantText(this.write.stamp_us);
    this.tell(survivor, [{ kind: "merged", detail: { issue_ids, merged_at } }]);
  }

  /** Takes a new work order under an issue, and numbers it. */
  addOrder(issue: Issue, draft: WorkOrderDraft): WorkOrder {
    const { counts, effects } = this.#tools;
    const { organization_id, project_no, issue_no } = this.#issues.at(issue.issue_no);
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
    this.#orders.add(order);
    this.tell(issue, [orderAdded(order)]);
    return order;
  }

  /** Takes an issue as another service has it; its history and its changes are told apart. */
  putIssue({ number, ...said }: PutIssue): Issue {
    const { catalog, counts } = this.#tools;
    const { organization_id } = catalog.projectByNo(said.project_no)!;
    const known = this.#issues.findAny(said.id);
    const issue: Issue = known ? { ...known, ...said, number: number ?? known.number } : {
      ...{ issue_no: ++counts.issue_no, organization_id },
      ...{ ...this.#fresh(), ...said },
      number: number ?? ++this.#numbersOf(organization_id).issue,
    };
    if (known === undefined) this.#issues.add(issue);
    else if (!isSame(known, issue)) this.#issues.change(issue);
    return issue;
  }

  /** Takes a work order as another service has it, likewise. */
  putOrder({ number, ...said }: PutOrder): WorkOrder {
    const { catalog, counts } = this.#tools;
    const { organization_id } = catalog.projectByNo(said.project_no)!;
    const known = this.#orders.findAny(said.id);
    const order: WorkOrder = known ? { ...known, ...said, number: number ?? known.number } : {
      ...{ work_order_no: ++counts.work_order_no, organization_id },
      ...{ ...this.#fresh(), ...said },
      number: number ?? ++this.#numbersOf(organization_id).work_order,
    };
    if (known === undefined) this.#orders.add(order);
    else if (!isSame(known, order)) this.#orders.change(order);
    return order;
  }

  /** Keeps changes as they were told: what this write changes follows from them. */
  keepTaken(rows: readonly FreshChange[]): void {
    this.#taken = [...this.#taken ?? [], ...rows];
  }

  /** Takes a work order as it is to be, under another issue too. */
  changeOrder(next: WorkOrder): void {
    const order = this.#orders.at(next.work_order_no);
    if (JSON.stringify(order) === JSON.stringify(next)) return;
    this.#orders.change(next);
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
    issue: Pick<Issue, "issue_no">,
    occurrences: readonly Pick<Occurrence, "occurrence_no" | "occurrence_id">[],
    { is_told = false }: {
      /** Whether the history has it already. */
      readonly is_told?: boolean;
    } = {},
  ): void {
    const { issue_no } = issue;
    const links = this.#links.get(issue_no) ?? [];
    this.#links.set(issue_no, links);
    for (const { occurrence_no, occurrence_id } of occurrences) {
      if (links.some((link) => link.occurrence_no === occurrence_no)) continue;
      const link = { issue_no, occurrence_no, occurrence_id };
      links.push(link);
      this.#new_links.push(link);
      if (is_told) continue;
      const detail = { occurrence_id, svc_occurrence_ref: refOf(occurrence_no) };
      this.tell(issue, [{ kind: "alarm_linked", detail }]);
    }
  }

  /** Adds rows to the history of an issue, such as a comment: it stays as it is. */
  tell({ issue_no }: Pick<Issue, "issue_no">, history: readonly HistoryTold[]): void {
    for (const draft of history) {
      this.#history.push({ issue_no, user_id: this.user_id, ...draft });
    }
  }

  /** Stores everything that changed; a work order's change is one of its issue too. */
  async store(): Promise<StoredWork> {
    const nextSnapshot = () => ++this.#tools.counts.snapshot_no;
    const at_us = this.write.stamp_us;
    const orders = this.#orders.renew({ at_us, nextSnapshot });
    const nos = new Set(
      orders.flatMap(({ before, after }) => [before ?? after, after])
        .map(({ issue_no }) => issue_no),
    );
    const besides = ({ issue_no, deleted_at }: Issue) => deleted_at === null && nos.has(issue_no);
    const issues = this.#issues.renew({ at_us, nextSnapshot, besides });
    const by_issue = Map.groupBy([...this.#orders.all].sort(byNumber), ({ issue_no }) => issue_no);
    return await storeWork(this.write, {
      issues,
      orders,
      issueAt: (issue_no) => this.#issues.at(issue_no),
      ordersOf: ({ issue_no }) => by_issue.get(issue_no) ?? [],
      links: this.#new_links,
      history: this.#history,
      origin: this.origin,
      user_id: this.user_id,
      taken: this.#taken,
      made_at: this.made_at,
    }, this.#tools);
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

/** Issues with their work orders and links. */
type LoadedWork = {
  /** Those that they were merged into too. */
  readonly issues: readonly Issue[];
  readonly orders: readonly WorkOrder[];
  /** By the issue's `issue_no`. */
  readonly links: ReadonlyMap<number, AlarmLink[]>;
};

/** Reads issues by their numbers, but those that are known. */
async function loadWork(
  connection: Connection,
  issue_nos: readonly number[],
  { known, deleted }: { readonly known: Pick<Held<Issue>, "has">; readonly deleted: boolean },
): Promise<LoadedWork> {
  const issues: Issue[] = [];
  const nos = new Set<number>();
  for (let wanted = issue_nos; wanted.length > 0;) {
    const unknown = wanted.filter((no) => !known.has(no) && !nos.has(no));
    for (const no of unknown) nos.add(no);
    const read = await readIssues(connection, unknown);
    issues.push(...read);
    wanted = read.flatMap(({ merged_into }) => merged_into ?? []);
  }
  const links = await readLinks(connection, [...nos]);
  return {
    issues,
    orders: await readWorkOrders(connection, { issue_nos: [...nos], deleted }),
    links: Map.groupBy(links, ({ issue_no }) => issue_no),
  };
}

function byNumber(a: WorkOrder, b: WorkOrder): number {
  return a.number - b.number;
}

type Own = "organization_id" | "number" | "updated_at" | "version" | "snapshot_no";
type Numbered = { readonly number: number | undefined };

/** An issue as another service has it; its number is the next one where it has none. */
export type PutIssue = Omit<Issue, Own | "issue_no"> & Numbered;

/** A work order as another service has it, likewise. */
export type PutOrder = Omit<WorkOrder, Own | "work_order_no"> & Numbered;
