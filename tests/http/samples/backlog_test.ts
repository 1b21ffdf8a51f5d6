// The gauge of samples that are not yet aggregated, from their acknowledgement on.
import { equal } from "node:assert/strict";
import { request_limits } from "../../../src/http/frame/limits.ts";
import { openSite, series } from "../../help/raw.ts";

Deno.test("the backlog counts samples once acknowledged, until they are rolled up", async () => {
  const open = await openSite({});
  const backlog = async () => {
    open.clock.advance(request_limits.ops_age_ms);
    const text = await (await open.fetch("/metrics")).text();
    return Number(/^wattkeeper_roll_backlog_rows (\d+)$/m.exec(text)![1]);
  };
  equal(await backlog(), 0);
  const past = series("x", 1, [1, 2, 3]);
  await open.send(past);
  equal(await backlog(), 3);
  // The same again are duplicates; a corrected one counts anew.
  await open.send(past);
  equal(await backlog(), 3);
  await open.send(series("x", 1, [4]));
  equal(await backlog(), 4);
  await open.settle();
  equal(await backlog(), 0);
  // Of a minute that is not over: it waits for its end, and counts until then.
  const now = '{"tag":"x","ts":"2026-06-01T12:00:10Z","value":1}';
  await open.send(`${now}\n${now.replace("10Z", "11Z")}`);
  equal(await backlog(), 2);
  await open.settle();
  equal(await backlog(), 2);
  open.clock.advance(60_000);
  await open.settle();
  equal(await backlog(), 0);
  await open.close();
});
