// What fields of issues and work orders hold, in the reader's words.
import { work_limits } from "../../model/work/limits.ts";
import { instantText } from "../frame/zone.ts";
import { no_number } from "../frame/number.ts";
import { personName } from "../frame/people.ts";
import { deviceOf } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import { wordIn } from "../frame/words.ts";
import { say } from "./say.ts";

/** Whether a number is a gateway's own, until its centre gives one. */
export function isOwnNumber(number: number): boolean {
  return number > work_limits.own_numbers_from;
}

/** The number of an issue or a work order. */
export function numberText(number: number): string {
  if (!isOwnNumber(number)) return String(number);
  return say().number_here(String(number - work_limits.own_numbers_from));
}

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

/** The name of a user, by id; or of somebody who is a user at the centre alone, as it is. */
function assigneeText(who: string): string {
  return personName(who) ?? (/^[\da-f-]{36}$/.test(who) ? say().somebody : who);
}

/** A device's name; of one that only the centre has, `site/key`. */
export function deviceText(device_id: string): string {
  const unknown = device_id.includes("/") ? device_id : say().gone_device;
  return deviceOf(device_id)?.name ?? unknown;
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
      return typeof value === "string" ? assigneeText(value) : userText(value as User);
    case "devices":
      return (Array.isArray(value) ? value as { readonly device_id: string }[] : [])
        .map(({ device_id }) => deviceText(device_id)).join(", ") || no_number;
    case "effective_from":
    case "effective_to":
    case "due_date":
      return instantText(Date.parse(String(value)), zone.value);
    default:
      return typeof value === "string" ? `“${value}”` : JSON.stringify(value);
  }
}
