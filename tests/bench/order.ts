// `deno run -A tests/bench/order.ts [days] [turns]`: what came by time, beside the same in order.
//
// A plant of 500 inverters with four measures sends Arrow; each half an hour is rolled up. Days
// that are over are put in order in a copy of the file, while somebody sends; then both are asked
// the same, in turns. W13 and W15: a tag's day, and bytes for a value with every roll-up.
import process from "node:process";
import { assemble } from "../../src/app.ts";
import { systemEffects } from "../../src/base/effects.ts";
import { silent_log } from "../../src/engine/core/log.ts";
import type { Services } from "../../src/http/frame/services.ts";
import { Database } from "../../src/store/database.ts";
import { readFileUse } from "../../src/store/retention/disk.ts";
import { ordered_tables } from "../../src/store/samples/order.ts";
import { queryRows } from "../help/query.ts";
import { test_settings } from "../help/service.ts";
import { body_minutes, body_values, formats } from "./bodies.ts";
import { plantText } from "./plant.ts";
import { pathOf, sensorOf } from "./peers/wattkeeper.ts";
import { bodyOf, day_us, type Question, sizeOfWork, type Work, workOf } from "./peers/work.ts";

const [days = 4, turns = 15] = Deno.args.map(Number);
const effects = systemEffects();
const memory_mb = 2048;
const settings = { ...test_settings, memory_mb };
const pass_bodies = 30 / body_minutes;
/** So many bodies are sent while days are put in order, and then again. */
const most_bodies = 30;

/** A service in this process, on a file of its own. */
type Service = {
  readonly database: Database;
  readonly services: Services;
  readonly call: (path: string, init?: RequestInit) => Promise<Uint8Array<ArrayBuffer>>;
  readonly close: () => Promise<void>;
};

async function open(path: string): Promise<Service> {
  const database = await Database.open({ path, effects, memory_mb });
  database.vault.use(new Uint8Array(32));
  const { services, app } = await assemble(database, { effects, settings, log: silent_log });
  const all = { name: "bench", organization_id: null, project_ids: null, expires_at: null };
  const { token } = await services.access.create({ ...all, scopes: ["admin"] });
  return {
    ...{ database, services, close: () => database.close() },
    async call(path, init = {}) {
      const headers = { ...init.headers as object, authorization: `Bearer ${token}` };
      const answer = await app.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
      const bytes = await answer.bytes();
      if (!answer.ok) throw new Error(`${path}: ${new TextDecoder().decode(bytes)}`);
      return bytes;
    },
  };
}

const textOf = async ({ call }: Service, path: string) =>
  new TextDecoder().decode(await call(path));

async function projectOf(service: Service): Promise<string> {
  const { projects: [{ project_id }] } = JSON.parse(
    await textOf(service, "/platform/v1/meta/projects"),
  );
  return project_id;
}

/** Sends a body; milliseconds until it is acknowledged. */
async function send(
  { call }: Service,
  { work, body, project_id }: { readonly work: Work; readonly body: number; project_id: string },
): Promise<number> {
  const { path, media_type } = formats.arrow;
  const bytes = bodyOf(work, { format: "arrow", body });
  const from_ms = effects.monotonic_ms();
  await call(`/ingest/v1/${path}?project_id=${project_id}`, {
    method: "POST",
    headers: { "content-type": media_type },
    body: bytes,
  });
  return effects.monotonic_ms() - from_ms;
}

/** Sends the work, and rolls it up as it comes. */
async function fill(service: Service, work: Work): Promise<void> {
  const headers = { "content-type": "application/toml" };
  const body = plantText({ has_sensors: true, timezone: "UTC" });
  await service.call("/admin/v1/sites/s", { method: "PUT", headers, body });
  const project_id = await projectOf(service);
  const { bodies } = sizeOfWork(work);
  for (let body = 0; body < bodies; body++) {
    await send(service, { work, body, project_id });
    if (body % pass_bodies === pass_bodies - 1) await service.services.roll.settle();
  }
  await service.services.roll.settle();
  await service.database.checkpoint();
}

/**
 * Puts days in order while somebody sends of the next one, and says how long that took at most.
 * Gives how many values were sent.
 */
