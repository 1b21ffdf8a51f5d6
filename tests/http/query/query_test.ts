// Tests questions in SQL: what views hold, for whom, and what stops one.
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { query_limits } from "../../../src/model/query/limits.ts";
import { viewsOf } from "../../../src/http/query/view.ts";
import { routesOf } from "../../../src/http/routes.ts";
import { foreign, openQueries } from "./query_help.ts";

const days = "dt_start=2026-05-31&dt_end=2026-06-02";
const bucketed = (interval: string) =>
  `performance-v2?${days}&time_interval=${interval}&component=inverter` +
  "&component_measure=active_power&include=matched&include=ts_utc";
const by_measure = "ts >= '2026-05-31' AND ts < '2026-06-03' AND component = 'inverter' " +
  "AND component_measure = 'active_power'";
const by_bucket = "bucket_start BETWEEN '2026-05-31' AND '2026-06-02'";

/** What each view holds, by a read of the interface and the condition that chooses the same. */
const same: Readonly<Record<string, { readonly read: string; readonly where?: string }>> = {
  signals: {
    read: "signals?from=2026-06-01T10:00:00Z&to=2026-06-01T11:00:00Z",
    where: "ts >= '2026-06-01 10:00:00+00' AND ts < TIMESTAMPTZ '2026-06-01 11:00:00+00'",
  },
  performance_minute: { read: bucketed("OneMinute"), where: by_measure },
  performance_quarter: { read: bucketed("FifteenMinutes"), where: by_measure },
  performance_hour: { read: bucketed("OneHour"), where: by_measure },
  performance_day: { read: bucketed("OneDay"), where: by_measure },
  performance_month: { read: bucketed("OneMonth"), where: by_measure.replace("05-31", "05-01") },
  availability_day: {
    read: `availability?${days}&time_interval=OneDay&include=known&include=ts_utc`,
    where: by_bucket,
  },
  losses_day: {
    read: `losses?${days}&time_interval=OneDay&include=causes&include=ts_utc`,
    where: by_bucket,
  },
  alarms: { read: "alarms?limit=100" },
  alarm_events: { read: "alarms/events?limit=100" },
  rules: { read: "rules?" },
  issues: { read: "issues?limit=100" },
  work_orders: { read: "work-orders?limit=100" },
  projects: { read: "meta/projects?" },
  devices: { read: "meta/devices?" },
  sensors: { read: "meta/devices?" },
  tags: { read: "meta/tags?" },
};

type Row = Readonly<Record<string, unknown>>;

const by_text = (rows: readonly Row[]) =>
  rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();

