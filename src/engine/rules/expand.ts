// Rules times the plant: every point where a rule watches a tag, and those that wait for one.
import { countText } from "../../base/count.ts";
import { Fault } from "../../base/fault.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import type { AlarmPoint, Device, Sensor, Tag } from "../../model/plant/plant.ts";
import { pointsOf } from "../../model/alarms/point.ts";
import type { Rule, Watchpoint } from "../../model/rules/rule.ts";
import { parseRule, ruleOf } from "../../model/rules/entry.ts";
import type { RuleEntry } from "../../model/rules/form.ts";
import { isJudgedHere, type Judging } from "../../model/rules/judging.ts";
import { definitionOf } from "../../model/rules/kinds.ts";
import { matchesOf, placeOf, type RulePlace } from "../../model/rules/match.ts";
import { isIntegral } from "../../model/site/check.ts";
import type { Plant } from "../../store/plant/plant.ts";
import type { RuleRow } from "../../store/rules/rule.ts";

/** A rule on a tag that nobody has sent yet: what happens to it when the tag is sent. */
export type Waiting = {
  readonly rule: Rule;
  readonly project_no: number;
  readonly sensor_tag: string;
  readonly watch: (tag: Tag) => Watchpoint;
};

/** Where rules watch, and where they would. */
export type Expansion = {
  readonly watchpoints: readonly Watchpoint[];
  readonly waiting: readonly Waiting[];
  /** Numbers of the rules that another service judges, in place of this one. */
  readonly elsewhere: ReadonlySet<number>;
};

/** A version of a rule, as far as that says where it watches. */
export type Defined = Pick<RuleRow, "rule_no" | "version" | "site_no" | "definition">;

/**
 * Computes where the rules in force watch; disabled ones nowhere, and those neither that by
 * `judging` another service judges. Throws a `Fault` (conflict) for more than
 * `rule_limits.watchpoints`.
 */
export function expandRules(
  rows: readonly Defined[],
  plant: Plant,
  { judging }: { readonly judging?: Judging } = {},
): Expansion {
  const elsewhere = new Set<number>();
  const watchpoints: Watchpoint[] = [];
  const waiting: Waiting[] = [];
  for (const [site_no, rules] of Map.groupBy(rows, (row) => row.site_no)) {
    const site = siteOf(plant, site_no);
    if (site === undefined) continue;
    for (const { rule_no, version, definition } of rules) {
      const entry = parseRule(definition);
      if (!entry.enabled) continue;
      const { project_no } = site;
      const { key } = entry;
      if (judging && !isJudgedHere({ ...entry, project_no }, judging)) {
        elsewhere.add(rule_no);
        continue;
      }
      const rule = ruleOf(entry, { rule_no, version, project_no, site_no });
      for (const match of matchesOf(entry, site.place)) {
        const tag = site.tags.get(match.tag);
        const watch = (tag: Tag) => watchpointOf({ entry, rule, device: match.device }, tag, site);
        if (tag !== undefined) watchpoints.push(watch(tag));
        else waiting.push({ rule, project_no, sensor_tag: match.tag, watch });
        if (watchpoints.length + waiting.length > rule_limits.watchpoints) throw tooMany(key);
      }
    }
  }
  return { watchpoints, waiting, elsewhere };
}

/** What rules can watch of a site as it stands; undefined where there is no such site. */
export function rulePlace(plant: Plant, site_no: number): RulePlace | undefined {
  return siteOf(plant, site_no)?.place;
}

function tooMany(key: string): Fault {
  const most = countText(rule_limits.watchpoints);
  return new Fault("conflict", `with the rule ${key} all rules watch more than ${most} tags`);
}

/** A site's words and the rows behind them. */
type RuledSite = {
  readonly project_no: number;
  readonly place: RulePlace;
  readonly tags: ReadonlyMap<string, Tag>;
  readonly devices: ReadonlyMap<string, Device>;
  /** Direct sensors by tag_no. */
  readonly sensors: ReadonlyMap<number, readonly Sensor[]>;
  readonly pointsOf: (device: Device) => ReadonlyMap<number, AlarmPoint>;
};

