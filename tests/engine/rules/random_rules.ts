// A rule of each kind in a site file's words, and what it shows in the reference's.
import type { RuleFile, WatchedSite } from "./evaluator_help.ts";
import { openWatchedSite } from "./evaluator_help.ts";
import {
  activitiesOf,
  type Activity,
  type Happening,
  type ReferenceRule,
  silencesOf,
} from "./evaluator_reference.ts";

/** Which of a device's tags: one of floats, one of words. */
export type Kind = "float" | "word";
type Tested = { readonly tag: Kind; readonly of: (log: readonly Happening[]) => Activity[] };

const leveled = (tag: Kind, rule: ReferenceRule): Tested => (
  { tag, of: (log) => activitiesOf(rule, log) }
);

/** The rules' own words, and the same in the reference's. */
export const tested_rules: Readonly<
  Record<string, { readonly file: Partial<RuleFile[number]>; readonly tested: Tested }>
> = {
  delayed: {
    file: {
      ...{ kind: "threshold", operator: ">", threshold: 10, deadband: 2 },
      ...{ on_delay_s: 20, off_delay_s: 30 },
    },
    tested: leveled("float", {
      ...{ on_delay_s: 20, off_delay_s: 30 },
      shows: ({ value }, before) => value > (before === 0 ? 8 : 10) ? 0 : undefined,
    }),
  },
  manual: {
    file: { kind: "threshold", operator: ">=", threshold: 11, resolution_policy: "manual" },
    tested: leveled("float", {
      ...{ on_delay_s: 0, off_delay_s: 0 },
      shows: ({ value }) => value >= 11 ? 0 : undefined,
    }),
  },
  both: {
    file: {
      ...{ kind: "threshold", operator: "<", threshold: 5, resolution_policy: "require_both" },
      on_delay_s: 10,
    },
    tested: leveled("float", {
      ...{ on_delay_s: 10, off_delay_s: 0 },
      shows: ({ value }) => value < 5 ? 0 : undefined,
    }),
  },
  band: {
    file: {
      ...{ kind: "outside", low: 4, high: 12, deadband: 1 },
      ...{ on_delay_s: 10, off_delay_s: 15 },
    },
    tested: leveled("float", {
      ...{ on_delay_s: 10, off_delay_s: 15 },
      shows({ value }, before) {
        const [low, high] = before === 0 ? [5, 11] : [4, 12];
        return value < low || value > high ? 0 : undefined;
      },
    }),
  },
  rate: {
    file: { kind: "rate_of_change", limit_per_min: 6, over_s: 30, on_delay_s: 10 },
    tested: leveled("float", {
      ...{ on_delay_s: 10, off_delay_s: 0 },
      shows({ at_s, value }, _before, known) {
        const times = [...known.keys()].filter((it) => it <= at_s - 30 && it >= at_s - 930);
        if (times.length === 0) return null;
        const from_s = Math.max(...times);
        const per_min = (value - known.get(from_s)!) * 60 / (at_s - from_s);
        return Math.abs(per_min) > 6 ? 0 : undefined;
      },
    }),
  },
  silent: {
    file: { kind: "stale", max_age_s: 60 },
    tested: { tag: "float", of: (log) => silencesOf(60, log) },
  },
  bits: {
    file: { kind: "bitmask", mask: 6, off_delay_s: 15 },
    tested: leveled("word", {
      ...{ on_delay_s: 0, off_delay_s: 15 },
      shows: ({ value }) => (value & 6) !== 0 ? 0 : undefined,
    }),
  },
  code: {
    file: { kind: "enum", codes: [3, 5], on_delay_s: 10, off_delay_s: 15 },
    tested: leveled("word", {
      ...{ on_delay_s: 10, off_delay_s: 15 },
      shows: ({ value }) => value === 3 || value === 5 ? value : undefined,
    }),
  },
};

function files(): RuleFile {
  return Object.entries(tested_rules).map(([key, { file, tested: { tag } }]) => ({
    ...{
      key,
      name: key,
      component: "inverter",
      tag: tag === "float" ? "{device}/v" : "{device}/w",
    },
    ...file,
  } as RuleFile[number]));
}

/** Opens a site of `count` devices, each watched by every rule. */
export function openDevices(count: number): Promise<WatchedSite> {
  const devices = Array.from(
    { length: count },
    (_, i) => ({ key: `I${i}`, type: "inverter" as const }),
  );
  const tags = devices.flatMap(({ key }) => [
    { name: `${key}/v`, encoding: "float" as const },
    { name: `${key}/w`, encoding: "integer" as const },
  ]);
  return openWatchedSite(files(), { devices, tags });
}
