// What follows from how an attempt ended: the schedule, its jitter, what is asked, when it is over.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  attempt_waits_us,
  type AttemptPlace,
  type Ended,
  judgeAttempt,
  longest_wait_us,
} from "../../../src/model/webhooks/retry.ts";

const second_us = 1_000_000;
const hour_us = 3600 * second_us;
const day_us = 24 * hour_us;
const now_us = Date.parse("2026-06-01T12:00:00Z") * 1000;

const failed: Ended = { status: 500, error: null, is_timeout: false, retry_after: null };
const place: AttemptPlace = { attempt: 1, now_us, failing_us: 0, chance: 0.5 };

/** The wait before the next attempt, in seconds; undefined where there is none. */
function waitS(ended: Partial<Ended>, at: Partial<AttemptPlace> = {}): number | undefined {
  const verdict = judgeAttempt({ ...failed, ...ended }, { ...place, ...at });
  return verdict.kind === "retry" ? verdict.wait_us / second_us : undefined;
}

Deno.test("ten attempts are made, each so long after the one before it", () => {
  const waits = Array.from({ length: 10 }, (_, i) => waitS({}, { attempt: i + 1 }));
  const hours = [2, 5, 10, 14, 20, 24].map((hours) => hours * 3600);
  deepEqual(waits, [5, 300, 1800, ...hours, undefined]);
  equal(attempt_waits_us[0], 0);
  equal(judgeAttempt(failed, { ...place, attempt: 10 }).kind, "dead");
});

Deno.test("a wait is within a fifth of the schedule, and chance decides where", () => {
  equal(waitS({}, { attempt: 2, chance: 0 }), 240);
  equal(waitS({}, { attempt: 2, chance: 0.25 }), 270);
  fc.assert(fc.property(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (chance) => {
    for (let attempt = 1; attempt < 10; attempt++) {
      const share = waitS({}, { attempt, chance })! * second_us / attempt_waits_us[attempt];
      ok(share >= 0.8 && share <= 1.2, `${attempt} ${chance}`);
    }
  }));
  equal(longest_wait_us, 28.8 * hour_us);
});

Deno.test("only 2xx acknowledges; redirects and refusals are tried again", () => {
  for (const status of [200, 201, 202, 204, 299]) {
    deepEqual(judgeAttempt({ ...failed, status }, place), {
      kind: "acknowledged",
      reason: `answered ${status}`,
    });
  }
  for (const status of [199, 300, 301, 302, 307, 308, 400, 401, 404, 413, 429, 500, 503, 599]) {
    equal(judgeAttempt({ ...failed, status }, place).kind, "retry", `${status}`);
  }
  const none = { ...failed, status: null, error: "connection refused" };
  deepEqual(judgeAttempt(none, place), {
    kind: "retry",
    wait_us: 5 * second_us,
    reason: "connection refused",
  });
});

Deno.test("an acknowledgement counts, whatever failed before it and for how long", () => {
  const late = { ...place, attempt: 10, failing_us: 9 * day_us };
  equal(judgeAttempt({ ...failed, status: 204 }, late).kind, "acknowledged");
});

Deno.test("410 disables, at the first attempt and at the last", () => {
  for (const attempt of [1, 10]) {
    const verdict = judgeAttempt({ ...failed, status: 410 }, { ...place, attempt });
    deepEqual(verdict, { kind: "disable", reason: "the receiver answered 410 Gone" });
  }
});

Deno.test("five days of nothing but failures disable, and not a second less", () => {
  const at = (failing_us: number, attempt = 3) =>
    judgeAttempt(failed, { ...place, failing_us, attempt });
  equal(at(5 * day_us - second_us).kind, "retry");
  equal(at(5 * day_us - second_us, 10).kind, "dead");
  const verdict = at(5 * day_us);
  equal(verdict.kind, "disable");
  match(verdict.reason, /five days; the last: answered 500/);
});

Deno.test("429, 503 and timeouts wait a minute at least", () => {
  const timeout = { status: null, error: "no answer within 10 s", is_timeout: true };
  for (const ended of [{ status: 429 }, { status: 503 }, timeout]) {
    equal(waitS(ended), 60);
    equal(waitS(ended, { attempt: 2 }), 300);
  }
  for (const ended of [{ status: 500 }, { status: 502 }, { status: null }]) equal(waitS(ended), 5);
});

Deno.test("Retry-After is waited for, in seconds or until a date, within a day", () => {
  const cases = [
    ["0", 5],
    ["3", 5],
    ["120", 120],
    [" 120 ", 120],
    ["86400", 86_400],
    ["86401", 86_400],
    ["999999999999", 86_400],
    ["Mon, 01 Jun 2026 12:10:00 GMT", 600],
    ["Mon, 01 Jun 2026 11:00:00 GMT", 5],
    ["Tue, 01 Jun 2027 12:00:00 GMT", 86_400],
    ["Mon, 99 Jun 2026 12:10:00 GMT", 5],
    ["2026-06-01T12:10:00Z", 5],
    ["-5", 5],
    ["1e9", 5],
    ["soon", 5],
    ["", 5],
  ] as const;
  for (const [retry_after, wait_s] of cases) {
    for (const status of [500, 302]) equal(waitS({ status, retry_after }), wait_s, retry_after);
  }
  equal(waitS({ status: 503, retry_after: "3" }), 60);
  equal(waitS({ retry_after: "3" }, { attempt: 4 }), 7200);
  equal(waitS({ retry_after: "7300" }, { attempt: 4, chance: 0.75 }), 7920);
});
