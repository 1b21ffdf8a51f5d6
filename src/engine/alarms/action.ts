// Acts on alarms: as users ask, and by the clock, which takes them off the shelf in time.
import { limits } from "../../base/limits.ts";
import { Fault, type Flaw } from "../../base/fault.ts";
import type { Effects } from "../../base/effects.ts";
import { together } from "../../base/together.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import type { AlarmEvent, AlarmStatus, Occurrence } from "../../model/alarms/alarm.ts";
import { actionRefusal, type SentAction } from "../../model/alarms/action.ts";
import { act, type Acted, type QueueAction, wake } from "../../model/alarms/life.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Grant } from "../../model/access/token.ts";
import { readShelves, readTimelines } from "../../store/alarms/alarm.ts";
import type { Database } from "../../store/database.ts";
import { instantFlaw, instantOf } from "../../wire/bytes/instant.ts";
import { actorOf } from "../access/actor.ts";
import type { AlarmUnitOfWork } from "./unit_of_work.ts";
import type { Alarms } from "./alarm.ts";
import type { Users } from "../access/user.ts";
import { Loop } from "../core/loop.ts";

/** What actions work with. */
type ActionParts = {
  readonly alarms: Pick<Alarms, "write">;
  readonly users: Pick<Users, "get" | "named">;
};

/** Where someone acts, and with which token. */
type ActionPlace = { readonly project: Project; readonly grant: Grant };

/** What an action came to on one occurrence. */
type ActionResult = {
  readonly occurrence_id: string;
  /** Whether it is as the action wants it, now or since the same action before. */
  readonly ok: boolean;
  /** Its status now; null where the project has no such occurrence. */
  readonly status: AlarmStatus | null;
  /** Why not. */
  readonly reason: string | null;
};

/**
 * Acts on occurrences of a project, in one transaction, on each by itself. Throws a `Fault` that
 * holds for all of them: invalid with every flaw, or forbidden.
 */
export async function actOnAlarms(
  { alarms, users }: ActionParts,
  { occurrence_ids, ...sent }: SentAction & { readonly occurrence_ids: readonly string[] },
  place: ActionPlace,
): Promise<readonly ActionResult[]> {
  const { project_no } = place.project;
  const user_id = actingUser(users, { word: sent.user, ...place });
  return await alarms.write(async (changes) => {
    const { now_us: at_us } = changes.write;
    const action = checkedAction(sent, at_us);
    await changes.load({ project_no, ids: occurrence_ids });
    const found = occurrence_ids.map((id) => changes.find(project_no, id));
    const timelines = await readRepeats(changes, { found, action, user_id });
    return found.map((occurrence, i) => {
      if (occurrence === undefined) return missing(occurrence_ids[i]);
      const events = timelines.get(occurrence.occurrence_no);
      return settle(changes, occurrence, act(occurrence, action, { user_id, at_us, events }));
    });
  });
}

/** The same on one occurrence. Throws a `Fault` too where it is unknown or its state forbids. */
export async function actOnAlarm(
  parts: ActionParts,
  sent: SentAction & { readonly occurrence_id: string },
  place: ActionPlace,
): Promise<void> {
  const { occurrence_id, ...action } = sent;
  const order = { ...action, occurrence_ids: [occurrence_id] };
  const [{ ok, status, reason }] = await actOnAlarms(parts, order, place);
  if (ok) return;
  throw new Fault(status === null ? "not_found" : "conflict", reason!);
}

type ShelfParts = {
  readonly database: Database;
  readonly alarms: Alarms;
  readonly effects: Pick<Effects, "now_us" | "sleep">;
};

/**
 * The ends of shelves in memory, as the stored occurrences say; nothing else is kept, so a restart
 * takes up those that ended meanwhile. The clock may jump: an occurrence leaves the shelf once,
 * when the clock says that its time is up.
 */
export class Shelving {
  /** Takes off the shelf in the background, asleep until the next one is due. */
  readonly loop: Loop;
  readonly #parts: ShelfParts;
  readonly #ends = new Map<number, number>();

  private constructor(parts: ShelfParts) {
    this.#parts = parts;
    this.loop = new Loop({
      name: "ending shelves of alarms",
      effects: parts.effects,
      retry_ms: limits.loop_retry_ms,
      turn: async () => {
        await this.settle();
        return this.#sleepMs();
      },
    });
  }

