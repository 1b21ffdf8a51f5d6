// Who acts on alarms, and how people are called.
import { signal } from "@preact/signals";
import { getJson } from "../frame/api.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { may, project, session } from "../frame/session.ts";
import type { AlarmEvent } from "./alarm.ts";

/** Somebody who can act. */
type Person = { readonly id: string; readonly name: string };

/** Who an event is from: a name where the reader may know it, else an address or an id. */
export type NameOf = (event: Pick<AlarmEvent, "user_id" | "user_email">) => string | undefined;

const key = "acts-as";
const chosen = signal(localStorage.getItem(key) ?? undefined);

/** Who acts, where the session is no user's own: the id that the reader chose. */
export function actingUser(): string | undefined {
  return session.value?.user ? undefined : chosen.value;
}

/** Says who acts from now on, also after a reload. */
export function actAs(id: string | undefined): void {
  chosen.value = id;
  if (id === undefined) localStorage.removeItem(key);
  else localStorage.setItem(key, id);
}

/** Everybody who can act. */
export function usePeople(): Load<readonly Person[]> {
  const project_id = may("operate") ? project.value?.id : undefined;
  return useLoad(project_id, async (project_id, signal) => {
    const path = "/platform/v1/meta/people";
    return (await getJson<{ people: readonly Person[] }>(path, { project_id }, signal)).people;
  });
}

/** How people are called. */
export function useNames(): NameOf {
  const { data } = usePeople();
  return ({ user_id, user_email }) => {
    const { user } = session.value ?? {};
    if (user && user.id === user_id) return user.name;
    return data?.find(({ id }) => id === user_id)?.name ?? user_email ?? user_id ?? undefined;
  };
}
