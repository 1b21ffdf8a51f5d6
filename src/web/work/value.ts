// What fields of issues and work orders hold, in the reader's words.
import { instantText } from "../frame/zone.ts";
import { no_number } from "../frame/number.ts";
import { personName } from "../frame/people.ts";
import { deviceOf } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import { wordIn } from "../frame/words.ts";
import { say } from "./say.ts";

/** A word that the catalogue may have under a prefix; as it is where it has not. */
export function wordOf(prefix: string, word: string): string {
  return wordIn(say(), `${prefix}_${word}`) ?? word.replaceAll("_", " ");
}

/** A status; a dash for one that is not known. */
export function statusText(status: string | null): string {
  return status === null ? say().status_unknown : wordOf("status", status);
}

type User = { readonly id: string; readonly first_name: string; readonly last_name: string };

/** Somebody's name. */
export function userText(user: User | null): string {
  if (user === null) return say().nobody;
  return `${user.first_name} ${user.last_name}`.trim() || personName(user.id) || say().somebody;
}

/** Who did something, by id; null where no person did. */
export function actorText(user_id: string | null): string {
  return user_id === null ? say().by_service : personName(user_id) ?? say().somebody;
}

/** A device's name. */
export function deviceText(device_id: string): string {
  return deviceOf(device_id)?.name ?? say().gone_device;
}

/** The value of a field. */
export function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined) {
    return field === "assigned_to" ? say().nobody : no_number;
  }
  switch (field) {
    case "status":
      return statusText(String(value));
    case "priority":
      return wordOf("priority", String(value));
    case "work_type":
      return wordOf("type", String(value));
    case "assigned_to":
      return typeof value === "string" ? actorText(value) : userText(value as User);
    case "devices":
      return (value as readonly { readonly device_id: string }[])
        .map(({ device_id }) => deviceText(device_id)).join(", ") || no_number;
    case "effective_from":
    case "effective_to":
    case "due_date":
      return instantText(Date.parse(String(value)), zone.value);
    default:
      return typeof value === "string" ? `“${value}”` : JSON.stringify(value);
  }
}
