// A real service's log, what was acknowledged after each request, and the start of damaged copies.
import { assemble } from "../../src/app.ts";
import { silent_log } from "../../src/engine/core/log.ts";
import { type Settings, settings_table } from "../../src/model/setting.ts";
import type { Database } from "../../src/store/database.ts";
import { Folder, sizeOf } from "../../src/store/folder.ts";
import { markIn, requireWhole } from "../../src/store/loss_check.ts";
import { openDatabase } from "../../src/store/open.ts";
import { fakeEffects } from "./effects.ts";
import { queryRows } from "./query.ts";

/** What a client knew when its request was answered. */
export type Acknowledged = {
  /** Where the log ended, what the stamp file said, and how many rows of each kind there were. */
  readonly log_bytes: number;
  readonly mark: string;
  readonly rows: readonly number[];
};

export type TornLog = {
  /** A directory with the database as it was before the log. */
  readonly folder: Folder;
  readonly log: Uint8Array<ArrayBuffer>;
  readonly acknowledged: readonly Acknowledged[];
};

const at = "2026-06-01T12:00:00Z";
const options = { effects: fakeEffects(at).effects, memory_mb: 256, threads: 1 };
const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 0, longitude: 0 },
};

/** Sends requests of every kind until the log has `bytes`, then leaves it as a kill does. */
export async function makeLog(bytes: number): Promise<TornLog> {
  const folder = await Folder.open(await Deno.makeTempDir());
  const { database } = await openDatabase(folder, { ...options, ...keyOf(folder) });
  const { send, close } = await sender(database, folder);
  await database.checkpoint();
  const acknowledged: Acknowledged[] = [];
  for (let round = 0; round === 0 || acknowledged.at(-1)!.log_bytes < bytes; round++) {
    for (const request of requestsOf(round)) {
      await send(request);
      acknowledged.push({
        log_bytes: await sizeOf(folder.log_path),
        mark: await Deno.readTextFile(folder.stamp_path),
        rows: await countRows(database),
      });
    }
  }
  await close();
  const log = await Deno.readFile(folder.log_path);
  return { folder, log, acknowledged };
}

type Sent = { readonly method: string; readonly path: string; readonly body: unknown };

function requestsOf(round: number): readonly Sent[] {
  const samples = Array.from({ length: 40 }, (_, i) => {
    const ts = new Date(Date.parse(at) - 3600_000 + (round * 40 + i) * 100).toISOString();
    return JSON.stringify({ tag: `t${i % 7}`, ts, value: round + i / 10 });
  });
  const alarm = {
    ...{ occurrence_id: `a${round}`, source: "scada", site: "s", rule_name: "R", kind: "point" },
    ...{ severity: "critical", status: "open", raised_value: 1, raised_at: at, updated_at: at },
    resolution_policy: "require_both",
    source_tag: "t0",
  };
  return [
    { method: "POST", path: "/ingest/v1/signals", body: samples.join("\n") },
    { method: "POST", path: "/ingest/v1/alarms", body: alarm },
    { method: "POST", path: "/platform/v1/issues", body: { name: `Issue ${round}` } },
    { method: "POST", path: "/admin/v1/tokens", body: { name: `t${round}`, scopes: ["read"] } },
  ];
}

/** A service on the database, and the way to send it a request that must be taken. */
async function sender(database: Database, { path }: Folder) {
  const defaults = Object.entries(settings_table)
    .map(([name, setting]) => [name, "default" in setting ? setting.default : 1]);
  const settings = { ...Object.fromEntries(defaults), data_dir: path } as Settings;
  const world = { effects: options.effects, settings, log: silent_log };
  const { services, app } = await assemble(database, world);
  const token = services.access.first_token!;
  const project_id = () => services.catalog.projects[0].id;
  const send = async ({ method, path, body }: Sent) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const type = path.startsWith("/ingest") ? "application/x-ndjson" : "application/json";
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    const init = { method, headers, body: text };
    const of_project = path.startsWith("/admin") ? "" : `?project_id=${project_id()}`;
    const answer = await app.fetch(new Request(`http://localhost${path}${of_project}`, init));
    const said = await answer.text();
    if (!answer.ok || /"rejected_count":[1-9]/.test(said)) throw new Error(`${path}: ${said}`);
  };
  await send({ method: "PUT", path: "/admin/v1/sites/s", body: site });
  const close = async () => {
    const { roll, availability, minute_evaluator } = services;
    await Promise.all([roll, availability, minute_evaluator].map((part) => part.close()));
    await database.abandon();
  };
  return { send, close };
}

async function countRows(database: Database): Promise<readonly number[]> {
  const tables = ["sample", "occurrence", "issue", "token"];
  const sql = tables.map((table) => `SELECT count(*)::INTEGER AS n FROM ${table}`).join(
    " UNION ALL BY NAME ",
  );
  const counts = await database.aside((connection) => queryRows<{ n: number }>(connection, sql));
  return counts.map(({ n }) => n);
}

/** Puts a log and a mark into the directory, in place of those there. */
export async function putLog(
  { log_path, stamp_path }: Folder,
  log: Uint8Array,
  { mark }: Acknowledged,
): Promise<void> {
  await Deno.writeFile(log_path, log);
  await Deno.writeTextFile(stamp_path, mark);
}

/** The last request whose commit a log of `bytes` holds, and the one after it. */
export function around(
  { acknowledged }: TornLog,
  bytes: number,
): readonly [Acknowledged, Acknowledged] {
  const next = acknowledged.findIndex(({ log_bytes }) => log_bytes > bytes);
  return [acknowledged[next - 1], acknowledged[next]];
}

/**
 * Decides on each `every`th cut within the last `bytes` of the log, by the marks of the requests
 * around it, without a start; gives the cuts where what was lost passes, or nothing lost does not.
 */
export async function wrongCuts(
  torn: TornLog,
  { bytes, every }: { readonly bytes: number; readonly every: number },
): Promise<readonly number[]> {
  const { folder, log, acknowledged } = torn;
  await putLog(folder, log, acknowledged[0]);
  const wrong: number[] = [];
  const least = Math.max(acknowledged[0].log_bytes, log.length - bytes);
  for (let size = log.length - 1; size >= least; size -= every) {
    await Deno.truncate(folder.log_path, size);
    const [before, after] = around(torn, size).map(({ mark }) => markIn(mark)!);
    const [kept, lost] = await Promise.allSettled(
      [before, after].map((mark) => requireWhole(mark, folder)),
    );
    if (kept.status !== "fulfilled" || lost.status !== "rejected") wrong.push(size);
  }
  return wrong;
}

function keyOf({ path }: Folder) {
  return { key_path: `${path}/wattkeeper.key`, on_loss: "refuse" } as const;
}

/** Opens the directory's database and leaves it as it is; gives its rows, throws its refusal. */
export async function openRows(folder: Folder): Promise<readonly number[]> {
  const { database } = await openDatabase(folder, { ...options, ...keyOf(folder) });
  const rows = await countRows(database);
  await database.abandon();
  return rows;
}
