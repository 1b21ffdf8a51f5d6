// The client in Node against a running service, which tests/clients/typescript_test.ts starts.
import { deepEqual, equal, rejects } from "node:assert/strict";
import process from "node:process";
import test from "node:test";

const { WATTKEEPER_PACKAGE, WATTKEEPER_URL, WATTKEEPER_TOKEN } = process.env;
const { RejectedRows, ServiceError, Wattkeeper } = await import(WATTKEEPER_PACKAGE);
const wk = new Wattkeeper(WATTKEEPER_URL, WATTKEEPER_TOKEN, { retry: { firstMs: 1 } });
const project = "plant";

test("reads, sends and reads on", async () => {
  const timeseries = "inverter.active_power";
  const [row] = await wk.performance({ project, timeseries, from: "2026-06-01", to: "2026-06-01" });
  equal(row.component_measure, "active_power");
  const rows = [0, 1, 2].map((i) => ({ tag: "node", ts: `2026-06-01T03:0${i}:00Z`, value: i }));
  equal((await wk.ingest(rows, { project })).accepted, 3);
  const found = [];
  for await (
    const page of wk.replay({
      project,
      since: "2026-06-01T00:00:00Z",
      limit: 2,
      params: { tag: "node" },
    })
  ) found.push(...page.rows.map(({ value }) => value));
  deepEqual(found, [0, 1, 2]);
  const late = [{ tag: "node", ts: "2026-06-03T00:00:00Z", value: 1 }];
  await rejects(wk.ingest(late, { project }), RejectedRows);
  await rejects(wk.claim("none", { project }), ServiceError);
});
