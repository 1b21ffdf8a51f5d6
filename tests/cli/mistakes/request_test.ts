// What a person reads after a slip in a request: what was given, what is wanted, what helps.
import { match, ok } from "node:assert/strict";
import { openWorld } from "./world.ts";

type Mistake = readonly [path: string, says: readonly RegExp[], init?: RequestInit];

const of = "project_id=la-mancha";
const day = "from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z";
const signals = `/platform/v1/signals?${of}`;
const usual = {
  project_ids: "la-mancha",
  dt_start: "2026-06-01",
  dt_end: "2026-06-01",
  component: "inverter",
  component_measure: "active_power",
  time_interval: "OneHour",
};
const performance = (more: Readonly<Record<string, string>>) =>
  `/platform/v1/performance-v2?${new URLSearchParams({ ...usual, ...more })}`;
const send = (body: string, type = "application/json", method = "POST"): RequestInit => (
  { method, body, headers: { "content-type": type } }
);
/** As Windows writes it: the lower byte first. */
const utf16 = (text: string) =>
  new Uint8Array(Uint16Array.from(text, (it) => it.charCodeAt(0)).buffer);
const rows = (row: string) => send(`${row}\n`, "application/x-ndjson");
const by = (authorization: string): RequestInit => ({ headers: { authorization } });
const ingest = `/ingest/v1/signals?${of}`;
const issues = `/platform/v1/issues?${of}`;
const projects = "/platform/v1/meta/projects";
const links = "/platform/v1/links";
/** A request for a link whose form stands beside its query, or in it. */
const link = (format: string, is_inside: boolean) => {
  const query = { sql: "select 1", ...is_inside ? { format } : {} };
  return send(JSON.stringify({ name: "x", query, ...is_inside ? {} : { format } }));
};

