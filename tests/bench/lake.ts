// `deno run -A tests/bench/lake.ts EXTENSIONS [tags] [days] [CATALOG] [DATA]`: days into a lake.
//
// Rows a second and processor time of moving days into files and into a lake, bytes a sample, and
// one tag's day read from the table, from files and from the lake. CATALOG is such as
// `postgres:host=… dbname=…`, DATA a directory or, with S3_ENDPOINT, S3_KEY_ID and S3_SECRET,
// `s3://…`.
import process from "node:process";
import { systemEffects } from "../../src/base/effects.ts";
import { silent_log } from "../../src/engine/core/log.ts";
import { Tiers } from "../../src/engine/retention/tiers.ts";
import { Database } from "../../src/store/database.ts";
import { Lake } from "../../src/store/retention/lake.ts";
import { statement } from "../../src/store/statement.ts";
import { bestMs } from "./figure.ts";
import { still_roll } from "../help/whole.ts";

const [extensions, tags = "500", days = "6", ...place] = Deno.args;
const effects = systemEffects();
const today = Math.floor(Date.now() / 86_400_000);
const old = today - 50;

const read = statement({
  sql: `SELECT count(*)::INTEGER AS n, sum(value) AS total FROM sample
    WHERE tag_no = 7 AND ts >= $from_us AND ts < $to_us`,
  parameters: { from_us: "instant", to_us: "instant" },
  row: { n: "int32", total: "float64" },
  reach: "time",
});

const moved_bytes = statement({
  sql: "SELECT sum(bytes)::BIGINT AS bytes FROM tier_day",
  row: { bytes: "int64" },
});

await measure("files");
await measure("lake");

async function measure(where: "files" | "lake"): Promise<void> {
  const folder = await Deno.makeTempDir();
  const [catalog = `${folder}/catalog.ducklake`, data_path = `${folder}/lake`] = place;
  const setting = (name: string) => Deno.env.get(name) ?? "none";
  const lake = new Lake({
    ...{ catalog, data_path, schema: `bench_${Deno.pid}`, extensions, effects },
    s3: {
      ...{ endpoint: setting("S3_ENDPOINT"), region: setting("S3_REGION") },
      ...{ key_id: setting("S3_KEY_ID"), secret: setting("S3_SECRET") },
    },
  });
  const options = { path: `${folder}/a.duckdb`, effects, memory_mb: 2048 };
  const database = await Database.open(where === "lake" ? { ...options, lake } : options);
  for (const day of [...Array(Number(days)).keys()].map((i) => old + i).concat(today)) {
    await database.write(({ connection, stamp_us }) =>
      connection.script(`INSERT INTO sample
        SELECT t, (${day * 1440} + m)::BIGINT * 60000000, ${stamp_us},
          round(500 * sin(m / 700) + (hash(t * 7919 + m) % 1000) / 100, 2), NULL, NULL, 0, NULL
        FROM range(1440) AS m (m), range(${tags}) AS t (t)
        ORDER BY m, t`)
    );
  }
  await database.checkpoint();
  const range = { from_us: (old + 1) * 86_400e6, to_us: (old + 2) * 86_400e6 };
  const answer = () => database.read((connection) => connection.rows(read, range));
  const [expected] = await answer();
  const near_ms = await bestMs(10, answer);
  const settings = { tier_after: "35d" };
  const tiers = await Tiers.open({
    database,
    roll: still_roll,
    settings,
    effects,
    log: silent_log,
  });
  await database.far.place.ready();
  const [began, used] = [effects.monotonic_ms(), process.cpuUsage()];
  await tiers.settle();
  const wall_s = (effects.monotonic_ms() - began) / 1000;
  const { user, system } = process.cpuUsage(used);
  const rows = Number(days) * Number(tags) * 1440;
  const { bytes } = await database.aside(async (connection) =>
    (await connection.rows(moved_bytes))[0]
  );
  const [found] = await answer();
  if (found.n !== expected.n) throw new Error(`${found.n} of ${expected.n} rows are there`);
  const far_ms = await bestMs(10, answer);
  effects.out(
    `${where}: ${Math.round(rows / wall_s / 1000)} k rows/s, ` +
      `${((user + system) / rows).toFixed(2)} CPU s per M, ${(bytes / rows).toFixed(2)} bytes a ` +
      `sample; a tag's day ${near_ms.toFixed(1)} ms near, ${far_ms.toFixed(1)} ms there\n`,
  );
  await database.close();
  await Deno.remove(folder, { recursive: true });
}
