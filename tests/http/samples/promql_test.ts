// Queries in PromQL over HTTP: series of tags and sensors, forms of asking, reach, refusals.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Scope } from "../../../src/model/access/token.ts";
import { sample_limits } from "../../../src/model/samples/limits.ts";
import { type TestService, testService } from "../../help/service.ts";

const base = "/prometheus/north/api/v1";
const at_s = Date.UTC(2026, 5, 1, 11, 30) / 1000;
const at = new Date(at_s * 1000).toISOString();

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "north", name: "North", timezone: "UTC" },
  site: { key: "n1", name: "N 1", latitude: 40, longitude: -3 },
  blocks: [{ key: "B1" }],
  devices: [{ key: "INV1", name: "Inverter 1", type: "inverter", block: "B1" }],
  tags: [{ name: "inv1.p_kw", unit: "kW", carry_s: 120 }],
  sensors: [{
    ...{ tag: "inv1.p_kw", device: "INV1", component: "inverter", measure: "active_power" },
    scale: 1000,
  }],
};

/** The text of each sample; a tag of its own project is `other`. */
const rows = [
  ...[0, 60, 120].map((s) => ({ tag: "inv1.p_kw", s, value: 10 + s / 60 })),
  { tag: 'up{job="plant",unit="7"}', s: 0, value: 1 },
  { tag: "state", s: 0, value_int: 3 },
  { tag: "state", s: 60, quality: "bad" },
  { tag: "note", s: 0, value_str: "ok" },
];

async function withService(work: (service: TestService) => Promise<void>): Promise<void> {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  try {
    const json = { "content-type": "application/json" };
    const put = await service.fetch("/admin/v1/sites/n1", {
      ...{ method: "PUT", headers: json, body: JSON.stringify(site) },
    });
    equal(put.status, 200, await put.text());
    const [{ id }] = service.services.catalog.projects;
    const body = rows.map(({ s, ...row }) =>
      JSON.stringify({ ...row, ts: new Date((at_s + s) * 1000).toISOString() })
    );
    const sent = await service.fetch(`/ingest/v1/signals?project_id=${id}`, {
      ...{ method: "POST", body: body.join("\n") },
      headers: { "content-type": "application/x-ndjson" },
    });
    equal((await sent.json()).accepted, rows.length);
    await work(service);
  } finally {
    await service.close();
  }
}

/** What a question is answered. */
async function ask(service: TestService, path: string, asked: Record<string, string> = {}) {
  const answer = await service.fetch(`${base}/${path}?${new URLSearchParams(asked)}`);
  const { data, ...said } = await answer.json();
  return { status: answer.status, data, said };
}

const sensor_labels = {
  ...{ __name__: "active_power", component: "inverter", device: "INV1", device_type: "inverter" },
  ...{ block: "B1", site: "n1", tag: "inv1.p_kw" },
};

Deno.test("a tag is a series as it is sent, a sensor one in its unit", () =>
  withService(async (service) => {
    const one = async (query: string, s = 60) =>
      (await ask(service, "query", { query, time: String(at_s + s) })).data.result
        .map(({ metric, value }: { metric: object; value: unknown[] }) => [metric, value]);
    deepEqual(await one('{"inv1.p_kw"}'), [[{ __name__: "inv1.p_kw" }, [at_s + 60, "11"]]]);
    deepEqual(await one('{__name__=~"inv.+kw"}'), await one('{"inv1.p_kw"}'));
    deepEqual(await one("active_power"), [[sensor_labels, [at_s + 60, "11000"]]]);
    deepEqual(await one("sum by (block) (active_power) / 1000"), [
      [{ block: "B1" }, [at_s + 60, "11"]],
    ]);
    const up = { __name__: "up", job: "plant", unit: "7" };
    deepEqual(await one('up{unit="7"}'), [[up, [at_s + 60, "1"]]]);
    // It stands for its carry_s, until a bad sample; a text is none.
    equal((await one("active_power", 239)).length, 1);
    equal((await one("active_power", 240)).length, 0);
    deepEqual([(await one("state", 59)).length, (await one("state", 60)).length], [1, 0]);
    equal((await one("note")).length, 0);
  }));

