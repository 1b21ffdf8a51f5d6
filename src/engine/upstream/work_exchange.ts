// At a gateway: tells the centre what was changed of issues and work orders, and takes its changes.
import type { Effects } from "../../base/effects.ts";
import type { Project } from "../../model/plant/plant.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { detailOf, jsonIn, strange_centre, waitReason } from "../../model/upstream/upstream.ts";
import {
  fitting,
  work_exchanged_form,
  type WorkExchange as Said,
  type WorkExchanged,
} from "../../model/upstream/work.ts";
import { isSame } from "../../model/work/change.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import {
  type ChangeWaiting,
  dropGone,
  findChangeIds,
  findSharedAfter,
  readWaitingChanges,
  settleChanges,
  unsettleChanges,
  wasTold,
} from "../../store/work/change.ts";
import {
  forgetWorkCursors,
  readWorkAsides,
  readWorkCursors,
  storeWorkAsides,
  storeWorkCursor,
  type WorkCursor,
} from "../../store/work/cursor.ts";
import {
  dropPhotos,
  findSent,
  readPhotos,
  readPhotosOf,
  sendAgain,
} from "../../store/work/photo.ts";
import type { Users } from "../access/user.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Log } from "../core/log.ts";
import type { Photos } from "../work/photo.ts";
import { removedIn } from "../work/photo_take.ts";
import { toldChanges } from "../work/share.ts";
import { takeChanges } from "../work/take.ts";
import type { RefusedChange } from "../work/told.ts";
import type { WorkUnitOfWork } from "../work/unit_of_work.ts";
import type { Work } from "../work/work.ts";
import { AlarmExchange } from "./alarm_exchange.ts";
import { Cursors, inTurns, type Place } from "./cursors.ts";
import type { Way } from "./forward.ts";
import { LineFault } from "./line.ts";

type ExchangeParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly work: Work;
  readonly photos: Pick<Photos, "forget">;
  readonly effects: Pick<Effects, "monotonic_ms" | "now_us" | "random">;
  readonly log: Log;
};

const never_heard = { heard_no: 0, heard_id: null, sent_id: null, sites: null } as const;

/** What is told at once of a project. */
type Batch = { readonly rows: readonly ChangeWaiting[]; readonly is_more: boolean };

/**
 * Tells and hears of each project in turns. What the centre has and what was heard is noted in the
 * transaction that stores what was heard, after the answer: where either side stops, all is told
 * again, and nothing is taken twice.
 */
