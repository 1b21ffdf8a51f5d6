// Attacks on questions in SQL: each is refused before it runs, with a word on what is there.
import { equal, fail, match, ok, rejects } from "node:assert/strict";
import { Fault } from "../../../src/base/fault.ts";
import type { ViewShape } from "../../../src/model/query/view.ts";
import { Sandbox } from "../../../src/store/query/sandbox.ts";

const view: ViewShape = {
  name: "signals",
  columns: [
    { name: "ts", kind: "instant", doc: "" },
    { name: "value", kind: "float64", doc: "" },
    { name: "tag", kind: "text", doc: "" },
  ],
  times: ["ts"],
  words: ["tag"],
};
const views = new Map([[view.name, view]]);

/** Functions that reach out of the rows, each as an expression. */
const reaching = `
  getenv('HOME'); current_setting('memory_limit'); getvariable('x'); current_database();
  current_schema(); current_schemas(true); current_user; session_user; user; current_role;
  current_catalog; current_query(); txid_current(); current_connection_id(); current_query_id();
  version(); pg_typeof(1); pg_get_viewdef('signals'); pg_size_pretty(1);
  has_table_privilege('a', 'b');
  nextval('s'); currval('s'); setseed(0.5); random(); uuid(); gen_random_uuid(); uuidv7();
  write_log('x'); sleep_ms(100000); pg_sleep(100); parse_duckdb_log_message('a', 'b');
  read_text('/etc/passwd'); json_serialize_sql('select 1'); json_deserialize_sql('{}');
  json_serialize_plan('select 1'); create_sort_key(1, 'ASC'); in_search_path('a', 'b');
  repeat('x', 1000000000); lpad('x', 1000000000, 'x'); rpad('x', 1000000000, 'x');
  list_resize([1], 1000000000, 2); array_resize([1], 1000000000); bar(1, 0, 10, 1000000000);
  url_encode('x'); to_base64('x'::BLOB); hex('x'); bitstring('1', 1000000000); to_binary('x');
  combine(1, 2); finalize(1); remap_struct(1, 2, 3, 4); which_secret('a', 'b'); get_block_size('a');
  inet_server_addr(); pg_postmaster_start_time(); pg_conf_load_time(); format_type(1, 2);
  system.main.abs(1); memory.main.abs(1); pg_catalog.abs(1); temp.abs(1); main.getenv('HOME');
  cast_to_type('1', 2); st_astext(1); stats(value); vector_type(value); constant_or_null(1, value);
  query('select 1'); glob('*')
`.split(";").map((it) => it.trim()).filter((it) => it !== "");

/** What stands for a table and is none of the views. */
const sources = `
  read_csv('/etc/passwd'); read_csv_auto('/etc/passwd'); read_text('/etc/passwd');
  read_blob('/etc/shadow'); read_parquet('/data/*.parquet'); parquet_scan('x'); read_json('x');
  read_json_auto('x'); read_json_objects('x'); read_ndjson('x'); read_ndjson_auto('x');
  sniff_csv('/etc/passwd'); glob('/**'); parquet_metadata('x'); parquet_schema('x');
  parquet_kv_metadata('x'); parquet_file_metadata('x'); parquet_full_metadata('x');
  parquet_bloom_probe('x', 'y', 1); read_duckdb('/data/wattkeeper.duckdb');
  '/etc/passwd'; 'https://example.org/x.csv'; 's3://bucket/x.parquet'; 'x.duckdb'; "/etc/passwd";
  "data.csv"; '~/.ssh/id_rsa'; 'file:///etc/passwd'; '/proc/self/environ';
  duckdb_settings(); duckdb_secrets(); duckdb_tables(); duckdb_columns(); duckdb_views();
  duckdb_functions(); duckdb_extensions(); duckdb_databases(); duckdb_memory(); duckdb_logs();
  duckdb_temporary_files(); duckdb_variables(); duckdb_prepared_statements(); duckdb_sequences();
  duckdb_external_file_cache(); duckdb_connection_count(); duckdb_logs_parsed();
  pragma_database_size(); pragma_version(); pragma_platform(); pragma_user_agent();
  pragma_show('x');
  pragma_storage_info('signals'); pragma_table_info('signals'); pragma_metadata_info();
  information_schema.tables; information_schema.schemata; information_schema.columns;
  pg_catalog.pg_tables; pg_catalog.pg_settings; pg_tables; pg_class; sqlite_master; sqlite_schema;
  duckdb_tables; duckdb_settings; main.signals; memory.main.signals; memory.signals; temp.signals;
  system.information_schema.tables; wattkeeper.main.sample; other.signals; sample; token; "user";
  query('select 1'); query_table('signals'); query_table(['signals']);
  json_execute_serialized_sql('{}');
  seq_scan('signals'); arrow_scan(1, 2, 3); pandas_scan(1); python_map_function(1);
  test_all_types(); test_vector_types(1); repeat(1, 1000000000);
  repeat_row(1, num_rows = 1000000000);
  checkpoint(); force_checkpoint(); enable_logging(); disable_logging(); enable_profiling();
  truncate_duckdb_logs(); summary(signals); icu_calendar_names(); pg_timezone_names();
  which_secret('a', 'b'); histogram('signals', value); json_each('{}'); json_tree('{}');
  signals AT (VERSION => 1); signals AT (TIMESTAMP => now())
`.split(";").map((it) => it.trim()).filter((it) => it !== "");

