// Requests that change issues and work orders: one transaction, one answer, and that for a repeat.
import { Fault } from "../../base/fault.ts";
import { work_limits } from "../../model/work/limits.ts";
import type { Issue } from "../../model/work/issue.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Grant } from "../../model/access/token.ts";
import type { WorkOrder } from "../../model/work/work_order.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database, Write } from "../../store/database.ts";
import { findAnswered, keepAnswered, type OnceKey, windowBefore } from "../../store/work/repeat.ts";
import { readIssue } from "../../store/work/issue.ts";
import { readWorkOrder } from "../../store/work/work_order.ts";
import { actorOf } from "../access/actor.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Users } from "../access/user.ts";
import type { WorkUnitOfWork } from "./unit_of_work.ts";
import type { Work } from "./work.ts";

/** What requests on issues and work orders work with. */
export type WorkActionParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly work: Pick<Work, "begin" | "committed" | "has_centre">;
};

/** Where someone asks for a change, with which token, and under which conditions. */
export type WorkAsk = {
  readonly project: Project;
  readonly grant: Grant;
  /** Versions of which the present one must be one; undefined: every one will do. */
  readonly if_match?: readonly number[];
  /** Under which key a repeat gets the same answer. */
  readonly once?: Omit<OnceKey, "token_id">;
};

/** The outcome of a change: what is answered, or the id and name of what was deleted. */
type Outcome =
  | { readonly kind: "issue" | "work_order"; readonly id: string; readonly note?: WorkNote }
  | { readonly kind: "deleted"; readonly shown: object };

/** Whether what is answered was made by the request, or was there and is answered instead. */
type WorkNote = "created" | "existing";

/** The answer to a change. */
export type WorkAnswer = {
  /** JSON: the issue or work order as its latest snapshot has it. */
  readonly body: string;
  /** Null of what was deleted. */
  readonly version: number | null;
  readonly note?: WorkNote;
  /** Whether it is what was answered before under the same key. */
  readonly is_replayed?: true;
};

/**
 * Makes a change in one transaction and answers its outcome; a repeat under the same key gets the
 * same answer. Throws the change's `Fault`, and conflict where the key stood for another request.
 */
export async function actOnWork(
  { database, users, work }: WorkActionParts,
  { user, ...ask }: WorkAsk & { readonly user: string | undefined },
  act: (changes: WorkUnitOfWork) => Promise<Outcome>,
): Promise<WorkAnswer> {
  const user_id = actorOf(users, { ...ask, word: user });
  const once = ask.once && { ...ask.once, token_id: ask.grant.token_id };
  const { answer, stored } = await database.write(async (write) => {
    const replayed = once && await findReplay(write, once);
    if (replayed) return { answer: replayed };
    const changes = work.begin(write);
    changes.user_id = user_id;
    const outcome = await act(changes);
    const stored = await changes.store();
    const answer = await answerOf(write.connection, outcome, ask.project);
    if (once) await keep(write, once, answer);
    return { answer, stored };
  });
  if (stored) work.committed(stored);
  return answer;
}

/** Throws a `Fault` (conflict) at a gateway, for what its centre alone does: it can't be merged. */
export function requireNoCentre({ work }: Pick<WorkActionParts, "work">, what: string): void {
  if (!work.has_centre) return;
  throw new Fault("conflict", `this is a gateway: ${what} at its centre, it comes here by itself`);
}

/** Reads an issue within a change. Throws a `Fault`: not_found, or precondition_failed. */
export async function takeIssue(
  changes: WorkUnitOfWork,
  id: string,
  { project: { project_no }, if_match }: WorkAsk,
): Promise<Issue> {
  await changes.load({ project_no, issue_ids: [id] });
  const issue = changes.issue(id);
  if (issue === undefined) throw noIssue();
  requireVersion(issue, if_match);
  return issue;
}

/** Reads a work order within a change, likewise. */
export async function takeOrder(
  changes: WorkUnitOfWork,
  id: string,
  { project: { project_no }, if_match }: WorkAsk,
): Promise<WorkOrder> {
  await changes.load({ project_no, work_order_ids: [id] });
  const order = changes.workOrder(id);
  if (order === undefined) throw noOrder();
  requireVersion(order, if_match);
  return order;
}

/** The refusal of an id that the project has not. */
export function noIssue(): Fault {
  return new Fault("not_found", "the project has no issue with this ID");
}

/** The same of a work order's. */
export function noOrder(): Fault {
  return new Fault("not_found", "the project has no work order with this ID");
}

function requireVersion({ version }: Issue | WorkOrder, if_match?: readonly number[]): void {
  if (if_match === undefined || if_match.includes(version)) return;
  const message = `it is at version ${version}: someone changed it; read it again`;
  throw new Fault("precondition_failed", message);
}

async function findReplay(
  write: Write,
  { token_id, key, digest }: OnceKey,
): Promise<WorkAnswer | undefined> {
  const window = windowBefore(write, work_limits.idempotency_us);
  const found = await findAnswered(write.connection, { token_id, key, ...window });
  if (found === undefined) return undefined;
  if (found.digest === digest) return { ...JSON.parse(found.answer), is_replayed: true };
  throw new Fault("conflict", "another request was sent under this Idempotency-Key");
}

async function keep(write: Write, once: OnceKey, answer: WorkAnswer): Promise<void> {
  const row = { ...once, answer: JSON.stringify(answer), created_at: write.stamp_us };
  const window = windowBefore(write, work_limits.idempotency_us);
  await keepAnswered(write.connection, { ...row, ...window });
}

async function answerOf(
  connection: Connection,
  outcome: Outcome,
  { project_no }: Project,
): Promise<WorkAnswer> {
  if (outcome.kind === "deleted") return { body: JSON.stringify(outcome.shown), version: null };
  const { kind, id, note } = outcome;
  const read = kind === "issue" ? readIssue : readWorkOrder;
  const { snapshot: body, version } = (await read(connection, { project_no, id }))!;
  return { body, version, ...(note ? { note } : {}) };
}
