// Queries in PromQL: a real Prometheus with the same samples gives the same answers.
import { deepEqual, equal, ok } from "node:assert/strict";
import { type SentSeries, snappyBlock, writeRequest1 } from "../../help/remote_write.ts";
import { testService } from "../../help/service.ts";

const start_s = Date.UTC(2026, 5, 1, 10) / 1000;
const end_s = start_s + 7200;

/** Series that end, pause, fall back and lie together: none at an instant that is asked for. */
const sent: readonly SentSeries[] = [1, 2, 3].flatMap((unit) => {
  const every_s = 20 * unit;
  const at = Array.from({ length: Math.floor(7000 / every_s) }, (_, i) => 7 + i * every_s)
    .filter((s) => unit !== 2 || s < 2000 || s > 3700)
    .filter((s) => unit !== 3 || s < 5000);
  const series = (name: string, of: (s: number, i: number) => number): SentSeries => ({
    labels: [["__name__", name], ["unit", `${unit}`], ["block", unit < 3 ? "a" : "b"]],
    samples: at.map((s, i) => [(start_s + s) * 1000 + 123, of(s, i)]),
  });
  return [
    series("power", (s, i) => Math.round(800 * Math.sin(s / 900) * unit + 13 * (i % 7))),
    series("limit", (s) => 500 + s / 10),
    series("energy_total", (_, i) => (i * 37 * unit) % 5000),
  ];
});

const queries = [
  ...[
    "power",
    'power{unit="1"}',
    'power{unit!="1",block=~"a|c"}',
    '{__name__=~"po.*",unit!~"2|3"}',
  ],
  ...["power - power offset 10m", "2 * power offset 5m + power", '{__name__!="",unit="1"}'],
  ...["power offset 10m", "power offset -5m", "-power", "power * 2 + 1", "1 - power % 7", "2 ^ 3"],
  ...[
    "power / limit",
    "power > 300",
    "power > bool 300",
    "power >= limit",
    "100 < power",
    "-1 / 0",
  ],
  ...["sum(power)", "avg by (block) (power)", "min without (unit) (power)", "max(power) by (x)"],
  ...[
    "count(power > 0)",
    "sum by (block) (power) / sum by (block) (limit)",
    "0 / 0",
    "1 == bool 1",
  ],
  ...["-2 ^ 2", "power -1", "2 ^ 3 ^ 2", "1 + 2 * 3 % 4", "power > 1 + 2 * limit", "-power ^ 2"],
  ...["rate(energy_total[5m])", "increase(energy_total[17m])", "delta(power[5m])"],
  ...[
    "rate(energy_total[90s])",
    "rate(energy_total[1h] offset 10m)",
    "sum(rate(energy_total[5m]))",
  ],
  ...["avg", "sum", "min", "max", "count", "last"].map((name) => `${name}_over_time(power[7m])`),
  ...['power{unit="9"}', "sum(none)", "avg_over_time(power[1s])", "(power)", "power # a comment"],
];

