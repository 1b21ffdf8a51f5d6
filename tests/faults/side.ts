// A real server that is killed and started again at its own address, and what its database says.
import { ok } from "node:assert/strict";
import { type Server, startServer } from "../help/process.ts";

/** A side that is started again at its own address. */
export type Side = { readonly start: () => Promise<Server>; server: Server };

/** Starts a side. */
export async function sideOf(
  data_dir: string,
  { args = [], ...options }: Parameters<typeof startServer>[1] = {},
): Promise<Side> {
  const server = await startServer(data_dir, { args, ...options });
  const same = ["--port", new URL(server.address).port, ...args];
  return { server, start: () => startServer(data_dir, { args: same, ...options }) };
}

/** The rows of one SELECT. */
export async function selectRows<Row>(
  { server }: Pick<Side, "server">,
  { token, sql }: { readonly token: string; readonly sql: string },
): Promise<readonly Row[]> {
  const answer = await fetch(`${server.address}/admin/v1/query`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ sql, json: true }),
  });
  const text = (await answer.text()).trim();
  ok(answer.ok, text);
  return text === "" ? [] : text.split("\n").map((line) => JSON.parse(line));
}

/** What is wanted and was not found. */
export function lacking(wanted: readonly string[], found: readonly string[]): readonly string[] {
  const known = new Set(found);
  return wanted.filter((it) => !known.has(it));
}

/** Waits. */
export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
