// Workload S2: a list of 10 000 issues that a million snapshots were taken of.
import { assemble } from "../../src/app.ts";
import { systemEffects } from "../../src/base/effects.ts";
import { silent_log } from "../../src/engine/core/log.ts";
import { type Settings, settings_table } from "../../src/model/setting.ts";
import { Database } from "../../src/store/database.ts";
import { bestMs, type Figure } from "./figure.ts";
import { query, runQuery } from "../help/query.ts";

const runs = 15;
const issues = 10_000;

/** S2: all the issues, and the high ones that are open, beside the engine's own read of them. */
export async function* measureWorkLists(
  { snapshots }: { readonly snapshots: number },
): AsyncGenerator<Figure> {
  const folder = await Deno.makeTempDir();
  const effects = systemEffects();
  const database = await Database.open({ path: `${folder}/work.duckdb`, effects });
  database.vault.use(new Uint8Array(32));
  try {
    await fill(database, snapshots);
    const { services, app } = await assemble(database, { effects, settings, log: silent_log });
    const everything = { organization_id: null, project_ids: null, expires_at: null };
    const { token } = await services.access.create({
      ...{ name: "bench", scopes: ["read"], ...everything },
    });
    const headers = { authorization: `Bearer ${token}` };
    const get = async (query: string) => {
      const url = `http://localhost/platform/v1/issues?project_id=p1&${query}`;
      const answer = await app.fetch(new Request(url, { headers }));
      if (answer.status !== 200) throw new Error(await answer.text());
      return (await answer.arrayBuffer()).byteLength;
    };
    const raw = (sql: string) =>
      database.read(async (connection) => Array.from(await connection.pieces(query(sql))));
    const whole = await bestMs(runs, () => get(`limit=${issues}`));
    yield {
      workload: "S2",
      what: `${issues} issues of ${snapshots / 1e6} million snapshots`,
      ...{ value: whole, unit: "ms", target: "< 100 ms", met: whole < 100 },
      limit: { what: "their texts alone", value: await bestMs(runs, () => raw(all_texts)) },
    };
    const some = await bestMs(runs, () => get("status=open&priority=high&limit=1000"));
    yield {
      workload: "S2",
      what: "1 000 of them by status and priority",
      ...{ value: some, unit: "ms", target: "< 30 ms", met: some < 30 },
      limit: { what: "their texts alone", value: await bestMs(runs, () => raw(some_texts)) },
    };
    await services.roll.close();
    await services.availability.close();
    await services.minute_evaluator.close();
    await database.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const all_texts = "SELECT snapshot FROM issue";
const some_texts =
  "SELECT snapshot FROM issue WHERE status = 'open' AND priority = 'high' LIMIT 1000";

/** Makes the issues, each last changed at some time of the whole. */
async function fill(database: Database, snapshots: number): Promise<void> {
  const count = 100_000;
  for (let from = 0; from < snapshots; from += count) {
    await database.write(({ connection }) =>
      runQuery(connection, snapshot_fill, { from, to: Math.min(from + count, snapshots) })
    );
  }
  await database.write(async ({ connection }) => {
    await connection.script("INSERT INTO project VALUES (1, 'p1', 'o1', 'p', 'P', NULL, 'UTC')");
    await runQuery(connection, issue_fill, { every: snapshots / issues });
  });
  await database.checkpoint();
}

const snapshot_fill = `
  INSERT INTO work_snapshot
  SELECT
    n, 'issue', n, 1, 1700000000000000 + n,
    '{"id":"' || uuid() || '","number":' || n || ',"description":"' || array_to_string(
      list_transform(range(60), x -> md5((x * 17 + n * 31)::VARCHAR)[1:12]), ' '
    ) || '","devices":[' || array_to_string(list_transform(
      range(6), x -> '{"device_id":"' || md5((x + n % 500)::VARCHAR) || '","effective_to":null}'
    ), ',') || ']}'
  FROM range($from::BIGINT, $to::BIGINT) AS t(n)
  ORDER BY n`;

const issue_fill = `
  INSERT INTO issue BY NAME
  SELECT
    row_number() OVER (ORDER BY snapshot_no) AS issue_no, uuid()::VARCHAR AS id,
    'o1' AS organization_id, 1 AS project_no, issue_no AS number, 'An issue' AS name,
    ['open', 'in_progress', 'resolved', 'closed'][1 + issue_no % 4] AS status,
    ['urgent', 'high', 'medium', 'low'][1 + issue_no // 4 % 4] AS priority,
    'manual' AS source, '[]' AS devices, changed_at AS created_at, changed_at AS updated_at,
    1 AS version, snapshot_no, body AS snapshot
  FROM work_snapshot
  WHERE snapshot_no % $every::BIGINT = 0`;

const defaults = Object.entries(settings_table)
  .map(([name, setting]) => [name, "default" in setting ? setting.default : 1]);
const settings = Object.fromEntries(defaults) as Settings;
