// What of the alarms is looked at, as the address says it.
import { computed } from "@preact/signals";
import { at_ms, moment_ms } from "../frame/clock.ts";
import { change, open, param, place, type PlaceParams } from "../frame/place.ts";
import { deviceOf } from "../frame/plant.ts";
import { may, zone } from "../frame/session.ts";
import { dayAfter, dayOf, dayStart, isDay } from "../frame/zone.ts";
import type { Digit } from "../parts/priority.tsx";
import { type Tab, tabs, type Wanted } from "../alarm/alarm.ts";

const day_ms = 86_400_000;

/** The list that is shown. */
export const tab = computed<Tab>(() => tabs.find((it) => it === param("tab")) ?? "needs");

/** What time alarms are looked for in: so many days back from now, the day before, or any day. */
export const spans = ["1", "7", "31", "yesterday", "day"] as const;
export const span = computed(() =>
  isDay(param("days")) ? "day" : spans.find((it) => it === param("days") && it !== "day") ?? "7"
);

/** The local day that is looked at alone, none to come; undefined where the last days are. */
export const day = computed(() => {
  const today = dayOf(moment_ms.value, zone.value);
  if (span.value === "yesterday") return dayAfter(today, -1);
  return span.value === "day" ? [param("days")!, today].toSorted()[0] : undefined;
});

/** The time that alarms are shown of that stood in it, at a moment; what has no end lasts. */
export function timeShown(at_ms: number): { readonly from_ms: number; readonly to_ms?: number } {
  if (day.value === undefined) return { from_ms: at_ms - Number(span.value) * day_ms };
  const next = dayAfter(day.value);
  return { from_ms: dayStart(day.value, zone.value), to_ms: dayStart(next, zone.value) };
}

/** The chosen alarm, by its ID. */
export const chosen_id = computed(() => param("alarm"));

/** What alarms are looked for by. */
export const wanted = computed<Wanted>(() => ({
  device_id: deviceOf(param("device"))?.device_id,
  digits: param("priority")?.split("").map((it) => Number(it) as Digit),
  text: param("q"),
}));

/** What is done with the chosen alarm or with those that are marked: the form that is open. */
export const forms = ["shelve", "resolve", "comment", "issue"] as const;
export type FormName = typeof forms[number];
export const form = computed(() => forms.find((it) => it === param("do")));

/** Alarms that are marked, by the number in their reference: short enough for an address. */
export const marked = computed(() => new Set(param("marked")?.split(",") ?? []));

/** Whether the reader may act on alarms, and looks at now. */
export const canAct = computed(() => may("operate") && at_ms.value === undefined);

/** The number in an alarm's reference. */
export function numberOf({ svc_occurrence_ref }: { readonly svc_occurrence_ref: string }): string {
  return String(Number(svc_occurrence_ref.replace(/^\D*/, "")));
}

/** Marks an alarm, or takes its mark away. */
export function mark(alarm: { readonly svc_occurrence_ref: string }): void {
  const numbers = new Set(marked.peek());
  const number = numberOf(alarm);
  if (!numbers.delete(number)) numbers.add(number);
  change({ marked: [...numbers].join(",") || undefined });
}

/** Parameters that choose an alarm; no form stays open for another one. */
export function choosing(occurrence_id: string | undefined): PlaceParams {
  return { alarm: occurrence_id, do: undefined };
}

/**
 * Chooses an alarm, or none. On a phone its details are a page of their own, which the way back
 * leaves; else they stand beside the list, which stays where it is.
 */
export function choose(occurrence_id: string | undefined): void {
  const params = { ...place.peek().params, ...choosing(occurrence_id) };
  if (matchMedia("(max-width: 720px)").matches) open("alarms", params);
  else change(params);
}