/** Whole statements that do something else than to read views. */
const statements = `
  ATTACH '/data/wattkeeper.duckdb' AS o
  ATTACH ':memory:' AS o
  DETACH memory
  USE memory
  COPY signals TO '/tmp/x.csv'
  COPY (SELECT 1) TO '/tmp/x' (FORMAT parquet)
  COPY signals FROM '/etc/passwd'
  EXPORT DATABASE '/tmp/x'
  IMPORT DATABASE '/tmp/x'
  INSTALL httpfs
  FORCE INSTALL httpfs FROM community
  LOAD httpfs
  LOAD '/tmp/evil.so'
  UPDATE EXTENSIONS
  SET memory_limit = '100GB'
  SET GLOBAL threads = 64
  SET enable_external_access = true
  SET VARIABLE x = 1
  RESET memory_limit
  PRAGMA version
  PRAGMA database_list
  PRAGMA enable_profiling
  PRAGMA table_info('signals')
  CALL pragma_version()
  CALL duckdb_settings()
  PREPARE p AS SELECT 1
  EXECUTE p
  DEALLOCATE p
  CREATE TABLE t AS SELECT 1
  CREATE TEMP TABLE t (a INT)
  CREATE VIEW v AS SELECT 1
  CREATE OR REPLACE VIEW signals AS SELECT 1
  CREATE MACRO m(a) AS a + 1
  CREATE MACRO m() AS TABLE SELECT 1
  CREATE SEQUENCE s
  CREATE SCHEMA s
  CREATE TYPE t AS ENUM ('a')
  CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')
  CREATE INDEX i ON signals (ts)
  DROP VIEW signals
  ALTER TABLE signals ADD COLUMN x INT
  INSERT INTO signals VALUES (1)
  UPDATE signals SET value = 1
  DELETE FROM signals
  TRUNCATE signals
  MERGE INTO signals USING signals AS s ON true WHEN MATCHED THEN DELETE
  BEGIN TRANSACTION
  COMMIT
  ROLLBACK
  CHECKPOINT
  VACUUM
  ANALYZE
  EXPLAIN SELECT 1
  EXPLAIN ANALYZE SELECT 1
  SELECT 1; SELECT 2
  SELECT 1; DROP VIEW signals
  SELECT 1; ATTACH 'x'
  SELECT ?
  SELECT $1
  SELECT $name
  SELECT #1 FROM signals
  WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r) SELECT * FROM r
  WITH RECURSIVE r(x) USING KEY (x) AS (SELECT 1 UNION SELECT x + 1 FROM r) SELECT * FROM r
  FROM signals PIVOT (sum(value) FOR tag IN ('a', 'b'))
  PIVOT signals ON tag USING sum(value)
  UNPIVOT signals ON value INTO NAME n VALUE v
  FROM signals UNPIVOT (v FOR n IN (value))
  SHOW DATABASES
  SHOW ALL TABLES
  SHOW VARIABLES
  DESCRIBE token
  DESCRIBE information_schema.tables
  SUMMARIZE '/etc/passwd'
  DESCRIBE SELECT * FROM '/etc/passwd'
  WITH signals AS (SELECT 1) SELECT * FROM signals
  WITH a AS (SELECT * FROM '/etc/passwd') SELECT * FROM a
  SELECT (SELECT content FROM read_text('/etc/passwd'))
  SELECT * FROM signals WHERE tag IN (SELECT name FROM duckdb_settings())
  SELECT * FROM signals WHERE EXISTS (FROM '/etc/passwd')
  SELECT * FROM signals ORDER BY getenv('HOME')
  SELECT * FROM signals LIMIT (SELECT count(*) FROM glob('/*'))
  SELECT sum(value) FILTER (WHERE getenv('HOME') = '') FROM signals
  SELECT sum(value) OVER (PARTITION BY getenv('HOME')) FROM signals
  SELECT * FROM signals JOIN '/etc/passwd' AS p ON true
  SELECT list_transform([1], lambda x: getenv('HOME'))
  SELECT list_aggregate([1], 'list') FROM read_text('x')
  SELECT CASE WHEN true THEN getenv('HOME') END
  SELECT * REPLACE (getenv('HOME') AS tag) FROM signals
  SELECT COLUMNS(c -> getenv(c) = '') FROM signals
  SELECT * FROM (VALUES (getenv('HOME'))) AS v(a)
  SELECT * FROM unnest([getenv('HOME')])
  SELECT DISTINCT ON (getenv('HOME')) tag FROM signals
  SELECT tag FROM signals GROUP BY getenv('HOME'), tag
  SELECT tag FROM signals QUALIFY getenv('HOME') = ''
  SELECT value FROM signals UNION ALL SELECT 1 FROM '/etc/passwd'
  SELECT 1 FROM signals POSITIONAL JOIN '/etc/passwd'
  SELECT [x FOR x IN [getenv('HOME')]]
  SELECT {'a': getenv('HOME')}
  SELECT MAP {'a': getenv('HOME')}
  FROM '/etc/passwd'
  TABLE "/etc/passwd"
  SELECT getenv('HOME') AS a, a
  SELECT /* x */ getenv /* y */ ('HOME')
  SELECT "getenv"('HOME')
  SELECT GETENV('HOME')
`.split("\n").map((it) => it.trim()).filter((it) => it !== "");

