// A client of a real server: declares a project and sends rows that can be told apart.
import { equal, ok } from "node:assert/strict";
import type { Server } from "./process.ts";

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 0, longitude: 0 },
};
/** Rows of each request. */
export const rows_per_request = 50;

/** Who sends, and to which project. */
export type Client = { readonly token: string; readonly project_id: string };

/** Applies a site, without sensors unless `more` has some, and gives its project and the token. */
export async function declareProject(
  { address, token }: Server,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Client> {
  ok(token, "the first start prints a token");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const put = await fetch(`${address}/admin/v1/sites/s`, {
    method: "PUT",
    headers,
    body: JSON.stringify({ ...site, ...more }),
  });
  equal(put.status, 200, await put.text());
  const listed = await fetch(`${address}/platform/v1/meta/projects`, { headers });
  const { projects: [{ project_id }] } = await listed.json();
  return { token, project_id };
}

/** Sends request number `n`, whose rows are all its own; true when it was acknowledged. */
export async function send(
  server: Server,
  { token, project_id }: Client,
  n: number,
): Promise<boolean> {
  const rows = Array.from({ length: rows_per_request }, (_, i) => {
    const ts = new Date(Date.UTC(2026, 0, 1) + (n * rows_per_request + i) * 1000).toISOString();
    return JSON.stringify({ tag: `t${i % 7}`, ts, value: n });
  });
  try {
    const answer = await fetch(`${server.address}/ingest/v1/signals?project_id=${project_id}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" },
      body: rows.join("\n"),
    });
    const { accepted } = await answer.json();
    return accepted === rows_per_request;
  } catch {
    return false;
  }
}
