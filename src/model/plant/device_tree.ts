// Which devices stand above and below which, by their parents.
import type { Device } from "./plant.ts";

/** Parents and children of some devices; nothing in it says that the chain has an end. */
export type DeviceTree = {
  readonly parents: ReadonlyMap<string, string | null>;
  readonly children: ReadonlyMap<string | null, readonly { readonly id: string }[]>;
};

/** The tree of some devices. */
export function treeOf(
  devices: readonly Pick<Device, "id" | "parent_device_id">[],
): DeviceTree {
  return {
    parents: new Map(devices.map(({ id, parent_device_id }) => [id, parent_device_id])),
    children: Map.groupBy(devices, ({ parent_device_id }) => parent_device_id),
  };
}

/** From a device's parent up to the one that stands for itself, the nearest first. */
export function devicesAbove({ parents }: DeviceTree, id: string): ReadonlySet<string> {
  const above = new Set<string>();
  for (let at = parents.get(id); at && !above.has(at); at = parents.get(at)) above.add(at);
  return above;
}

/** Everything under a device, however deep; not itself. */
export function devicesBelow({ children }: DeviceTree, id: string): ReadonlySet<string> {
  const seen = new Set([id]);
  // A set that grows is walked to its new end.
  for (const at of seen) for (const child of children.get(at) ?? []) seen.add(child.id);
  seen.delete(id);
  return seen;
}
