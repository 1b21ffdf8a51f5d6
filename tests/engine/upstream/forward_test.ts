// Forwarding from a gateway to a centre: everything once, live first, whatever the line does.
import assert from "node:assert/strict";
import { openForwarding, type Row } from "../../help/upstream.ts";

const rowAt = (tag: string, second: number, value: number): Row => ({
  tag,
  ts: new Date(Date.parse("2026-06-01T11:00:00Z") + second * 1000).toISOString(),
  value,
});

Deno.test("what is stored arrives at the centre as it was sent, in every lane", async () => {
  const world = await openForwarding();
  try {
    await world.send([
      rowAt("a", 1, 1.5),
      { ...rowAt("a", 2, 0), value: null, quality: "bad", status_code: 2150891520 },
      { tag: "whole", ts: "2026-06-01T11:00:00.123456Z", value_int: "9007199254740993" },
      { tag: "text", ts: "2026-06-01T11:00:00Z", value_str: "läuft" },
      { ...rowAt("b", 3, 2), quality: "uncertain" },
    ]);
    await world.send([rowAt("a", 1, 7)], "model");
    await world.send([{ ...rowAt("a", 9, 8), issued_at: "2026-06-01T10:00:00Z" }], "forecast");
    await world.turn();
    assert.equal(await world.requireSame(), 7);
    const state = await world.gateway.services.upstream.state();
    assert.equal(state?.reason, null);
    assert.deepEqual(state?.projects.map(({ waiting_rows }) => waiting_rows), [0]);
  } finally {
    await world.close();
  }
});