Deno.test("what is expected is a series, as performance has it", () =>
  withService(async (service) => {
    const { fetch, services } = service;
    const [{ id }] = services.catalog.projects;
    const body = [0, 60, 120].map((s) => {
      const ts = new Date((at_s + s) * 1000).toISOString();
      return JSON.stringify({ tag: "inv1.p_kw", ts, value: 20 });
    });
    const sent = await fetch(`/ingest/v1/signals?project_id=${id}&lane=model`, {
      ...{ method: "POST", body: body.join("\n") },
      headers: { "content-type": "application/x-ndjson" },
    });
    equal((await sent.json()).accepted, 3);
    await service.settle();
    const one = async (query: string, s = 60) =>
      (await ask(service, "query", { query, time: String(at_s + s) })).data.result;
    const [{ metric, value }] = await one("active_power_expected");
    deepEqual([metric.__name__, metric.device, value], [
      ...["active_power_expected", "INV1", [at_s + 60, "20000"]],
    ]);
    const asked = new URLSearchParams({
      ...{ project_ids: id, component: "inverter", component_measure: "active_power" },
      ...{ dt_start: "2026-06-01", dt_end: "2026-06-01", time_interval: "OneMinute" },
      ...{ group_by: "hierarchy_id", format: "json", use_solar_bounds: "false" },
    });
    const performance = await (await fetch(`/platform/v1/performance-v2?${asked}`)).json();
    const row = performance.find(({ ts }: { ts: string }) => ts === "2026-06-01 11:31:00");
    const [{ value: [, index] }] = await one("sum(active_power) / sum(active_power_expected)");
    deepEqual([row.model_value, row.performance_index], [20_000, Number(index)]);
    equal((await one("active_power_expected", 59.9)).length, 1);
    // A minute speaks for itself alone, unless a value of the site is carried over it.
    const range = { start: at, end: String(at_s + 1800), step: "30" };
    const drawn = await ask(service, "query_range", { query: "active_power_expected", ...range });
    const minutes = performance.filter((it: { model_value: number }) => it.model_value > 0);
    equal(drawn.data.result[0].values.length, 2 * minutes.length);
    const setpoint = await one("active_power_expected_setpoint");
    equal(setpoint[0].value[1], String(row.model_value_setpoint));
  }));

Deno.test("a range gives its end too, and leaves out instants without a value", () =>
  withService(async (service) => {
    const range = { start: at, end: String(at_s + 300), step: "1m" };
    const { data } = await ask(service, "query_range", { query: '{"inv1.p_kw"}', ...range });
    equal(data.resultType, "matrix");
    deepEqual(
      data.result[0].values,
      [0, 60, 120, 180].map((s) => [
        at_s + s,
        String(10 + Math.min(s, 120) / 60),
      ]),
    );
    const number = await ask(service, "query_range", { query: "1+1", ...range, step: "150" });
    deepEqual(number.data.result[0], {
      metric: {},
      values: [0, 150, 300].map((s) => [at_s + s, "2"]),
    });
  }));

Deno.test("what Grafana asks is answered: with forms, labels, series, its test", () =>
  withService(async (service) => {
    const form = async (path: string, asked: readonly (readonly [string, string])[]) =>
      (await (await service.fetch(`${base}/${path}`, {
        method: "POST",
        body: new URLSearchParams(asked.map(([name, text]) => [name, text])),
      })).json()).data;
    const tested = await form("query", [["query", "1+1"], ["time", "4"]]);
    deepEqual(tested, { resultType: "scalar", result: [4, "2"] });
    const range = [["start", `${at_s}`], ["end", `${at_s + 60}`], ["step", "60"]] as const;
    const drawn = await form("query_range", [["query", "active_power"], ...range]);
    equal(drawn.result[0].values.length, 2);
    const names = (await ask(service, "label/__name__/values")).data;
    const expected = ["active_power_expected", "active_power_expected_setpoint"];
    deepEqual(names, ["active_power", ...expected, "inv1.p_kw", "state", "up"]);
    const matched = { "match[]": "active_power", start: "1", end: "2", limit: "40000" };
    deepEqual((await ask(service, "label/device/values", matched)).data, ["INV1"]);
    deepEqual((await ask(service, "labels", { "match[]": "up" })).data, [
      "__name__",
      "job",
      "unit",
    ]);
    deepEqual((await form("labels", [["match[]", "up"]])).length, 3);
    const both = [["match[]", "up"], ["match[]", 'active_power{block="B1"}']] as const;
    deepEqual((await form("series", both)).length, 2);
    deepEqual((await ask(service, "series", { "match[]": "active_power" })).data, [sensor_labels]);
    equal((await ask(service, "status/buildinfo")).data.version, "2.42.0");
    deepEqual((await ask(service, "metadata", { limit: "1" })).data, {});
    deepEqual((await ask(service, "rules")).data, { groups: [] });
    equal((await ask(service, "series", { "match[]": '{__name__!=""}' })).data.length, 6);
  }));

