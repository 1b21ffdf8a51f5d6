// A command that asks a service.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { askService } from "../../../src/cli/frame/remote.ts";

const remote = { url: "http://plant.test", token: "wk_any" };

/** Asks a service that refuses once with such a pause; the pauses that were made, in ms. */
function askBusy(retry_after: string) {
  const pauses: number[] = [];
  let asked = 0;
  const answer = askService<unknown>(
    {
      request: () => {
        const headers = { "retry-after": retry_after };
        const refusal = () => new Response(`{"detail":"too busy"}`, { status: 503, headers });
        return Promise.resolve(asked++ === 0 ? refusal() : Response.json({ is_well: true }));
      },
      sleep: (ms) => {
        pauses.push(ms);
        return Promise.resolve();
      },
    },
    remote,
    { path: "/platform/v1/meta/projects" },
  );
  return { answer, pauses };
}

Deno.test("a command waits as long as a busy service asks for, and asks again", async () => {
  const { answer, pauses } = await askBusy("7");
  deepEqual([await answer, pauses], [{ is_well: true }, [7_000]]);
});

Deno.test("a command does not wait for a day because it is told to", async () => {
  const { answer, pauses } = await askBusy("86400");
  await rejects(answer, /503: too busy/);
  equal(pauses.length, 0);
});
