// Tools that people have write into a project as they write to a database: each as it is shipped.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { queryRows } from "../../help/query.ts";
import { type TestService, testService } from "../../help/service.ts";

const at = "2026-06-01T12:00:00Z";
const at_s = Date.parse(at) / 1000;

/** A service at a port, its project `plant`, and a token that may write there. */
async function withDoor(
  work: (
    door: TestService & { readonly url: string; readonly write_token: string },
  ) => Promise<void>,
  now = at,
): Promise<void> {
  const service = await testService({ at: now });
  const { database, catalog, access } = service.services;
  await database.write(({ connection }) =>
    connection.script("INSERT INTO project VALUES (1, 'p1', 'o1', 'plant', 'P', NULL, 'UTC')")
  );
  await catalog.reload();
  const { token } = await access.create({
    ...{ name: "tool", organization_id: "o1", project_ids: ["p1"] },
    ...{ scopes: ["ingest"], expires_at: null },
  });
  const server = serve(service.answer);
  try {
    await work({ ...service, url: `http://127.0.0.1:${server.addr.port}`, write_token: token });
  } finally {
    await server.shutdown();
    await service.close();
  }
}

function serve(answer: Deno.ServeHandler<Deno.NetAddr>) {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answer);
}

/** What is stored: tag, time in seconds, value. */
async function stored({ services }: TestService) {
  const rows = await services.database.read((connection) =>
    queryRows<{ name: string; s: number; value: number }>(
      connection,
      "SELECT t.sensor_tag AS name, s.ts / 1000000 AS s, " +
        "coalesce(s.value, s.value_int) AS value " +
        "FROM sample s JOIN tag t USING (tag_no) ORDER BY ALL",
    )
  );
  return rows.map(({ name, s, value }) => [name, s, value]);
}

/** What a tool says, which ends by itself or is told to; undefined, and a word, without it. */
async function run(
  command: string,
  args: readonly string[],
  end?: AbortSignal,
): Promise<string | undefined> {
  try {
    const piped = { stdout: "piped", stderr: "piped" } as const;
    const child = new Deno.Command(command, { args: [...args], ...piped }).spawn();
    end?.addEventListener("abort", () => child.kill("SIGTERM"));
    const { success, stdout, stderr } = await child.output();
    const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    if (/No module named/.test(said)) throw new Deno.errors.NotFound(said);
    ok(success, said);
    return said;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
    console.log(`SKIPPED: what ${command} writes; install it, and its modules, to run this test`);
  }
}

const points = [
  `inv,id=7 p_kw=812.5,state=4i ${at_s - 60}000000000`,
  `inv,id=7 p_kw=815.25,state=4i ${at_s}000000000`,
];
const samples = [
  ["inv,id=7.p_kw", at_s - 60, 812.5],
  ["inv,id=7.p_kw", at_s, 815.25],
  ["inv,id=7.state", at_s - 60, 4],
  ["inv,id=7.state", at_s, 4],
];

/** What Telegraf says when it writes `lines` once by an output of its configuration. */
async function telegraf(output: string, lines: readonly string[]): Promise<string | undefined> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/points`, lines.join("\n") + "\n");
  const config = `
[agent]
  omit_hostname = true
[[inputs.file]]
  files = ["${folder}/points"]
  data_format = "influx"
