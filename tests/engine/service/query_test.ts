// Queries of operators: few at once, answered in time, and none forgotten before it has ended.
import { equal, rejects } from "node:assert/strict";
import { OperatorQueries } from "../../../src/engine/service/query.ts";
import { fakeEffects } from "../../help/effects.ts";

Deno.test("a query that can't be stopped is answered in time and keeps its place", async () => {
  const { effects, clock } = fakeEffects();
  const ended = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const database = { aside: <T>() => ended.promise as Promise<T> };
  const queries = new OperatorQueries({ database, effects });
  const ask = (signal = new AbortController().signal) =>
    queries.answer({ sql: "SELECT 1", json: false }, { signal });
  const gone = new AbortController();
  const running = [ask(), ask(gone.signal)];
  await rejects(ask(), { code: "too_many", retry_after_s: 2 });
  gone.abort();
  await rejects(running[1], { name: "AbortError" });
  clock.advance(30_000);
  await rejects(running[0], { code: "timeout", message: /longer than 30 s/ });
  await rejects(ask(), { code: "too_many" });
  ended.resolve(new Uint8Array(3));
  await ended.promise.then(() => {});
  equal((await ask()).length, 3);
});
