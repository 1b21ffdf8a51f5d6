// The inbound sync: what another system says of issues, signed, applied once.
import { type Effects, giveWay } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { work_limits } from "../../model/work/limits.ts";
import type { Project } from "../../model/plant/plant.ts";
import {
  clockRefusal,
  isSignedWith,
  parseSignature,
  type Signature,
} from "../../model/webhooks/signature.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";
import { type Issue, issue_statuses, issueStep, work_priorities } from "../../model/work/issue.ts";
import {
  parseSync,
  type SyncAnswer,
  type SyncItem,
  type SyncOrder,
  type SyncReason,
  type SyncResult,
} from "../../model/work/sync.ts";
import { type Grant, reaches } from "../../model/access/token.ts";
import { findSyncCall, keepSyncCall, windowBefore } from "../../store/work/repeat.ts";
import { parseExact } from "../../wire/alarms/decode_json.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Subscriptions } from "../webhooks/subscription.ts";
import { userNamed } from "../access/actor.ts";
import type { Users } from "../access/user.ts";
import type { WorkUnitOfWork } from "./unit_of_work.ts";
import type { Work } from "./work.ts";

/** What the inbound sync works with. */
type SyncParts = {
  readonly catalog: Catalog;
  readonly users: Pick<Users, "named">;
  readonly subscriptions: Pick<Subscriptions, "list" | "ofOrganization" | "secretsOf">;
  readonly work: Pick<Work, "write">;
  readonly effects: Pick<Effects, "now_us">;
};

/** A call as it comes; its token is known to have the scope. */
type SyncRequest = {
  readonly grant: Grant;
  /** The text of x-svc-signature; null where it is missing. */
  readonly header: string | null;
  /** Reads the body's bytes as they came. */
  readonly read: () => Promise<Uint8Array>;
};

/**
 * Takes a call: looks at its signature's form and time, at the signature, at the body and at the
 * project, in this order, then applies each item by itself, all in one transaction with the answer,
 * which a repeat of the call gets. Throws a `Fault`, and then nothing of the call is kept:
 * unauthorized, invalid with every flaw, or forbidden, the same whether or not the project exists.
 */
export async function syncIssues(parts: SyncParts, request: SyncRequest): Promise<SyncAnswer> {
  const signature = checkedSignature(request, parts.effects);
  const body = await request.read();
  const signers = await signersOf(parts, { signature, body, grant: request.grant });
  const order = parseSync(exactData(body));
  const { project, signer } = placeOf(parts, { order, signers, grant: request.grant });
  return await apply(parts, order, { project, signer, user_id: request.grant.user_id });
}

/** A signature whose form and time are right. */
function checkedSignature({ header }: SyncRequest, { now_us }: SyncParts["effects"]): Signature {
  const parsed = parseSignature(header);
  if ("refused" in parsed) throw new Fault("unauthorized", parsed.refused.reason);
  const { signature } = parsed;
  if (signature.v1.length === 0) throw new Fault("unauthorized", "x-svc-signature has no v1");
  const refused = clockRefusal(signature, now_us());
  if (refused) throw new Fault("unauthorized", refused.reason);
  return signature;
}

type Signed = {
  readonly signature: Signature;
  readonly body: Uint8Array;
  readonly grant: Grant;
};

/** The subscriptions that the token can speak for and whose secret signed: one, as a rule. */
async function signersOf(
  { subscriptions }: SyncParts,
  { signature, body, grant: { organization_id } }: Signed,
): Promise<readonly Subscription[]> {
  const all = organization_id === null
    ? subscriptions.list()
    : subscriptions.ofOrganization(organization_id);
  const signers: Subscription[] = [];
  let hashed = 0;
  for (const signer of all) {
    const secrets = subscriptions.secretsOf(signer).map(({ secret }) => secret);
    if (isSignedWith(signature, body, { secrets })) signers.push(signer);
    hashed += secrets.length * body.length;
    if (hashed < work_limits.sync_hashed_bytes) continue;
    // So many secrets over a large body would keep all else waiting.
    hashed = 0;
    await giveWay();
  }
  if (signers.length > 0) return signers;
  throw new Fault("unauthorized", "no v1 of x-svc-signature is by a secret of a subscription");
}

function exactData(body: Uint8Array): unknown {
  const parsed = parseExact(body, { start: 0, end: body.length });
  if (parsed !== "ended" && "data" in parsed) return parsed.data;
  const message = parsed === "ended" ? "is not JSON: it ends too early" : parsed.flaw;
  throw new Fault("invalid", `the call can't be read: body: ${message}`, {
    flaws: [{ path: "body", message }],
  });
}