const mistakes: readonly Mistake[] = [
  ["/api/v1/query?query=up", [/meant \/prometheus\/\{project\}\/api\/v1\/query\?/]],
  [`/platform/v1/signals?project_id=lamancha&${day}`, [
    /reaches no such project; it reaches la-mancha/,
  ]],
  [`/platform/v1/signals?${day}`, [/project_id: is required/, /GET \S+meta\/projects lists/]],
  [`/platform/v1/signals?project=la-mancha&${day}`, [/project: .*meant project_id\?/]],
  [`${signals}`, [/from: is required unless received_since/]],
  [`${signals}&from=2026-06-02T00:00:00Z&to=2026-06-01T00:00:00Z`, [/to: .*two swapped\?/]],
  [`${signals}&from=1780272000&to=1780358400`, [/from: .*meant 2026-06-01T00:00:00Z\?/]],
  [`${signals}&from=1780272000000&to=1780358400000`, [/to: .*meant 2026-06-02T00:00:00Z\?/]],
  [`${signals}&from=2026-06-01&to=2026-06-02`, [/from: .*meant 2026-06-01T00:00:00Z\?/]],
  [`${signals}&from=01.06.2026&to=02.06.2026`, [/to: .*meant 2026-06-02T00:00:00Z\?/]],
  [`${signals}&from=2026/06/01 10:30&to=x`, [/from: .*meant 2026-06-01T10:30:00Z\?/]],
  [`${signals}&from=2026-06-01T00:00:00&to=x`, [
    /from: has no offset.*\S+T00:00:00Z for UTC, or \S+-07:00/,
  ]],
  [`${signals}&from=2026-06-01T05:00:00 Europe/Madrid&to=x`, [/from: .*not 2026.*Madrid/]],
  [`${signals}&${day}&limit=1000000`, [/limit: .*from 1 to 100000, not "1000000"/]],
  [`${signals}&${day}&limit=-1`, [/limit: .*from 1 to 100000, not "-1"/]],
  [`${signals}&${day}&lane=raw`, [/lane: there is no "raw"; meant raw_signal\?/]],
  [`${signals}&${day}&resolution=1min`, [/resolution: give one of raw, 1m, .*not "1min"/]],
  [`${signals}&${day}&format=xlsx`, [/format.*arrow, parquet, ndjson, csv, json/]],
  [`${signals}&${day}&columns=timestamp,value`, [/no column "timestamp".*\bts\b/]],
  [`${signals}&${day}&tags=inv1.p_ac_kw`, [/tags: .*meant tag\?/]],
  [`${signals}&${day}`, [/can answer with .*text\/csv/], { headers: { accept: "text/xml" } }],
  [signals, [/signals takes GET, HEAD, OPTIONS, not POST/], send("{}")],
  [`/platform/v1/signal?${of}`, [/nothing at \S+signal; meant \/platform\/v1\/signals\?/]],
  [`/platform/v2/signals?${of}`, [/meant \/platform\/v1\/signals\?/]],
  [`/platform/v1/performance_v2?${of}`, [/meant \/platform\/v1\/performance-v2\?/]],
  [performance({ dt_start: "2026-06-02" }), [/dt_end: .*2026-06-02; are the two swapped\?/]],
  [performance({ dt_start: "01.06.2026" }), [/dt_start: .*YYYY-MM-DD.*meant 2026-06-01\?/]],
  [performance({ dt_start: "1780272000" }), [/dt_start: .*meant 2026-06-01\?/]],
  [performance({ dt_start: "6/1/2026" }), [/dt_start: give a day .*YYYY-MM-DD.*not "6\/1\/2026"/]],
  [performance({ time_interval: "onehour" }), [/"onehour"; meant OneHour\?/]],
  [performance({ time_interval: "hour" }), [/"hour"; meant OneHour\?/]],
  [performance({ component: "Inverters" }), [/"Inverters"; meant inverter\?/]],
  [performance({ component_measure: "power" }), [/meant active_power, apparent_power/]],
  [performance({ component_measure: "actve_power" }), [/meant active_power\?/]],
  [performance({ group_by: "project_id,block_id" }), [/group_by=project_id&group_by=block_id/]],
  [performance({ include: "matched,stats" }), [/include=matched&include=stats/]],
  [performance({ project_ids: "la-mancha,north" }), [/repeat the parameter for each/]],
  [performance({ use_solar_bounds: "1" }), [/give true or false, not "1"/]],
  [performance({ dt_start: "1990-01-01", time_interval: "OneMinute" }), [
    /19,\d+,\d+ buckets/,
    /the most are 2,000,000/,
    /a longer interval, fewer days/,
  ]],
  [`/platform/v1/availability?project_ids=la-mancha&dt_start=2026-06-01&dt_end=2026-06-01T12:00`, [
    /dt_end: .*whole days: give a day such as 2026-06-01/,
  ]],
  [`/platform/v1/alarms?${of}&status=active`, [/open, claimed, shelved, resolved, not "active"/]],
  [`/platform/v1/alarms?${of}&site=south`, [/site: .*meant north\?/]],
  [`/platform/v1/issues?${of}&status=Open`, [/"Open"; meant open\?/]],

  [projects, [/Authorization: Bearer, a space, and the access token alone/], by("wk_x")],
  [projects, [/the access token alone/], by("Bearer Bearer wk_x")],
  [projects, [/does not begin with wk_/], by("Bearer $TOKEN")],
  [projects, [/unknown, expired or revoked; it has 4 characters/], by("Bearer wk_x")],
  [projects, [/^sign in, or send Authorization: Bearer/], by("")],
  ["/admin/v1/tokens", [/the scope admin, the token has read; .*--scope read admin/], by("READER")],

  [ingest, [/media type text\/json: send application\/x-ndjson/], send("{}", "text/json")],
  [
    ingest,
    [/ts must be .*not 1780272000; meant 2026-06-01T00:00:00Z\?/],
    rows(
      '{"tag":"a","ts":"1780272000","value":1}',
    ),
  ],
  [ingest, [/ts must be an ISO 8601 instant/], rows('{"tag":"a","ts":1780272000,"value":1}')],
  [
    ingest,
    [/ts has no offset.*such as 2026-06-01T10:00:00Z for UTC, or 2026-06-01T10:00:00-07:00/],
    rows(
      '{"tag":"a","ts":"2026-06-01T10:00:00","value":1}',
    ),
  ],
  [
    ingest,
    [/more than 10 minutes in the future/],
    rows(
      '{"tag":"a","ts":"2036-06-01T10:00:00Z","value":1}',
    ),
  ],
  [
    ingest,
    [/measures active_power: write it with a decimal point/],
    rows(
      '{"tag":"inv1.p_ac_kw","ts":"2026-06-01T10:00:00Z","value":"812,5"}',
    ),
  ],
  [
    ingest,
    [/unknown field \\"timestamp\\": known: tag, ts, value/],
    rows(
      '{"tag":"a","timestamp":"2026-06-01T10:00:00Z","value":1}',
    ),
  ],
  [
    ingest,
    [/quality must be good, uncertain or bad/],
    rows(
      '{"tag":"a","ts":"2026-06-01T10:00:00Z","value":1,"quality":"ok"}',
    ),
  ],
  [ingest, [/the line ends inside its object/], rows('{"tag":"a"')],
  [ingest, [/must be a JSON array/], send('{"samples":[]}')],
  [
    ingest,
    [/"tag;ts;value" is unknown: put commas between cells/],
    send(
      "tag;ts;value\na;2026-06-01T10:00:00Z;1\n",
      "text/csv",
    ),
  ],
  ...(["tag,ts,value\n", "\ufefftag\tts\tvalue\n"].map((head): Mistake => [
    ingest,
    [/is UTF-16, as Excel's \W+Unicode Text\W+is: send UTF-8.*import takes the file as it is/],
    { ...send("", "text/csv"), body: utf16(`${head}a,2026-06-01T10:00:00Z,1\n`) },
  ])),
  [ingest, [/"name" is unknown: known are tag, ts/], send("name,ts,value\n", "text/csv")],
  [
    `/ingest/v1/line?${of}`,
    [/is 1970-01-01.*send precision=s/],
    send(
      "inv p=1 1780272000",
      "text/plain",
    ),
  ],
  [
    `/ingest/v1/line?${of}&precision=secs`,
    [/precision: .*not "secs"|meant s\?/],
    send("", "text/plain"),
  ],
  [
    "/write?db=lamancha",
    [/reaches no such project; it reaches la-mancha/],
    send("inv p=1", "text/plain"),
  ],

  [
    issues,
    [/title: there is no such key; known are name/, /name: is missing/],
    send(
      '{"title":"x"}',
    ),
  ],
  [
    issues,
    [/priority: give one of urgent, .*not "critical"/],
    send(
      '{"name":"x","priority":"critical"}',
    ),
  ],
  [
    issues,
    [/device_id: is no device of the project; meant INV-1\?/],
    send(
      '{"name":"x","devices":[{"device_id":"INV1"}]}',
    ),
  ],
  [
    issues,
    [/assigned_to: .*meta\/people lists them/],
    send(
      '{"name":"x","assigned_to":"bob@example.org"}',
    ),
  ],
  [issues, [/is not JSON/], send("{'name':'x'}")],
  [issues, [/send content-type application\/json/], send("name=x", "text/plain")],
  [
    `/platform/v1/rules/low?${of}`,
    [/kind: .*meant threshold\?/],
    send(
      '{"kind":"treshold"}',
      "application/json",
      "PUT",
    ),
  ],
  ["/admin/v1/sites/nroth", [/there is no site nroth; meant north\?/]],
  [
    "/admin/v1/sites/nroth",
    [/site\.key: is not the key in the path, nroth/],
    send(
      'version = 1\n[site]\nkey = "north"\n',
      "application/toml",
      "PUT",
    ),
  ],
  [
    "/admin/v1/tokens",
    [/scopes: is missing/, /scope: .*meant scopes\?/],
    send(
      '{"name":"x","scope":"read"}',
    ),
  ],
  [links, [/query\.format: does not belong in query: write it beside query/], link("csv", true)],
  [
    links,
    [/query: give an object; known are sql, projects, timezone/],
    send('{"query":"select 1"}'),
  ],
  [
    links,
    [/read: a link can't read \S+; give the path alone, \/platform\/v1\/signals\?/],
    send(
      '{"name":"x","read":"http://plant:8480/platform/v1/signals?project_id=la-mancha"}',
    ),
  ],
  [
    links,
    [/read: .*meant \/platform\/v1\/signals\?/],
    send(
      '{"name":"x","read":"/platform/v1/signal"}',
    ),
  ],
  [links, [/format: .*meant csv\?/], link("cvs", false)],
  [
    links,
    [/expires_at: .*there is no month 13/],
    send(
      '{"name":"x","read":"/platform/v1/alarms","expires_at":"2026-13-45"}',
    ),
  ],
  [
    "/admin/v1/tokens",
    [/expires_at: .*there is no month 13/],
    send(
      '{"name":"x","scopes":["read"],"expires_at":"2026-13-45T00:00:00Z"}',
    ),
  ],
  [
    `/platform/v1/rules/low?${of}`,
    [/threshold: give a number.*write 12\.3 without quotation marks/],
    send(
      '{"kind":"threshold","tag":"a","operator":"<","threshold":"12.3"}',
      "application/json",
      "PUT",
    ),
  ],
  [`${signals}&from=2026-13-45T00:00:00Z&to=x`, [/from: .*there is no month 13/]],
  [`${signals}&from=2026-06-31T00:00:00Z&to=x`, [/from: .*2026-06 has 30 days/]],
  [`${signals}&from=2026-06-30T24:30:00Z&to=x`, [/from: .*there is no hour 24/]],
  [performance({ dt_start: "2026-13-45" }), [/dt_start: .*there is no month 13/]],
  [performance({ dt_end: "2026-06-31" }), [/dt_end: .*2026-06 has 30 days/]],
  ["/prometheus/lamancha/api/v1/query?query=up", [/reaches no such project; it reaches la-mancha/]],
  ["/prometheus/la-mancha/api/v1/query?query=sum(up", [/can't be read at character \d+/]],
  ["/prometheus/la-mancha/api/v1/query_range?query=up&start=0&end=1", [
    /step: is required: give seconds, or a duration such as 5m/,
  ]],
];

Deno.test("each mistake in a request says what was wrong, and what helps", async (test) => {
  const world = await openWorld();
  for (const [path, says, init] of mistakes) {
    const headers = new Headers(init?.headers);
    if (headers.get("authorization") === "READER") {
      headers.set("authorization", `Bearer ${world.reader}`);
    }
    await test.step(`${init?.method ?? "GET"} ${path}`, async () => {
      const { code, text } = await world.ask(path, { ...init, headers });
      ok(code >= 400 && code < 500 || /"rejected_count":1/.test(text), `${code} ${text}`);
      for (const form of says) match(text, form);
    });
  }
  await world.close();
});

Deno.test("no refusal repeats a secret", async () => {
  const world = await openWorld();
  const secret = `wk_${"x".repeat(20)}`;
  for (const path of [projects, `/admin/v1/tokens/${secret}`]) {
    const asked = path === projects ? by(`Bearer ${secret}`) : { method: "DELETE" };
    const { text } = await world.ask(path, asked);
    ok(!text.includes(secret), text);
  }
  await world.close();
});
