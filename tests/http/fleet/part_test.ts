// Asking another shard for its part: there is a whole one, or none.
import { deepEqual, rejects } from "node:assert/strict";
import { Fault } from "../../../src/base/fault.ts";
import { gatherOf, partResponse, parts_header, partsText } from "../../../src/http/frame/part.ts";
import type { Settings } from "../../../src/model/setting.ts";
import { fakeEffects } from "../../help/effects.ts";

/** What another shard says, as its node passes it on. */
async function askedOf(answer: Response) {
  const settings = { fleet_address: "http://node" } as Settings;
  const effects = { ...fakeEffects().effects, request: () => Promise.resolve(answer) };
  const headers = { authorization: "Bearer t", [parts_header]: partsText([["a"], ["b"]]) };
  const request = new Request("http://node/losses?project_ids=a&project_ids=b", { headers });
  return await gatherOf({ effects, settings }, request)!.ask(1, {});
}

Deno.test("a question that another version does not know is no mistake of who asked", async () => {
  const problem = {
    ...{ type: "/docs#problem-invalid", detail: "the header x-fleet-part must be another" },
    errors: [{ path: "x-fleet-part", message: "must be another" }],
  };
  for (const answer of [Response.json(problem, { status: 400 }), Response.json({ rows: [] })]) {
    await rejects(askedOf(answer), (error) => (error as Fault).code === "unavailable");
  }
});

Deno.test("a part that its node breaks off is a shard that is away", async () => {
  const numbers = { a: Float64Array.of(1, 2) };
  deepEqual(await askedOf(partResponse({ facts: [], numbers })), { facts: [], numbers });
  const whole = await partResponse({ facts: [], numbers }).bytes();
  const { headers } = partResponse({});
  const cut = ReadableStream.from((async function* () {
    yield whole.subarray(0, 9);
    throw new Error("it is another node's");
  })());
  await rejects(askedOf(new Response(cut, { headers })), (error) => {
    const { code, retry_after_s } = error as Fault;
    deepEqual([code, retry_after_s], ["unavailable", 2]);
    return error instanceof Fault;
  });
});