${output}`;
  await Deno.writeTextFile(`${folder}/telegraf.conf`, config);
  return await run("telegraf", ["--once", "--config", `${folder}/telegraf.conf`]);
}

Deno.test("Telegraf writes by its output for InfluxDB 1", () =>
  withDoor(async (door) => {
    const output = (database: string) =>
      `[[outputs.influxdb]]
  urls = ["${door.url}"]
  database = "${database}"
  username = "telegraf"
  password = "${door.write_token}"
  content_encoding = "gzip"`;
    const said = await telegraf(output("plant"), points);
    if (said === undefined) return;
    ok(!/[WE]! \[outputs/.test(said), said);
    deepEqual(await stored(door), samples);
    const [old, other] = [
      await telegraf(output("plant"), [...points, "inv p_kw=1 1790000000"]),
      await telegraf(output("other"), points).catch(String),
    ];
    match(old!, /partial write: line \d: its timestamp in ns is 1970-01-01.+precision=s/);
    match(other!, /database "other" creation failed: 403 Forbidden/);
    deepEqual(await stored(door), samples);
  }));

Deno.test("Telegraf writes by its output for InfluxDB 2", () =>
  withDoor(async (door) => {
    const output = (bucket: string) =>
      `[[outputs.influxdb_v2]]
  urls = ["${door.url}"]
  bucket = "${bucket}"
  organization = "any"
  token = "${door.write_token}"`;
    const said = await telegraf(output("plant"), points);
    if (said === undefined) return;
    ok(!/[WE]! \[outputs/.test(said), said);
    deepEqual(await stored(door), samples);
    const old = await telegraf(output("plant"), ["inv p_kw=1 1790000000"]).catch(String);
    match(old!, /will be dropped: 400 Bad Request\): invalid: partial write: .+precision=s/);
    match((await telegraf(output("other"), points).catch(String))!, /403 Forbidden/);
  }));

/** What a script of Python prints. */
async function python(script: string): Promise<unknown> {
  const said = await run("python3", ["-W", "ignore", "-c", script]);
  return said === undefined ? undefined : JSON.parse(said.trim().split("\n").at(-1)!);
}

Deno.test("the Python client of InfluxDB 2 pings, finds its bucket, writes, reads errors", () =>
  withDoor(async (door) => {
    const said = await python(`
import json
from influxdb_client import InfluxDBClient, Point, WritePrecision
from influxdb_client.client.write_api import SYNCHRONOUS
from influxdb_client.client.exceptions import InfluxDBError
from influxdb_client.rest import ApiException
client = InfluxDBClient("${door.url}", "${door.write_token}", org="any", enable_gzip=True)
api = client.write_api(write_options=SYNCHRONOUS)
for s, p in [(${at_s - 60}, 812.5), (${at_s}, 815.25)]:
    point = Point("inv").tag("id", "7").field("p_kw", p).field("state", 4)
    api.write("plant", record=point.time(s, WritePrecision.S), write_precision=WritePrecision.S)
errors = []
for bucket, record in [("plant", "inv p_kw=1 1790000000"), ("other", "inv p_kw=1")]:
    try:
        api.write(bucket, record=record)
    except ApiException as error:
        errors.append([error.status, error.message])
with client.write_api() as batching:
    batching.write("plant", record=${JSON.stringify(points)})
found = client.buckets_api().find_bucket_by_name("plant")
print(json.dumps([client.ping(), client.health().status, client.version(), found.id, errors]))`);
    if (said === undefined) return;
    const [pong, health, version, bucket, [old, other]] = said as [
      ...[boolean, string, string, string],
      (readonly [number, string])[],
    ];
    deepEqual([pong, health, version, bucket], [true, "pass", "1.8.10", "p1"]);
    equal(old[0], 400);
    match(old[1], /^partial write: line 1: .+precision=s stored=0 dropped=1$/);
    equal(other[0], 403);
    match(other[1], /^the token reaches no such project; it reaches /);
    deepEqual(await stored(door), samples);
  }));

Deno.test("the Python client of InfluxDB 1 pings, lists, makes a database, writes", () =>
  withDoor(async (door) => {
    const { hostname, port } = new URL(door.url);
    const said = await python(`
import json
from influxdb import InfluxDBClient
from influxdb.exceptions import InfluxDBClientError
client = InfluxDBClient("${hostname}", ${port}, "any", "${door.write_token}", "plant")
client.create_database("plant")
for s, p in [(${at_s - 60}, 812.5), (${at_s}, 815.25)]:
    point = {"measurement": "inv", "tags": {"id": "7"}, "time": s}
    client.write_points([{**point, "fields": {"p_kw": p, "state": 4}}], time_precision="s")