async function order(service: Service, work: Work): Promise<number> {
  const { database, services } = service;
  const project_id = await projectOf(service);
  const next = { ...work, from_us: work.to_us };
  const ended = new AbortController();
  const acknowledged_ms: number[] = [];
  let sent = 0;
  const sending = (async () => {
    while (!ended.signal.aborted) {
      const body = sent++ % most_bodies;
      acknowledged_ms.push(await send(service, { work: next, body, project_id }));
      await effects.sleep(500);
    }
  })();
  await effects.sleep(3_000);
  const alone_ms = Math.max(...acknowledged_ms.splice(0));
  const parts_ms: number[] = [];
  const from = { ms: effects.monotonic_ms(), cpu_us: cpuUs() };
  await services.order.settle(async (took_ms) => {
    parts_ms.push(took_ms);
    // As the service does with a log of 16 MiB.
    if (parts_ms.length % 2 === 0) await database.checkpoint("few");
    await effects.sleep(took_ms);
  });
  const [ms, cpu_us] = [effects.monotonic_ms() - from.ms, cpuUs() - from.cpu_us];
  ended.abort();
  await sending;
  await services.roll.settle();
  await database.checkpoint();
  const rows = await database.aside((it) =>
    queryRows<{ rows: number }>(it, "SELECT sum(rows)::INTEGER AS rows FROM day_order")
  );
  print(
    `${(rows[0].rows / 1e6).toFixed(1)} M rows put in order in ${(ms / 1000).toFixed(0)} s, ` +
      `${parts_ms.length} parts: ${(cpu_us / rows[0].rows).toFixed(2)} s of processor a million ` +
      `(with who sends), the longest part ${Math.max(...parts_ms).toFixed(0)} ms; the slowest ` +
      `of ${acknowledged_ms.length} acknowledgements ${Math.max(...acknowledged_ms).toFixed(0)} ` +
      `ms, ${alone_ms.toFixed(0)} before`,
  );
  return Math.min(sent, most_bodies) * body_values;
}

/** The bytes of a value on disk, whole and by table. */
async function bytesOf({ database }: Service, values: number): Promise<readonly string[]> {
  const { used_bytes } = await database.aside(readFileUse);
  const sizes = await database.aside((it) =>
    Promise.all(ordered_tables.map(({ name }) =>
      queryRows<{ bytes: number }>(
        it,
        `SELECT count(DISTINCT block)::DOUBLE * any_value(block_size) AS bytes
      FROM (
        SELECT unnest(list_append(additional_block_ids, block_id)) AS block
        FROM pragma_storage_info('${name}')
      )
      CROSS JOIN pragma_database_size()
      WHERE block >= 0`,
      )
    ))
  );
  return [used_bytes, ...sizes.map(([{ bytes }]) => bytes)]
    .map((bytes) => (bytes / values).toFixed(2));
}

/** What is asked: a title and a path. */
async function questionsOf(
  service: Service,
  work: Work,
): Promise<readonly (readonly [string, string])[]> {
  const project_id = await projectOf(service);
  const sensor = await sensorOf((path) => textOf(service, path), project_id);
  const path = (question: Question, of = work) =>
    pathOf(question, { work: of, project_id, sensor });
  const one_day = { ...work, days: 1, to_us: work.from_us + day_us };
  const minutes = path("inverter_minutes");
  return [
    ["one inverter's minutes of a day", path("inverter_minutes", one_day)],
    ["one inverter's minutes of all days", minutes],
    ["one inverter's quarter-hours of all days", minutes.replace("OneMinute", "FifteenMinutes")],
    ["one raw tag's day", path("tag_day")],
    ["one tag's minutes of a day", path("tag_day").replace("resolution=raw", "resolution=1m")],
    ["all minutes of up to 7 days", path("minutes")],
    ["quarter-hours of a day (W4)", path("quarters")],
    ["hours of all days", path("hours")],
    ["days (W1)", path("days")],
    ["a page by watermark", path("replay")],
  ];
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function print(text: string): void {
  effects.out(`${text}\n`);
}

const folder = await Deno.makeTempDir();
const paths = { arrived: `${folder}/arrived.duckdb`, ordered: `${folder}/ordered.duckdb` };
// The day after is over, too, as far as anybody's clock goes.
const work = workOf(days, effects.now_us() / 1000 - day_us / 1000);
const { values } = sizeOfWork(work);
const filled = await open(paths.arrived);
await fill(filled, work);
const arrived_bytes = await bytesOf(filled, values);
await filled.close();
await Deno.copyFile(paths.arrived, paths.ordered);
const sorted = await open(paths.ordered);
const sent = await order(sorted, work);
const arrived = await open(paths.arrived);
const ordered_bytes = await bytesOf(sorted, values + sent);
print(`\n| ${values / 1e6} M values | as it arrived | in order |\n|---|---|---|`);
["the file", ...ordered_tables.map(({ name }) => name)].forEach((name, i) =>
  print(`| ${name}, bytes a value | ${arrived_bytes[i]} | ${ordered_bytes[i]} |`)
);
for (const [title, path] of await questionsOf(arrived, work)) {
  const best = [Infinity, Infinity];
  for (let turn = 0; turn < turns; turn++) {
    for (const [i, { call }] of [arrived, sorted].entries()) {
      const from_ms = effects.monotonic_ms();
      await call(path);
      best[i] = Math.min(best[i], effects.monotonic_ms() - from_ms);
    }
  }
  print(`| ${title}, best ms | ${best.map((ms) => ms.toFixed(1)).join(" | ")} |`);
}
await arrived.close();
await sorted.close();
await Deno.remove(folder, { recursive: true });