function siteOf(plant: Plant, site_no: number): RuledSite | undefined {
  const site = plant.sites.find((it) => it.site_no === site_no);
  if (site === undefined) return undefined;
  const devices = plant.devices.filter((it) => it.site_no === site_no);
  const device_models = plant.device_models.filter((it) => it.site_no === site_no);
  const direct = plant.sensors.filter((it) =>
    it.project_no === site.project_no && it.direct && !isIntegral(it)
  );
  const own = direct.filter((it) => it.site_no === site_no);
  const foreign = foreignTags(plant, { site_no, direct });
  const tags = new Map(
    plant.tags.filter(({ project_no, lane, tag_no, sensor_tag }) =>
      project_no === site.project_no && lane === "signal" &&
      !foreign.numbers.has(tag_no) && !foreign.names.has(sensor_tag)
    ).map((tag) => [tag.sensor_tag, tag]),
  );
  const keys = new Map(devices.map((device) => [device.id, device.key]));
  const names = new Map([...tags.values()].map((tag) => [tag.tag_no, tag.sensor_tag]));
  const points = new Map(device_models.map((model) => [model.key, pointsOf(model)]));
  return {
    project_no: site.project_no,
    place: placeOf({
      tags: new Map([...tags].map(([name, { encoding }]) => [name, encoding])),
      device_models: device_models.map(({ key }) => key),
      devices,
      sensors: own.map(({ tag_no, device_id, component, measure }) => ({
        tag: names.get(tag_no)!,
        device: keys.get(device_id ?? "") ?? null,
        component,
        measure,
      })),
    }),
    tags,
    devices: new Map(devices.map((device) => [device.key, device])),
    sensors: Map.groupBy(own, ({ tag_no }) => tag_no),
    pointsOf: ({ device_model }) => points.get(device_model ?? "") ?? new Map(),
  };
}

/** Tags that another site of the project has: by the sensors that read them, and event words. */
function foreignTags(
  plant: Plant,
  { site_no, direct }: { readonly site_no: number; readonly direct: readonly Sensor[] },
) {
  const project_no = plant.sites.find((it) => it.site_no === site_no)!.project_no;
  const others = new Set(
    plant.sites.filter((it) => it.project_no === project_no && it.site_no !== site_no)
      .map((it) => it.site_no),
  );
  return {
    numbers: new Set(direct.filter((it) => others.has(it.site_no)).map((it) => it.tag_no)),
    names: new Set(
      plant.devices.filter((it) => others.has(it.site_no)).map((it) => it.event_tag),
    ) as ReadonlySet<string | null>,
  };
}

type Match = {
  readonly entry: RuleEntry;
  readonly rule: Rule;
  readonly device: string | null;
};

function watchpointOf(
  { entry, rule, device: key }: Match,
  { tag_no, sensor_tag, device_key }: Tag,
  site: RuledSite,
): Watchpoint {
  const { measure } = entry;
  const meant = site.devices.get(key ?? "")?.id ?? null;
  const own = site.sensors.get(tag_no)?.filter((it) => (measure ?? it.measure) === it.measure) ??
    [];
  const sensor = own.find(({ device_id }) => device_id === meant) ?? own.at(0);
  const device = site.devices.get(key ?? device_key ?? "");
  // Codes and bits are as they were sent, whatever a sensor makes of them.
  const { values, trigger, hasPoints } = definitionOf(entry).needs;
  const scaled = measure !== undefined && values !== "code";
  return {
    rule,
    tag_no,
    source_tag: sensor_tag,
    measure: sensor?.measure ?? null,
    device_id: sensor?.device_id ?? device?.id ?? null,
    scale: scaled && sensor ? sensor.scale : 1,
    offset: scaled && sensor ? sensor.offset : 0,
    sensor_no: trigger.by === "minutes" ? sensor?.sensor_no ?? null : null,
    points: device && hasPoints(rule.condition) ? site.pointsOf(device) : new Map(),
  };
}
