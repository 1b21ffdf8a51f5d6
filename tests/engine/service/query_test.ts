// Queries of operators: few at once, answered in time, and none forgotten before it has ended.
import { rejects } from "node:assert/strict";
import { Fault } from "../../../src/base/fault.ts";
import { OperatorQueries } from "../../../src/engine/service/query.ts";
import type { Connection } from "../../../src/store/connection.ts";
import { fakeEffects } from "../../help/effects.ts";

Deno.test("a query that can't be stopped is answered in time and keeps its place", async () => {
  const { effects, clock } = fakeEffects();
  const ended = Promise.withResolvers<never>();
  const closed = Promise.withResolvers<void>();
  const connection = { rows: () => ended.promise, interrupt() {}, close: closed.resolve };
  const database = { session: () => connection as unknown as Connection };
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
  ended.reject(new Fault("invalid", "it has ended"));
  await closed.promise.then(() => {});
  await rejects(ask(), { code: "invalid" });
});