export class WorkExchange {
  readonly cursors: Cursors<WorkCursor>;
  readonly #parts: ExchangeParts;
  /** When the centre said last that it does not share a project's work with this gateway. */
  readonly #absent_ms = new Map<number, number>();
  /** When what can't be taken of a project was looked at last. */
  readonly #tried_ms = new Map<number, number>();

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.cursors = new Cursors({
      ...{ ...parts, read: readWorkCursors, forget: forgetWorkCursors },
      ...{ ask_ms: upstream_limits.work_ms, limit: upstream_limits.work_changes },
    });
  }

  /** Says that the centre is another one from now on, which has nothing. */
  beginAnew(): void {
    this.cursors.beginAnew();
    this.#absent_ms.clear();
  }

  /** Exchanges what there is of some projects. Throws a `LineFault` where the centre can't now. */
  runAll(way: Way): Promise<void> {
    return inTurns(this.#parts.catalog.projects, way, (place) => this.#run(place));
  }

  async #run(place: Place): Promise<void> {
    const { project, signal } = place;
    const { cursors } = this;
    const { work, effects } = this.#parts;
    const now_ms = effects.monotonic_ms();
    const absent_ms = this.#absent_ms.get(project.project_no) ?? -Infinity;
    if (now_ms - absent_ms < upstream_limits.work_aside_ms) return;
    for (let is_more = true; is_more && !signal.aborted;) {
      const { era } = cursors;
      const known = await cursors.of(project);
      // Nothing is kept for a centre that never shared work with this gateway.
      if (known) await work.share(project);
      const cursor = known ?? { project_no: project.project_no, ...never_heard };
      const batch = known ? await this.#next(project) : { rows: [], is_more: true };
      if (batch.rows.length === 0 && !cursors.isDue(project)) return;
      const answer = await this.#ask(batch, { ...place, cursor });
      if (signal.aborted) return;
      if (answer === "absent") {
        this.#absent_ms.set(project.project_no, now_ms);
        return;
      }
      if (answer === "poisoned") {
        cursors.halve(batch.rows.length);
        continue;
      }
      const left = await this.#left(answer, { ...place, cursor });
      if (left === undefined) return;
      const told = { ...answer, gone: [...new Set([...answer.gone, ...left])] };
      const { heard_no } = await this.#settle(project, { batch, answer: told, cursor, era });
      const is_more_there = answer.is_more || answer.lacks || heard_no < answer.next_no;
      cursors.answered(project, { is_more: is_more_there });
      is_more = batch.is_more || is_more_there;
    }
  }

  /** What is told next: what the centre has not, what it refused only after a time. */
  async #next({ project_no }: Project): Promise<Batch> {
    const { limit } = this.cursors;
    const due_us = this.#parts.effects.now_us() - upstream_limits.work_aside_ms * 1000;
    const read = await this.#parts.database.read(async (connection) => {
      const waiting = await readWaitingChanges(connection, { project_no, due_us, limit });
      const whole = { project_no, whole_no: null, facts: this.#parts };
      return await toldChanges(connection, waiting, whole);
    });
    const rows = fitting(read);
    return { rows, is_more: rows.length < read.length || read.length === limit };
  }

  /**
   * What is here of sites of which this gateway is told no longer, as the centre says; undefined
   * where it can't be asked. Until the cursor has the sites that are left, it is asked again.
   */
  async #left(
    { sites, lacks }: WorkExchanged,
    place: Place & { readonly cursor: WorkCursor },
  ): Promise<readonly string[] | undefined> {
    const { cursor, project: { project_no }, signal } = place;
    const was = cursor.sites?.split(",");
    const is_less = was === undefined || was.some((site) => !sites.includes(site));
    // A centre that forgot its log does not know what moved since.
    if (cursor.heard_id === null || !is_less && !lacks) return [];
    const gone: string[] = [];
    const limit = upstream_limits.work_changes;
    let had: readonly string[] = [];
    do {
      const after_id = had.at(-1) ?? "";
      had = await this.#parts.database.read((connection) =>
        findSharedAfter(connection, { project_no, after_id, limit })
      );
      const answer = await this.#ask({ rows: [], had }, place);
      if (typeof answer === "string" || signal.aborted) return undefined;
      gone.push(...answer.gone);
    } while (had.length === limit);
    return gone;
  }

  /** The centre's answer; whether it refuses what it is told as a whole, or knows no such way. */
  async #ask(
    { rows, had = [] }: Pick<Batch, "rows"> & { readonly had?: readonly string[] },
    place: Place & { readonly cursor: WorkCursor },
  ): Promise<WorkExchanged | "poisoned" | "absent"> {
    const { cursor, project: { project_no }, line, id, signal } = place;
    const changes = rows.map(({ body }) => JSON.parse(body));
    const again = rows.filter(wasTold).map(({ id }) => id);
    const { heard_no, heard_id, sent_id } = cursor;
    const sites = this.#parts.catalog.sites.filter((it) => it.project_no === project_no)
      .map(({ key }) => key).slice(0, upstream_limits.work_sites);
    const said: Partial<Said> = {
      ...{ heard_no, heard_id, sent_id, sites, changes, again },
      ...had.length > 0 && { had: [...had] },
    };
    const { status, text } = await line.ask({
      path: "/ingest/v1/gateways/work",
      search: { project_id: id },
      body: new TextEncoder().encode(JSON.stringify(said)),
      media_type: "application/json",
    }, signal);
    const is_refused = status === 400 || status === 413 || status === 422;
    if (is_refused && rows.length > 0) {
      if (rows.length > 1) return "poisoned";
      // It may be the question that is refused, not the change.
      const answer = await this.#ask({ rows: [] }, place);
      const refused = [{ id: rows[0].id, reason: detailOf(text) }];
      return typeof answer === "string" ? answer : { ...answer, refused };
    }
    if (signal.aborted) return "absent";
    // Samples and alarms go on: to a centre of another version, or with a token that lacks `sync`.
    if (status === 403 || status === 404 || is_refused) {
      this.#parts.log.warning("the centre shares no work with this gateway: {detail}", {
        detail: detailOf(text),
      });
      return "absent";
    }
    if (status !== 200) throw new LineFault(waitReason(status, detailOf(text)));
    const answer = work_exchanged_form.safeParse(jsonIn(text)).data;
    if (answer === undefined) throw new LineFault(strange_centre);
    return answer;
  }

  /** Stores what the centre changed, and how far each has told the other, in one transaction. */
  async #settle(
    project: Project,
    { batch, answer, cursor: before, era }: {
      readonly batch: Batch;
      readonly answer: WorkExchanged;
      readonly cursor: WorkCursor;
      readonly era: number;
    },
  ): Promise<WorkCursor> {
    const { project_no } = project;
    const reasons = new Map(answer.refused.map(({ id, reason }) => [id, reason]));
    const taken = batch.rows.filter(({ id }) => !reasons.has(id));
    // Once all was heard, its own changes were, too.
    const is_whole = answer.lacks || !answer.is_more;
    const sent_id = is_whole ? null : taken.at(-1)?.id ?? before.sent_id;
    const { next_no: heard_no, next_id: heard_id } = answer;
    const sites = answer.sites.join();
    const heard = { project_no, heard_no, heard_id, sent_id, sites };
    // Of sites that are told from now on, it has to hear from the beginning.
    const is_other = before.heard_id !== null && before.sites !== sites;
    const cursor = is_other ? { ...heard, heard_no: 0, heard_id: null } : heard;
    const is_still = isSame(cursor, before) && batch.rows.length === 0;
    const lost = await this.#lostOf(project_no, answer.wanted);
    const is_nothing = answer.changes.length + answer.gone.length + lost.length === 0;
    const now_ms = this.#parts.effects.monotonic_ms();
    const tried_ms = this.#tried_ms.get(project_no) ?? -Infinity;
    const is_due = now_ms - tried_ms >= upstream_limits.work_aside_ms;
    if (is_still && is_nothing && !answer.lacks && !is_due) return cursor;
    this.#tried_ms.set(project_no, now_ms);
    let removed: readonly string[] = [];
    await this.#parts.work.write(async (changes) => {
      if (era !== this.cursors.era) return;
      const { connection, now_us: at_us } = changes.write;
      const told = await this.#takeTold(changes, project, answer);
      const left = await takeGone(changes, answer.gone, project);
      removed = [...removedIn(told), ...left];
      // Of a photo that is there still the bytes are to go.
      const photos = await readPhotos(connection, taken.map(({ id }) => id));
      const there = new Set(photos.filter((it) => it.removed_at === null).map(({ id }) => id));
      const [whole, begun] = [false, true].map((begun) =>
        taken.filter(({ id }) => there.has(id) === begun).map(({ change_no }) => change_no)
      );
      await settleChanges(connection, { nos: whole, at_us });
      await settleChanges(connection, { nos: begun, at_us, is_told: false });
      for (const { change_no, id } of batch.rows) {
        const reason = reasons.get(id);
        if (reason === undefined) continue;
        await settleChanges(connection, { nos: [change_no], at_us, reason });
        this.#parts.log.warning("the centre does not take the change {id} of work: {reason}", {
          ...{ id, reason },
        });
      }
      if (answer.lacks) await unsettleChanges(connection, project_no);
      await sendAgain(connection, { project_no, ids: lost, at_us });
      await storeWorkCursor(connection, cursor);
    });
    this.#parts.photos.forget(removed);
    this.cursors.put(cursor, era);
    return cursor;
  }

  /** What the centre lost of the photos that it waits for: most of those are on their way. */
  #lostOf(project_no: number, ids: readonly string[]): Promise<readonly string[]> {
    return this.#parts.database.read((connection) => findSent(connection, { project_no, ids }));
  }

  /** Takes what the centre changed, and once more what could not be taken before; gives all. */
  async #takeTold(
    changes: WorkUnitOfWork,
    project: Project,
    { changes: told, numbers }: WorkExchanged,
  ): Promise<readonly unknown[]> {
    const { project_no } = project;
    const { connection, now_us: changed_at } = changes.write;
    // What was missing may be among what is told.
    const wait_us = told.length > 0 ? 0 : upstream_limits.work_aside_ms * 1000;
    const due_us = changed_at - wait_us;
    const limit = upstream_limits.work_changes;
    const asides = await readWorkAsides(connection, { project_no, due_us, limit });
    const all = [...asides.map(({ body }) => JSON.parse(body)), ...told];
    const refused = await takeChanges(changes, all, {
      ...{ ...this.#parts, project },
      numbers: new Map(numbers.map(({ id, number }) => [id, number])),
    });
    const reasons = new Map(refused.map(({ id, reason }) => [id, reason]));
    const idOf = (it: unknown) => String((Object(it) as Partial<RefusedChange>).id);
    await storeWorkAsides(connection, {
      ...{ project_no, ids: all.map(idOf) },
      asides: all.filter((it) => reasons.has(idOf(it))).map((it) => ({
        ...{ id: idOf(it), project_no, changed_at },
        ...{ body: JSON.stringify(it), reason: reasons.get(idOf(it))! },
      })),
    });
    const known = new Set(asides.map(({ id }) => id));
    for (const { id, reason } of refused) {
      if (known.has(id)) continue;
      this.#parts.log.warning("the change {id} of the centre's can't be taken: {reason}", {
        ...{ id, reason },
      });
    }
    return all;
  }
}

