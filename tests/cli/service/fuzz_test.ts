// A real server under rules with numbers at every edge, and bodies of all kinds at once.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "../../help/costly.ts";
import { fuzzed_row, fuzzed_rule, type FuzzedRow, ndjsonOf, rubbish } from "../../help/fuzz.ts";
import { type Server, startServer } from "../../help/process.ts";

function siteOf(key: string): object {
  return {
    version: 1,
    organization: { key: "o", name: "O" },
    project: { key, name: key, timezone: "UTC" },
    site: { key: `site-${key}`, name: key, latitude: 0, longitude: 0 },
    devices: [{ key: `${key}-I`, type: "inverter" }, { key: `${key}-J`, type: "inverter" }],
    tags: [
      { name: "a", encoding: "float" },
      { name: "b", encoding: "float" },
      { name: "w", encoding: "integer" },
      { name: "x", encoding: "string" },
    ],
    sensors: ["I", "J"].map((device) => ({
      ...{ tag: `p-${device}`, device: `${key}-${device}`, measure: "active_power" },
      ...{ scale: 1000, capacity: 1e6 },
    })),
  };
}

type Tenant = { readonly server: Server; readonly key: string; readonly project_id: string };
type Ask = {
  readonly method?: string;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
};

function ask({ address, token }: Server, path: string, ask: Ask = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...ask.headers };
  return fetch(`${address}${path}`, { ...ask, headers });
}

const json = { "content-type": "application/json" };
const ndjson = { "content-type": "application/x-ndjson" };

async function declare(server: Server, key: string): Promise<Tenant> {
  const body = JSON.stringify(siteOf(key));
  const path = `/admin/v1/sites/site-${key}`;
  const put = await ask(server, path, { method: "PUT", body, headers: json });
  equal(put.status, 200, await put.text());
  const { projects } = await (await ask(server, "/platform/v1/meta/projects")).json();
  const { project_id } = projects.find((it: { key: string }) => it.key === key);
  return { server, key, project_id };
}

/** The status of an answer, which must not be the service's own failure. */
async function statusOf(
  { server, project_id }: Tenant,
  path: string,
  asked: Ask,
  query: Readonly<Record<string, string>> = {},
): Promise<number> {
  const words = new URLSearchParams({ project_id, ...query });
  const answer = await ask(server, `${path}?${words}`, asked);
  const text = await answer.text();
  ok(answer.status < 500, `${path} ${asked.body}: ${answer.status} ${text}`);
  return answer.status;
}

function putRule(tenant: Tenant, key: string, rule: object): Promise<number> {
  const body = JSON.stringify(rule);
  return statusOf(tenant, `/platform/v1/rules/${key}`, { method: "PUT", headers: json, body });
}

/** Tries a rule on the hour before. */
function tryRule(tenant: Tenant, rule: object): Promise<number> {
  const [from, to] = [3_600_000, 0].map((age) => new Date(Date.now() - age).toISOString());
  const body = JSON.stringify({ rules: [{ key: "tried", ...rule }] });
  const path = "/platform/v1/rules/test";
  return statusOf(tenant, path, { method: "POST", headers: json, body }, { from, to });
}

function post(tenant: Tenant, body: BodyInit, headers: Ask["headers"] = ndjson): Promise<number> {
  return statusOf(tenant, "/ingest/v1/signals", { method: "POST", body, headers });
}

/** Two rows, beyond the limit and within, that are newer than those of earlier rounds. */
function healthyBody(round: number): string {
  const rows = [11, 5].map((value, i) => {
    const ts = new Date(Date.now() - 3_600_000 + 1000 * (2 * round + i)).toISOString();
    return JSON.stringify({ tag: "a", ts, value });
  });
  return rows.join("\n");
}

async function raised({ server, project_id }: Tenant): Promise<number> {
  const path = `/platform/v1/alarms?project_id=${project_id}&kind=threshold`;
  return (await (await ask(server, path)).json()).length;
}

Deno.test("no rule and no body, whatever their numbers, fails or stops another's", async () => {
  const server = await startServer(`${await Deno.makeTempDir()}/data`);
  const fuzzed = await declare(server, "fuzzed");
  const healthy = await declare(server, "healthy");
  const high = { name: "High", tag: "a", kind: "threshold", operator: ">", threshold: 10 };
  await putRule(healthy, "high", { ...high, on_delay_s: 0.3333333 });
  let [rounds, taken] = [0, 0];
  const round = async (
    [rules, bodies, wrong]: [
      object[],
      FuzzedRow[][],
      { bytes: Uint8Array<ArrayBuffer>; headers: Ask["headers"] }[],
    ],
  ) => {
    const puts = await Promise.all(rules.map((rule, i) => putRule(fuzzed, `r${i}`, rule)));
    taken += puts.filter((status) => status < 300).length;
    const now_ms = Date.now();
    const answers = await Promise.all([
      post(healthy, healthyBody(rounds++)),
      ...bodies.map((rows) => post(fuzzed, ndjsonOf(rows, now_ms))),
      ...wrong.map(({ bytes, headers }) => post(fuzzed, bytes, headers)),
      tryRule(fuzzed, rules[0]),
    ]);
    deepEqual(answers.slice(0, 1 + bodies.length), [200, ...bodies.map(() => 200)]);
  };
  const rules = fc.array(fuzzed_rule, { minLength: 4, maxLength: 8 });
  const bodies = fc.array(fc.array(fuzzed_row, { minLength: 1, maxLength: 12 }), { maxLength: 4 });
  const all = fc.tuple(rules, bodies, fc.array(rubbish, { maxLength: 3 }));
  await fc.assert(fc.asyncProperty(all, round), { numRuns: 15 });
  ok(taken >= 25, `${taken} rules were taken`);
  equal(await raised(healthy), rounds);
  const metrics = await (await ask(server, "/metrics")).text();
  match(metrics, /^wattkeeper_rules_suspended 0$/m);
  match(metrics, /^wattkeeper_ingest_rows\{of="failed"\} 0$/m);
  equal((await ask(server, "/readyz")).status, 200);
  equal(await server.end("SIGTERM"), 0);
});
