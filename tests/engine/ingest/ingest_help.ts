// A database with one project and an ingest, for tests: rows in by JSON, stored rows out.
import { Catalog } from "../../../src/engine/catalog/catalog.ts";
import { Ingest } from "../../../src/engine/ingest/ingest.ts";
import type { Project } from "../../../src/model/plant/plant.ts";
import type { StoredAnswer } from "../../../src/model/samples/sample.ts";
import { Database } from "../../../src/store/database.ts";
import { decodeSamples, type IngestLane } from "../../../src/wire/decode.ts";
import { SampleBatchBuilder, type SampleRow } from "../../../src/wire/samples/sample_builder.ts";
import { type Clock, fakeEffects } from "../../help/effects.ts";
import { openRuleEngine } from "../../../src/engine/rules/open.ts";
import { queryRows } from "../../help/query.ts";

export const project: Project = {
  project_no: 1,
  id: "p1",
  organization_id: "o1",
  key: "p1",
  name: "P 1",
  portfolio: null,
  timezone: "UTC",
};

/** The clock's start, in microseconds. */
export const start_us = Date.UTC(2026, 5, 1, 12) * 1e6 / 1000;

export type TestIngest = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly ingest: Ingest;
  readonly clock: Clock;
  /** Ingests NDJSON objects. */
  readonly send: (rows: readonly object[], lane?: IngestLane) => Promise<StoredAnswer>;
  /** Ingests rows as they are. */
  readonly add: (rows: readonly Omit<SampleRow, "line">[]) => Promise<StoredAnswer>;
  /** Goes on with an ingest that knows only what is stored. */
  readonly restart: () => Promise<void>;
  /** Every stored sample as text `tag ts value int text quality status`, in order. */
  readonly stored: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

/** Opens a database (in memory unless `path` says where) with an ingest. */
export async function openIngest(path = ":memory:"): Promise<TestIngest> {
  const { effects, clock } = fakeEffects("2026-06-01T12:00:00Z");
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 512 });
  const catalog = await Catalog.load(database);
  const parts = { database, catalog, effects };
  const begin = async () => await Ingest.open({ ...parts, ...await openRuleEngine(parts) });
  let ingest = await begin();
  return {
    database,
    catalog,
    get ingest() {
      return ingest;
    },
    clock,
    async restart() {
      ingest = await begin();
    },
    async send(rows, lane) {
      const text = rows.map((row) => JSON.stringify(row)).join("\n") + "\n";
      const tags = ingest.tags.of(project.project_no, lane === "model" ? "model" : "signal");
      const options = { media_type: "application/x-ndjson", encoding: null, lane, tags };
      return await ingest.add(project, await decodeSamples(bodyOf(text), options));
    },
    async add(rows) {
      const builder = new SampleBatchBuilder();
      rows.forEach((row, i) => builder.add({ ...row, line: i + 1 }));
      return await ingest.add(project, {
        batches: [builder.build()],
        rejected: [],
        rejected_count: 0,
      });
    },
    async stored() {
      const rows = await database.read((connection) =>
        queryRows<{ row: string }>(
          connection,
          "SELECT concat_ws(' ', sensor_tag, ts - $start_us::BIGINT, " +
            "coalesce(value::VARCHAR, '-'), coalesce(value_int::VARCHAR, '-'), " +
            "coalesce(value_str, '-'), coalesce(quality::VARCHAR, '-'), " +
            "coalesce(status_code::VARCHAR, '-')) AS row " +
            "FROM sample JOIN tag USING (tag_no) ORDER BY sensor_tag, ts, row",
          { start_us },
        )
      );
      return rows.map(({ row }) => row);
    },
    close: () => database.close(),
  };
}

async function* bodyOf(text: string) {
  yield new TextEncoder().encode(text);
}
