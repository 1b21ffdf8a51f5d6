// The sections of the page: which there are, who may open them, and which one is open.
import { computed } from "@preact/signals";
import { change, param } from "../frame/place.ts";
import { may, type Scope, session } from "../frame/session.ts";

/** The sections and what is needed to open them; `own` is everybody's. */
const needs = {
  sensors: "read",
  coverage: "read",
  counters: "read",
  sources: "read",
  setpoints: "read",
  forwarding: "read",
  destinations: "read",
  service: "admin",
  deliveries: "manage",
  users: "manage",
  tokens: "admin",
  sessions: "own",
  password: "user",
} as const satisfies Readonly<Record<string, Scope | "own" | "user">>;

export type Section = keyof typeof needs;

/** The sections that are about measured data; the others are about the service and its people. */
export const data_sections: readonly Section[] = [
  ...["sensors", "coverage", "counters", "sources", "setpoints"] as const,
  ...["forwarding", "destinations"] as const,
];

/** The sections that the reader may open. */
export const sections = computed(() =>
  (Object.keys(needs) as Section[]).filter((name) => isOffered(needs[name]))
);

/** The section that the address names, or the first one. */
export const section = computed(() => {
  const wanted = param("section");
  return sections.value.find((it) => it === wanted) ?? sections.value[0];
});

/** What is being made or changed in the section: `new`, or an id. */
export const open_id = computed(() => param("open"));

/** Opens something of the section; undefined closes it. */
export function openOne(id: string | undefined): void {
  change({ open: id });
}

function isOffered(need: Scope | "own" | "user"): boolean {
  if (need === "own") return true;
  if (need === "user") return Boolean(session.value?.user) && session.value?.via !== "demo";
  return may(need);
}
