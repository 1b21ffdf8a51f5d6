// `rule test` and `rule list`: tries alarm rules on the past and lists the rules in force.
import { countText } from "../../base/count.ts";
import { type Command, InvalidArgumentError } from "commander";
import { meant } from "../../base/did_you_mean.ts";
import { Fault, type Flaw } from "../../base/fault.ts";
import type { Catalog } from "../../engine/catalog/catalog.ts";
import { Rules } from "../../engine/rules/rule.ts";
import { replayRules } from "../../engine/rules/replay.ts";
import { type ReplayAnswer, replayAnswer } from "../../engine/rules/replay_shape.ts";
import { parseRule } from "../../model/rules/entry.ts";
import { parseRuleList } from "../../model/rules/request.ts";
import { dayNumber, isDay } from "../../model/time/calendar.ts";
import { dayStart } from "../../model/time/zone.ts";
import { readRules } from "../../store/rules/rule.ts";
import { dayHint, instant_form, instantOf, instantText } from "../../wire/bytes/instant.ts";
import { type Ask, type Context, hereOrThere, type Offline } from "../frame/context.ts";
import { readDataFile } from "../frame/data_file.ts";
import { showProgress } from "../frame/progress.ts";
import { type RemoteFlags, withRemote } from "../frame/remote.ts";
import type { RuleEntry } from "../../model/rules/form.ts";

type Flags = RemoteFlags & { readonly site?: string; readonly json?: true };
type TestFlags = Flags & {
  readonly from: string;
  readonly to: string;
  readonly tags: number;
  readonly alarms: number;
};

/** Adds `rule`. */
export function addRuleCommand(program: Command, context: Context): void {
  const { effects } = context;
  const rule = program.command("rule").description("try alarm rules on the past, and list them");
  const test = rule.command("test")
    .argument("<file>", "rules as TOML or JSON (*.json): a table rules, or a whole site file")
    .description("show which alarms rules would have raised in the past")
    .requiredOption("--from <time>", "a day in the site's time zone, or an instant with an offset")
    .requiredOption("--to <time>", "the same; a day is included")
    .option("--tags <count>", "number of tags to print for each rule", wholeNumber, 20)
    .option("--alarms <count>", "number of alarms to print for each tag", wholeNumber, 10);
  withPlace(test).addHelpText("after", test_help)
    .action(async (path: string, flags: TestFlags) => {
      const file = fileOf(path, await readDataFile(path));
      const wanted = { ...file, site: flags.site ?? file.site, flags };
      const answer = await hereOrThere(context, flags, {
        here: (parts) => testHere(context, wanted, parts),
        there: (ask) => testThere(context, wanted, ask),
      });
      effects.out(flags.json ? jsonText(answer) : replayText(answer, flags));
    });
  withPlace(rule.command("list").description("list the alarm rules in effect"))
    .action(async (flags: Flags) => {
      const rules = await hereOrThere(context, flags, {
        here: (parts) => listHere(parts, flags),
        there: (ask) => listThere(ask, flags),
      });
      effects.out(flags.json ? jsonText(rules) : listText(rules));
    });
}

function withPlace(command: Command): Command {
  return withRemote(command, "read")
    .option("--site <key>", "the site; not needed if there is only one or the file names it")
    .option("--json", "print the whole answer as JSON");
}

const test_help = `
Evaluates the rules, enabled or not, on the stored samples and prints for each rule and tag the
alarms that would have been raised: when, for how long, the first value, the peak, the labels.
Nothing is changed. Alarms follow the condition only: no operator acts on them. Each tag starts with
its last value before the range, so an alarm may have begun earlier. The devices and tags are those
of the site today.

  wattkeeper rule test rules.toml --from 2026-06-01 --to 2026-06-30
  wattkeeper rule test site.toml --from 2026-06-01T06:00:00+02:00 --to 2026-06-02T06:00:00+02:00 \\
    --url http://plant:8480 --token-file token.txt --json`;

/** Rules to try, still unchecked, and the site of the file they are from. */
type RuleFile = { readonly rules: unknown; readonly site: string | undefined };

function fileOf(path: string, data: unknown): RuleFile {
  const { rules, site } = Object(data) as {
    readonly rules?: unknown;
    readonly site?: { readonly key?: unknown };
  };
  if (rules === undefined) {
    const has = Object.keys(Object(data)).slice(0, 8).join(", ") || "nothing";
    throw new Fault(
      "invalid",
      `${path} has no rules, each of which begins with [[rules]]: it has ${has}`,
    );
  }
  const key = site?.key;
  return { rules, site: typeof key === "string" ? key : undefined };
}

type Wanted = RuleFile & { readonly flags: TestFlags };

