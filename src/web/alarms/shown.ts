// Which alarms are on the screen, and which one is chosen.
import { computed } from "@preact/signals";
import { moment_ms } from "../frame/clock.ts";
import { type Alarm, byUrgency, isIn, isWanted, type Tab, tabs } from "../alarm/alarm.ts";
import { alarms } from "./store.ts";
import { chosen_id, marked, numberOf, tab, timeShown, wanted } from "./view.ts";

/** Those that are shown at all: what stood in the time that is looked at; in their order. */
export const recent = computed(() => {
  const { from_ms, to_ms } = timeShown(moment_ms.peek());
  return (alarms.value.data ?? []).filter(({ cleared_ms, status }) =>
    cleared_ms === null || cleared_ms >= from_ms || to_ms === undefined && status === "shelved"
  ).filter(({ raised_ms }) => to_ms === undefined || raised_ms < to_ms).toSorted(byUrgency);
});

/** How many are in each list, of those that are wanted. */
export const counts = computed(() => {
  const found = recent.value.filter((it) => isWanted(it, wanted.value));
  return Object.fromEntries(
    tabs.map((name) => [name, found.filter((it) => isIn(it, name)).length]),
  ) as Record<Tab, number>;
});

/** The rows; the chosen alarm stays in its place although it no longer belongs here. */
export const listed = computed(() =>
  recent.value.filter((it) =>
    isIn(it, tab.value) && isWanted(it, wanted.value) || it.occurrence_id === chosen_id.value
  )
);

/** The alarm whose details are shown: the chosen one, or the first. */
export const shown_id = computed(() => chosen_id.value ?? listed.value[0]?.occurrence_id);

/** The same, where the list has it. */
export const shown = computed<Alarm | undefined>(() =>
  recent.value.find((it) => it.occurrence_id === shown_id.value)
);

/** Those that are marked. */
export const marked_alarms = computed(() =>
  recent.value.filter((it) => marked.value.has(numberOf(it)))
);
