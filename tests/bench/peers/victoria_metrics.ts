// The peer VictoriaMetrics: a server of one node, over HTTP.
import type { Count, Peer, Store } from "./peer.ts";
import {
  folderBytes,
  freePort,
  isUp,
  outputOf,
  request,
  startChild,
  untilReady,
} from "./process.ts";
import { day_us, minute_us, one_inverter, type Question, spansOf, type Work } from "./work.ts";

const program = Deno.env.get("VICTORIA_METRICS") ?? "victoria-metrics";
const by_series = "gives raw values by series, not by time";

export const victoria_metrics: Peer = {
  name: "VictoriaMetrics",
  sought: "victoria-metrics on the PATH, or the command VICTORIA_METRICS",
  durability: "in memory: on disk some seconds after the acknowledgement",
  settings:
    "line protocol; answers as JSON, raw values by its export; nocache=1, as buckets would " +
    "else be moved to its own grid; all else by default",
  is_server: true,
  formats: ["line"],
  lacks: { page: by_series, replay: "keeps no time of storing" },
  find: async () => {
    const help = await outputOf(program, "-help");
    // It has a version of its own, or none where a distribution built it.
    return help === undefined ? undefined : await versionOf();
  },
  open,
};

async function versionOf(): Promise<string> {
  return await outputOf(program, "-version") ||
    await outputOf("dpkg-query", "-W", "-f", "${Version}", "victoria-metrics") || "?";
}

async function open(folder: string, work: Work): Promise<Store> {
  const address = `127.0.0.1:${freePort()}`;
  const data = `${folder}/data`;
  const url = `http://${address}`;
  const start = async () => {
    const args = [`-storageDataPath=${data}`, `-httpListenAddr=${address}`];
    const started = startChild(program, args);
    await untilReady(() => isUp(`${url}/health`), started);
    return started;
  };
  let child = await start();
  const metric = async (pattern: RegExp) => {
    const text = new TextDecoder().decode(await request(`${url}/metrics`));
    return Array.from(text.matchAll(pattern), ([, value]) => Number(value))
      .reduce((sum, it) => sum + it, 0);
  };
  return {
    get pid() {
      return child.pid;
    },
    load: async ({ path }) => {
      await request(`${url}/write`, { method: "POST", body: await Deno.readFile(path) });
    },
    settle: async () => {
      await request(`${url}/internal/force_flush`);
    },
    rest: async () => {
      await untilReady(async () => await metric(/^vm_active_merges\S* (\d+)$/gm) === 0);
      // What is in memory alone goes to the disk.
      await child.end("SIGTERM");
      child = await start();
    },
    bytes: async () => await folderBytes(`${data}/data`) + await folderBytes(`${data}/indexdb`),
    ask: async (question) => {
      const { path, search } = requestOf(question, work);
      const bytes = await request(`${url}${path}?${new URLSearchParams(search)}`);
      return path.endsWith("export") ? exportedValues(bytes) : computedValues(bytes);
    },
    close: () => child.end("SIGTERM"),
  };
}

type Asked = { readonly path: string; readonly search: Readonly<Record<string, string>> };

function requestOf(question: Question, work: Work): Asked {
  const { all, one_day, minutes } = spansOf(work);
  const p_ac = "inverter_p_ac";
  const one = `${p_ac}{id="INV${one_inverter}"}`;
  switch (question) {
    case "days":
      return bucketsOf(all, { window: "1d", step_us: day_us });
    case "hours":
      return bucketsOf(all, { window: "1h", step_us: 60 * minute_us });
    case "quarters":
      return bucketsOf(one_day, { window: "15m", step_us: 15 * minute_us });
    case "latest":
      return instantOf('{__name__=~"inverter_.+"}', work);
    case "whole":
      return instantOf(`avg(avg_over_time(${p_ac}[${work.days}d]))`, work);
    case "tag_day":
      return exportOf(one, one_day);
    case "minutes":
      return exportOf(p_ac, minutes);
    case "inverter_minutes":
      return exportOf(one, all);
    case "page":
    case "replay":
      throw new Error(`${question} is not asked`);
  }
}

/** Means of buckets, each asked for at its last minute: a window holds its end, not its start. */
function bucketsOf(
  [from_us, to_us]: readonly [number, number],
  { window, step_us }: { readonly window: string; readonly step_us: number },
): Asked {
  const search = {
    query: `avg_over_time(inverter_p_ac[${window}])`,
    start: secondsOf(from_us + step_us - minute_us),
    end: secondsOf(to_us - minute_us),
    step: secondsOf(step_us),
    nocache: "1",
  };
  return { path: "/api/v1/query_range", search };
}

function instantOf(query: string, { to_us }: Work): Asked {
  const time = secondsOf(to_us - minute_us);
  return { path: "/api/v1/query", search: { query, time, nocache: "1" } };
}

function exportOf(match: string, [from_us, to_us]: readonly [number, number]): Asked {
  const search = { "match[]": match, start: secondsOf(from_us), end: secondsOf(to_us - minute_us) };
  return { path: "/api/v1/export", search };
}

function secondsOf(us: number): string {
  return String(us / 1e6);
}

function computedValues(bytes: Uint8Array): Count {
  return () => {
    const { data: { result } } = JSON.parse(new TextDecoder().decode(bytes));
    const counts = (result as { readonly values?: readonly unknown[] }[])
      .map(({ values }) => values?.length ?? 1);
    return counts.reduce((sum, it) => sum + it, 0);
  };
}

function exportedValues(bytes: Uint8Array): Count {
  return () =>
    new TextDecoder().decode(bytes).split("\n").filter(Boolean)
      .map((line) => JSON.parse(line).values.length as number)
      .reduce((sum, it) => sum + it, 0);
}
