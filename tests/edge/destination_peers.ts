// What destinations are sent to, one of each kind: how it is declared, and what it has.
import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { decodeSparkplug } from "../../src/wire/sources/sparkplug.ts";
import type { Peer, startPeer } from "../help/destination.ts";
import type { KeptMessage } from "./keeping_broker.ts";

/** A sample as a destination has it. */
export type Sample = { readonly tag: string; readonly ts_ms: number; readonly value: number };

/** A destination. */
export type Place = {
  readonly definition: Readonly<Record<string, unknown>>;
  /** Kills it, and starts it again at its port. */
  readonly again?: () => Promise<void>;
  /** What it has, as often as it has it. */
  readonly found: () => Promise<readonly Sample[]>;
};

/** Where peers run. */
export type World = {
  readonly folder: string;
  readonly peer: (
    command: string,
    wish: Parameters<typeof startPeer>[1],
  ) => Promise<Pick<Peer, "port"> & { readonly again: () => Promise<void> }>;
};

const versitygw = "/opt/bin/versitygw";
const programs = [["prometheus", "--version"], [versitygw, "--version"], ["cc", "--version"]];

/** Whether all that the destinations run is here. */
export function hasPeers(): boolean {
  return programs.every(([command, ...args]) => {
    try {
      return new Deno.Command(command, { args, stdout: "null", stderr: "null" }).outputSync()
        .success;
    } catch {
      return false;
    }
  });
}

/** The destinations; Prometheus as it is, and where it takes what is late. */
export const kinds: Readonly<Record<string, (world: World) => Promise<Place>>> = {
  prometheus: (world) => prometheus(world, { takes_late: false }),
  prometheus_late: (world) => prometheus(world, { takes_late: true }),
  files: ({ folder }) =>
    Promise.resolve({
      definition: { kind: "parquet_folder", folder: "lake" },
      found: () => inFiles(`${folder}/files/o/lake`),
    }),
  async store({ folder, peer }) {
    await Deno.mkdir(`${folder}/store/lake`, { recursive: true });
    const { port, again } = await peer(versitygw, {
      argsOf: (port) => ["--port", `127.0.0.1:${port}`, "--quiet", "posix", `${folder}/store`],
      env: { ROOT_ACCESS_KEY: "wk", ROOT_SECRET_KEY: "a-very-secret-key" },
    });
    const definition = {
      ...{ kind: "parquet_s3", endpoint: `http://127.0.0.1:${port}`, bucket: "lake" },
      ...{ access_key_id: "wk", secret_access_key: "a-very-secret-key" },
    };
    return { definition, again, found: () => inFiles(`${folder}/store/lake`) };
  },
  async mqtt(world) {
    const { port, again, kept } = await broker(world, "mqtt");
    const definition = { kind: "mqtt", host: "127.0.0.1", port, topic: "{tag}" };
    const found = async () =>
      (await kept()).map(({ payload }): Sample => {
        const { tag, ts, value } = JSON.parse(atob(payload));
        return { tag, ts_ms: Date.parse(ts), value };
      });
    return { definition, again, found };
  },
  async sparkplug(world) {
    const { port, again, kept } = await broker(world, "sparkplug");
    const definition = { kind: "sparkplug", host: "127.0.0.1", port, group: "g", node: "n" };
    return { definition, again, found: async () => toldBy(await kept()) };
  },
};

async function prometheus(
  { folder, peer }: World,
  { takes_late }: { readonly takes_late: boolean },
): Promise<Place> {
  const own = `${folder}/prometheus-${takes_late}`;
  await Deno.mkdir(own);
  const config = takes_late ? "storage: { tsdb: { out_of_order_time_window: 30d } }" : "";
  await Deno.writeTextFile(`${own}/prometheus.yml`, config);
  const { port, again } = await peer("prometheus", {
    argsOf: (port) => [
      ...[`--config.file=${own}/prometheus.yml`, `--storage.tsdb.path=${own}/data`],
      ...[`--web.listen-address=127.0.0.1:${port}`, "--log.level=error"],
      ...["--web.enable-remote-write-receiver", "--storage.tsdb.retention.time=100y"],
    ],
  });
  const url = `http://127.0.0.1:${port}/api/v1/write`;
  const found = async () => {
    const query = new URLSearchParams({ query: '{__name__=~"t."}[3000d]' });
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${query}`);
    type Series = {
      readonly metric: { readonly __name__: string };
      readonly values: readonly (readonly [number, string])[];
    };
    const { data: { result } } = await answer.json() as { data: { result: readonly Series[] } };
    return result.flatMap(({ metric: { __name__: tag }, values }) =>
      values.map(([s, value]): Sample => ({ tag, ts_ms: Math.round(s * 1000), value: +value }))
    );
  };
  return { definition: { kind: "remote_write", url, takes_late }, again, found };
}

async function broker({ folder, peer }: World, name: string) {
  const file = `${folder}/${name}`;
  const script = new URL("keeping_broker.ts", import.meta.url).pathname;
  const wish = {
    argsOf: (port: number) => ["run", "-A", "--no-check", script, `${port}`, file],
  };
  const kept = async (): Promise<readonly KeptMessage[]> => {
    const text = await Deno.readTextFile(file);
    return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  };
  return { ...await peer(Deno.execPath(), wish), kept };
}

/** What an edge node has told: births with names, data by aliases. */
function toldBy(messages: readonly KeptMessage[]): readonly Sample[] {
  const names = new Map<string, string>();
  return messages.flatMap(({ topic, payload }) => {
    const type = topic.split("/")[2];
    if (type === "NDEATH") return [];
    const { metrics } = decodeSparkplug(Uint8Array.fromBase64(payload));
    return metrics.flatMap((metric): Sample[] => {
      const { alias, name, ts_ms, raw } = metric;
      if (alias === undefined) return [];
      if (name !== undefined) names.set(alias, name);
      if (raw?.kind !== "number") return [];
      return [{ tag: names.get(alias)!, ts_ms: ts_ms!, value: raw.value }];
    });
  });
}

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

/** The rows of the files that manifests name. */
async function inFiles(root: string): Promise<readonly Sample[]> {
  const base = `${root}/project=p`;
  const samples: Sample[] = [];
  for await (const { name } of Deno.readDir(`${base}/_manifest`)) {
    const { files } = JSON.parse(await Deno.readTextFile(`${base}/_manifest/${name}`));
    for (const { path } of files) {
      const { buffer } = await Deno.readFile(`${base}/${path}`);
      const rows = await parquetReadObjects({ file: buffer as ArrayBuffer, compressors });
      for (const { sensor_tag, ts, value } of rows) {
        samples.push({ tag: sensor_tag, ts_ms: (ts as Date).getTime(), value });
      }
    }
  }
  return samples;
}
