// What people do with issues: open, change, delete, comment, merge, link them to alarms.
import { Fault } from "../../base/fault.ts";
import { work_limits } from "../../model/work/limits.ts";
import { type Issue, type IssueDevice, issueStep, mergeStep } from "../../model/work/issue.ts";
import {
  alarms_form,
  comment_form,
  issue_change_form,
  issue_form,
  merge_form,
  type SentIssue,
  type SentIssueChange,
} from "../../model/work/issue_form.ts";
import { actor_form, parseWork, workRefusal } from "../../model/work/form.ts";
import { findOccurrences } from "../../store/alarms/alarm.ts";
import { fillIssue } from "./issue_origin.ts";
import {
  actOnWork,
  requireNoCentre,
  takeIssue,
  type WorkActionParts,
  type WorkAnswer,
  type WorkAsk,
} from "./action.ts";
import type { WorkUnitOfWork } from "./unit_of_work.ts";
import {
  checkAssignee,
  checkDevices,
  type Checking,
  checkInstant,
  checkSpan,
  saidOf,
} from "./request.ts";

/** A request on the issue of an id. */
type IssueAsk = WorkAsk & { readonly id: string };

/** Opens an issue; from an alarm, a drop or an outage, what is not said is filled in. */
export async function createIssue(
  parts: WorkActionParts,
  data: unknown,
  ask: WorkAsk,
): Promise<WorkAnswer> {
  const { project } = ask;
  const { user, from, ...sent } = parseWork(issue_form, data);
  const checking: Checking = { ...parts, project, flaws: [] };
  const said = checkFields(sent, checking);
  const fill = from && await fillIssue(parts.database, from, checking);
  const filled = { ...blank, ...fill?.fields, ...said };
  checkSpan(filled, "", checking);
  if (checking.flaws.length > 0) throw workRefusal(checking.flaws);
  return await actOnWork(parts, { ...ask, user }, async (changes) => {
    const { project_no } = project;
    await changes.load({ project_no });
    const source = sent.source ?? filled.source;
    const draft = { ...filled, source, project_no, created_by: changes.user_id };
    const issue = changes.addIssue(draft);
    changes.link(issue, fill?.occurrences ?? []);
    return { kind: "issue", id: issue.id, note: "created" };
  });
}

/** Changes what is said of an issue. */
export async function changeIssue(
  parts: WorkActionParts,
  data: unknown,
  ask: IssueAsk,
): Promise<WorkAnswer> {
  const { user, status: to, ...sent } = parseWork(issue_change_form, data);
  const checking: Checking = { ...parts, project: ask.project, flaws: [] };
  const said = checkFields(sent, checking);
  if (checking.flaws.length > 0) throw workRefusal(checking.flaws);
  return await actOnWork(parts, { ...ask, user }, async (changes) => {
    const issue = await takeIssue(changes, ask.id, ask);
    if (issue.status === "merged" && to === undefined) {
      throw new Fault("conflict", "it was merged into another issue, for good");
    }
    const next = { ...issue, ...said };
    checkSpan(next, "", checking);
    if (checking.flaws.length > 0) throw workRefusal(checking.flaws);
    changes.changeIssue(to === undefined ? next : stepped(next, to, changes));
    return { kind: "issue", id: issue.id };
  });
}

/** Deletes an issue with its work orders; answers its id and name. */
export async function deleteIssue(
  parts: WorkActionParts,
  data: unknown,
  ask: IssueAsk,
): Promise<WorkAnswer> {
  const { user } = parseWork(actor_form, data);
  requireNoCentre(parts, "delete the issue");
  return await actOnWork(parts, { ...ask, user }, async (changes) => {
    const issue = await takeIssue(changes, ask.id, ask);
    changes.deleteIssue(issue);
    return { kind: "deleted", shown: { id: issue.id, name: issue.name } };
  });
}

/** Adds a comment to the history of an issue. */
export async function commentIssue(
  parts: WorkActionParts,
  data: unknown,
  ask: IssueAsk,
): Promise<WorkAnswer> {
  const { user, body } = parseWork(comment_form, data);
  return await actOnWork(parts, { ...ask, user }, async (changes) => {
    const issue = await takeIssue(changes, ask.id, ask);
    changes.tell(issue, [{ kind: "commented", detail: { body } }]);
    return { kind: "issue", id: issue.id };
  });
}

