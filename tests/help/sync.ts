// A plant's issues and another system that says over HTTP how they stand, for tests of the sync.
import { syncRoutes } from "../../src/http/work/issue.ts";
import type { IssueStatus } from "../../src/model/work/issue.ts";
import type { SyncItem, SyncOrder } from "../../src/model/work/sync.ts";
import { openFrame } from "./frame.ts";
import { wanted } from "./webhook.ts";
import { signedBy } from "./signature.ts";
import { issueDraft } from "./work.ts";
import { queryRows } from "./query.ts";

/** Where the sync is. */
export const sync_path = "/integrations/v1/issues/sync";

/** How a call is sent; what is not said is right. */
export type Sending = {
  /** Seconds since 1970 UTC. */
  readonly t?: number;
  readonly secret?: string;
  /** In place of the right signature; null: none. */
  readonly signature?: string | null;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Opens a service with a subscription of the first organization, a user and three open issues. */
export async function openSync() {
  const frame = await openFrame((services) => syncRoutes(services));
  const { services: { subscriptions, users, work }, clock } = frame;
  const subscribe = (more: object = {}) => subscriptions.create(wanted(more));
  const { subscription, secret } = await subscribe();
  const person = { email: "anna@plant.test", first_name: "Anna", last_name: "Ruiz" };
  const anna = await users.create({ ...person, organization: "a" });
  const addIssues = (names: readonly string[], project_no = 1) =>
    work.write(async (changes) => {
      await changes.load({ project_no });
      return names.map((name) => changes.addIssue(issueDraft({ name, project_no })).id);
    });
  const ids = await addIssues(["one", "two", "three"]);
  const token = await frame.token({ scopes: ["sync"], organization_id: "org-a" });
  const now_s = () => Math.floor(clock.now_us / 1e6);
  return {
    ...frame,
    ...{ subscription, secret, subscribe, anna, ids, addIssues, token, makeToken: frame.token },
    now_s,
    rows: <Row extends Record<string, string | number | null>>(sql: string) =>
      frame.database.read((it) => queryRows<Row>(it, sql)),
    /** Puts an issue into a status, whatever was before. */
    put: (id: string, status: IssueStatus) =>
      work.write(async (changes) => {
        await changes.load({ project_no: 1, issue_ids: [id] });
        changes.changeIssue({ ...changes.issue(id)!, status });
      }),
    /** A call of the first project. */
    call: (issues: readonly Partial<SyncItem>[], more: Partial<SyncOrder> = {}) => ({
      organization_id: "org-a",
      project_id: "project-1",
      delivery_id: "d-1",
      issues,
      ...more,
    }),
    /** Sends a body, signed. */
    async send(body: object | string, sending: Sending = {}) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const signature = sending.signature === undefined
        ? signedBy(sending.secret ?? secret, text, sending.t ?? now_s())
        : sending.signature;
      const response = await frame.fetch(sync_path, {
        method: "POST",
        headers: {
          "authorization": `Bearer ${sending.token ?? token}`,
          "content-type": "application/json",
          ...(signature === null ? {} : { "x-svc-signature": signature }),
          ...sending.headers,
        },
        body: text,
      });
      const answer = await response.text();
      return { status: response.status, text: answer, data: JSON.parse(answer) };
    },
  };
}
