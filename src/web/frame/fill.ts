// How far the demo's history is, asked each second; data is read again at its last day and its end.
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { getJson } from "./api.ts";
import { after } from "./clock.ts";
import { readAllAgain } from "./load.ts";
import { may, session } from "./session.ts";

/** What is done now, how much of all is done, and what is left of this job in its own unit. */
type Filling = {
  readonly job: "simulate" | "last_day" | "roll_up" | "availability" | "rules" | null;
  readonly percent: number;
  readonly left: number;
};

const path = "/platform/v1/demo";
const look_ms = 1000;

/** How far it is; undefined once it is done, and where the service is no demo. */
export const filling = signal<Filling | undefined>(undefined);

/** Follows the demo's history for as long as it is made. */
export function followFill(): void {
  const is_demo = computed(() => session.value?.demo === true && may("read"));
  effect(() => {
    if (is_demo.value) void look(is_demo);
  });
}

async function look(is_demo: ReadonlySignal<boolean>): Promise<void> {
  const state = await getJson<Filling>(path).catch(() => filling.peek());
  const before = filling.peek();
  filling.value = is_demo.peek() && state?.job ? state : undefined;
  if (filling.value) after(look_ms, () => void look(is_demo));
  const has_last_day = filling.value === undefined || filling.value.job === "roll_up";
  if (before && before.job !== filling.value?.job && has_last_day) readAllAgain();
}
