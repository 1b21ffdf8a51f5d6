// What a centre's answers mean: taken, to be split, or to be waited for, in words that help.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { nextBodyRows, retryWaitMs, verdictOf } from "../../../src/model/upstream/upstream.ts";

const now_us = Date.parse("2026-06-01T12:00:00Z") * 1000;

function verdict(status: number | null, text: string, retry_after: string | null = null) {
  return verdictOf({ status, text, retry_after }, { rows: 3, now_us });
}

const taken = { accepted: 1, duplicates: 1, rejected_count: 1, rejected: [] };

Deno.test("only an answer that counts every row takes a body", () => {
  assert.equal(verdict(200, JSON.stringify(taken)).kind, "taken");
  const others = ["", "<html>ok</html>", "{}", "[]", "null", JSON.stringify({ ok: true })];
  for (const text of others) assert.equal(verdict(200, text).kind, "wait", text);
  const odd = { line: 4, tag: "a", reason: "x" };
  for (
    const more of [{ accepted: 2 }, { accepted: -1, duplicates: 3 }, { rejected: [odd] }]
  ) assert.equal(verdict(200, JSON.stringify({ ...taken, ...more })).kind, "wait");
  for (const status of [201, 202, 204, 301, 307]) {
    assert.equal(verdict(status, JSON.stringify(taken)).kind, "wait", `${status}`);
  }
});

Deno.test("a body that is refused whole is split, and everything else waits", () => {
  for (const status of [400, 413, 422]) assert.equal(verdict(status, "").kind, "split");
  for (const status of [null, 401, 403, 404, 408, 409, 429, 500, 502, 503, 504, 507]) {
    assert.equal(verdict(status, "").kind, "wait", `${status}`);
  }
});

Deno.test("words say what is wrong and what to do", () => {
  const wordsOf = (status: number | null, text: string) => {
    const found = verdict(status, text);
    return found.kind === "taken" ? "" : found.reason;
  };
  const problem = JSON.stringify({
    detail: "the body has 1 flaw",
    errors: [{ path: "line 3", message: "has no tag" }],
  });
  assert.match(wordsOf(401, "{}"), /answered 401.*Set upstream_token.*--scope ingest/s);
  assert.match(wordsOf(403, '{"detail":"the token lacks ingest"}'), /lacks ingest\. The token/);
  assert.match(wordsOf(404, "nope"), /404: nope\. Look at upstream_url/);
  assert.match(wordsOf(null, "connection refused"), /does not answer: connection refused/);
  assert.equal(wordsOf(400, problem), "the body has 1 flaw; line 3 has no tag");
  assert.equal(wordsOf(413, "x".repeat(5_000)).length, 500);
  assert.equal(wordsOf(413, JSON.stringify({ detail: "y".repeat(5_000) })).length, 500);
});

Deno.test("a centre's wish to wait is heeded, in seconds or as a date, within a bound", () => {
  const waitOf = (text: string | null) => {
    const found = verdict(503, "", text);
    return found.kind === "wait" ? found.retry_after_ms : undefined;
  };
  assert.equal(waitOf(null), null);
  assert.equal(waitOf("7"), 7_000);
  assert.equal(waitOf("Mon, 01 Jun 2026 12:00:30 GMT"), 30_000);
  assert.equal(waitOf("Mon, 01 Jun 2026 11:00:00 GMT"), 0);
  assert.equal(waitOf("soon"), null);
  assert.equal(waitOf("99999999"), upstream_limits.retry_after_ms);
  assert.ok(retryWaitMs(1, { share: 0.5, retry_after_ms: 60_000 }) >= 60_000);
});

Deno.test("waits grow, up to a bound, and never all at the same moment", () => {
  const wait = (tries: number, share: number) =>
    retryWaitMs(tries, { share, retry_after_ms: null });
  assert.ok(wait(1, 0) < wait(2, 0) && wait(2, 0) < wait(5, 0));
  assert.equal(wait(1_000, 0), upstream_limits.retry_most_ms);
  assert.equal(wait(1_000, 0.99) < 0.51 * upstream_limits.retry_most_ms, true);
});

Deno.test("bodies follow the line: smaller where it is slow, larger where it is quick", () => {
  const { body_rows, body_rows_least, body_ms } = upstream_limits;
  assert.equal(nextBodyRows(10_000, { sent: 10_000, took_ms: 2 * body_ms }), 5_000);
  assert.equal(nextBodyRows(10_000, { sent: 10_000, took_ms: 10 * body_ms }), 5_000);
  assert.equal(nextBodyRows(10_000, { sent: 10_000, took_ms: 1 }), 20_000);
  assert.equal(nextBodyRows(10_000, { sent: 100, took_ms: 1 }), 10_000);
  assert.equal(nextBodyRows(body_rows, { sent: body_rows, took_ms: 1 }), body_rows);
  assert.equal(nextBodyRows(body_rows_least, { sent: 500, took_ms: 1e6 }), body_rows_least);
});