Deno.test("a question that can't be answered says what is wrong, as Prometheus does", () =>
  withService(async (service) => {
    const wrong: readonly (readonly [string, Record<string, string>, RegExp])[] = [
      ["query", {}, /^query: is required/],
      ["query", { query: "up", time: "soon" }, /^time: give seconds since 1970/],
      ["query", { query: "up", tiem: "1" }, /meant time\?/],
      ["query", { query: "sum(up" }, /can't be read at character 7: end/],
      [
        "query",
        { query: "avrg_over_time(up[5m])" },
        /no avrg_over_time\(\) here; meant avg_over_t/,
      ],
      ["query", { query: "histogram_quantile(0.9, up)" }, /no histogram_quantile\(\) here; under/],
      ["query", { query: "topk(3, up)" }, /no topk\(\) here/],
      ["query", { query: "rate(up)" }, /rate takes a selector with a range, such as power\[5m\]/],
      ["query", { query: "up[5m]" }, /avg_over_time/],
      ["query", { query: "sum(up[5m])" }, /avg_over_time/],
      ["query", { query: "up and up" }, /"and" \(And\) is not understood here/],
      ["query", { query: "up / on(job) up" }, /MatchingModifierClause/],
      ["query", { query: "avg_over_time(up[5m:1m])" }, /SubqueryExpr/],
      ["query", { query: "up @ 5" }, /StepInvariantExpr/],
      ["query", { query: "1 > 2" }, /> between numbers needs bool/],
      ["query", { query: "sum(1)" }, /takes series, not a number/],
      ["query", { query: '{job=""}' }, /needs a metric/],
      ["query", { query: 'up{job=~"("}' }, /is no pattern/],
      ["query", { query: '{__name__=~".+"} * {__name__=~"up|state"}' }, /same labels but for th/],
      ["query", { query: '{__name__=~"up|inv1.p_kw|state"} * 2' }, /same labels but for their met/],
      ["query", { query: 'count_over_time({__name__=~"inv1.+|state"}[1h])' }, /same labels/],
      ["query", { query: `${"(".repeat(200)}1${")".repeat(200)}` }, /nests at most 100 deep/],
      ["query_range", { query: "up", start: "1", end: "2" }, /^step: is required/],
      ["query_range", { query: "up", start: "2", end: "1", step: "1" }, /^end: is before start/],
      ["query_range", { query: "up", start: "1", end: "2", step: "0" }, /step/],
      ["query_range", { query: "up", start: "0", end: "1e9", step: "1" }, /^end: give seconds/],
      ["query_range", { query: "up", start: "0", end: "11000", step: "1" }, /11001 steps, at most/],
      ["series", {}, /^match\[\]: give a selector/],
      ["series", { "match[]": "sum(up)" }, /match\[\] takes a selector/],
    ];
    for (const [path, asked, reason] of wrong) {
      const time: Record<string, string> = path === "query" ? { time: String(at_s) } : {};
      const { status, said } = await ask(service, path, { ...time, ...asked });
      deepEqual([status, said.status, said.errorType], [400, "error", "bad_data"], said.error);
      match(said.error, reason);
    }
  }));

Deno.test("no token reads what it may not, whatever the query says", () =>
  withService(async (service) => {
    const { services } = service;
    const { database, catalog } = services;
    await database.write(({ connection }) =>
      connection.script("INSERT INTO project VALUES (9, 'p9', 'o9', 'south', 'S', NULL, 'UTC')")
    );
    await catalog.reload();
    const tokenOf = async (organization_id: string, scopes: readonly Scope[]) => {
      const grant = { organization_id, scopes, project_ids: null, name: "t", expires_at: null };
      return { authorization: `Bearer ${(await services.access.create(grant)).token}` };
    };
    const paths = [
      ...["query?query=up", "query_range?query=up&start=1&end=2&step=1", "labels", "metadata"],
      ...["series?match[]=up", "label/job/values", "status/buildinfo"],
      "rules",
    ];
    const own = catalog.projects[0].organization_id;
    const headers = {
      foreign: await tokenOf("o9", ["read"]),
      writer: await tokenOf(own, ["ingest"]),
      reader: await tokenOf(own, ["read"]),
    };
    for (const path of paths) {
      const status = async (of: keyof typeof headers, project = "north") =>
        (await service.ask(`/prometheus/${project}/api/v1/${path}`, { headers: headers[of] }))
          .status;
      deepEqual([await status("reader"), await status("foreign")], [200, 403], path);
      deepEqual([await status("writer"), await status("reader", "south")], [403, 403], path);
      equal((await service.ask(`${base}/${path}`)).status, 401);
    }
    const asked = new URLSearchParams({ query: '{__name__=~".+"}', time: String(at_s) });
    const answer = await service.ask(`/prometheus/south/api/v1/query?${asked}`, {
      headers: headers.foreign,
    });
    deepEqual((await answer.json()).data.result, []);
  }));

Deno.test("what would take too much is refused before it is read", () =>
  withService(async (service) => {
    const { database, catalog } = service.services;
    const { project_no } = catalog.projects[0];
    const count = sample_limits.prom_series + 1;
    await database.write(({ connection }) =>
      connection.script(
        `INSERT INTO tag SELECT 1000 + i, ${project_no}, 'signal', 'many' || i, NULL, 'float', ` +
          `NULL, 900, NULL, NULL, false, NULL FROM range(${count}) AS it(i)`,
      )
    );
    await catalog.reload();
    const refused = await ask(service, "query", { query: '{__name__=~"many.*"}' });
    deepEqual([refused.status, refused.said.errorType], [413, "too_large"]);
    match(refused.said.error, /^10001 series match, at most 10000 may/);
    const range = { start: "1", end: "1100", step: "1" };
    const cells = await ask(service, "query_range", { query: '{__name__=~"many.*1"}', ...range });
    equal(cells.status, 413);
    match(cells.said.error, /too many values: ask for less time/);
    const long = { start: "1", end: "100000001", step: "100000000" };
    const days = await ask(service, "query_range", { query: '{__name__=~"many.*1"}', ...long });
    deepEqual([days.status, days.said.errorType], [413, "too_large"]);
    match(days.said.error, /too many days of series/);
    const costly = Array.from({ length: 6 }, (_, i) => `${i}x.{90}`).join("|");
    for (const path of ["query", "labels"]) {
      const name = path === "query" ? path : "match[]";
      const steps = await ask(service, path, { [name]: `{__name__=~"${costly}|many.*"}` });
      deepEqual([steps.status, steps.said.errorType], [413, "too_large"], path);
      match(steps.said.error, /too many steps/);
    }
    const many = Array.from({ length: 6 }, () => '{__name__=~"many.?.?"}').join("*");
    const chain = { query: many, start: "1", end: "9000", step: "1" };
    const made = await ask(service, "query_range", chain);
    equal(made.status, 413);
    match(made.said.error, /too many values/);
    const summed = `${"sum(".repeat(45)}{__name__=~"many.*1"}${")".repeat(45)}`;
    equal((await ask(service, "query", { query: summed })).status, 200);
    // Words of labels are few, however many series there are.
    equal((await ask(service, "label/__name__/values")).data.length, count + 6);
    // A pattern that others try for ever.
    const slow = '{__name__=~"(m|a|n|y|[0-9])*(many|[0-9]*)*x"}';
    equal((await ask(service, "query", { query: slow })).status, 200);
    ok((await ask(service, "query", { query: "count(up)" })).status === 200);
  }));

Deno.test("a dashboard's many queries wait for each other, and are all answered", () =>
  withService(async (service) => {
    const range = { start: at, end: String(at_s + 300), step: "60" };
    const all = await Promise.all(
      Array.from(
        { length: 16 },
        () => ask(service, "query_range", { query: "avg_over_time(active_power[2m])", ...range }),
      ),
    );
    deepEqual(all.map(({ status }) => status), Array(16).fill(200));
    ok(all.every(({ data }) => data.result.length === 1));
  }));
