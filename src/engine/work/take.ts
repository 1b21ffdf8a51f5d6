// Takes changes of issues and work orders that the other side of a line made: merged, once.
import { newId } from "../../base/id.ts";
import {
  isSame,
  type IssueChange,
  type SharedIssue,
  type SharedOrder,
  type WorkChange,
} from "../../model/work/change.ts";
import type { Issue } from "../../model/work/issue.ts";
import { work_limits } from "../../model/work/limits.ts";
import { mergeIssue, mergeOrder } from "../../model/work/merge.ts";
import { isOfPhoto } from "../../model/work/photo.ts";
import { findOccurrences } from "../../store/alarms/alarm.ts";
import {
  dropFolded,
  findChangeIds,
  findOthers,
  readChanges,
  readLastPlaces,
  wasTold,
} from "../../store/work/change.ts";
import { readPlaces, type WorkPlace } from "../../store/work/place.ts";
import { findHistory, readNotes, renumberHistory } from "../../store/work/record.ts";
import { takePhotos } from "./photo_take.ts";
import { wasAt } from "./place.ts";
import { freshChange, issueChanges, orderChanges } from "./share.ts";
import { localNames, rowHere } from "./shared.ts";
import {
  homed,
  isFolded,
  isOfCentre,
  issueIdsIn,
  isTooFar,
  notedIn,
  noteKey,
  noteOf,
  occurrenceIn,
  type OwnedConflict,
  readChange,
  type RefusedChange,
  type TakenFrom,
} from "./told.ts";
import type { WorkUnitOfWork } from "./unit_of_work.ts";

/** Takes changes as they were told; gives those that are refused, by their ids. */
export async function takeChanges(
  changes: WorkUnitOfWork,
  told: readonly unknown[],
  from: TakenFrom,
): Promise<readonly RefusedChange[]> {
  const of_work = told.filter((it) => !isOfPhoto(it));
  const refused = await new Taking(changes, from).take(of_work);
  // What they are of may be told with them.
  return [...refused, ...await takePhotos(changes, told.filter(isOfPhoto), from)];
}

/** Takes changes within one write. */
class Taking {
  readonly #changes: WorkUnitOfWork;
  readonly #from: TakenFrom;
  readonly #refused: RefusedChange[] = [];
  /** What says what each thing is that was told of, with what is new. */
  readonly #known = new Map<string, WorkChange[]>();
  /** The ids of all changes that are here, of those that were told. */
  #ids = new Set<string>();
  /** Of what is known, what the centre never had. */
  readonly #untold = new Set<string>();
  #lasts: ReadonlyMap<string, number> = new Map();
  #places: ReadonlyMap<string, WorkPlace> = new Map();
  /** The ids of rows of history that are here. */
  #rows = new Set<string>();
  readonly #fresh: WorkChange[] = [];
  /** Up to which place the changes of something are in what took their place. */
  readonly #replaced = new Map<string, number>();

  constructor(changes: WorkUnitOfWork, from: TakenFrom) {
    this.#changes = changes;
    this.#from = from;
  }

