// What a trial of alarm rules found, and lists of rules, as tables for people.
import type { ReplayAnswer } from "../../engine/rules/replay_shape.ts";
import type { RuleEntry } from "../../model/rules/form.ts";

type RuleAnswer = ReplayAnswer["rules"][number];
type TagAnswer = RuleAnswer["tags"][number];
type Occurrence = TagAnswer["occurrences"][number];

/** Which part of a trial is printed: so many tags a rule, so many alarms a tag. */
export type ReplayText = { readonly tags: number; readonly alarms: number };

/** A trial in words: each rule with its figures, then its tags, then their alarms. */
export function replayText(answer: ReplayAnswer, shown: ReplayText): string {
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
export type ListedRule = {
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
export function listText(rules: readonly ListedRule[]): string {
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
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
