// Who acts on alarms, and how people are called.
import { signal } from "@preact/signals";
import { personName } from "../frame/people.ts";
import { session } from "../frame/session.ts";
import type { AlarmEvent } from "./alarm.ts";

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

type Who = Pick<AlarmEvent, "event_id" | "user_id" | "user_email" | "external_user_id">;

/** Who an event is from: a name where the reader may know it, else an address or an id. */
export function actorOf({ event_id, user_id, user_email, external_user_id }: Who) {
  // A gateway and its centre tell the names of those whom the other does not know.
  const told = event_id.startsWith("wk-") ? external_user_id : null;
  return personName(user_id) ?? told ?? user_email ?? user_id ?? undefined;
}
