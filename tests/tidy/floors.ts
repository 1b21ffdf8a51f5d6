// Rules of floors and rooms: who may import whom, and how large a room is.
import { importsOf } from "../help/source.ts";
import { type HouseRule, importPairs, offences, placeOf } from "./house.ts";

/** The floors from the ground up; http and cli are two faces side by side. */
const floors = ["base", "model", "store", "wire", "engine", "http", "app"];

/** The screens run in a browser: they reach the words of `model` alone. */
const screens = "web";

/** The rooms of each floor from the ground up; `·` is the floor's own folder. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  base: ["·"],
  model: [
    ...["data", "access", "time", "statistics", "plant", "alarms", "availability", "expected"],
    ...["performance", "counters", "rollup", "rules", "samples", "derived", "retention"],
    ...["setpoints", "sources"],
    ...["upstream", "destinations", "site"],
    ...["work", "webhooks", "views", "query", "fleet", "·"],
  ],
  store: [
    ...["duckdb", "·", "backup", "access", "plant", "alarms", "availability", "expected"],
    ...[
      "performance",
      "counters",
      "rollup",
      "samples",
      "derived",
      "retention",
      "upstream",
      "destinations",
      "rules",
      "setpoints",
      "site",
      "work",
      "webhooks",
      "views",
      "query",
      "fleet",
    ],
  ],
  wire: ["bytes", "json", "arrow", "parquet", "samples", "sources", "alarms", "·", "import"],
  engine: [
    ...["catalog", "access", "core", "backup", "alarms", "samples", "performance", "expected"],
    ...["derived", "rollup", "retention"],
    ...[
      "counters",
      "webhooks",
      "work",
      "availability",
      "rules",
      "ingest",
      ...["devices", "opcua", "sources", "setpoints"],
      "upstream",
      ...["signals", "destinations"],
      "site",
      "versions",
      "service",
      "demo",
    ],
    ...["views", "query", "fleet"],
  ],
  http: [
    ...["frame", "openapi", "page", "access", "alarms", "performance", "availability", "plant"],
    ...["counters", "rules", "sources", "setpoints", "samples", "retention", "upstream"],
    ...["destinations", "webhooks", "work"],
    ...["views", "backup", "query", "screens", "fleet", "·"],
  ],
  web: [
    ...["words", "frame", "parts", "views", "signin", "access"],
    ...[
      "alarm",
      "alarms",
      "portfolio",
      "inverters",
      "overview",
      "trends",
      "losses",
      "work",
      "rules",
      "health",
      "report",
      "import",
      "shell",
      "docs",
      "·",
    ],
  ],
  cli: [
    ...[
      "frame",
      "access",
      "backup",
      "upstream",
      "destinations",
      "service",
      "fleet",
      "demo",
      "import",
      "rules",
      "sources",
      "setpoints",
    ],
    "site",
    ...["webhooks", "·"],
  ],
  app: ["·"],
};

const room_files = 20;

const packages: readonly (readonly [RegExp, RegExp])[] = [
  [/^(preact|@preact\/signals|uplot|@uwdata\/flechette)(\/|$)/, /^src\/web\//],
  [/^apache-arrow$/, /^src\/wire\/samples\//],
  [/^(aws4fetch|node:crypto)$/, /^src\/engine\/destinations\/object_store\.ts$/],
  [/^@bufbuild\/protobuf\/wire$/, /^src\/wire\//],
  [/^(@prometheus-io\/lezer-promql|re2js)$/, /^src\/wire\//],
  [/^(fflate|read-excel-file\/universal)$/, /^src\/wire\/import\/source\.ts$/],
  [/^(mqtt-packet|node:buffer)$/, /^src\/wire\/sources\/mqtt_packet\.ts$/],
  // It opens sockets, sets timers and writes files by itself, in these files only.
  [/^node-opcua-client$/, /^src\/engine\/opcua\/opcua_(client|events|session)\.ts$/],
  [/^node:buffer$/, /^src\/engine\/opcua\/opcua_(client|session)\.ts$/],
  // The demo's server of its own, by what the client's library has for servers.
  [/^(node-opcua-client|node:(buffer|net))$/, /^src\/engine\/demo\/opcua_server\.ts$/],
  [
    /^(node-opcua-(certificate-manager|transport)|node:(crypto|net|process))$/,
    /^src\/engine\/opcua\/opcua_client\.ts$/,
  ],
  [/^@hono\//, /^src\/http\//],
  [/^negotiator$/, /^src\/(wire|http)\//],
  [/^prom-client$/, /^src\/http\//],
  [/^postgres$/, /^src\/store\/fleet\//],
  [/^marked$/, /^src\/http\//],
  [/^zod$/, /^src\/(model|store|wire|engine|http|cli)\//],
  [/^suncalc$/, /^src\/(model|engine)\//],
  [/^@logtape\/logtape$/, /^src\/engine\//],
  [/^(commander|cli-progress|@bomb\.sh\/tab\/commander)$/, /^src\/cli\//],
  [/^ipaddr\.js$/, /^src\/model\/webhooks\/address\.ts$/],
  [/^(undici|node:dns\/promises)$/, /^src\/base\/effects_(post|line)\.ts$/],
  [/^smol-toml$/, /^src\/(model|engine|cli|http)\//],
  [/^openid-client$/, /^src\/engine\/access\/oidc\.ts$/],
  [/^node:crypto$/, /^src\/model\/(webhooks\/signature(_key)?|access\/password)\.ts$/],
  [/^node:crypto$/, /^src\/engine\/alarms\/ids\.ts$/],
  [/^node:crypto$/, /^src\/base\/(digest|effects_line)\.ts$/],
  [/^node:crypto$/, /^src\/store\/(backup\/container|vault)\.ts$/],
  [/^node:(fs\/promises|os|zlib|stream)$/, /^src\//],
  [/^node:module$/, /^src\/store\/duckdb\/library\.ts$/],
  [/^node:timers$/, /^src\/base\/effects(_sleep)?\.ts$/],
  [/^node:process$/, /^src\/engine\/core\/process\.ts$/],
];

const doors: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\bDate\.now\(|new Date\(\)|Temporal\.Now|performance\.now\(/,
    /^src\/(base\/effects|web\/frame\/clock\.ts)/,
  ],
  [
    /\bset(Timeout|Interval)\(|Math\.random\(|getRandomValues|randomUUID/,
    /^src\/(base\/effects|web\/frame\/clock\.ts)/,
  ],
  [/\bconsole\.|Deno\.(env|stdin|stdout|stderr)\b/, /^src\/base\/effects/],
  [/\bDeno\.serve\(/, /^src\/cli\/webhooks\/listen\.ts/],
  [/\bDeno\.(addSignalListener|removeSignalListener)\(/, /^src\/cli\/service\/serve/],
  [/\bDeno\.exit\(/, /^(main|one_query|src\/cli\/service\/serve)/],
  [/(?<![.\w#])fetch\(/, /^src\/(base\/effects|web\/frame\/api\.ts)/],
  [/\bDeno\.listen(Tls)?\b/, /^src\/cli\/(service\/door|demo\/socket)\.ts/],
  [/\bDeno\.dlopen\b/, /^src\/(base\/c_library|store\/duckdb\/symbols)\.ts$/],
  [/\bDeno\.(connect(Tls)?|startTls)\b/, /^src\/base\/effects_line\.ts$/],
  [/\bDeno\.Command\b/, /^src\/base\/effects_self\.ts$/],
];

export const floor_rules: readonly HouseRule[] = [
  {
    name: "a file imports from its own floor or a lower one",
    find: ({ code }) =>
      importPairs(code).filter(([who, whom]) => isUpwards(placeOf(who).floor, placeOf(whom).floor))
        .map(([who, whom]) => `${who} imports ${whom}`),
    broken: { "src/model/work/a.ts": 'import { b } from "../../store/work/b.ts";\n' },
  },
  {
    name: "a file imports from its own room or one below it on the same floor",
    find: ({ code }) =>
      importPairs(code).flatMap(([who, whom]) => {
        const [from, to] = [placeOf(who), placeOf(whom)];
        if (from.floor !== to.floor || !/\.tsx?$/.test(whom)) return [];
        const order = rooms[from.floor] ?? [];
        const down = order.indexOf(to.room) <= order.indexOf(from.room);
        return down ? [] : [`${who} imports ${whom}`];
      }),
    broken: { "src/engine/alarms/a.ts": 'import { b } from "../demo/b.ts";\n' },
  },
  {
    name: "every room is one of its floor's, and every room of a floor exists",
    find: ({ code, sql }) => {
      const found = new Set([...code, ...sql].map(({ path }) => {
        const { floor, room } = placeOf(path);
        return `${floor}/${room}`;
      }));
      const declared = Object.entries(rooms)
        .flatMap(([floor, names]) => names.map((name) => `${floor}/${name}`));
      return [...found].filter((name) => !declared.includes(name) && !/\/migrations$/.test(name))
        .concat(found.size > 2 ? declared.filter((name) => !found.has(name)) : []);
    },
    broken: { "src/engine/misc/a.ts": "" },
  },
  {
    name: `a room has at most ${room_files} files of code`,
    find: ({ code }) =>
      Object.entries(Object.groupBy(code, ({ path }) => path.replace(/\/[^/]*$/, "")))
        .filter(([, files]) => files!.length > room_files)
        .map(([room, files]) => `${room} has ${files!.length}`),
    broken: Object.fromEntries(
      Array.from({ length: room_files + 1 }, (_, i) => [`src/http/work/a${i}.ts`, ""]),
    ),
  },
  {
    name: "a package is imported only on its floor",
    find: ({ code }) =>
      code.flatMap((source) =>
        importsOf(source)
          .filter((target) => !/\.(tsx?|sql|toml|json|csv|css|md|service|conf)$/.test(target))
          .filter((name) =>
            !packages.some(([known, at]) => known.test(name) && at.test(source.path))
          )
          .map((name) => `${source.path} imports ${name}`)
      ),
    broken: { "src/engine/work/a.ts": 'import { Hono } from "@hono/hono";\n' },
  },
  {
    name: "clock, chance, timers, environment, console and network have one door each",
    find: ({ code }) =>
      offences(code, (line, { path }) => {
        if (/^\s*(\/\/|\*|\/\*)/.test(line) || /^\s+(readonly )?fetch\(/.test(line)) return;
        return doors.find(([call, at]) => call.test(line) && !at.test(path))?.[0].exec(line)?.[0];
      }),
    broken: { "src/engine/work/a.ts": "const now = Date.now();\n" },
  },
];

function isUpwards(from: string, to: string): boolean {
  const faces = ["http", "cli"];
  if (from === screens || to === screens) return from !== to && to !== "model";
  if (faces.includes(from) && faces.includes(to)) return from !== to;
  const level = (floor: string) => floors.indexOf(floor.replace("cli", "http"));
  return level(to) > level(from);
}