async function testHere(
  { effects }: Context,
  { rules, site: key, flags }: Wanted,
  { database, catalog }: Offline,
): Promise<ReplayAnswer> {
  const place = placeOf(placesHere(catalog), key);
  const { from_us, to_us } = clipped(rangeOf(flags, place), effects.now_us());
  const site = catalog.sites.find((it) => it.key === place.site)!;
  const asked = { site, rules: parseRuleList({ rules }), from_us, to_us };
  const progress = await showProgress(effects, { label: "Trying", total: 100 });
  try {
    const replay = await replayRules({ database, catalog }, asked, {
      onProgress: (share) => progress.update(100 * share, ""),
    });
    return replayAnswer(asked, replay, catalog);
  } finally {
    progress.stop();
  }
}

async function testThere(
  { effects }: Context,
  { rules, site, flags }: Wanted,
  ask: Ask,
): Promise<ReplayAnswer> {
  const place = placeOf(await placesThere(ask), site);
  const { from_us, to_us } = clipped(rangeOf(flags, place), effects.now_us());
  effects.err("Asking the service\n");
  return await ask<ReplayAnswer>({
    path: "/platform/v1/rules/test",
    search: { ...searchOf(place), from: instantText(from_us), to: instantText(to_us) },
    body: { rules },
  });
}

/** Nothing was stored after now. */
function clipped(
  { from_us, to_us }: { readonly from_us: number; readonly to_us: number },
  now_us: number,
) {
  if (from_us < now_us) return { from_us, to_us: Math.min(to_us, now_us) };
  const message = `is in the future: ${instantText(from_us)}; rules are tried on what was stored`;
  throw new Fault("invalid", "this range can't be tried", { flaws: [{ path: "--from", message }] });
}

async function listHere({ database, catalog }: Offline, { site }: Flags): Promise<ListedRule[]> {
  const places = placesHere(catalog);
  const wanted = site === undefined ? undefined : placeOf(places, site).site;
  const rules = await Rules.open({ database, catalog });
  const rows = await database.read(readRules);
  return rows.filter(({ valid_to }) => valid_to === null)
    .map(({ rule_no, site_no, key, version, origin, definition }) => ({
      site: catalog.site(site_no)!.key,
      ...{ key, version, origin },
      tags_watched: rules.ofRule(rule_no).length,
      definition: parseRule(definition),
    }))
    .filter((it) => wanted === undefined || it.site === wanted);
}

async function listThere(ask: Ask, flags: Flags): Promise<ListedRule[]> {
  const places = await placesThere(ask);
  const wanted = flags.site === undefined ? places : [placeOf(places, flags.site)];
  const found: ListedRule[] = [];
  for (const place of wanted) {
    const question = { path: "/platform/v1/rules", search: searchOf(place) };
    found.push(...await ask<ListedRule[]>(question));
  }
  return found;
}

/** A site with what is needed to ask about it. */
type SitePlace = {
  readonly site: string;
  readonly project_id: string;
  readonly project_key: string;
  readonly timezone: string;
};

/** The sites of this machine's directory. */
function placesHere(catalog: Catalog): readonly SitePlace[] {
  return catalog.sites.map(({ key, project_no }) => {
    const { id, key: project_key, timezone } = catalog.projectByNo(project_no)!;
    return { site: key, project_id: id, project_key, timezone };
  });
}

/** The sites that a service's token reaches. */
async function placesThere(ask: Ask): Promise<readonly SitePlace[]> {
  type Answer = {
    readonly projects: readonly {
      readonly project_id: string;
      readonly key: string;
      readonly timezone: string;
      readonly sites: readonly { readonly key: string }[];
    }[];
  };
  const { projects } = await ask<Answer>({ path: "/platform/v1/meta/projects" });
  return projects.flatMap(({ project_id, key, timezone, sites }) =>
    sites.map((site) => ({ site: site.key, project_id, project_key: key, timezone }))
  );
}

/** The site that is meant: the one named, or else the only one. */
function placeOf(places: readonly SitePlace[], wanted: string | undefined): SitePlace {
  const keys = places.map(({ site }) => site);
  if (wanted === undefined && places.length === 1) return places[0];
  if (wanted === undefined) {
    const known = keys.join(", ") || "there is none: apply a site file first";
    throw new Fault("invalid", `say which site with --site: ${known}`);
  }
  const found = places.find(({ site }) => site === wanted);
  if (found !== undefined) return found;
  throw new Fault("not_found", `there is no site ${wanted}${meant(wanted, keys)}`);
}

/** The range that two flags mean: instants, or days on the site's clock, the last one included. */
function rangeOf(
  { from, to }: { readonly from: string; readonly to: string },
  { timezone }: Pick<SitePlace, "timezone">,
): { readonly from_us: number; readonly to_us: number } {
  const startOf = (text: string, days = 0) =>
    isDay(text) ? dayStart(timezone, dayNumber(text) + days) * 60_000_000 : instantOf(text);
  const [from_us, to_us] = [startOf(from), startOf(to, 1)];
  const flaws: Flaw[] = [];
  const wrong = (path: string, text: string) => {
    flaws.push({
      path,
      message: `give a day as YYYY-MM-DD, or ${instant_form}, not ${text}${dayHint(text)}`,
    });
  };
  if (Number.isNaN(from_us)) wrong("--from", from);
  if (Number.isNaN(to_us)) wrong("--to", to);
  else if (to_us <= from_us) {
    flaws.push({ path: "--to", message: `must be later than ${from}; are the two swapped?` });
  }
  if (flaws.length > 0) throw new Fault("invalid", "this range can't be tried", { flaws });
  return { from_us, to_us };
}