/** Merges other issues into one, with their devices, work orders and alarms. */
export async function mergeIssues(
  parts: WorkActionParts,
  data: unknown,
  ask: IssueAsk,
): Promise<WorkAnswer> {
  const { user, issue_ids } = parseWork(merge_form, data);
  requireNoCentre(parts, "merge the issues");
  return await actOnWork(parts, { ...ask, user }, async (changes) => {
    const survivor = await takeIssue(changes, ask.id, ask);
    await changes.load({ project_no: ask.project.project_no, issue_ids });
    const step = mergeStep(survivor, knownIssues(changes, issue_ids, survivor));
    if ("refused" in step) {
      const at = issue_ids.indexOf(step.id);
      const flaws = at < 0 ? [] : [{ path: `issue_ids[${at}]`, message: step.refused }];
      throw new Fault("conflict", step.refused, { flaws });
    }
    const all = [survivor, ...step.merged];
    requireRoom(all.reduce((sum, issue) => sum + changes.ordersOf(issue).length, 0));
    const devices = unionOf(all);
    changes.changeIssue({ ...survivor, devices });
    changes.merge(survivor, step.merged);
    return { kind: "issue", id: survivor.id };
  });
}

/** Links an issue to alarm occurrences of its project. */
export async function linkAlarms(
  parts: WorkActionParts,
  data: unknown,
  ask: IssueAsk,
): Promise<WorkAnswer> {
  const { user, occurrence_ids: ids } = parseWork(alarms_form, data);
  return await actOnWork(parts, { ...ask, user }, async (changes) => {
    const issue = await takeIssue(changes, ask.id, ask);
    const { project_no } = ask.project;
    const found = await findOccurrences(changes.write.connection, { project_no, ids });
    const unknown = ids.flatMap((id, i) =>
      found.some(({ occurrence_id }) => occurrence_id === id)
        ? []
        : [{ path: `occurrence_ids[${i}]`, message: "the project has no occurrence with this ID" }]
    );
    if (unknown.length > 0) throw workRefusal(unknown);
    changes.link(issue, found);
    return { kind: "issue", id: issue.id };
  });
}

/** A new issue of which nothing is said. */
const blank = {
  name: "",
  description: null,
  priority: "medium",
  source: "manual",
  assigned_to: null,
  sentinel_tag: null,
  external_id: null,
  effective_from: null,
  effective_to: null,
  devices: [],
} as const satisfies Partial<Issue>;

/** What is said of an issue's fields, as they are kept. */
function checkFields(sent: Omit<SentIssue | SentIssueChange, "user" | "from">, checking: Checking) {
  const { name, description, priority, sentinel_tag, external_id } = sent;
  const span = {
    effective_from: checkInstant(sent.effective_from, "effective_from", checking),
    effective_to: checkInstant(sent.effective_to, "effective_to", checking),
  };
  return saidOf({
    ...{ name, description, priority, sentinel_tag, external_id, ...span },
    assigned_to: checkAssignee(sent.assigned_to, checking),
    devices: sent.devices && checkIssueDevices(sent.devices, checking),
  });
}

function checkIssueDevices(
  sent: NonNullable<SentIssue["devices"]>,
  checking: Checking,
): readonly IssueDevice[] {
  return checkDevices(sent, checking).map(({ device_id, component, ...span }, i) => {
    const [effective_from, effective_to] = (["effective_from", "effective_to"] as const)
      .map((name) => checkInstant(span[name] ?? null, `devices[${i}].${name}`, checking));
    checkSpan({ effective_from, effective_to }, `devices[${i}].`, checking);
    return { device_id, component, effective_from, effective_to };
  });
}

function stepped(issue: Issue, to: Issue["status"], { write }: WorkUnitOfWork): Issue {
  const step = issueStep(issue, { to, at_us: write.stamp_us });
  if ("refused" in step) throw new Fault("conflict", step.refused);
  return "unchanged" in step ? issue : step.issue;
}

/** The issues of a merge by their ids, none of them the survivor itself. */
function knownIssues(
  changes: WorkUnitOfWork,
  ids: readonly string[],
  survivor: Issue,
): readonly Issue[] {
  const flaws = ids.flatMap((id, i) => {
    const path = `issue_ids[${i}]`;
    if (id === survivor.id) return [{ path, message: "an issue is not merged into itself" }];
    return changes.issue(id) ? [] : [{ path, message: "is no issue of the project" }];
  });
  if (flaws.length > 0) throw workRefusal(flaws);
  return ids.map((id) => changes.issue(id)!);
}

/** Throws a `Fault` (conflict) where issues that become one have too many work orders. */
function requireRoom(count: number): void {
  const most = work_limits.orders_per_issue;
  if (count <= most) return;
  throw new Fault("conflict", `together they have more than ${most} work orders`);
}

/** The devices of some issues, of each device and component the first. */
function unionOf(issues: readonly Issue[]): readonly IssueDevice[] {
  const all = new Map<string, IssueDevice>();
  for (const device of issues.flatMap(({ devices }) => devices)) {
    const key = JSON.stringify([device.device_id, device.component]);
    if (!all.has(key)) all.set(key, device);
  }
  if (all.size <= work_limits.devices) return [...all.values()];
  throw new Fault("conflict", `together they affect more than ${work_limits.devices} devices`);
}
