// Which alarms may keep others out of the queue, and which: those that stand below them.
import { hasEnded, type Occurrence } from "../../model/alarms/alarm.ts";
import {
  devicesAbove,
  devicesBelow,
  type DeviceTree,
  treeOf,
} from "../../model/plant/device_tree.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** Where an alarm stands, and of what class it is. */
export type AlarmPlace = Pick<
  Occurrence,
  "project_no" | "site_no" | "source_tag" | "device_id" | "alarm_class"
>;

/** The devices that an alarm reaches; `site`: all of its site. */
export type Reach = ReadonlySet<string> | "site";

/** Classes of alarms that keep others out of the queue. */
export const inhibiting_classes: readonly string[] = ["comms", "grid"];

/** Devices that stand for the whole of what they are beside, even with nothing below them. */
const plant_types = new Set(["system", "meter", "transformer", "feeder"]);

/** Classes that are never inhibited. */
const urgent_classes = new Set(["fire", "safety"]);

/** Whether an alarm keeps those below it out of the queue as long as it stands so. */
export function isInhibitor(alarm: Occurrence): boolean {
  return inhibiting_classes.includes(alarm.alarm_class ?? "") && alarm.cleared_at === null &&
    !hasEnded(alarm);
}

/** Whether an alarm may be kept out of the queue: of a rule judged here, active, not taken. */
export function isInhibitable(alarm: Occurrence): boolean {
  return alarm.origin === "rule" && alarm.gateway === null && alarm.status === "open" &&
    alarm.cleared_at === null && !alarm.is_late && !hasEnded(alarm) &&
    !urgent_classes.has(alarm.alarm_class ?? "");
}

/**
 * What an inhibiting alarm reaches: the devices below its own. With none below, one of the plant's
 * level reaches what is beside it, that is all below its nearest ancestor that has others, else
 * the site; but a silent meter says nothing of its neighbours, so for `comms` only a `system`
 * does. Under the site root: the site. Undefined where it reaches nothing.
 */
export function reachOf(catalog: Catalog, alarm: AlarmPlace): Reach | undefined {
  const { device_id, alarm_class } = alarm;
  if (device_id === null) return isUnderRoot(catalog, alarm) ? "site" : undefined;
  const device = catalog.device(device_id);
  if (device === undefined) return undefined;
  const tree = plantTree(catalog);
  const below = devicesBelow(tree, device_id);
  if (below.size > 0) return below;
  const speaks_for_plant = alarm_class === "grid"
    ? plant_types.has(device.type)
    : device.type === "system";
  if (!speaks_for_plant) return undefined;
  for (const above of devicesAbove(tree, device_id)) {
    const beside = new Set(devicesBelow(tree, above));
    beside.delete(device_id);
    if (beside.size > 0) return beside;
  }
  return "site";
}

/** Whether an alarm of the same site stands where another reaches; never one on the same device. */
export function isReached(
  alarm: AlarmPlace,
  { reach, from }: { readonly reach: Reach; readonly from: AlarmPlace },
): boolean {
  const { device_id } = alarm;
  if (alarm.site_no !== from.site_no || device_id === null) return false;
  return device_id !== from.device_id && (reach === "site" || reach.has(device_id));
}

/** Whether an alarm's tag is the site's own; one without a device may just be mapped to nothing. */
function isUnderRoot(catalog: Catalog, { project_no, source_tag }: AlarmPlace): boolean {
  const tag = catalog.findTag(project_no, "signal", source_tag);
  return tag !== undefined &&
    catalog.sensorsOfTag(tag.tag_no).some(({ device_id }) => device_id === null);
}

const trees = new WeakMap<Catalog, { readonly version: number; readonly tree: DeviceTree }>();

/** The tree of all devices, built again when the catalog has changed. */
export function plantTree(catalog: Catalog): DeviceTree {
  const { version } = catalog;
  const known = trees.get(catalog);
  if (known?.version === version) return known.tree;
  const tree = treeOf(catalog.devices);
  trees.set(catalog, { version, tree });
  return tree;
}
