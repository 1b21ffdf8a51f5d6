// Queries of operators: few at once, answered in time, and none forgotten before it has ended.
import { equal, rejects } from "node:assert/strict";
import { Fault } from "../../../src/base/fault.ts";
import { OperatorQueries } from "../../../src/engine/service/query.ts";
import type { Connection } from "../../../src/store/connection.ts";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";

Deno.test("a query that can't be stopped is answered in time and keeps its place", async () => {
  const { effects, clock } = fakeEffects();
  const ended = Promise.withResolvers<never>();
  const closed = Promise.withResolvers<void>();
  const connection = {
    standAlone: () => Promise.resolve(),
    run: () => Promise.resolve(),
    rows: () => ended.promise,
    interrupt() {},
    close: closed.resolve,
  };
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

Deno.test("a query that would overflow the stack of its thread is refused", async () => {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", memory_mb: 256, threads: 1, effects });
  const queries = new OperatorQueries({ database, effects });
  const ask = (sql: string) => queries.answer({ sql, json: false }, { signal });
  const { signal } = new AbortController();
  const parts = Array.from({ length: 400 }, (_, i) => `c${i + 1} AS (SELECT x FROM c${i})`);
  const chain = `WITH c0 AS (SELECT 1 AS x), ${parts.join(", ")} SELECT * FROM c400`;
  await rejects(ask(chain), { code: "invalid", message: "the query is nested too deep" });
  equal(new TextDecoder().decode(await ask("SELECT 1 AS x")), "x\r\n1\r\n");
  await database.close();
});