type Claim = {
  readonly order: SyncOrder;
  readonly signers: readonly Subscription[];
  readonly grant: Grant;
};

/** The project, which both the token and the subscription that signed must reach. */
function placeOf(
  { catalog }: SyncParts,
  { order: { organization_id, project_id }, signers, grant }: Claim,
): { readonly project: Project; readonly signer: Subscription } {
  const of_organization = catalog.organizations.filter((it) =>
    it.id === organization_id || it.key === organization_id
  ).flatMap(({ id }) => catalog.projects.filter((it) => it.organization_id === id));
  const project = of_organization.find((it) => it.id === project_id) ??
    of_organization.find((it) => it.key === project_id);
  if (project && reaches(grant, project)) {
    const signer = signers.find((it) =>
      it.organization_id === project.organization_id &&
      (it.project_ids === null || it.project_ids.includes(project.id))
    );
    if (signer) return { project, signer };
  }
  throw new Fault("forbidden", "the token or the subscription does not reach this project");
}

type Place = {
  readonly project: Project;
  readonly signer: Subscription;
  readonly user_id: string | null;
};

/** Calls wait for one another here, so that the second of two equal ones finds the first. */
async function apply(
  { users, work }: SyncParts,
  { delivery_id, issues }: SyncOrder,
  { project, signer, user_id }: Place,
): Promise<SyncAnswer> {
  const { project_no } = project;
  return await work.write(async (changes) => {
    const { connection, stamp_us } = changes.write;
    const window = windowBefore(changes.write, work_limits.sync_window_us);
    const before = await findSyncCall(connection, { project_no, delivery_id, ...window });
    if (before !== undefined) return { ...JSON.parse(before) as SyncAnswer, duplicate: true };
    changes.origin = signer.id;
    changes.user_id = user_id;
    const issue_ids = [...new Set(issues.map(({ issue_id }) => issue_id))];
    await changes.load({ project_no, issue_ids });
    const results = issues.map((item) => applyItem(changes, item, { users, project }));
    const applied = results.filter(({ status }) => status === "updated").length;
    const answer: SyncAnswer = { ok: true, applied, results };
    const call = { project_no, delivery_id, received_at: stamp_us, answer: JSON.stringify(answer) };
    await keepSyncCall(connection, { ...call, ...window });
    return answer;
  });
}

/** Where an issue is, and who can be given it. */
type ItemPlace = { readonly users: Pick<Users, "named">; readonly project: Project };

/** Applies an item to an issue that was loaded, as changed so far. */
function applyItem(changes: WorkUnitOfWork, item: SyncItem, place: ItemPlace): SyncResult {
  const { issue_id } = item;
  const issue = changes.issue(issue_id);
  if (issue === undefined) {
    const reason = "unknown_issue";
    return { external_id: item.external_id ?? null, issue_id, status: "not_found", reason };
  }
  const next = itemApplied(issue, item, { ...place, at_us: changes.write.stamp_us });
  if (typeof next === "string") {
    return { external_id: issue.external_id, issue_id, status: "rejected", reason: next };
  }
  const { external_id } = next;
  if (next === issue) return { external_id, issue_id, status: "unchanged", reason: null };
  changes.changeIssue(next);
  return { external_id, issue_id, status: "updated", reason: null };
}

/** The issue as the item wants it, the very same if it is so already; or why it can't be. */
function itemApplied(
  issue: Issue,
  item: SyncItem,
  { users, project, at_us }: ItemPlace & { readonly at_us: number },
): Issue | SyncReason {
  const to = wordOf(issue_statuses, item.status ?? issue.status);
  if (to === undefined) return "invalid_status";
  const priority = wordOf(work_priorities, item.priority ?? issue.priority);
  if (priority === undefined) return "invalid_priority";
  const { assignee: word } = item;
  const assignee = word ? userNamed(users, { word, project }) : undefined;
  if (typeof word === "string" && assignee === undefined) return "unknown_assignee";
  const step = issueStep(issue, { to, at_us });
  if ("refused" in step) return "invalid_transition";
  const stepped = "issue" in step ? step.issue : issue;
  const assigned_to = word === undefined ? issue.assigned_to : assignee?.id ?? null;
  const { external_id = issue.external_id } = item;
  const isSame = stepped === issue && priority === issue.priority &&
    assigned_to === issue.assigned_to && external_id === issue.external_id;
  if (isSame) return issue;
  // What was merged into another issue stays as it was then.
  if (issue.status === "merged") return "invalid_transition";
  return { ...stepped, priority, assigned_to, external_id };
}

function wordOf<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  return words.find((word) => word === text);
}