Deno.test("a Prometheus with the same samples answers the same", async () => {
  const folder = await Deno.makeTempDir();
  const lines = sent.flatMap(({ labels: [[, name], ...labels], samples }) => {
    const inner = labels.map(([label, value]) => `${label}="${value}"`).join(",");
    return samples.map(([ms, value]) => `${name}{${inner}} ${value} ${ms / 1000}`);
  });
  await Deno.writeTextFile(`${folder}/samples`, `${lines.join("\n")}\n# EOF\n`);
  await Deno.writeTextFile(`${folder}/prometheus.yml`, "");
  const made = await run("promtool", [
    ...["tsdb", "create-blocks-from", "openmetrics", `${folder}/samples`, `${folder}/data`],
  ]);
  if (!made) return;
  const service = await testService({ at: "2026-06-01T13:00:00Z" });
  const { database, catalog } = service.services;
  await database.write(({ connection }) =>
    connection.script("INSERT INTO project VALUES (1, 'p1', 'o1', 'north', 'N', NULL, 'UTC')")
  );
  await catalog.reload();
  const body = snappyBlock(writeRequest1(sent));
  const headers = { "content-type": "application/x-protobuf", "content-encoding": "snappy" };
  const write = await service.fetch("/prometheus/north/api/v1/write", {
    ...{ method: "POST", body, headers },
  });
  equal(write.status, 204, await write.text());
  const prometheus = await startPrometheus(folder);
  try {
    for (const query of queries) {
      const range = { query, start: `${start_s}`, end: `${end_s}`, step: "60" };
      const asked = `query_range?${new URLSearchParams(range)}`;
      const ours = await service.fetch(`/prometheus/north/api/v1/${asked}`);
      const theirs = await fetch(`${prometheus.url}/api/v1/${asked}`);
      const [a, b] = [await ours.json(), await theirs.json()];
      equal(ours.status, 200, JSON.stringify(a));
      ok(
        query.includes("none") || query.includes('"9"') || b.data.result.length > 0 ||
          query.includes("[1s]"),
        query,
      );
      same(seriesOf(a), seriesOf(b), query);
      const instant = `query?${new URLSearchParams({ query, time: `${start_s + 3000}` })}`;
      const [c, d] = [
        await (await service.fetch(`/prometheus/north/api/v1/${instant}`)).json(),
        await (await fetch(`${prometheus.url}/api/v1/${instant}`)).json(),
      ];
      equal(c.data.resultType, d.data.resultType, query);
      same(seriesOf(c), seriesOf(d), query);
    }
  } finally {
    await prometheus.end();
    await service.close();
  }
});

type Answer = {
  readonly data: {
    readonly resultType: string;
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly values?: readonly Point[];
      readonly value?: Point;
    }[];
  };
};
type Point = readonly [number, string];

/** Points by the labels of their series. */
function seriesOf({ data }: Answer): ReadonlyMap<string, readonly Point[]> {
  if (data.resultType === "scalar") return new Map([["", [data.result as unknown as Point]]]);
  const entries = data.result.map(({ metric, values, value }) => {
    const labels = Object.entries(metric).map(([name, text]) => `${name}=${text}`).sort();
    return [labels.join(), values ?? [value!]] as const;
  });
  return new Map(entries);
}

function same(
  ours: ReadonlyMap<string, readonly Point[]>,
  theirs: ReadonlyMap<string, readonly Point[]>,
  query: string,
): void {
  deepEqual([...ours.keys()].sort(), [...theirs.keys()].sort(), query);
  for (const [labels, points] of theirs) {
    const own = ours.get(labels)!;
    deepEqual(own.map(([s]) => s), points.map(([s]) => s), `${query}: ${labels}`);
    points.forEach(([s, text], i) => {
      const [a, b] = [
        Number(own[i][1].replace("Inf", "Infinity")),
        Number(
          text.replace("Inf", "Infinity"),
        ),
      ];
      const isNear = Object.is(a, b) || a === b || Math.abs(a - b) <= 1e-9 * Math.abs(b);
      ok(isNear, `${query}: ${labels} at ${s}: ${own[i][1]}, not ${text}`);
    });
  }
}

async function run(command: string, args: readonly string[]): Promise<boolean> {
  try {
    const { success, stderr } = await new Deno.Command(command, { args: [...args] }).output();
    ok(success, new TextDecoder().decode(stderr));
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
    console.log(`SKIPPED: what ${command} answers; install it to run this test`);
    return false;
  }
}

/** A Prometheus over the blocks of a folder, once it answers. */
async function startPrometheus(folder: string) {
  // Its log does not say which port it took.
  const taken = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = taken.addr as Deno.NetAddr;
  taken.close();
  const child = new Deno.Command("prometheus", {
    args: [
      ...[`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`],
      ...["--storage.tsdb.retention.time=100y", "--query.lookback-delta=900s"],
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  const log = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  while (!said.includes("Server is ready")) {
    const { value, done } = await log.read();
    if (done) throw new Error(said);
    said += value;
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async end() {
      child.kill("SIGTERM");
      while (!(await log.read()).done);
      await child.status;
    },
  };
}
