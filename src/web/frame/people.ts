// The people who can act on the plant that is shown, by id; nobody where the reader may not know.
import { computed } from "@preact/signals";
import { getJson } from "./api.ts";
import { load } from "./load.ts";
import { may, project, session } from "./session.ts";

/** Somebody who can act. */
type Person = { readonly id: string; readonly name: string };

const people_load = load(
  () => may("operate") ? project.value?.id : undefined,
  (project_id, signal) =>
    getJson<{ readonly people: readonly Person[] }>("/platform/v1/meta/people", {
      project_id,
    }, signal),
);

/** Everybody who can act, by name. */
export const people = computed(() => people_load.value.data?.people ?? []);

/** What somebody is called. */
export function personName(id: string | null): string | undefined {
  const { user } = session.value ?? {};
  if (user && user.id === id) return user.name;
  return people.value.find((it) => it.id === id)?.name;
}
