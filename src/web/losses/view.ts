// What the address says of the page: the days, what is selected, and the order of the table.
import { all_losses, type Loss } from "../frame/performance.ts";
import { moment_minute_ms } from "../frame/clock.ts";
import { param } from "../frame/place.ts";
import { type Device, deviceOf } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import { dayAfter, dayOf } from "../frame/zone.ts";
import { type Days, type Range, rangeOf } from "./range.ts";

/** The last local day that is over at the moment that is looked at. */
export function lastDay(): string {
  return dayAfter(dayOf(moment_minute_ms.value, zone.value), -1);
}

/** The days that are looked at. */
export function shownRange(): Range {
  const [range, from, to] = ["range", "from", "to"].map(param);
  return rangeOf({ range, from, to }, lastDay());
}

/** Parameters without what is selected. */
export const nothing_selected = { device: undefined, day: undefined, part: undefined } as const;

/** Orders of the table of inverters. */
export const orders = ["share", "energy", "availability", "name"] as const;
export type Order = typeof orders[number];

/** The order of the table; the worst share of losses comes first. */
export function shownOrder(): Order {
  return orders.find((it) => it === param("sort")) ?? "share";
}

/** What the evidence is wanted of: of a device, a loss, or some days; undefined: of nothing. */
export type Selection = Days & {
  readonly device: Device | undefined;
  readonly part: Loss | "unmeasured" | undefined;
};

/** What is selected. */
export function selection(): Selection | undefined {
  const device = deviceOf(param("device"));
  const part = [...all_losses, "unmeasured" as const].find((it) => it === param("part"));
  const day = param("day");
  if (!device && !part && !day) return undefined;
  const { from, to } = shownRange();
  const is_in = day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) && day <= lastDay();
  return { device, part, from: is_in ? day : from, to: is_in ? day : to };
}
