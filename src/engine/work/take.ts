// Takes changes of issues and work orders that the other side of a line made: merged, once.
import { newId } from "../../base/id.ts";
import type { Effects } from "../../base/effects.ts";
import type { Project } from "../../model/plant/plant.ts";
import {
  deviceOfField,
  type IssueChange,
  type SharedIssue,
  type SharedOrder,
  type ToldRow,
  work_change_form,
  type WorkChange,
} from "../../model/work/change.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { Issue } from "../../model/work/issue.ts";
import { work_limits } from "../../model/work/limits.ts";
import { type Conflict, mergeIssue, mergeOrder } from "../../model/work/merge.ts";
import { findOccurrences } from "../../store/alarms/alarm.ts";
import { findOthers } from "../../store/work/change.ts";
import { renumberHistory } from "../../store/work/record.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { changesByOwner, issueChanges, orderChanges, storedChange } from "./share.ts";
import { localNames, nameOf, rowHere, type SharedFacts } from "./shared.ts";
import type { WorkUnitOfWork } from "./unit_of_work.ts";

/** A change that is not taken, and why. */
export type RefusedChange = { readonly id: string; readonly reason: string };

/** Where changes come from, and what of them is known. */
export type TakenFrom = SharedFacts & {
  readonly project: Project;
  readonly effects: Pick<Effects, "now_us" | "random">;
  /** Who takes them: the centre alone numbers, merges, deletes, and notes conflicts. */
  readonly as: "centre" | "gateway";
  /** The numbers that the centre gave, by id. */
  readonly numbers?: ReadonlyMap<string, number>;
};

/** Takes changes as they were told; gives those that are refused, by their ids. */
export async function takeChanges(
  changes: WorkUnitOfWork,
  told: readonly unknown[],
  from: TakenFrom,
): Promise<readonly RefusedChange[]> {
  const taking = new Taking(changes, from);
  return await taking.take(told);
}

/** Takes changes within one write. */
class Taking {
  readonly #changes: WorkUnitOfWork;
  readonly #from: TakenFrom;
  readonly #refused: RefusedChange[] = [];
  /** Everything that is known of what was told, with what is new. */
  readonly #known = new Map<string, WorkChange[]>();
  readonly #fresh: WorkChange[] = [];

  constructor(changes: WorkUnitOfWork, from: TakenFrom) {
    this.#changes = changes;
    this.#from = from;
  }

  async take(told: readonly unknown[]): Promise<readonly RefusedChange[]> {
    const parsed = told.flatMap((data) => this.#parse(data));
    await this.#load(parsed);
    const others = await findOthers(this.#changes.write.connection, {
      ids: parsed.map(({ owner_id }) => owner_id),
      project_no: this.#from.project.project_no,
    });
    for (const change of parsed) {
      const known = this.#known.get(change.owner_id) ?? [];
      if (known.some(({ id }) => id === change.id)) continue;
      const reason = this.#refusalOf(change, others);
      if (reason !== undefined) this.#refused.push({ id: change.id, reason });
      else {
        this.#known.set(change.owner_id, [...known, change]);
        this.#fresh.push(change);
      }
    }
    if (this.#fresh.length > 0) await this.#apply();
    await this.#number();
    return this.#refused;
  }

  #parse(data: unknown): readonly WorkChange[] {
    const parsed = work_change_form.safeParse(data);
    if (parsed.success && !isTooLarge(parsed.data)) return [parsed.data];
    const [{ path, message }] = parsed.error?.issues ?? [too_large];
    const { id } = Object(data) as { readonly id?: unknown };
    this.#refused.push({ id: String(id), reason: `${path.join(".")}: ${message}` });
    return [];
  }

