// A real server, killed while it takes syncs: each call's effects and its id are there, or neither.
import { deepEqual, equal, ok } from "node:assert/strict";
import { type Client, declareProject } from "../../help/client.ts";
import { type Server, startServer } from "../../help/process.ts";
import { signedBy } from "../../help/signature.ts";
import { sync_path } from "../../help/sync.ts";

type Json = Record<string, unknown>;

/** Asks a server something as its administrator. */
async function ask<T>(
  { address }: Server,
  path: string,
  { token, body, headers = {} }: {
    readonly token: string;
    readonly body?: string | object;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<T> {
  const answer = await fetch(`${address}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "authorization": `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: typeof body === "object" ? JSON.stringify(body) : body,
  });
  const text = await answer.text();
  ok(answer.ok, text);
  return JSON.parse(text) as T;
}

/** Makes a subscription and as many issues; gives the secret, and a call for each issue. */
async function prepare(server: Server, { token, project_id }: Client, count: number) {
  const hook = {
    name: "hook",
    target: "https://hooks.example.org/",
    event_types: ["alarm.raised"],
  };
  const { secret } = await ask<{ secret: string }>(server, "/admin/v1/subscriptions", {
    ...{ token, body: { ...hook, organization: "o" } },
  });
  const path = `/platform/v1/issues?project_id=${project_id}`;
  const calls: { readonly id: string; readonly body: string }[] = [];
  for (let n = 0; n < count; n++) {
    const body = { name: `issue ${n}` };
    const { id, organization_id } = await ask<Record<string, string>>(server, path, {
      token,
      body,
    });
    const issues = [{ issue_id: id, status: "in_progress", priority: "low" }];
    const call = { organization_id, project_id, delivery_id: `d-${n}`, issues };
    calls.push({ id, body: JSON.stringify(call) });
  }
  return { secret, calls };
}

Deno.test("kill -9 among syncs: repeats are duplicates, every change happened once", async () => {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const first = await startServer(data_dir);
  const client = await declareProject(first);
  const { token } = client;
  const { secret, calls } = await prepare(first, client, 24);
  const keys = await ask<Json>(first, "/webhooks/jwks.json", { token });
  const send = (server: Server, { body }: typeof calls[number]) => {
    const signature = signedBy(secret, body, Math.floor(Date.now() / 1000));
    const headers = { "x-svc-signature": signature };
    return ask<{ applied: number; duplicate?: true }>(server, sync_path, { token, body, headers });
  };
  const acknowledged = new Set<string>();
  let killed: Promise<number> | undefined;
  await Promise.all(calls.map(async (call) => {
    try {
      await send(first, call);
      acknowledged.add(call.id);
    } catch {
      return;
    }
    if (acknowledged.size === 5) killed ??= first.end("SIGKILL");
  }));
  await killed;
  const second = await startServer(data_dir);
  deepEqual(await ask<Json>(second, "/webhooks/jwks.json", { token }), keys);
  for (const call of calls) {
    const { applied, duplicate = false } = await send(second, call);
    equal(applied, 1);
    if (acknowledged.has(call.id)) equal(duplicate, true);
    equal((await send(second, call)).duplicate, true);
    const path = `/platform/v1/issues/${call.id}/history?project_id=${client.project_id}`;
    const history = await ask<Json[]>(second, path, { token });
    deepEqual(history.map(({ kind }) => kind), ["created", "status_changed", "priority_changed"]);
  }
  await second.end("SIGKILL");
});
