// A real server under bodies that grow a thousandfold: memory stays bounded, others are served.
import { deepEqual, equal, ok } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { concat } from "../../../src/base/bytes.ts";
import { type Client, declareProject, send } from "../../help/client.ts";
import { type Server, startServer } from "../../help/process.ts";

/** What the process may take at its peak beyond what it takes at rest, MiB: 705 were measured. */
const most_mb = 900;
const bombs = 64;

/** A body of 20 000 rows of a text of 8 KiB: 164 MB, packed in 20 gzip members to 270 kB. */
function bomb(): Uint8Array<ArrayBuffer> {
  const rows = Array.from({ length: 1000 }, (_, i) => {
    const ts = new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString();
    return `{"tag":"bomb","ts":"${ts}","value_str":"${"x".repeat(8192)}"}\n`;
  });
  const member = new Uint8Array(gzipSync(rows.join("")));
  return concat(Array.from({ length: 20 }, () => member));
}

async function tokenOf({ address, token }: Server, scopes: readonly string[]): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "flood", scopes });
  const made = await fetch(`${address}/admin/v1/tokens`, { method: "POST", headers, body });
  equal(made.status, 201);
  return (await made.json()).token;
}

/** Status of a bomb's answer; a refusal that is not for good says when to come again. */
async function sendBomb(
  { address }: Server,
  { token, project_id }: Client,
  body: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const answer = await fetch(`${address}/ingest/v1/signals?project_id=${project_id}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/x-ndjson",
      "content-encoding": "gzip",
    },
    body,
  });
  equal(answer.headers.has("retry-after"), answer.status === 429, await answer.text());
  return answer.status;
}

async function read({ address }: Server, { token, project_id }: Client): Promise<number> {
  const query = `project_id=${project_id}&received_since=2026-01-01T00:00:00Z&limit=10`;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${address}/platform/v1/signals?${query}`, { headers });
  await answer.body?.cancel();
  return answer.status;
}

async function peakMb({ pid }: Server): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
}

async function reservedBytes({ address }: Server): Promise<number> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  return Number(/^wattkeeper_body_memory_bytes (\d+)/m.exec(metrics)![1]);
}

Deno.test("64 bodies of 164 MB at once are refused, and everybody else is served", async () => {
  const server = await startServer(`${await Deno.makeTempDir()}/data`);
  const { project_id } = await declareProject(server);
  const flooder = { token: await tokenOf(server, ["ingest"]), project_id };
  const other = { token: await tokenOf(server, ["ingest", "read"]), project_id };
  ok(await send(server, other, 0));
  const rest_mb = await peakMb(server);
  const body = bomb();
  let over = false;
  const flood = Promise.all(Array.from({ length: bombs }, () => sendBomb(server, flooder, body)))
    .finally(() => over = true);
  let served = 0;
  for (; !over; served++) {
    ok(await send(server, other, 1 + served), "a small body is taken");
    equal(await read(server, other), 200);
  }
  const statuses = await flood;
  deepEqual(statuses.filter((status) => status !== 429 && status !== 413), []);
  ok(statuses.includes(429));
  ok(served > 0);
  const grown_mb = await peakMb(server) - rest_mb;
  ok(grown_mb < most_mb, `the process grew by ${Math.round(grown_mb)} MiB`);
  equal(await reservedBytes(server), 0);
  ok(await send(server, flooder, 100_000), "the flooder's own small body is taken after it");
  equal(await server.end("SIGTERM"), 0);
});
