// What of the work is shown, as the address says it.
import { computed } from "@preact/signals";
import { work_priorities } from "../../model/work/issue.ts";
import { param, place } from "../frame/place.ts";
import { deviceOf } from "../frame/plant.ts";
import { session } from "../frame/session.ts";
import { type Item, type OrderBy, orders_by, type Wanted } from "./item.ts";

export const views = ["board", "list"] as const;
export type View = typeof views[number];

/** Which of them a list has, by whether they are done. */
export const shows = ["open", "done", "all"] as const;
export type Show = typeof shows[number];

const oneOf = <T extends string>(words: readonly T[], word: string | undefined, usual: T): T =>
  words.find((it) => it === word) ?? usual;

export const view = computed(() => {
  place.value;
  return oneOf(views, param("view"), isNarrow() ? "list" : "board");
});

export const show = computed(() => {
  place.value;
  return oneOf(shows, param("show"), "open");
});

export const order_by = computed((): OrderBy => {
  place.value;
  return oneOf(orders_by, param("sort"), "urgency");
});

/** Whose work is shown: on a phone first the reader's own. */
export const is_mine = computed(() => {
  place.value;
  return oneOf(["mine", "all"], param("whose"), isNarrow() ? "mine" : "all") === "mine" &&
    session.value?.user !== null;
});

/** What is looked for. */
export const wanted = computed((): Wanted => {
  place.value;
  const kind = param("kind");
  return {
    user_id: is_mine.value ? session.value?.user?.id : undefined,
    kind: kind === "issue" || kind === "order" ? kind : undefined,
    priority: work_priorities.find((it) => it === param("priority")),
    device_id: deviceOf(param("device"))?.device_id,
    words: param("q") ?? "",
  };
});

/** What is opened beside or instead of the list. */
export const chosen = computed(() => {
  place.value;
  const [issue, order, made] = [param("issue"), param("order"), param("new")];
  return made !== undefined
    ? { kind: "new" as const, what: made === "order" ? "order" as const : "issue" as const }
    : order !== undefined
    ? { kind: "order" as const, id: order }
    : issue !== undefined
    ? { kind: "issue" as const, id: issue }
    : undefined;
});

/** The parameters that open an item, or nothing. */
export function choosing(item: Pick<Item, "kind" | "id"> | undefined) {
  return {
    issue: item?.kind === "issue" ? item.id : undefined,
    order: item?.kind === "order" ? item.id : undefined,
    new: undefined,
    of: undefined,
  };
}

/** Whether the screen is a phone's. */
export function isNarrow(): boolean {
  return matchMedia("(max-width: 720px)").matches;
}