function searchOf({ project_id, site }: SitePlace): Record<string, string> {
  return { project_id, site };
}

function jsonText(data: unknown): string {
  return JSON.stringify(data, null, 2) + "\n";
}

function wholeNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("give a whole number");
}

type RuleAnswer = ReplayAnswer["rules"][number];
type TagAnswer = RuleAnswer["tags"][number];
type Occurrence = TagAnswer["occurrences"][number];

/** Which part of a trial is printed: so many tags a rule, so many alarms a tag. */
type ReplayText = { readonly tags: number; readonly alarms: number };

/** A trial in words: each rule with its figures, then its tags, then their alarms. */
function replayText(answer: ReplayAnswer, shown: ReplayText): string {
  const { site, from, to, samples, rules } = answer;
  const raised = rules.reduce((sum, rule) => sum + rule.raised, 0);
  return [
    `${site}, ${timeText(from)} to ${timeText(to)}: ${counted(samples, "sample")} evaluated`,
    ...rules.flatMap((rule) => ["", ...ruleLines(rule, shown)]),
    "",
    `${counted(rules.length, "rule")}: ${counted(raised, "alarm")}`,
  ].map((line) => `${line}\n`).join("");
}

/** A rule in force, as a list shows it. */
type ListedRule = {
  readonly site: string;
  readonly key: string;
  readonly version: number;
  readonly origin: string;
  readonly tags_watched: number;
  /** Why it is suspended, where a running service says so. */
  readonly suspended?: string | null;
  readonly definition: RuleEntry;
};

/** Rules as a table. */
function listText(rules: readonly ListedRule[]): string {
  if (rules.length === 0) return "no alarm rule is in effect\n";
  return table([
    ["SITE", "KEY", "VERSION", "KIND", "SEVERITY", "TAGS", "ORIGIN", "NAME"],
    ...rules.map(({ site, key, version, origin, tags_watched, suspended, definition }) => {
      const { kind, severity, enabled, name } = definition;
      const tags = suspended ? "suspended" : enabled ? String(tags_watched) : "off";
      return [site, key, `${version}`, kind, severity, tags, origin.replace("_", " "), name];
    }),
  ]).map((line) => `${line}\n`).join("");
}

/** The rows with their cells one under the other. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i])).join("  ").trimEnd());
}

function ruleLines(rule: RuleAnswer, shown: ReplayText): string[] {
  const { key, name, kind, tags_watched, tags_silent, tags_alarmed, tags } = rule;
  const silent = tags_silent > 0 ? `, ${tags_silent} of them without samples` : "";
  const listed = tags.slice(0, shown.tags);
  return [
    `${key}: ${name} (${kind}, ${counted(tags_watched, "tag")}${silent})`,
    `  ${figures(rule)}`,
    ...listed.flatMap((tag) => tagLines(tag, shown.alarms)),
    ...(tags_alarmed > listed.length ? [`  and ${tags_alarmed - listed.length} more tags`] : []),
  ];
}

function tagLines(tag: TagAnswer, most: number): string[] {
  const { source_tag, device_key, standing, occurrences, occurrences_total } = tag;
  const place = device_key === null ? "" : ` (${device_key})`;
  const listed = occurrences.slice(0, most);
  const rows = table([["", "", "", "", ""], ...listed.map(cells)]).slice(1);
  const rest = occurrences_total - listed.length;
  return [
    `  ${source_tag}${place}: ${figures(tag)}${standing ? ", active at the end" : ""}`,
    ...rows.map((row) => `    ${row}`),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ];
}

function figures(
  { raised, standing_s, chattering }: Pick<RuleAnswer, "raised" | "standing_s" | "chattering">,
): string {
  const often = chattering > 0 ? `, ${chattering} chattering` : "";
  return `${counted(raised, "alarm")}, active for ${durationText(standing_s)}${often}`;
}

function cells(it: Occurrence): string[] {
  const { raised_at, cleared_at, raised_value, peak_value, decoded_labels } = it;
  const lasts = cleared_at === null
    ? "active"
    : durationText((Date.parse(cleared_at) - Date.parse(raised_at)) / 1000);
  const peak = peak_value === null || peak_value === raised_value
    ? ""
    : `peak ${numberText(peak_value)}`;
  return [timeText(raised_at), lasts, numberText(raised_value), peak, decoded_labels.join(", ")];
}

/** To the second: what is finer matters to no one here. */
function timeText(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)}Z`;
}

function durationText(seconds: number): string {
  if (seconds < 60) return `${numberText(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1440)} d ${Math.floor(minutes % 1440 / 60)} h`;
}

function numberText(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}