Deno.test("every view holds what the interface reads", async () => {
  const { rows, fetch, mine, project, services, close } = await openQueries();
  const views = viewsOf(routesOf(services));
  deepEqual(views.map(({ name }) => name), Object.keys(same));
  for (const view of views) {
    const { read, where } = same[view.name];
    const project_param = view.route.project === null ? "" : `&${view.route.project}=${project.id}`;
    const response = await fetch(
      `/platform/v1/${read}${project_param}&format=json`
        .replace(/&format=json$/, view.rows ? "" : "&format=json"),
      {
        headers: { authorization: `Bearer ${mine}` },
      },
    );
    equal(response.status, 200, view.name);
    const body = await response.json();
    const expected = (view.rows ? view.rows(body as never) : body) as readonly Row[];
    const found = await rows(`SELECT * FROM ${view.name}${where ? ` WHERE ${where}` : ""}`);
    const names = view.answered.map(({ name }) => name);
    const only = (row: Row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
    deepEqual(by_text(found.map(only)), by_text(expected.map(only)), view.name);
    if (!["rules", "work_orders"].includes(view.name)) ok(found.length > 0, view.name);
    ok(found.every((row) => row.project_id === project.id), view.name);
  }
  await close();
});

Deno.test("a question is answered in every format, with names, groups and windows", async () => {
  const { ask, rows, close } = await openQueries();
  const sum = "SELECT sensor_tag, count(*) AS n, sum(value) AS s, max(ts) AS last FROM signals " +
    "WHERE resolution = 'raw' AND lane = 'raw_signal' GROUP BY ALL ORDER BY ALL; -- all";
  deepEqual(await rows(sum), [
    { sensor_tag: "a.p", n: 90, s: 13005, last: "2026-06-01T11:29:00.000000Z" },
    { sensor_tag: "b.t", n: 90, s: 5805, last: "2026-06-01T11:29:00.000000Z" },
  ]);
  const heads = { arrow: /^\xff{4}/, parquet: /^PAR1/, csv: /^sensor_tag,n/, ndjson: /^{"sensor_/ };
  for (const [format, head] of Object.entries(heads)) {
    const { status, text } = await ask(sum, { format });
    equal(status, 200);
    if (format !== "arrow") match(text, head);
  }
  const typed = await rows(
    "SELECT 1::TINYINT AS a, 2::HUGEINT AS b, 1.5 AS c, true AS d, DATE '2026-06-01' AS e, " +
      "[1, 2] AS f, {'x': 1} AS g, 'nan'::DOUBLE AS h, NULL AS i, 3::UINTEGER AS j, 1 AS a",
  );
  deepEqual(typed, [{
    ...{ a: 1, b: 2, c: 1.5, d: true, e: "2026-06-01", f: [1, 2], g: { x: 1 }, h: null, i: null },
    ...{ j: 3, a_1: 1 },
  }]);
  const window = await rows(
    "WITH s AS (SELECT ts, value, lag(value) OVER (ORDER BY ts) AS before FROM signals WHERE " +
      "sensor_tag = 'a.p' AND resolution = 'raw' AND lane = 'raw_signal') " +
      "SELECT count(*) AS n FROM s WHERE value - before = 1",
  );
  deepEqual(window, [{ n: 89 }]);
  const zoned = "SELECT date_trunc('day', max(ts))::VARCHAR AS d FROM signals";
  deepEqual(await rows(zoned, { timezone: "Asia/Tokyo" }), [{ d: "2026-06-01 00:00:00+09" }]);
  deepEqual((await rows("SHOW TABLES")).length, Object.keys(same).length);
  await close();
});

Deno.test("a condition that chooses what is read changes no answer", async () => {
  const { rows, close } = await openQueries();
  const from = "FROM signals s LEFT JOIN tags t ON t.sensor_tag = s.sensor_tag";
  const at = "TIMESTAMPTZ '2026-06-01 11:00:00+00'";
  // `+ interval 0 day` is no column: nothing is left out before the question runs.
  for (
    const [told, hidden] of [
      [`${from} WHERE s.ts >= ${at}`, `${from} WHERE s.ts + interval 0 day >= ${at}`],
      ["FROM signals WHERE sensor_tag = 'a.p'", "FROM signals WHERE sensor_tag || '' = 'a.p'"],
      [
        "FROM signals WHERE lane IN ('performance', 'none')",
        "FROM signals WHERE lane || '' IN ('performance', 'none')",
      ],
      [
        `FROM (SELECT * FROM signals WHERE ts < ${at} UNION ALL SELECT * FROM signals ` +
        `WHERE sensor_tag = 'b.t')`,
        `FROM (SELECT * FROM signals WHERE ts + interval 0 day < ${at} UNION ALL ` +
        `SELECT * FROM signals WHERE sensor_tag || '' = 'b.t')`,
      ],
      ["FROM signals WHERE device_id = ''", "FROM signals WHERE device_id || '' = ''"],
      ["FROM signals WHERE lane = 'no lane'", "FROM signals WHERE false"],
    ]
  ) {
    const [a] = await rows(`SELECT count(*) AS n ${told}`);
    const [b] = await rows(`SELECT count(*) AS n ${hidden}`);
    deepEqual(a, b, told);
  }
  await close();
});

Deno.test("no tenant sees another's rows, whatever is asked", async () => {
  const { ask, rows, mine, theirs, token, project, other, close, fetch } = await openQueries();
  const parts = Object.entries(same).map(([view, { where }]) =>
    `SELECT '${view}' AS view, to_json(v)::VARCHAR AS row FROM ${view} v ${
      where ? `WHERE ${where}` : ""
    }`
  );
  const everything = parts.join(" UNION ALL ");
  const own = await ask(everything);
  equal(own.status, 200, own.text);
  doesNotMatch(own.text, new RegExp(`${foreign.word}|77\\d{4}(\\.0)?[,}]|${other.id}`));
  for (const view of ["signals", "alarms", "issues", "tags"]) match(own.text, new RegExp(view));
  const foreigners = await ask(everything, { as: theirs });
  doesNotMatch(foreigners.text, new RegExp(project.id));
  match(foreigners.text, new RegExp(foreign.word));
  match(foreigners.text, /77\d{4}(\.0)?[,}]/);
  const both = await rows("SELECT DISTINCT project_id FROM tags ORDER BY ALL", { as: token });
  deepEqual(both.map((row) => row.project_id), [project.id, other.id].sort());
  const one = await rows("SELECT DISTINCT project_id FROM tags", { as: token, projects: ["p-a"] });
  deepEqual(one, [{ project_id: project.id }]);
  for (const named of [other.id, "p-b", "no such"]) {
    equal((await ask("SELECT 1", { projects: [named] })).status, 403);
  }
  deepEqual(await rows(`SELECT * FROM tags WHERE project_id = '${other.id}'`), []);
  const { headers } = await fetch("/platform/v1/query", { method: "POST", body: "{}" });
  ok(headers.has("x-request-id"));
  const wrong = await ask("SELECT 1", { as: mine.slice(0, -1) });
  equal(wrong.status, 401);
  await close();
});

Deno.test("a token needs the scope query, and no other", async () => {
  const { ask, project, tokenOf, close } = await openQueries();
  const scoped = async (scope: "read" | "query" | "manage") => {
    const { token: as } = await tokenOf(project.organization_id, [scope]);
    return (await ask("SELECT count(*) FROM tags", { as })).status;
  };
  deepEqual([await scoped("query"), await scoped("read"), await scoped("manage")], [200, 403, 403]);
  await close();
});

Deno.test("a mistake is answered with what there is", async () => {
  const { ask, close } = await openQueries();
  for (
    const [sql, wanted] of [
      ["SELECT * FROM signal", /no view signal; meant signals\?; there are signals, /],
      ["SELECT valeu FROM signals", /no column valeu; meant value\?; signals has project_id, /],
      ["SELECT s.valeu FROM signals s", /no column valeu; meant value\?/],
      ["SELECT * FROM performance_day", /performance_day needs a start of time: add WHERE ts >= /],
      ["SELECT quantil_cont(value, 0.5) FROM signals", /quantil_cont .*; meant quantile_cont\?/],
      ["SELEC 1", /syntax error at or near "SELEC"/],
      ["DELETE FROM signals", /give one SELECT: views are read here, and nothing is changed/],
      ["SELECT 1; SELECT 2", /give one SELECT/],
      ["SELECT sum(sensor_tag) FROM signals", /No function matches .*sum\(VARCHAR\)/],
      ["SELECT 'a'::INTEGER", /Could not convert string 'a'/],
      ["SELECT 9223372036854775807 + 1", /^Overflow in addition/],
    ] as const
  ) {
    const { status, text } = await ask(sql);
    equal(status, 400, sql);
    match(JSON.parse(text).detail, wanted);
  }
  match((await ask("SELECT 1", { timezone: "Mars/Base" })).text, /IANA/);
  match((await ask("SELECT 1", { format: "xml" })).text, /format/);
  match((await ask("x".repeat(query_limits.sql_length + 1))).text, /sql/);
  await close();
});

Deno.test("too much memory stops a question, and the next is answered", async () => {
  const { ask, close } = await openQueries();
  const double = (i: number) => `t${i + 1} AS (SELECT s || s AS s FROM t${i})`;
  const doubled = Array.from({ length: 30 }, (_, i) => double(i));
  for (
    const sql of [
      "SELECT count(DISTINCT r) FROM range(100000000) AS t(r)",
      "SELECT r FROM range(100000000) AS t(r) ORDER BY hash(r)",
      "SELECT len(range(1000000000))",
      `WITH t0 AS (SELECT 'xxxxxxxx' AS s), ${doubled.join(", ")} SELECT strlen(s) FROM t30`,
      "SELECT list(r) FROM range(200000000) AS t(r)",
      `SELECT r FROM range(${query_limits.answer_rows + 1}) AS t(r)`,
    ]
  ) {
    const { status, text } = await ask(sql);
    ok(status === 413 || status === 400, `${sql}: ${status} ${text.slice(0, 200)}`);
    match(text, /memory|more than|OutOfRange|too (large|long)|maximum/i, sql);
  }
  equal((await ask("SELECT 1 AS a")).text, "a\r\n1\r\n");
  await close();
});

Deno.test("a question that ends its process ends nothing else", async () => {
  const { ask, close } = await openQueries();
  // The library binds each part within the one before, and overflows its stack.
  const part = (i: number) => `t${i} AS (SELECT * FROM ${i === 0 ? "tags" : `t${i - 1}`})`;
  const parts = Array.from({ length: 900 }, (_, i) => part(i));
  const { status, text } = await ask(`WITH ${parts.join(", ")} SELECT * FROM t899`);
  equal(status, 400);
  match(text, /it ended its process; ask in another way/);
  equal((await ask("SELECT 1 AS a")).text, "a\r\n1\r\n");
  await close();
});

const endless = "SELECT count(*) FROM range(1000000000000) AS t(r)";

Deno.test("a question ends in time, and when its asker goes; nothing of it is left", async () => {
  const { ask, clock, data_dir, close } = await openQueries();
  const left = () =>
    Array.fromAsync(Deno.readDir(`${data_dir}/queries`)).then((all) => all.length, () => 0);
  const slow = ask(endless);
  while (await left() === 0);
  clock.advance(query_limits.query_ms);
  equal((await slow).status, 408);
  equal(await left(), 0);
  const gone = new AbortController();
  const asked = ask(endless, { signal: gone.signal });
  while (await left() === 0);
  gone.abort();
  await asked.then(({ status }) => equal(status, 503), () => {});
  equal(await left(), 0);
  await close();
});

Deno.test("where no end is said, buckets end now: none is still to come", async () => {
  const { rows, close } = await openQueries();
  const since = "ts >= '2026-05-31' AND component = 'inverter' " +
    "AND component_measure = 'active_power'";
  for (const view of ["minute", "hour", "day"]) {
    const sql = `SELECT count(*)::INTEGER AS n, max(ts_utc) <= '2026-06-01 12:30:00+00' AS past ` +
      `FROM performance_${view} WHERE ${since}`;
    const [{ n, past }] = await rows(sql);
    ok(Number(n) > 0 && past === true, `${view}: ${n}, ${past}`);
  }
  await close();
});

Deno.test("an organization runs few at once; others wait, and are refused in time", async () => {
  const { ask, clock, theirs, tokenOf, project, close } = await openQueries();
  const { token: another } = await tokenOf(project.organization_id, ["query", "read"]);
  const gone = new AbortController();
  const running = Array.from(
    { length: query_limits.running_per_token },
    () => ask(endless, { signal: gone.signal }).catch(() => {}),
  );
  const waiting = ask("SELECT 1", { as: another });
  equal((await ask("SELECT 1", { as: theirs })).status, 200);
  clock.advance(5_000);
  const { status, text } = await waiting;
  equal(status, 429);
  match(text, /too many queries of this organization/);
  gone.abort();
  await Promise.all(running);
  equal((await ask("SELECT 1")).status, 200);
  await close();
});
