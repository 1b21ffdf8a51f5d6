// Limits, settings and times as a manual writes them: `256 KiB`, `15 s`, `2.4 h`.
import { assert } from "../../base/assert.ts";
import { settings_table } from "../../model/setting.ts";
import { limits as shared } from "../../base/limits.ts";
import { import_limits as imports } from "../../engine/ingest/limits.ts";
import { service_limits as service } from "../../engine/service/limits.ts";
import { access_limits as access } from "../../model/access/limits.ts";
import { alarm_limits as alarm } from "../../model/alarms/limits.ts";
import { availability_limits as availability } from "../../model/availability/limits.ts";
import { counter_limits as counter } from "../../model/counters/limits.ts";
import { answer_limits as answer } from "../../model/data/limits.ts";
import { destination_limits as destination } from "../../model/destinations/limits.ts";
import { expected_limits as expected } from "../../model/expected/limits.ts";
import { setting_limits as setting } from "../../model/limits.ts";
import { query_limits as query } from "../../model/query/limits.ts";
import { rollup_limits as rollup } from "../../model/rollup/limits.ts";
import { rule_limits as rule } from "../../model/rules/limits.ts";
import { sample_limits as sample } from "../../model/samples/limits.ts";
import { site_limits as site } from "../../model/site/limits.ts";
import { source_limits as source } from "../../model/sources/limits.ts";
import { statistics_limits as statistics } from "../../model/statistics/limits.ts";
import { upstream_limits as upstream } from "../../model/upstream/limits.ts";
import { view_limits as view } from "../../model/views/limits.ts";
import { webhook_limits as webhook } from "../../model/webhooks/limits.ts";
import { work_limits as work } from "../../model/work/limits.ts";
import { backup_limits as backup } from "../../store/backup/limits.ts";
import { database_limits as database } from "../../store/limits.ts";
import { body_limits as body } from "../../wire/bytes/limits.ts";
import { request_limits as request } from "../frame/limits.ts";

/** A limit, `room.name`, in the unit that its name ends with; fails on a name that is none. */
export function limitText(path: string): string {
  const [room, name] = path.split(".");
  const value = rooms[room]?.[name];
  assert(value !== undefined, `there is no limit ${path}`);
  if (name.endsWith("_bytes")) return largest(value, sizes);
  if (name.endsWith("_us")) return durationText(value);
  if (name.endsWith("_ms")) return durationText(value * 1000);
  if (name.endsWith("_s")) return durationText(value * 1_000_000);
  if (name.endsWith("_share")) return `${Math.round(100 * value)} %`;
  return String(value);
}

/** The limits of each room by name; a unit is the end of its name. */
const rooms: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ...{ request, body, answer, sample, site, rule, alarm, work, webhook, access },
  ...{ availability, counter, expected, rollup, database, setting, service, shared, statistics },
  ...{ view, backup, query, source, import: imports, upstream, destination },
};

/** The default of a setting; fails on a name that is none. */
export function settingText(name: string): string {
  assert(Object.hasOwn(settings_table, name), `there is no setting ${name}`);
  const setting = settings_table[name as keyof typeof settings_table];
  assert("default" in setting, `${name} has no default`);
  return String(setting.default);
}

/** A duration in microseconds in its largest unit; days from two whole ones on. */
export function durationText(duration_us: number): string {
  const [[, day]] = times;
  const isDays = duration_us >= 2 * day && duration_us % day === 0;
  return largest(duration_us, isDays ? times : times.slice(1));
}

type Unit = readonly [name: string, size: number];

const sizes: readonly Unit[] = [["MiB", 1024 ** 2], ["KiB", 1024], ["bytes", 1]];

const times: readonly Unit[] = [
  ["days", 86_400_000_000],
  ["h", 3_600_000_000],
  ["min", 60_000_000],
  ["s", 1_000_000],
];

function largest(value: number, units: readonly Unit[]): string {
  const [unit, size] = units.find(([, size]) => value >= size) ?? units.at(-1)!;
  return `${Math.round(10 * value / size) / 10} ${unit}`;
}
