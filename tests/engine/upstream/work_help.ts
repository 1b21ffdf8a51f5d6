// A gateway and its centre with a site and people, and what of their work must be the same.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import type { WorkExchange } from "../../../src/model/upstream/work.ts";
import type { SharedIssue } from "../../../src/model/work/change.ts";
import { queryRows } from "../../help/query.ts";
import type { TestService } from "../../help/service.ts";
import { type Forwarding, openForwarding } from "../../help/upstream.ts";

/** A site of the project, with two inverters. */
export const siteOf = (key: string, devices: readonly string[]) => ({
  version: 1,
  organization: { key: "o1", name: "O 1" },
  project: { key: "p1", name: "P 1", timezone: "UTC" },
  site: { key, name: key, latitude: 40, longitude: -3 },
  devices: devices.map((key) => ({ key, type: "inverter", name: key })),
});
const site = siteOf("s1", ["inv1", "inv2"]);

/** Fields as they are sent or answered. */
export type Said = Readonly<Record<string, unknown>>;
/** An issue or a work order as it is answered. */
export type Shown = {
  readonly id: string;
  readonly number: number;
  readonly [field: string]: unknown;
};

/** Asks a side something of the project. */
export async function ask(
  side: TestService,
  path: string,
  body?: Said,
  method = body ? "POST" : "GET",
): Promise<Response> {
  return await side.fetch(path.startsWith("/admin") ? path : `${path}?project_id=p1`, {
    method,
    ...body && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    },
  });
}

/** The answer, which must be a good one. */
export async function done<T = Shown>(answering: Promise<Response>): Promise<T> {
  const answer = await answering;
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return JSON.parse(text);
}

export const issues = "/platform/v1/issues";
export const orders = "/platform/v1/work-orders";

/** Both sides with the same site; Ben is a user of the gateway alone. */
export async function withLine(
  work: (world: Forwarding) => Promise<void>,
  options: Parameters<typeof openForwarding>[0] = {},
): Promise<void> {
  const world = await openForwarding(options);
  try {
    for (const side of [world.gateway, world.centre]) {
      await done(ask(side, "/admin/v1/sites/s1", site, "PUT"));
      for (const email of ["ana@acme.example", "ben@acme.example"]) {
        // Ben is no user of the centre's.
        if (email.startsWith("ben") && side === world.centre) continue;
        const names = { first_name: email.slice(0, 3), last_name: "Gil" };
        await done(ask(side, "/admin/v1/users", { organization: "o1", email, ...names }));
      }
    }
    await work(world);
  } finally {
    await world.close();
  }
}

/** Time goes on, and the gateway looks. */
export async function pass(
  world: Forwarding,
  ms: number = upstream_limits.retry_most_ms,
): Promise<void> {
  world.advance(ms);
  await world.turn();
}

export const down = () => Promise.reject(new TypeError("connection refused"));

/** What a gateway says to the centre. */
type Exchange = Partial<Readonly<Record<keyof WorkExchange, unknown>>>;

/** Lets another gateway say something to the centre, by a token of a name. */
export async function gatewayNamed(
  name: string,
  { centre }: Pick<Forwarding, "centre">,
): Promise<(said: Exchange) => Promise<Response>> {
  const { token } = await centre.services.access.create({
    ...{ name, organization_id: "o1", project_ids: ["centre-p1"], scopes: ["sync"] },
    expires_at: null,
  });
  return (said) =>
    centre.fetch("/ingest/v1/gateways/work?project_id=centre-p1", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ heard_no: 0, heard_id: null, sent_id: null, changes: [], ...said }),
    });
}

/** What the centre answers a gateway that it hears for the first time. */
export async function exchange(
  world: Pick<Forwarding, "centre">,
  name: string,
  said: Exchange,
): Promise<Response> {
  return await (await gatewayNamed(name, world))(said);
}

/** A time goes by, and each side looks after its log. */
export async function month(
  { gateway, centre, advance }: Forwarding,
  us: number = upstream_limits.work_keep_us,
): Promise<void> {
  advance(us / 1000 + 86_400_000);
  for (const side of [centre, gateway]) await side.services.work_readers.turn();
}

/** A change as a gateway tells it, of an issue that is at no device. */
export const changeOf = (id: string, said: Said = {}) => ({
  ...{ kind: "issue", id, owner_id: id, at_us: 1, order_us: 1, person: null },
  ...{ made: null, fields: [], told: [], ...said },
});

/** An issue as a gateway tells it. */
export const shared_issue: SharedIssue = {
  ...{ description: null, priority: "low" as const, external_id: null, assigned_to: null },
  ...{ created_by: null, created_at: 1, deleted_at: null, devices: [] },
  ...{ name: "Fence", sentinel_tag: null, source: "manual", status: "open" },
  ...{ effective_from: null, effective_to: null, resolved_at: null, merged_into: null },
};

/** Everything that both sides are to have alike; people by what they are called. */
export async function stateOf({ services }: TestService): Promise<unknown> {
  const name = (id: string) =>
    `(SELECT first_name || ' ' || last_name FROM "user" WHERE "user".id = ${id})`;
  const state = await services.database.read(async (it) => ({
    issues: await queryRows(
      it,
      `SELECT i.id, i.number, i.name, i.description, i.status, i.priority, i.source,
         i.resolved_at::VARCHAR AS resolved, ${name("i.assigned_to")} AS owner,
         i.created_at::VARCHAR AS created, i.deleted_at::VARCHAR AS deleted,
         i.devices, m.id AS into_id
       FROM issue AS i LEFT JOIN issue AS m ON m.issue_no = i.merged_into ORDER BY i.id`,
    ),
    orders: await queryRows(
      it,
      `SELECT w.id, w.number, w.title, w.status, w.priority, w.due_date::VARCHAR AS due,
         w.created_at::VARCHAR AS created, w.deleted_at::VARCHAR AS deleted,
         ${name("w.assigned_to")} AS owner, w.devices,
         CASE WHEN w.deleted_at IS NULL THEN i.id END AS issue_id
       FROM work_order AS w JOIN issue AS i USING (issue_no) ORDER BY w.id`,
    ),
    history: await queryRows(
      it,
      `SELECT h.id, i.id AS issue, kind, field, h.created_at::VARCHAR AS at,
         coalesce(${name("h.user_id")}, detail->>'by') AS who, detail->>'body' AS body
       FROM issue_history AS h JOIN issue AS i USING (issue_no) ORDER BY h.id`,
    ),
  }));
  const text = services.catalog.devices.reduce(
    (text, { id, key }) => text.replaceAll(id, key),
    JSON.stringify(state),
  );
  return JSON.parse(text);
}
