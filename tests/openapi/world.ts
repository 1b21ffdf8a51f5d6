// A service of its own with one of everything, for tools that call every operation.
import { type Server, startServer } from "../help/process.ts";
import { client_file } from "../help/client_plant.ts";

/** Where it answers, and the ids of what is there, by the part of a path before them. */
export type World = {
  readonly server: Server;
  readonly token: string;
  readonly project_id: string;
  readonly ids: Readonly<Record<string, string>>;
};

type Made = Readonly<Record<string, string>>;

/** Starts a service on an empty folder and fills it through its own endpoints. */
export async function openWorld(data_dir: string): Promise<World> {
  const server = await startServer(data_dir, { env: { WATTKEEPER_SETPOINTS: "on" } });
  const token = server.token!;
  const call = async (path: string, body?: unknown, method = body ? "POST" : "GET") => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const answer = await fetch(server.address + path, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  await call("/admin/v1/sites/site", client_file, "PUT");
  const { projects: [{ project_id }] } = await call("/platform/v1/meta/projects");
  const of = `project_id=${project_id}`;
  const now_ms = Date.now();
  await call(`/ingest/v1/signals?${of}`, [
    { tag: "inv1.p", ts: new Date(now_ms - 60_000).toISOString(), value: 812.5 },
    { tag: "inv1.t", ts: new Date(now_ms - 60_000).toISOString(), value: 95 },
  ]);
  const user = await call("/admin/v1/users", {
    ...{ organization: "org", email: "anna@plant.test", first_name: "Anna", last_name: "X" },
    scopes: ["operate", "manage"],
  });
  const { id: spare_token }: Made = await call("/admin/v1/tokens", { name: "a", scopes: ["read"] });
  const issue: Made = await call(`/platform/v1/issues?${of}`, { name: "Fan" });
  const order: Made = await call(`/platform/v1/work-orders?${of}`, {
    ...{ issue_id: issue.id, title: "Fan" },
  });
  const [alarm]: Made[] = await call(`/platform/v1/alarms?${of}`);
  const subscription: Made = await call("/admin/v1/subscriptions", {
    ...{ organization: "org", name: "s", target: "https://receiver.invalid/" },
    event_types: ["issue.updated"],
  });
  const ids = {
    "/platform/v1/alarms/": alarm.occurrence_id,
    "/platform/v1/issues/": issue.id,
    "/platform/v1/work-orders/": order.id,
    "/platform/v1/rules/": "hot",
    "/admin/v1/sites/": "site",
    "/admin/v1/users/": user.id,
    "/admin/v1/tokens/": spare_token,
    "/admin/v1/subscriptions/": subscription.id,
  };
  return { server, token, project_id, ids };
}
