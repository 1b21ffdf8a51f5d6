// What a person reads after a slip at the command line: what was given, what is wanted, what helps.
import { match, notEqual, ok } from "node:assert/strict";
import { openWorld, site_toml } from "./world.ts";

type Files = Readonly<Record<string, string>>;

/** A command line (`%name` a file of the folder, `+url` the service), what must be read of it. */
type Mistake = readonly [line: string, says: readonly RegExp[], files?: Files];

const check = "config check";
const site = "site apply %s.toml +url";
const importing = "import %a.csv --project la-mancha +url";
const good = "time,p\n2026-06-01T10:00:00Z,1\n2026-06-01T10:01:00Z,2\n2026-06-01T10:02:00Z,3\n";
const table = (text: string): Files => ({ "a.csv": text });
const plain = table(good);
const map = (text: string): Files => ({ ...plain, "n.toml": `${text}\n` });
const toml = (text: string): Files => ({ "w.toml": text });
/** The site file with one thing wrong. */
const with_ = (right: string, wrong: string): Files => {
  ok(site_toml.includes(right), right);
  return { "s.toml": site_toml.replace(right, wrong) };
};

/** A source of a point of SunSpec, before the rest of the site file. */
const modbus = (point: string) =>
  `[[sources]]\nkey = "field"\nkind = "modbus"\nhost = "10.0.0.12"\n` +
  `units = [{ unit = 1, map = "m" }]\n` +
  `maps = [{ key = "m", points = [{ tag = "x", sunspec = "${point}" }] }]\n[[sensors]]`;
/** Tags, before the rest of the site file. */
const tags = (...all: readonly string[]) =>
  `${all.map((it) => `[[tags]]\nname = ${it}\n`).join("")}[[sensors]]`;
const destination = "destination put %d.toml +url";