  /** Reads what the changes are of, with all that hangs together with it. */
  async #load(told: readonly WorkChange[]): Promise<void> {
    const { project: { project_no } } = this.#from;
    const issue_ids = new Set(told.flatMap(issueIdsIn));
    const numbered = [...this.#from.numbers?.keys() ?? []];
    const work_order_ids = told.filter(({ kind }) => kind === "work_order")
      .map(({ owner_id }) => owner_id);
    await this.#changes.load({
      ...{ project_no, deleted: true },
      issue_ids: [...issue_ids, ...numbered],
      work_order_ids: [...work_order_ids, ...numbered],
    });
    for (const id of work_order_ids) {
      const order = this.#changes.knownOrder(id);
      if (order) issue_ids.add(this.#changes.issueOf(order).id);
    }
    await this.#read([...issue_ids, ...work_order_ids]);
    // A work order's conflicts may be noted at each issue that it was under.
    await this.#read([...this.#known.values()].flat().flatMap(issueIdsIn));
  }

  /** Reads all changes of what is not read yet. */
  async #read(ids: readonly string[]): Promise<void> {
    const { project: { project_no } } = this.#from;
    const owner_ids = [...new Set(ids)].filter((id) => !this.#known.has(id));
    const known = await changesByOwner(this.#changes.write.connection, { project_no, owner_ids });
    for (const [id, own] of known) this.#known.set(id, [...own]);
  }

  #refusalOf(change: WorkChange, others: ReadonlySet<string>): string | undefined {
    const { owner_id, id, made, kind, fields } = change;
    if (others.has(owner_id)) return "something else has its ID here";
    if (made !== null && id !== owner_id) return "what is made has the ID of its change";
    const known = this.#known.get(owner_id) ?? [];
    if (known.some((it) => it.kind !== kind)) return "something else has its ID here";
    if (made === null && known.length === 0) return "what it changes is not here";
    if (this.#from.as === "centre" && fields.some(isOfCentre)) {
      return "issues are merged, and work is deleted, at the centre";
    }
    if (this.#from.as === "centre" && isTooFar(change, known)) {
      return "its clock is too far ahead: no change could be put behind it; set the clock";
    }
    if (kind === "issue") return undefined;
    const issue_ids = issueIdsIn(change);
    const isHere = (id: string) => issueChanges(this.#known.get(id)).length > 0;
    return issue_ids.every(isHere) ? undefined : "its issue is not here";
  }

  /** Makes issues and work orders what follows from all changes, issues first. */
  async #apply(): Promise<void> {
    const { project: { project_no } } = this.#from;
    const owners = new Set(this.#fresh.map(({ owner_id }) => owner_id));
    const issues = [...owners].flatMap((id) => {
      const merged = mergeIssue(issueChanges(this.#known.get(id)));
      return merged ? [{ ...merged, id }] : [];
    });
    const orders = [...owners].flatMap((id) => {
      const merged = mergeOrder(orderChanges(this.#known.get(id)));
      return merged ? [{ ...merged, id }] : [];
    });
    const issue_ids = [
      ...issues.flatMap(({ state }) => state.merged_into ?? []),
      ...orders.map(({ state }) => state.issue_id),
    ];
    await this.#changes.load({ project_no, issue_ids, deleted: true });
    for (const { id, state } of issues) this.#putIssue(id, state);
    for (const { id, state } of orders) this.#putOrder(id, state);
    for (const { id } of issues) this.#rehome(this.#changes.knownIssue(id)!);
    for (const change of this.#fresh) if (change.kind === "issue") this.#tell(change);
    await this.#link(owners);
    const conflicts = [
      ...issues.flatMap(({ id: issue_id, conflicts }) =>
        conflicts.map((it) => ({ ...it, issue_id }))
      ),
      ...orders.flatMap(({ id: order_id, conflicts }) => {
        const { id: issue_id } = this.#changes.issueOf(this.#changes.knownOrder(order_id)!);
        return conflicts.map((it) => ({ ...it, issue_id, order_id }));
      }),
    ];
    const notes = this.#from.as === "centre" ? this.#notesOf(conflicts) : [];
    for (const note of notes) this.#tell(note);
    const told_at = this.#from.as === "gateway" ? this.#changes.write.now_us : null;
    this.#changes.keepTaken(
      [...this.#fresh, ...notes].map((it) => storedChange(it, { project_no, told_at })),
    );
  }

  #putIssue(id: string, { merged_into, ...state }: SharedIssue): void {
    const { project_no } = this.#from.project;
    const known = this.#changes.knownIssue(id);
    const survivor = merged_into === null ? undefined : this.#changes.knownIssue(merged_into);
    this.#changes.putIssue({
      ...{ ...state, ...localNames(state, this.#from), id, project_no },
      merged_into: survivor?.issue_no ?? known?.merged_into ?? null,
      number: this.#from.numbers?.get(id),
    });
  }

  #putOrder(id: string, { issue_id, ...state }: SharedOrder): void {
    const { project_no } = this.#from.project;
    const home = this.#remaining(this.#changes.knownIssue(issue_id)!);
    this.#changes.putOrder({
      ...{ ...state, ...localNames(state, this.#from), ...homed(state, home), id, project_no },
      number: this.#from.numbers?.get(id),
    });
  }

  /** The issue that remains of one, by its merges. */
  #remaining(issue: Issue): Issue {
    let last = issue;
    for (let steps = 0; last.merged_into !== null && steps < work_limits.merged; steps++) {
      last = this.#changes.issueOf({ issue_no: last.merged_into });
    }
    return last;
  }

  /** Brings work orders of a merged issue to what remains: whoever made them did not know. */
  #rehome(issue: Issue): void {
    const home = this.#remaining(issue);
    for (const it of this.#changes.ordersOf(issue)) {
      this.#changes.putOrder({ ...it, ...homed(it, home) });
    }
  }

  /** Adds what a change said to the history. */
  #tell({ owner_id, told }: IssueChange): void {
    const issue = this.#changes.knownIssue(owner_id)!;
    const rows = told.map((row) => rowHere(row, this.#from));
    this.#changes.tell(issue, rows.map((row) => ({ ...row, detail: this.#numbered(row.detail) })));
  }

  /** The detail of a row with the number that its work order has here. */
  #numbered(detail: unknown): unknown {
    const order = this.#changes.knownOrder(String(Object(detail).work_order_id));
    return order ? { ...Object(detail), number: order.number } : detail;
  }

  /** Links issues to those of their alarms that are here. */
  async #link(owners: ReadonlySet<string>): Promise<void> {
    const { project_no } = this.#from.project;
    const linked = new Map([...owners].map((id) => {
      const told = issueChanges(this.#known.get(id)).flatMap((it) => it.told);
      return [id, told.flatMap(occurrenceIn)];
    }));
    const ids = [...new Set([...linked.values()].flat())];
    if (ids.length === 0) return;
    const found = await findOccurrences(this.#changes.write.connection, { project_no, ids });
    for (const [id, own] of linked) {
      const issue = this.#changes.knownIssue(id);
      const alarms = found.filter(({ occurrence_id }) => own.includes(occurrence_id));
      if (issue && alarms.length > 0) this.#changes.link(issue, alarms, { is_told: true });
    }
  }

  /** A change for each conflict that the history does not have yet. */
  #notesOf(
    conflicts: readonly OwnedConflict[],
  ): readonly IssueChange[] {
    const { effects } = this.#from;
    const { stamp_us: at_us, now_us } = this.#changes.write;
    const noted = notedIn([...this.#known.values()].flat());
    const last_us = new Map<string, number>();
    return conflicts.flatMap(({ issue_id, order_id, ...conflict }): readonly IssueChange[] => {
      const key = noteKey(conflict);
      if (noted.has(key)) return [];
      noted.add(key);
      const next_us = 1 + (last_us.get(issue_id) ?? lastOf(this.#known.get(issue_id)));
      const order_us = Math.max(now_us, next_us);
      last_us.set(issue_id, order_us);
      const order = order_id === undefined ? undefined : this.#changes.knownOrder(order_id);
      const told = [{ id: newId(effects), ...noteOf(conflict, order), created_at: at_us }];
      const note: IssueChange = {
        ...{ kind: "issue", id: newId(effects), owner_id: issue_id, at_us },
        ...{ order_us, person: null, made: null, fields: [], told },
      };
      return [note];
    });
  }

  /** Gives what is here the numbers of the centre. */
  async #number(): Promise<void> {
    for (const [id, number] of this.#from.numbers ?? []) {
      const issue = this.#changes.knownIssue(id);
      if (issue && issue.number !== number) this.#changes.putIssue({ ...issue, number });
      const order = this.#changes.knownOrder(id);
      if (order === undefined || order.number === number) continue;
      this.#changes.putOrder({ ...order, number });
      await renumberHistory(this.#changes.write.connection, { ...order, number });
    }
  }
}

/** Whether a change takes up all places that there are for the changes after it. */
function isTooFar({ order_us }: WorkChange, known: readonly WorkChange[]): boolean {
  const isApart = (it: WorkChange) => order_us - it.order_us > work_limits.order_gap_us;
  return order_us > work_limits.order_us && known.every(isApart);
}

const too_large = {
  path: ["told"],
  message: `the change has more than ${upstream_limits.work_change_bytes} bytes`,
};

/** Whether nobody could be told of a change any more, for no answer has room for it. */
function isTooLarge(change: WorkChange): boolean {
  const text = JSON.stringify(change);
  return new TextEncoder().encode(text).length > upstream_limits.work_change_bytes;
}

/** Where a work order is: under an issue, and deleted with it. */
function homed(
  { deleted_at }: Pick<SharedOrder, "deleted_at">,
  home: Issue,
): Pick<SharedOrder, "deleted_at"> & Pick<Issue, "issue_no"> {
  return { issue_no: home.issue_no, deleted_at: deleted_at ?? home.deleted_at };
}

/** A conflict of an issue, or of a work order under it. */
type OwnedConflict = Conflict & { readonly issue_id: string; readonly order_id?: string };

/** The issues that a change is of: its own, or those that a work order is under. */
function issueIdsIn({ kind, owner_id, made, fields }: WorkChange): string[] {
  if (kind === "issue") return [owner_id];
  const under = fields.filter(({ field }) => field === "issue_id").map(({ after }) => after);
  return [...made === null ? [] : [(made as SharedOrder).issue_id], ...under as string[]];
}

function isOfCentre({ field, after }: WorkChange["fields"][number]): boolean {
  return field === "merged_into" || field === "deleted_at" ||
    field === "status" && after === "merged";
}

function occurrenceIn({ kind, detail }: ToldRow): string[] {
  const { occurrence_id } = Object(detail);
  return kind === "alarm_linked" && typeof occurrence_id === "string" ? [occurrence_id] : [];
}

/** The place of the last of some changes. */
function lastOf(known: readonly WorkChange[] = []): number {
  return known.reduce((last_us, { order_us }) => Math.max(last_us, order_us), 0);
}

/** The conflicts that histories have, by their keys. */
function notedIn(known: readonly WorkChange[]): Set<string> {
  const rows = issueChanges(known).flatMap(({ told }) => told);
  return new Set(
    rows.filter(({ kind }) => kind === "conflict").map(({ detail }) => noteKey(Object(detail))),
  );
}

function noteKey({ change_id, field }: Pick<Conflict, "change_id" | "field">): string {
  return JSON.stringify([change_id, field]);
}

const instant_fields: readonly string[] = ["effective_from", "effective_to", "due_date"];

/** The row of history of a conflict: what holds, what does not, and both who said so. */
function noteOf(
  { change_id, field, holds, lost, reason }: Conflict,
  order: { readonly id: string; readonly number: number; readonly title: string } | undefined,
): Omit<ToldRow, "id" | "created_at"> {
  const device = deviceOfField(field);
  const valueOf = ({ value }: Conflict["holds"]) => {
    if (instant_fields.includes(field) && typeof value === "number") return instantText(value);
    if (device === undefined || value === null) return value;
    return [Array.isArray(value) ? device : { ...device, status: value }];
  };
  const whoOf = ({ person, at_us }: Conflict["holds"]) => (
    { by: nameOf(person), at: instantText(at_us) }
  );
  return {
    ...{ kind: "conflict", field: device ? "devices" : field, person: null },
    ...{ previous_value: valueOf(lost), next_value: valueOf(holds) },
    detail: {
      ...{ change_id, field, reason, holds: whoOf(holds), lost: whoOf(lost) },
      ...order && { work_order_id: order.id, number: order.number, title: order.title },
    },
  };
}
