// People as a gateway and its centre name them to each other: ids differ, addresses do not.
import type { AlarmEvent, EventDraft } from "../../model/alarms/alarm.ts";
import { fullName } from "../../model/access/user.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Person, ToldEvent } from "../../model/upstream/alarm.ts";
import { userNamed } from "../access/actor.ts";
import type { Users } from "../access/user.ts";

type Who = Pick<AlarmEvent, "user_id" | "user_email" | "external_user_id">;

/** Who did something, for the other side; null for nobody. */
export function personOf(users: Pick<Users, "get">, who: Who): Person | null {
  const user = who.user_id === null ? undefined : users.get(who.user_id);
  const email = user?.email ?? who.user_email;
  const name = user ? fullName(user) : who.external_user_id;
  return email === null && name === null ? null : { email, name };
}

/** An event that the other side told, with whom it is from here: a user, else by name. */
export function eventTold(
  users: Pick<Users, "named">,
  project: Project,
  { person, detail, ...event }: ToldEvent,
): EventDraft & Who & { readonly event_id: string } {
  const word = person?.email ?? undefined;
  const user = word === undefined ? undefined : userNamed(users, { word, project });
  return {
    ...event,
    user_id: user?.id ?? null,
    user_email: user ? null : person?.email ?? null,
    external_user_id: user ? null : person?.name ?? null,
    detail: detail === null ? null : JSON.parse(detail),
  };
}
