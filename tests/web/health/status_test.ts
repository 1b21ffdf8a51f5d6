// The service's lines: what is right, what needs somebody, and what is not known.
import { deepEqual, equal } from "node:assert/strict";
import { checksOf, failingLoops, type Status } from "../../../src/web/health/status.ts";
import { health_de } from "../../../src/web/words/de/health.ts";
import { health_en } from "../../../src/web/words/en/health.ts";
import { health_es } from "../../../src/web/words/es/health.ts";

const now_ms = Date.parse("2026-06-01T12:00:00Z");
const gib = 1024 ** 3;

const well: Status = {
  version: "1",
  now: "2026-06-01T12:00:00.000000Z",
  not_ready: null,
  memory_mb: 512,
  metrics: {
    roll_backlog_rows: { "": 500 },
    roll_history_days: { "": 3 },
    ingest_rows: { failed: 0 },
    loop_failures: { a: 0, b: 0 },
    rules_suspended: { "": 0 },
    webhook_deliveries: { acknowledged: 4 },
    disk_free_bytes: { "": 2 * gib },
    process_memory_bytes: { resident: gib },
    stamps_ahead_seconds: { "": 0 },
    backup_time_seconds: { "": now_ms / 1000 - 86_400 },
  },
};

function wrongOf(metrics: Status["metrics"], more: Partial<Status> = {}): string[] {
  const status = { ...well, ...more, metrics: { ...well.metrics, ...metrics } };
  return checksOf(status, now_ms).filter(({ is_wrong }) => is_wrong).map(({ name }) => name);
}

Deno.test("a service that is well needs nobody", () => {
  deepEqual(wrongOf({}), []);
  const backup = checksOf(well, now_ms).find(({ name }) => name === "backup");
  equal(backup?.value, 86_400);
});

Deno.test("each line is wrong for its own reason", () => {
  deepEqual(wrongOf({}, { not_ready: "the service is stopping" }), ["ready"]);
  deepEqual(wrongOf({ roll_backlog_rows: { "": 10_001 } }), ["backlog"]);
  deepEqual(wrongOf({ ingest_rows: { failed: 1 } }), ["ingest"]);
  deepEqual(wrongOf({ loop_failures: { a: 0, b: 2 } }), ["loops"]);
  deepEqual(wrongOf({ rules_suspended: { "": 1 } }), ["rules"]);
  deepEqual(wrongOf({ webhook_deliveries: { dead: 1 } }), ["webhooks"]);
  deepEqual(wrongOf({ disk_free_bytes: { "": gib - 1 } }), ["disk"]);
  deepEqual(wrongOf({ process_memory_bytes: { resident: 1.6 * gib } }), ["memory"]);
  deepEqual(wrongOf({ stamps_ahead_seconds: { "": 61 } }), ["clock"]);
  deepEqual(wrongOf({}, { now: "2026-06-01T11:58:59.000000Z" }), ["clock"]);
  deepEqual(wrongOf({ backup_time_seconds: { "": now_ms / 1000 - 9 * 86_400 } }), ["backup"]);
});

Deno.test("no backup at all is something to do; a disk that is not known is none", () => {
  deepEqual(wrongOf({ backup_time_seconds: {}, disk_free_bytes: {} }), ["backup"]);
});

Deno.test("the loop that fails most is told first", () => {
  const status = { ...well, metrics: { loop_failures: { a: 1, b: 0, c: 7 } } };
  deepEqual(failingLoops(status), [["c", 7], ["a", 1]]);
});

Deno.test("who is told of an old backup need not stop the service", () => {
  const texts = [health_en, health_de, health_es].map((it) => it.do_backup);
  deepEqual(texts.map((it) => it.split("; ")[1]), [
    "the service goes on.",
    "der Dienst läuft weiter.",
    "el servicio sigue en marcha.",
  ]);
});
