// Bodies stay small, however much was stored at once: live rows wait behind none for long.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { type Forwarding, openForwarding } from "../../help/upstream.ts";

async function withForwarding(work: (world: Forwarding) => Promise<void>): Promise<void> {
  const world = await openForwarding();
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

/** Notes how many rows of each body were accepted. */
function sizesOf(world: Forwarding): readonly number[] {
  const sizes: number[] = [];
  world.line = async (request) => {
    const answer = await world.direct(request);
    const { accepted } = await answer.clone().json();
    if (accepted > 0) sizes.push(accepted);
    return answer;
  };
  return sizes;
}

Deno.test("what is imported at once goes in bodies of a bounded size", () =>
  withForwarding(async (world) => {
    const sizes = sizesOf(world);
    const csv = (part: number) =>
      Array.from(
        { length: 45_000 },
        (_, i) => `t${i % 3},${new Date(1.78e12 - (part * 45_000 + i) * 1000).toISOString()},${i}`,
      );
    for (const part of [0, 1, 2]) {
      const answer = await world.gateway.fetch("/ingest/v1/signals?project_id=p1", {
        method: "POST",
        headers: { "content-type": "text/csv" },
        body: `tag,ts,value\n${csv(part).join("\n")}\n`,
      });
      assert.equal((await answer.json()).accepted, 45_000);
    }
    await world.turn();
    assert.equal(await world.requireSame(), 135_000);
    assert.ok(Math.max(...sizes) <= upstream_limits.body_rows, `${sizes}`);
  }));

Deno.test("long texts make small bodies", () =>
  withForwarding(async (world) => {
    const sizes = sizesOf(world);
    const rows = Array.from({ length: 1_600 }, (_, i) => ({
      tag: `log${i % 100}`,
      ts: new Date(1.78e12 + i * 1000).toISOString(),
      value_str: `${i} `.padEnd(8_000, "x"),
    }));
    for (let from = 0; from < rows.length; from += 400) {
      await world.send(rows.slice(from, from + 400));
    }
    // So many rows are within one block, and more than one body.
    await world.turn();
    assert.equal(await world.requireSame(), rows.length);
    const text_rows = upstream_limits.body_rows / (8_000 / 256);
    assert.ok(Math.max(...sizes) <= text_rows * 1.1, `${sizes}`);
  }));