  /** Reads the shelves, and follows every change of them from now on. */
  static async open(parts: ShelfParts): Promise<Shelving> {
    const shelving = new Shelving(parts);
    for (const { occurrence_no, shelved_until } of await parts.database.read(readShelves)) {
      shelving.#ends.set(occurrence_no, shelved_until);
    }
    parts.alarms.listen(({ raised, changed }) => {
      for (const occurrence of raised) shelving.#note(occurrence);
      for (const occurrence of changed) shelving.#note(occurrence);
    });
    return shelving;
  }

  /** Takes off the shelf what is due now; what fails there keeps no other on it. */
  async settle(): Promise<void> {
    const now_us = this.#parts.effects.now_us();
    const due = [...this.#ends].filter(([, until_us]) => until_us <= now_us).map(([no]) => no);
    for (let at = 0; at < due.length; at += alarm_limits.shelves_per_write) {
      const nos = due.slice(at, at + alarm_limits.shelves_per_write);
      const [failed] = await together(nos, (some) => this.#wake(some, now_us));
      if (failed) throw failed.error;
    }
  }

  #wake(nos: readonly number[], now_us: number): Promise<void> {
    return this.#parts.alarms.write(async (changes) => {
      await changes.load({ nos });
      for (const occurrence_no of nos) {
        const occurrence = changes.get(occurrence_no)!;
        const step = wake(occurrence, now_us);
        if (step) changes.change(step.occurrence, step.events);
        else this.#note(occurrence);
      }
    });
  }

  #note({ occurrence_no, shelved_until }: Occurrence): void {
    if (shelved_until === null) this.#ends.delete(occurrence_no);
    else if (this.#ends.get(occurrence_no) !== shelved_until) {
      this.#ends.set(occurrence_no, shelved_until);
      this.loop.wake();
    }
  }

  /** Until the next is due. */
  #sleepMs(): number {
    const due_us = this.#ends.values().reduce((least, end) => Math.min(least, end), Infinity);
    return Math.ceil((due_us - this.#parts.effects.now_us()) / 1000);
  }
}

/** Who acts, who must be known. */
function actingUser(
  users: ActionParts["users"],
  acting: ActionPlace & { readonly word: string | undefined },
): string {
  const user_id = actorOf(users, acting);
  if (user_id !== null) return user_id;
  throw actionRefusal([{ path: "user", message: "say who acts: the token is no user's" }]);
}

function checkedAction(sent: SentAction, now_us: number): QueueAction {
  const { action } = sent;
  if (action === "resolve") return { action, note: sent.note! };
  if (action === "comment") return { action, body: sent.body! };
  if (action !== "shelve") return { action };
  const until_us = instantOf(sent.until!);
  const flaws: Flaw[] = [];
  if (Number.isNaN(until_us)) flaws.push({ path: "until", message: instantFlaw(sent.until!) });
  else if (until_us <= now_us) flaws.push({ path: "until", message: "must be in the future" });
  else if (until_us > now_us + alarm_limits.shelve_us) {
    const days = alarm_limits.shelve_us / 86_400_000_000;
    flaws.push({ path: "until", message: `give an end at most ${days} days from now` });
  }
  if (flaws.length > 0) throw actionRefusal(flaws);
  return { action, until_us, reason: sent.reason! };
}

type Doubt = {
  readonly found: readonly (Occurrence | undefined)[];
  readonly action: QueueAction;
  readonly user_id: string;
};

/** The newest events, by occurrence, of those where the action may be one that was done before. */
async function readRepeats(
  changes: AlarmUnitOfWork,
  { found, action, user_id }: Doubt,
): Promise<ReadonlyMap<number, readonly AlarmEvent[]>> {
  const { connection, now_us: at_us } = changes.write;
  const doubtful = found.filter((it) => it !== undefined).filter((occurrence) =>
    action.action === "comment" || "refused" in act(occurrence, action, { user_id, at_us })
  );
  const events = await readTimelines(connection, doubtful, { newest: alarm_limits.events_shown });
  return Map.groupBy(events, ({ occurrence_no }) => occurrence_no);
}

function settle(changes: AlarmUnitOfWork, occurrence: Occurrence, acted: Acted): ActionResult {
  const { occurrence_id, status } = occurrence;
  if ("refused" in acted) return { occurrence_id, ok: false, status, reason: acted.refused };
  if ("unchanged" in acted) return { occurrence_id, ok: true, status, reason: null };
  const { step } = acted;
  changes.change(step.occurrence, step.events);
  return { occurrence_id, ok: true, status: step.occurrence.status, reason: null };
}

function missing(occurrence_id: string): ActionResult {
  const reason = "the project has no occurrence with this ID";
  return { occurrence_id, ok: false, status: null, reason };
}
