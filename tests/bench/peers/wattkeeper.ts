// The product itself beside its peers: `main.ts serve` in a process of its own, over HTTP.
import { systemEffects } from "../../../src/base/effects.ts";
import { DayOrder } from "../../../src/engine/samples/order.ts";
import { setting_limits } from "../../../src/model/limits.ts";
import { sizeOf } from "../../../src/store/folder.ts";
import { tableFromIPC } from "apache-arrow";
import { type Format, formats, tagOf } from "../bodies.ts";
import { plantText } from "../plant.ts";
import { from_source, type Server, startServer } from "../../help/process.ts";
import { withDatabase } from "../world.ts";
import type { Peer, Store } from "./peer.ts";
import { folderBytes, keepTrack, request, untilReady } from "./process.ts";
import { one_inverter, type Question, spansOf, type Work } from "./work.ts";

export const wattkeeper: Peer = {
  name: "Wattkeeper",
  sought: "always there: main.ts beside the bench",
  durability: "on disk: a transaction and an fsync for the bodies that wait",
  settings:
    "answers as Arrow, the newest values as JSON; rolled up to minutes, quarter-hours and " +
    "days; closed days put in order before the questions instead of in the ten minutes after; " +
    "all by default",
  is_server: true,
  formats: ["ndjson", "arrow", "line"],
  lacks: {},
  find: () => Promise.resolve("main.ts"),
  open,
};

async function open(folder: string, work: Work): Promise<Store> {
  const data = `${folder}/data`;
  const token_path = `${folder}/token`;
  let server = await start(data);
  let forget = keepTrack(() => server.end("SIGKILL"));
  const stop = async () => {
    await server.end("SIGTERM");
    forget();
  };
  if (server.token !== undefined) await Deno.writeTextFile(token_path, server.token);
  const authorization = `Bearer ${await Deno.readTextFile(token_path)}`;
  const call = (path: string, init: RequestInit = {}) =>
    request(`${server.address}${path}`, {
      ...init,
      headers: { ...init.headers as Record<string, string>, authorization },
    });
  const textOf = async (path: string) => new TextDecoder().decode(await call(path));
  if (server.token !== undefined) {
    const headers = { "content-type": "application/toml" };
    const body = plantText({ has_sensors: true, timezone: "UTC" });
    await call("/admin/v1/sites/s", { method: "PUT", headers, body });
  }
  const { projects: [{ project_id }] } = JSON.parse(await textOf("/platform/v1/meta/projects"));
  const sensor = await sensorOf(textOf, project_id);
  return {
    get pid() {
      return server.pid;
    },
    load: async ({ format, path }) => {
      const { path: way, media_type } = formats[format as Format];
      const headers = { "content-type": media_type };
      const body = await Deno.readFile(path);
      await call(`/ingest/v1/${way}?project_id=${project_id}`, { method: "POST", headers, body });
    },
    settle: () =>
      untilReady(async () => /^\w*roll_backlog_rows 0$/m.test(await textOf("/metrics"))),
    rest: async () => {
      await stop();
      await putInOrder(data);
      server = await start(data);
      forget = keepTrack(() => server.end("SIGKILL"));
    },
    bytes: () => folderBytes(data),
    ask: async (question) => {
      const bytes = await call(pathOf(question, { work, project_id, sensor }));
      return () =>
        question === "latest"
          ? JSON.parse(new TextDecoder().decode(bytes)).values.length
          : tableFromIPC(bytes).numRows;
    },
    close: stop,
  };
}

function start(data: string): Promise<Server> {
  return startServer(data, { program: from_source });
}

/**
 * Does with days that are over what the service does in quiet moments, every ten minutes; and with
 * the log, once that is long: what was moved leaves room in the file for what is next.
 */
function putInOrder(data: string): Promise<void> {
  return withDatabase(data, async (database) => {
    const order = new DayOrder({ database, effects: systemEffects(), waiting: () => 0 });
    await order.settle(async () => {
      const log_bytes = await sizeOf(`${data}/wattkeeper.duckdb.wal`);
      if (log_bytes >= setting_limits.checkpoint_wal_bytes) await database.checkpoint("few");
    });
    await database.checkpoint();
  });
}

/** The sensor of the inverter that is asked for alone, by what paths answer. */
export async function sensorOf(
  textOf: (path: string) => Promise<string>,
  project_id: string,
): Promise<string> {
  const { devices } = JSON.parse(
    await textOf(`/platform/v1/meta/devices?project_id=${project_id}`),
  ) as { readonly devices: readonly { readonly key: string; readonly hierarchy_id: string }[] };
  return devices.find(({ key }) => key === `INV${one_inverter}`)!.hierarchy_id;
}

type Asked = { readonly work: Work; readonly project_id: string; readonly sensor: string };

export function pathOf(question: Question, { work, project_id, sensor }: Asked): string {
  const { all, one_day, page, minutes } = spansOf(work);
  const performance = (
    [from_us, to_us]: readonly [number, number],
    time_interval: string,
    ...more: readonly (readonly [string, string])[]
  ) => {
    const search = new URLSearchParams({
      ...{ project_ids: project_id, component: "inverter", component_measure: "active_power" },
      ...{ dt_start: isoOf(from_us).slice(0, 10), dt_end: isoOf(to_us - 1).slice(0, 10) },
      ...{ time_interval, use_solar_bounds: "false", columns: "ts,sensor_tag,sensor_value" },
    });
    for (const [name, value] of more) search.append(name, value);
    return `/platform/v1/performance-v2?${search}`;
  };
  const signals = (search: Readonly<Record<string, string>>) =>
    `/platform/v1/signals?${new URLSearchParams({
      ...{ project_id, lane: "raw_signal", resolution: "raw", limit: "100000" },
      ...search,
    })}`;
  const span = ([from_us, to_us]: readonly [number, number]) => ({
    from: isoOf(from_us),
    to: isoOf(to_us),
  });
  const columns = "ts,sensor_tag,value";
  switch (question) {
    case "days":
      return performance(all, "OneDay");
    case "hours":
      return performance(all, "OneHour");
    case "quarters":
      return performance(one_day, "FifteenMinutes");
    case "latest":
      return `/platform/v1/signals/latest?project_id=${project_id}`;
    case "tag_day":
      return signals({ ...span(one_day), tag: tagOf(one_inverter, 0), columns: "ts,value" });
    case "page":
      return signals({ ...span(page), columns });
    case "replay":
      return signals({ received_since: isoOf(0), columns: `received_at,${columns}` });
    case "minutes":
      return performance(minutes, "OneMinute");
    case "whole":
      return performance(all, "Full", ["group_by", "project_id"]);
    case "inverter_minutes":
      return performance(all, "OneMinute", ["hierarchy_ids", sensor]);
  }
}

function isoOf(us: number): string {
  return new Date(us / 1000).toISOString();
}