client.write_points([])
errors = []
for act in [lambda: client.create_database("other"), lambda: client.query("SELECT 1")]:
    try:
        act()
    except InfluxDBClientError as error:
        errors.append(error.code)
names = [it["name"] for it in client.get_list_database()]
print(json.dumps([client.ping(), names, errors]))`);
    if (said === undefined) return;
    deepEqual(said, ["1.8.10", ["plant"], [403, 400]]);
    deepEqual(await stored(door), samples);
  }));

Deno.test("the Python client of InfluxDB 3 writes, and reads what was rejected", () =>
  withDoor(async (door) => {
    const said = await python(`
import json
from influxdb_client_3 import InfluxDBClient3, WriteOptions, WriteType, write_client_options
from influxdb_client_3.exceptions import InfluxDBPartialWriteError
options = WriteOptions(write_type=WriteType.synchronous, use_v2_api=False, no_sync=True)
client = InfluxDBClient3(
    host="${door.url}", token="${door.write_token}", database="plant",
    write_client_options=write_client_options(write_options=options))
client.write(${JSON.stringify(points)})
try:
    client.write("inv p_kw=1 1790000000\\nbad line\\n")
except InfluxDBPartialWriteError as error:
    print(json.dumps(str(error)))`);
    if (said === undefined) return;
    match(String(said), /^partial write.+\n.*line 1: its timestamp in ns is .+\n.*line 2: ends/);
    deepEqual(await stored(door), samples);
  }));

Deno.test("Prometheus writes what it scrapes by remote write, and what has ended", async () => {
  await withDoor(async (door) => {
    let scrapes = 0;
    const ended = new AbortController();
    const exporter = serve(() => {
      // Nobody waits for ever.
      if (++scrapes === 30) ended.abort();
      const gone = scrapes === 1 ? 'power_watts{inverter="8"} 1\n' : "";
      const text = `power_watts{inverter="7",site="a \\"b\\""} ${812 + scrapes}\n${gone}up_s NaN\n`;
      return new Response(text, { headers: { "content-type": "text/plain; version=0.0.4" } });
    });
    const folder = await Deno.makeTempDir();
    const config = `global: {scrape_interval: 1s}
scrape_configs:
- job_name: plant
  static_configs: [{targets: ["127.0.0.1:${exporter.addr.port}"]}]
remote_write:
- url: ${door.url}/prometheus/plant/api/v1/write
  authorization: {type: Token, credentials: ${door.write_token}}
  queue_config: {batch_send_deadline: 100ms}
  write_relabel_configs:
  - {regex: "instance|job", action: labeldrop}
  - {source_labels: [__name__], regex: "power_watts|up_s", action: keep}
`;
    await Deno.writeTextFile(`${folder}/prometheus.yml`, config);
    const values = async (name: string) =>
      (await stored(door)).filter((it) => it[0] === name).map(([, , value]) => value);
    const { ingest } = door.services;
    const { onStored } = ingest;
    ingest.onStored = async (it) => {
      onStored?.(it);
      if ((await values('power_watts{inverter="8"}')).length > 1) ended.abort();
    };
    const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
    const said = await run(
      "prometheus",
      [...args, "--web.listen-address=127.0.0.1:0"],
      ended.signal,
    );
    await exporter.shutdown();
    if (said === undefined) return;
    ok(!/level=(warn|error).*component=remote/.test(said), said);
    const power = await values('power_watts{inverter="7",site="a \\"b\\""}');
    deepEqual(power, power.map((_, i) => 813 + i));
    deepEqual(await values('power_watts{inverter="8"}'), [1, null]);
    ok((await values("up_s")).length > 1 && (await values("up_s")).every((it) => it === null));
  }, new Date().toISOString());
});