  async take(told: readonly unknown[]): Promise<readonly RefusedChange[]> {
    const read = told.flatMap((data) => this.#parse(data));
    // An issue that was folded is told behind its work orders.
    const parsed = [...issueChanges(read), ...orderChanges(read)];
    await this.#load(parsed);
    const others = await findOthers(this.#changes.write.connection, {
      ids: parsed.map(({ owner_id }) => owner_id),
      project_no: this.#from.project.project_no,
      // What moved away from a gateway may come back.
      unshared: this.#from.gateway !== undefined,
    });
    for (const change of parsed) {
      if (this.#ids.has(change.id)) this.#takeAgain(change);
      else if (isFolded(change, this.#known, this.#from.gateway)) this.#addHistory(change);
      else {
        const reason = this.#refusalOf(change, others);
        if (reason === undefined) this.#add(change);
        else this.#refused.push({ id: change.id, reason });
      }
    }
    await this.#number();
    if (this.#fresh.length > 0) await this.#apply();
    return this.#refused;
  }

  #add(change: WorkChange): void {
    this.#known.set(change.owner_id, [...this.#known.get(change.owner_id) ?? [], change]);
    this.#ids.add(change.id);
    this.#fresh.push(change);
  }

  /** Takes what is new of a change whose id is here. */
  #takeAgain(change: WorkChange): void {
    if (change.made === null) return;
    if (this.#from.gateway) this.#addHistory(change);
    else this.#replace(change);
  }

  /** At a centre: what a gateway tells anew may have rows of history that nobody told. */
  #addHistory(change: WorkChange): void {
    if (change.kind !== "issue" || !this.#isTheirs(change.owner_id)) return;
    const told = change.told.filter(({ id }) => !this.#rows.has(id));
    if (told.length === 0) return;
    const order_us = this.#lastOf(change.owner_id) + 1;
    this.#add({ ...change, id: newId(this.#from.effects), made: null, fields: [], told, order_us });
  }

  /** At a gateway: what the centre made of many changes takes their place. */
  #replace(change: WorkChange): void {
    const { order_us: up_to_us, owner_id } = change;
    const known = this.#known.get(owner_id) ?? [];
    const own = known.find(({ made }) => made !== null);
    if (own?.order_us === up_to_us && isSame(own.made, change.made)) return;
    const isLeft = (it: WorkChange) =>
      it !== own && (it.order_us > up_to_us || this.#untold.has(it.id));
    this.#known.set(owner_id, known.filter(isLeft));
    // Those among them that came late, and are not in it, are told behind it.
    for (const it of known) if (!isLeft(it)) this.#ids.delete(it.id);
    this.#replaced.set(owner_id, up_to_us);
    this.#add(change);
  }

  #parse(data: unknown): readonly WorkChange[] {
    const read = readChange(data, this.#from.gateway?.name);
    if (!("reason" in read)) return [read];
    this.#refused.push(read);
    return [];
  }

  /** Reads what the changes are of, with all that hangs together with it. */
  async #load(told: readonly WorkChange[]): Promise<void> {
    const { project: { project_no } } = this.#from;
    const issue_ids = new Set(told.flatMap(issueIdsIn));
    const numbered = [...this.#from.numbers?.keys() ?? []];
    const work_order_ids = orderChanges(told).map(({ owner_id }) => owner_id);
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
    const { connection } = this.#changes.write;
    const owner_ids = [...this.#known.keys()];
    await this.#changes.load({ project_no, issue_ids: owner_ids, deleted: true });
    const ids = told.map(({ id }) => id);
    this.#ids = new Set(await findChangeIds(connection, { project_no, ids }));
    this.#lasts = await readLastPlaces(connection, { project_no, owner_ids });
    this.#places = await readPlaces(connection, { project_no, owner_ids });
    const row_ids = issueChanges(told).flatMap((it) => it.told.map(({ id }) => id));
    this.#rows = new Set(await findHistory(connection, row_ids));
  }

  /** Reads what says what is not read yet. */
  async #read(ids: readonly string[]): Promise<void> {
    const { project: { project_no } } = this.#from;
    const owner_ids = [...new Set(ids)].filter((id) => !this.#known.has(id));
    const kept = await readChanges(this.#changes.write.connection, { project_no, owner_ids });
    for (const row of kept) {
      const { owner_id } = row;
      const change: WorkChange = JSON.parse(row.body);
      this.#known.set(owner_id, [...this.#known.get(owner_id) ?? [], change]);
      if (!wasTold(row)) this.#untold.add(change.id);
    }
  }

  /** Whether something here is what the gateway hears or heard of. */
  #isTheirs(id: string): boolean {
    const [place, { gateway }] = [this.#places.get(id), this.#from];
    return gateway === undefined || place === undefined || wasAt(place, gateway.sites);
  }

  #refusalOf(change: WorkChange, others: ReadonlySet<string>): string | undefined {
    const { owner_id, id, made, kind, fields } = change;
    if (others.has(owner_id)) return "something else has its ID here";
    if (made !== null && id !== owner_id) return "what is made has the ID of its change";
    const known = this.#known.get(owner_id) ?? [];
    const is_centre = this.#from.gateway !== undefined;
    const is_here = known.length > 0 && this.#isTheirs(owner_id);
    if (made === null && !is_here) return "what it changes is not here";
    if (known.some((it) => it.kind !== kind)) return "something else has its ID here";
    if (is_centre && fields.some(isOfCentre)) {
      return "issues are merged, and work is deleted, at the centre";
    }
    if (is_centre && isTooFar(change, this.#lastOf(owner_id))) {
      return "its clock is too far ahead: no change could be put behind it; set the clock";
    }
    if (kind === "issue") return undefined;
    const issue_ids = issueIdsIn(change);
    const isHere = (id: string) =>
      issueChanges(this.#known.get(id)).length > 0 && this.#isTheirs(id);
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
    // What one was merged into may have come behind it.
    for (const { id, state } of issues) if (state.merged_into) this.#putIssue(id, state);
    for (const { id, state } of orders) this.#putOrder(id, state);
    for (const { id } of issues) this.#rehome(this.#changes.knownIssue(id)!);
    for (const change of issueChanges(this.#fresh)) this.#tell(change);
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
    const { connection, now_us: stored_at } = this.#changes.write;
    const is_centre = this.#from.gateway !== undefined;
    const notes = is_centre ? await this.#notesOf(conflicts) : [];
    notes.forEach((note) => this.#tell(note));
    const told_at = is_centre ? null : stored_at;
    this.#changes.made_at = this.#from.gateway?.sites ?? null;
    for (const [owner_id, up_to_us] of this.#replaced) {
      await dropFolded(connection, { project_no, owner_id, up_to_us, all: false });
    }
    this.#changes.keepTaken(
      [...this.#fresh, ...notes].map((it) => freshChange(it, { project_no, stored_at, told_at })),
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

  /** Adds what a change said to the history, where it is new. */
  #tell({ owner_id, told }: IssueChange): void {
    const issue = this.#changes.knownIssue(owner_id)!;
    const fresh = told.filter(({ id }) => !this.#rows.has(id));
    for (const { id } of fresh) this.#rows.add(id);
    const rows = fresh.map((row) => rowHere(row, this.#from));
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
    const notes = await this.#notes(owners);
    const linked = new Map([...owners].map((id) => {
      const issue_no = this.#changes.knownIssue(id)?.issue_no;
      const noted = notes.filter((it) => it.issue_no === issue_no)
        .map(({ kind, detail }) => ({ kind, detail: JSON.parse(detail!) }));
      const told = issueChanges(this.#fresh).filter(({ owner_id }) => owner_id === id)
        .flatMap((it) => it.told);
      return [id, [...noted, ...told].flatMap(occurrenceIn)];
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

  /** What the histories of some issues say of conflicts and alarms. */
  #notes(ids: Iterable<string>): ReturnType<typeof readNotes> {
    const nos = [...ids].flatMap((id) => this.#changes.knownIssue(id)?.issue_no ?? []);
    return readNotes(this.#changes.write.connection, nos);
  }

  /** The place of the last change of something. */
  #lastOf(id: string): number {
    const known = this.#known.get(id) ?? [];
    return Math.max(this.#lasts.get(id) ?? 0, ...known.map(({ order_us }) => order_us));
  }

  /** A change for each conflict that the history does not have yet. */
  async #notesOf(conflicts: readonly OwnedConflict[]): Promise<readonly IssueChange[]> {
    if (conflicts.length === 0) return [];
    const { effects } = this.#from;
    const { stamp_us: at_us, now_us } = this.#changes.write;
    const noted = notedIn(await this.#notes(this.#known.keys()));
    const last_us = new Map<string, number>();
    return conflicts.flatMap(({ issue_id, order_id, ...conflict }): readonly IssueChange[] => {
      const key = noteKey(conflict);
      if (noted.has(key)) return [];
      noted.add(key);
      const next_us = 1 + (last_us.get(issue_id) ?? this.#lastOf(issue_id));
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
