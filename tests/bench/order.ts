// `deno run -A tests/bench/order.ts [tags] [days]`: samples as they arrive, and put in order.
//
// W13: one raw tag's day through the service's handler before and after, what it costs to put a day
// in order, how long its longest transaction keeps others waiting, and the file's size.
import process from "node:process";
import { assemble } from "../../src/app.ts";
import { systemEffects } from "../../src/base/effects.ts";
import { silent_log } from "../../src/engine/core/log.ts";
import { Database } from "../../src/store/database.ts";
import { readFileUse } from "../../src/store/retention/disk.ts";
import { test_settings } from "../help/service.ts";
import { bestMs } from "./figure.ts";

const [tags = 2000, days = 4] = Deno.args.map(Number);
const effects = systemEffects();
const folder = await Deno.makeTempDir();
const today = Math.floor(Date.now() / 86_400_000);
const database = await Database.open({ path: `${folder}/a.duckdb`, effects, memory_mb: 2048 });
database.vault.use(new Uint8Array(32));
const settings = { ...test_settings, memory_mb: 2048 };
await database.write(({ connection }) =>
  connection.script(`
    INSERT INTO project VALUES (1, 'p', 'o', 'p', 'P', NULL, 'UTC');
    INSERT INTO tag
    SELECT i, 1, 'signal', 't' || i, NULL, 'float', NULL, 900, NULL, NULL, true, NULL
    FROM range(${tags}) AS r (i)`)
);
const { services, app } = await assemble(database, { effects, settings, log: silent_log });
const all = { name: "bench", organization_id: null, project_ids: null, expires_at: null };
const { token } = await services.access.create({ ...all, scopes: ["admin"] });

// As ingest stores them: by time, and half an hour a transaction.
for (let minute = -days * 1440; minute < 1440; minute += 30) {
  await database.write(({ connection, stamp_us }) =>
    connection.script(`INSERT INTO sample
      SELECT t.tag_no, (${today * 1440} + m.minute)::BIGINT * 60000000, ${stamp_us},
        round(500 * sin(m.minute / 700) + hash(t.tag_no * 7919 + m.minute) / 1e19, 1),
        NULL, NULL, 0, NULL
      FROM range(${minute}, ${minute + 30}) AS m (minute), (SELECT tag_no FROM tag) AS t
      ORDER BY m.minute, t.tag_no`)
  );
}
await database.checkpoint();
const samples = (days + 1) * tags * 1440;
const bytes = async () => (await database.aside(readFileUse)).used_bytes / samples;
const arrived_bytes = await bytes();

const dateOf = (day: number) => new Date(day * 86_400_000).toISOString();
const search = new URLSearchParams({
  ...{ project_id: "p", tag: "t77", resolution: "raw", format: "ndjson" },
  ...{ from: dateOf(today - 2), to: dateOf(today - 1) },
});
const headers = { authorization: `Bearer ${token}` };
const read = async () => {
  const answer = await app.fetch(
    new Request(`http://localhost/platform/v1/signals?${search}`, {
      headers,
    }),
  );
  const text = await answer.text();
  const rows = text.split("\n").length - 1;
  if (!answer.ok || rows !== 1440) throw new Error(`${answer.status}, ${rows} rows`);
};
const before_ms = await bestMs(20, read);
const longest = { ms: 0 };
const began = { ms: performance.now(), cpu_us: cpuUs() };
await services.order.settle((took_ms) => {
  longest.ms = Math.max(longest.ms, took_ms);
  return Promise.resolve();
});
const seconds = (performance.now() - began.ms) / 1000;
const cpu_s = (cpuUs() - began.cpu_us) / 1e6;
await database.checkpoint();
const after_ms = await bestMs(20, read);
const millions = days * tags * 1440 / 1e6;
print(
  `one tag's day: ${before_ms.toFixed(1)} ms as it arrived, ${after_ms.toFixed(1)} ms in order`,
);
print(
  `${millions.toFixed(1)} M samples put in order: ${(seconds / millions).toFixed(2)} s and ` +
    `${(cpu_s / millions).toFixed(2)} s of CPU a million, longest wait ${longest.ms.toFixed(0)} ms`,
);
print(
  `the file, a sample: ${arrived_bytes.toFixed(2)} bytes as it arrived, ` +
    `${(await bytes()).toFixed(2)} in order`,
);
await database.close();
await Deno.remove(folder, { recursive: true });

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function print(text: string): void {
  effects.out(`${text}\n`);
}