const mistakes: readonly Mistake[] = [
  ["serve --prot 1", [/unknown option '--prot'/, /Did you mean --port\?/]],
  ["impotr x", [/unknown command 'impotr'/, /Did you mean import\?/]],
  ["token crate", [/unknown command 'crate'/, /Did you mean create\?/]],
  ["completion bsh", [/'bsh' is invalid/, /zsh, bash, fish/]],
  ["serve --port http", [/flag --port/, /whole number from 0 to 65535, not "http"/]],
  ["serve --port 99999", [/flag --port/, /from 0 to 65535, not "99999"/]],
  ["serve --host localhost:8480", [/not "localhost:8480"; meant localhost, with port 8480\?/]],
  ["serve --host http://plant", [/a name or an address alone/, /meant plant\?/]],
  ["serve --port BUSY", [/port \d+ on 127\.0\.0\.1 is in use/, /give another --port/]],
  ["serve --host 203.0.113.9", [/203\.0\.113\.9/, /setting host/]],
  ["serve --fleet-node a", [/this is the node a of a fleet/, /`wattkeeper fleet serve`/]],
  ["token list --fleet-node a --data-dir %none", [/the node a of a fleet/, /--url/, /--data-dir/]],
  ["gateway list --fleet-node a --data-dir %none", [/node a of a fleet: ask a node with --url;/]],
  ["site apply %s.toml --fleet-node a --data-dir %none", [/the node a of a fleet: ask .* --url/], {
    "s.toml": site_toml,
  }],
  ["serve --tls-cert %no.pem --tls-key %k.pem", [/tls_\w+: there is no file \S+\.pem/]],
  ["serve --log-level verbose", [/debug, info, warning, error, not "verbose"/]],
  [`${check} --metrics 9480`, [/a port such as 127\.0\.0\.1:9480, not "9480"/]],
  [`${check} --public-url https://plant.example/wk`, [/without a path/, /meant https:\S+e\?/]],
  [`${check} --public-url plant.example`, [/not "plant\.example"; meant https:\S+e\?/]],
  [`${check} --cors-origins *`, [/flag --cors-origins: give an address .*, not "\*"/]],
  [`${check} --cors-origins https://a.example/x`, [/meant https:\/\/a\.example\?/]],
  [`${check} --keep-samples 1y`, [/forever, or days from 35d to \d+d, not "1y"/]],
  [`${check} --backup-every daily`, [/such as 6h or 1d, or none, not "daily"/]],
  [`${check} --webhook-allow 10.0.0.0/33`, [/such as 10\.1\.0\.0\/16, not "10\.0\.0\.0\/33"$/m]],
  [`${check} --trusted-proxies proxy.local`, [/such as 10\.1\.0\.0\/16, not "proxy\.local"$/m]],
  [`${check} --memory-mb 2GB`, [/whole number from 64 to \d+, not "2GB"/]],
  [`${check} --config %wat.toml`, [/no file \S+wat\.toml; meant w\.toml\?/], toml("")],
  [`${check} --config %`, [/is a directory: name a file/]],
  [`${check} --config %w.yaml`, [/w\.yaml:1:5/, /YAML: write TOML/], { "w.yaml": "port: 1\n" }],
  [`${check} --config %w.json`, [/w\.json:1:1/, /looks like JSON/], { "w.json": '{"port":1}' }],
  [`${check} --config %w.toml`, [/datadir: .* meant data_dir\?/], toml('datadir = "x"\n')],
  [`${check} --config %w.toml`, [/data-dir: .* meant data_dir\?/], toml('data-dir = "x"\n')],
  [`${check} --config %w.toml`, [/port: give .*, not "eighty"/], toml('port = "eighty"\n')],
  [`${check} --config %w.toml`, [/server: .*they stand at the top, without tables/], {
    "w.toml": "[server]\nport = 1\n",
  }],
  [`${check} --config %w.toml`, [/w\.toml:1:8: .*quotation marks/], toml("host = plant.example\n")],

  ["site apply %stie.toml +url", [/no file \S+stie\.toml; meant site\.toml\?/], {
    "site.toml": "",
  }],
  ["site apply % +url", [/is a directory: name a file/]],
  ["site apply %no/s.toml +url", [/there is no directory \S+\/no\//]],
  ["site apply %s.yaml +url", [/line 1, column 8/, /YAML/], { "s.yaml": "version: 1\nsite:\n" }],
  [site, [/looks like JSON: name a site file \*\.json/], { "s.toml": '{"version":1}' }],
  [site, [/version: is missing/, /site: is missing/], { "s.toml": "" }],
  [site, [/"Madrid" is not an IANA .*meant Europe\/Madrid\?/], with_("Europe/Madrid", "Madrid")],
  [site, [/meant Europe\/Madrid\?/], with_("Europe/Madrid", "Europe/Madird")],
  [site, [/"UTC\+1" is not.*the zone of a place/], with_("Europe/Madrid", "UTC+1")],
  [site, [/measure: .*; meant active_power\?/], with_('"active_power"', '"activ_power"')],
  [site, [/measure: .*meant active_power, apparent_power/], with_('"active_power"', '"power"')],
  [site, [/type: .*meant inverter\?/], with_('"inverter"', '"inverters"')],
  [
    site,
    [/device: there is no "INV1"; meant INV-1\?/],
    with_('device = "INV-1"', 'device = "INV1"'),
  ],
  [site, [/line 4, .*decimal point, such as 39\.2/], with_("latitude = 39.2", "latitude = 39,2")],
  [site, [/latitude: give at most 90, not 139\.2/], with_("latitude = 39.2", "latitude = 139.2")],
  [site, [/scale: give a number: a text/], with_("scale = 1000", 'scale = "1000"')],
  [site, [/scaling: there is no such key; known are .*scale/], with_("scale =", "scaling =")],
  [site, [/sensor: there is no such key; meant sensors\?/], with_("[[sensors]]", "[[sensor]]")],
  [site, [/sensors: give a list.*\[\[sensors\]\]/], with_("[[sensors]]", "[sensors]")],
  [site, [/version: give 1, not 2/], with_("version = 1", "version = 2")],
  [site, [/line 6, .*quotation marks/], with_('key = "INV-1"', "key = INV-1")],
  [site, [/site\.key: give letters, digits/], with_('key = "north"', 'key = "North Site"')],
  [site, [/devices\[1\]\.key: "INV-1" is already devices\[0\]/], {
    "s.toml": site_toml.replace("[[sensors]]", '[[devices]]\nkey = "INV-1"\n[[sensors]]')
      .replace('key = "INV-1"\n[[s', 'key = "INV-1"\ntype = "inverter"\n[[s'),
  }],
  [
    site,
    [/sunspec: .* has no point Watt; meant 103\.W\?/],
    with_("[[sensors]]", modbus("103.Watt")),
  ],
  [site, [/SunSpec has no model 1103/], with_("[[sensors]]", modbus("1103.W"))],
  [
    site,
    [/divides by 1000, and W becomes kW by itself/],
    with_(
      "[[sensors]]",
      tags('"p_w"\nunit = "W"', '"p_kw"\nunit = "kW"\nderived = { formula = "[p_w] / 1000" }'),
    ),
  ],
  [
    site,
    [/sources\[0\]\.address: .*known are key, enabled, kind, host, port, transport/],
    with_("[[sensors]]", modbus("103.W").replace("host =", "address =")),
  ],
  [
    site,
    [/sources\[0\]\.hostname: .*meant host\?/],
    with_("[[sensors]]", modbus("103.W").replace("host =", "hostname =")),
  ],
  [
    site,
    [/sources\[0\]\.address: .*known are key, enabled, kind, host, .*, …/],
    with_("[[sensors]]", '[[sources]]\nkey = "f"\nkind = "mqtt"\naddress = "a"\n[[sensors]]'),
  ],
  [
    site,
    [/sources\[0\]\.host: is of another kind: .*; known are .*endpoint/],
    with_("[[sensors]]", '[[sources]]\nkey = "f"\nkind = "opcua"\nhost = "a"\n[[sensors]]'),
  ],
  [
    site,
    [/map: there is no map "n"; known are m/],
    with_("[[sensors]]", modbus("103.W").replace('map = "m"', 'map = "n"')),
  ],
  [site, [/sensors\[0\]\.tags: there is no such key; meant tag\?/], with_("tag =", "tags =")],
  [site, [/parent: there is no "TR-1"; known are INV-1/], with_("[[s", 'parent = "TR-1"\n[[s')],
  [site, [/block: there is no "B1"; there is none yet/], with_("[[s", 'block = "B1"\n[[s')],
  [site, [/key: give at least 1 character$/m], with_('key = "INV-1"', 'key = ""')],
  ["site apply %s.json +url", [/is not JSON/, /name it \*\.toml/], { "s.json": "version = 1" }],
  ["site remove north +url", [/unknown command 'remove'/, /Commands: apply, show, schema/]],
  ["site show nroth +url", [/there is no site nroth; meant north\?/]],

  ["token list --url plant:8480 --token x", [/plant:8480 is no address such as http:/]],
  ["token list --url https://plant/wk --token-file %token.txt", [
    /answered 404/,
    /without a path, --url https:\/\/plant$/m,
  ]],
  ["token list --url https://plant/?a=b --token x", [
    /the address alone, https:\/\/plant: a token/,
  ]],
  ["token list --url https://u:p@plant --token x", [/the address alone, https:\/\/plant: a token/]],
  ["token list --url http://plant:8480", [/--token or --token-file/, /`wattkeeper token create`/]],
  ["token list --url http://plant:8480 --token wk_short", [/unknown, .*8 characters, not those/]],
  ["token list --url http://plant:8480 --token TOKEN", [/does not begin with wk_/]],
  ["token list --url http://plant:8480 --token-file %no.txt", [/there is no file \S+no\.txt/]],
  ["token list --url http://plant:8480 --token-file %b.txt", [/give the token alone/], {
    "b.txt": "Bearer wk_x\n",
  }],
  ["token list --url http://plant:8480 --token-file %reader.txt", [
    /needs the scope admin, the token has read/,
    /wattkeeper token create --name NAME --scope read admin/,
  ]],
  ["token create --name x --scope reed +url", [/scopes\[0\]: .*, not "reed"; meant read\?/]],
  ["token create --scope read +url", [/required option '--name <text>'/]],
  ["token create --name x --scope read --project lamancha +url", [/"lamancha"; meant la-mancha\?/]],
  ["token create --name x --scope read --organization acmee +url", [/"acmee"; meant acme\?/]],
  ["token create --name x --scope read --expires 2027-01-01 +url", [
    /meant 2027-01-01T00:00:00Z\?/,
  ]],
  ["token create --name x --scope read --expires 2020-01-01T00:00:00Z +url", [
    /in the future, not/,
  ]],
  ["token create --name x --scope read --user bob@example.org +url", [/`wattkeeper user list`/]],
  ["token revoke nope +url", [/no token "nope"; `wattkeeper token list` shows the ids/]],
  ["token revoke wk_abcdefgh +url", [/give the token's id, not its text/, /^(?![^]*wk_a)/]],
  ["user add --first-name A --last-name B +url", [/required option '--email <address>'/]],
  ["user add --email anna --first-name A --last-name B --organization acme +url", [
    /email: give an e-mail address, such as anna@example\.org/,
  ]],
  ["user add --email a@b.example --first-name A --last-name B --organization acm +url", [
    /organization: there is no "acm"; meant acme\?/,
  ]],
  ["user allow bob@example.org --scope read +url", [/no such user; `wattkeeper user list`/]],
  ["user disable bob@example.org +url", [/no such user; `wattkeeper user list`/]],

  [destination, [/kind: .*; meant parquet_folder or parquet_s3\?/], {
    "d.toml": 'key = "lake"\nkind = "parquet"\nfolder = "a"\n',
  }],
  [destination, [/kind: .*; meant remote_write\?/], {
    "d.toml": 'key = "p"\nkind = "remotewrite"\n',
  }],
  [destination, [/key is missing: write its keys at the top, without \[\[destinations\]\]/], {
    "d.toml": '[[destinations]]\nkey = "lake"\n',
  }],
  ["destination list --project lamancha +url", [/no such project; it reaches la-mancha/]],
  ["destination remove lake +url", [/lake/]],

  ["import %aa.csv --project la-mancha +url", [/no file \S+aa\.csv; meant a\.csv\?/], plain],
  [importing, [/"2026-13-45" in the column time .*no time that exists/, /--time-column/], {
    "a.csv": "time,p\n2026-13-45,1\n2026-13-46,2\n",
  }],
  [importing, [/no row of values: there is nothing to import/], table("time,p\n")],
  [importing, [/no row of values: there is nothing to import/], table("tag,ts,value\n")],
  [importing, [/no row of values: there is nothing to import/], table("[]")],
  [importing, [/it is empty/], table("\n\n")],
  [`${importing} --skip-rows 7`, [/no row is left .*--skip-rows .* 7 lines/], table(good.trim())],
  [`${importing} --key-column p`, [
    /no column of values beside its time and what --key-column names/,
  ], plain],
  [`${importing} --format json`, [/a JSON array\. The file looks like wide: leave out/], plain],
  [`${importing} --time-format excel`, [/of the form excel .*leave out --time-format/], plain],
  [`${importing} --delimiter tab`, [/such as ; or \\t for a tab/], plain],
  [`${importing} --map %n.toml`, [/tags: give a table of names with values/], map('tags = "x"')],
  [`${importing} --map %n.toml`, [/p: give .* false to leave .* out/], map("[tags]\np = true")],
  [`${importing} --map %n.toml`, [/give a text .*list of such/], map("time_column = 3")],
  [`${importing} --map %n.toml`, [/one of refuse, last, not "first"/], map('repeats = "first"')],
  [`${importing} --map %n.toml`, [/tag: there is no such key; meant tags\?/], map('tag = "x"')],
  [`${importing} --map %n.toml`, [/looks like JSON: write TOML/], map('{"tags":{}}')],
  ["import % --project la-mancha +url", [/is a directory: name a file/]],
  ["import %a.csv +url", [/say with --project which project/], plain],
  ["import %a.csv --project lamancha +url", [/no project lamancha: meant la-mancha\?/], plain],
  [importing, [/some numbers have a decimal comma and some a point, such as "1,5"/], {
    "a.csv": "time;p\n2026-06-01 10:00;1,5\n2026-06-01 10:05;1.5\n",
  }],
  [importing, [/it is empty/], table("")],
  [importing, [/--time-column/, /--time-format/], table("a,b\n1,2\n3,4\n5,6\n")],
  [importing, [/page of the web/, /as CSV or XLSX/], table("<!DOCTYPE html><html></html>")],
  [
    importing,
    [/3 rejected/, /more than 10 minutes in the future/],
    table(good.replaceAll("2026", "2036")),
  ],
  [
    importing,
    [/"01\/02\/2026 10:00"/, /--time-format mdy or --time-format dmy/],
    table(
      "time,p\n01/02/2026 10:00,1\n01/02/2026 10:01,2\n02/02/2026 10:02,3\n",
    ),
  ],
  [`${importing} --time-column tiem`, [/no column tiem: meant time\?/], plain],
  [
    `${importing} --decimal .`,
    [/"1,5"/, /--decimal/],
    table(
      "time;p\n2026-06-01T10:00:00Z;1,5\n2026-06-01T10:01:00Z;2,5\n2026-06-01T10:02:00Z;3,25\n",
    ),
  ],
  [
    `${importing} --timezone Madrid`,
    [/"Madrid" is not .*meant Europe\/Madrid\?/],
    table(
      good.replaceAll("Z", ""),
    ),
  ],
  [`${importing} --format exel`, [/'exel' is invalid/, /ndjson, json, csv/], plain],
  [`${importing} --lane signals`, [/'signals' is invalid/, /signal, model, forecast/], plain],
  [`${importing} --delimiter ;`, [/one column only/, /--delimiter/], plain],
  [`${importing} --skip-rows two`, [/'two' is invalid. give a whole number/], plain],
  [`${importing} --time-format dd.mm.yyyy`, [/'dd\.mm\.yyyy' is invalid/, /iso, mdy, dmy/], plain],
  [`${importing} --map %m.toml`, [/no mapping file \S+m\.toml/, /import --dry-run --map/], plain],
  ["import %a.csv --project la-mancha --url http://plant:8480 --token-file %reader.txt", [
    /needs the scope ingest, the token has read/,
    /--scope read ingest/,
  ], plain],

  ["webhook add --name x +url", [/required option '--target <url>'/]],
  ["webhook add --name x --target https://a.example --event issue.create +url", [
    /event_types\[0\]: .*meant issue\.created\?/,
  ]],
  ["webhook add --name x --target https://a.example --event issue.created +url", [
    /organization: say of which organization: acme/,
  ]],
  ["webhook add --name x --target a.example/h --event issue.created --organization acme +url", [
    /target: give an http:\/\/ or https:\/\/ URL/,
  ]],
  [
    "webhook add --name x --target https://10.0.0.1 --event issue.created --organization acme +url",
    [/10\.0\.0\.1 is not global: private; the setting webhook_allow can list it/],
  ],
  ["webhook show nope +url", [/no subscription "nope"; `wattkeeper webhook list`/]],
  ["webhook redeliver +url", [/subscription_id: is required without event_id/]],
  ["webhook listen --port 99999", [/--port: give a whole number up to 65535/]],
  ["webhook verify %r.txt --secret x", [/is a body alone/, /--headers PATH --body PATH/], {
    "r.txt": "{}",
  }],
  ["webhook verify %r.txt --secret x", [/has no empty line between headers and body/], {
    "r.txt": "x-svc-event-id: 1\n",
  }],
  ["webhook verify %no.txt --secret x", [/there is no file \S+no\.txt/]],
  ["query select·1·from·projcts +url", [/there is no view projcts; meant projects\?/]],
  ["query SELEC·1 +url", [/syntax error at or near "SELEC"; meant SELECT\?/]],
  ["query select·1 --timezone Berlin +url", [/"Berlin" is not .*meant Europe\/Berlin\?/]],
  ["query show·tables", [/no data in \S+data, [\s\S]*--data-dir, or .*--url/]],
  ["verify --from 2026-06", [/--from: give a day as YYYY-MM-DD, not 2026-06; meant 2026-06-01\?/]],
  ["verify", [/no data in \S+data, and no service runs there/]],
  ["query %q.sql +url", [/a statement, not a file: .*"\$\(cat \S+q\.sql\)"/]],
  ["query · +url", [/give a statement of SQL, such as/]],
  ["query +url", [/missing required argument 'sql'/]],
  ["backup %a.csv +url", [/a\.csv exists already: give another name/], plain],
  ["backup %no/x.tar +url", [/no\/x\.tar can't be written: there is no such directory/]],
  ["backup verify %nope.tar", [/there is no backup at \S+nope\.tar/]],
  ["restore %a.csv", [/the backup is damaged .*: use another one/], plain],
  ["rule test %r.toml --from 2026-06-01 --to 2026-06-02 +url", [/kind: .*meant threshold\?/], {
    "r.toml": '[[rules]]\nkey = "low"\nkind = "treshold"\n',
  }],
  ["rule test %r.toml --from 01.06.2026 --to 2026-06-02 +url", [/--from: give a day .*not 01\./], {
    "r.toml": "rules = []\n",
  }],
  ["rule test %r.toml --from 2026 --to 2026-06-31 +url", [
    /--from: give a day .*; meant 2026-01-01\?/,
    /--to: .*2026-06 has 30 days/,
  ], { "r.toml": "rules = []\n" }],
  ["rule test %r.toml --from 2027-06-01 --to 2027-06-02 +url", [
    /--from: is in the future/,
  ], { "r.toml": "rules = []\n" }],
  ["rule test %r.toml --from 2026-06-01 --to 2026-06-02 +url", [
    /has no rules, each of which begins with \[\[rules\]\]: it has rule/,
  ], { "r.toml": "[[rule]]\n" }],
  ["source scan 10.0.0.0/24", [/give an address such as 10\.0\.0\.12/]],
  ["source put x", [/unknown command 'put'/, /Commands: scan/]],
  ["extension install foo", [/there is no extension foo; known are ducklake/]],
  ["rule test %none.toml --from 2026-06-01 --to 2026-06-02 +url", [/no file \S+none\.toml/]],
  ["rule list --site nroth +url", [/there is no site nroth; meant north\?/]],
  ["init %", [/site\.toml exists already: give another folder/], { "site.toml": "x" }],
];

Deno.test("each mistake at the command line says what was wrong, and what helps", async (test) => {
  const world = await openWorld();
  using busy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = busy.addr as Deno.NetAddr;
  for (const [line, says, files = {}] of mistakes) {
    await test.step(line, async () => {
      const words = line.replace("BUSY", `${port}`).split(" ").map((it) => it.replaceAll("·", " "));
      const { code, text } = await world.run(words, files);
      notEqual(code, 0, text);
      ok(!/an error in the program|\bundefined\b|\[object/.test(text), text);
      for (const form of says) match(text, form);
    });
  }
  await world.close();
});