const odd = [
  "",
  ";",
  "--",
  "/*",
  "SELECT",
  "'",
  '"',
  "$$",
  "\u0000SELECT 1",
  "(".repeat(20_000),
  `SELECT ${"NOT ".repeat(7_000)}true`,
];

async function refusalOf(sandbox: Sandbox, sql: string): Promise<string> {
  try {
    await sandbox.parse(sql, views);
  } catch (error) {
    ok(error instanceof Error, sql);
    return error instanceof Fault ? error.message : `library: ${error.message}`;
  }
  return fail(`is taken: ${sql}`);
}

/** Names that mean a file or something of the database where they are out of their scope. */
const parts = [
  ...["/etc/passwd", "wattkeeper.doo[r.csv?]", "x.csv", "x.parquet", "http://127.0.0.1/x.csv"],
  ...["duckdb_views", "duckdb_columns", "sqlite_master", "pragma_database_list", "pg_class"],
  ...["tables", "DUCKDB_TABLES", "information_schema.tables", "read_csv"],
];

/** A part of a query that is named where it is not there. */
const scopes = [
  "SELECT * FROM (WITH F AS (SELECT 1) SELECT * FROM F) AS a, F AS t",
  "WITH F AS (SELECT * FROM F) SELECT * FROM F",
  "WITH a AS (SELECT * FROM F), F AS (SELECT 1) SELECT * FROM a",
  "(WITH F AS (SELECT 1) SELECT * FROM F) UNION ALL SELECT * FROM F",
  "SELECT (WITH F AS (SELECT 1) SELECT * FROM F), (SELECT count(*) FROM F)",
  "SELECT 1 WHERE EXISTS (WITH F AS (SELECT 1) SELECT 1) AND EXISTS (SELECT 1 FROM F)",
];

Deno.test("every attack is refused as it is parsed, in words", async () => {
  const sandbox = await Sandbox.open({ timezone: "UTC", library_folder: "", folder: "/nowhere" });
  const attacks = [
    ...reaching.map((it) => `SELECT ${it} FROM signals`),
    ...sources.map((it) => `SELECT * FROM ${it}`),
    ...statements,
    ...parts.flatMap((name) => scopes.map((form) => form.replaceAll("F", `"${name}"`))),
  ];
  ok(attacks.length >= 250, `${attacks.length} attacks`);
  for (const sql of attacks) {
    const said = await refusalOf(sandbox, sql);
    match(said, /^[^\n]{15,}$/, sql);
    ok(!said.startsWith("library:"), `${sql}: ${said}`);
  }
  for (const sql of odd) ok((await refusalOf(sandbox, sql)).length > 5, sql.slice(0, 40));
  sandbox.close();
});

Deno.test("what the parser would let pass, the database itself refuses", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}.csv`, "a\n1\n");
  const sandbox = await Sandbox.open({ timezone: "UTC", library_folder: "", folder });
  await sandbox.makeViews([view], []);
  const run = async (sql: string) => {
    const rows = [];
    for await (const chunk of (await sandbox.answer(sql)).chunks) rows.push(chunk.rows);
    return rows;
  };
  equal((await run("SELECT 1")).length, 1);
  for (
    const sql of [
      `SELECT * FROM '${folder}.csv'`,
      `SELECT * FROM read_text('${folder}.csv')`,
      `SELECT * FROM read_text('${folder}/../${folder.split("/").at(-1)}.csv')`,
      "SELECT * FROM read_text('/etc/passwd')",
      "SELECT * FROM glob('/etc/*')",
      "SELECT * FROM 'http://127.0.0.1:1/x.csv'",
      "SELECT * FROM read_text('/proc/self/environ')",
    ]
  ) await rejects(run(sql), sql);
  sandbox.close();
  await Deno.remove(folder, { recursive: true });
  await Deno.remove(`${folder}.csv`);
});
