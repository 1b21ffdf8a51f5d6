// The names of those who act on alarms.
import { useLoad } from "../frame/load.ts";
import { getJson } from "../frame/api.ts";
import { may, project, session } from "../frame/session.ts";
import type { AlarmEvent } from "./alarm.ts";

type People = { readonly people: readonly { readonly id: string; readonly name: string }[] };

/** Who an event is from: a name where the reader may know it, else an address or an id. */
export type NameOf = (event: Pick<AlarmEvent, "user_id" | "user_email">) => string | undefined;

/** How people are called. */
export function useNames(): NameOf {
  const key = may("operate") ? project.value?.id : undefined;
  const { data } = useLoad(
    key,
    (project_id, signal) => getJson<People>("/platform/v1/meta/people", { project_id }, signal),
  );
  return ({ user_id, user_email }) => {
    const { user } = session.value ?? {};
    if (user && user.id === user_id) return user.name;
    return data?.people.find(({ id }) => id === user_id)?.name ?? user_email ?? user_id ??
      undefined;
  };
}