/**
 * Deletes what is gone, with its photos and changes, but for those that the centre does not have
 * yet; gives the ids of the photos.
 */
async function takeGone(
  changes: WorkUnitOfWork,
  ids: readonly string[],
  { project_no }: Project,
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  await changes.load({ project_no, issue_ids: ids, work_order_ids: ids });
  const { connection, stamp_us: deleted_at } = changes.write;
  changes.keepTaken([]);
  for (const owner_id of ids) {
    const issue = changes.issue(owner_id);
    if (issue) changes.putIssue({ ...issue, deleted_at });
    const order = changes.workOrder(owner_id);
    if (order) changes.putOrder({ ...order, deleted_at });
  }
  await dropGone(connection, { project_no, owner_ids: ids });
  const photos = await readPhotosOf(connection, { project_no, owner_ids: ids });
  const kept = await findChangeIds(connection, { project_no, ids: photos });
  const dropped = photos.filter((id) => !kept.has(id));
  await dropPhotos(connection, dropped);
  return dropped;
}

type Exchanging =
  & ConstructorParameters<typeof AlarmExchange>[0]
  & ConstructorParameters<typeof WorkExchange>[0];

/** Alarms, then issues and work orders, which may be of these alarms. */
export class Exchanges {
  readonly #all: readonly (AlarmExchange | WorkExchange)[];

  constructor(parts: Exchanging) {
    this.#all = [new AlarmExchange(parts), new WorkExchange(parts)];
  }

  /** Forgets what was told, in the transaction that makes the centre another one. */
  async forget(connection: Connection): Promise<void> {
    for (const { cursors } of this.#all) await cursors.forget(connection);
  }

  /** Says that the centre is another one from now on, which has nothing. */
  beginAnew(): void {
    for (const it of this.#all) it.beginAnew();
  }

  /** Says that the line failed: what the centre knows is asked for before anything else. */
  askAgain(): void {
    for (const { cursors } of this.#all) cursors.askAgain();
  }

  /** Exchanges what there is of some projects. Throws a `LineFault` where the centre can't now. */
  async runAll(way: Way): Promise<void> {
    for (const it of this.#all) await it.runAll(way);
  }
}
