// Issues, work orders and history in words that a gateway and its centre both know, and back.
import { fullName } from "../../model/access/user.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Person } from "../../model/upstream/alarm.ts";
import type { SharedIssue, SharedOrder, ToldRow } from "../../model/work/change.ts";
import type { HistoryEvent } from "../../model/work/history.ts";
import type { Issue } from "../../model/work/issue.ts";
import type { WorkOrder } from "../../model/work/work_order.ts";
import { userNamed } from "../access/actor.ts";
import type { Users } from "../access/user.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** What people and devices are called by. */
export type SharedFacts = {
  readonly catalog: Pick<Catalog, "device" | "devices" | "site" | "sites">;
  readonly users: Pick<Users, "get" | "named">;
};

/** A user, for the other side; null for nobody. */
export function personWith(
  user_id: string | null,
  { users }: { readonly users: Pick<Users, "get"> },
): Person | null {
  const user = user_id === null ? undefined : users.get(user_id);
  return user ? { email: user.email, name: fullName(user) } : null;
}

/** The id of the user here whom the other side means; null where there is none. */
export function userWith(
  person: Person | null,
  { users, project }: Pick<SharedFacts, "users"> & { readonly project: Project },
): string | null {
  const word = person?.email ?? undefined;
  return word === undefined ? null : userNamed(users, { word, project })?.id ?? null;
}

/** What someone is called. */
export function nameOf(person: Person | null): string | null {
  return person && (person.name ?? person.email);
}

/** A device, for the other side: `site/key`, or its id where it is in no site file. */
function deviceSaid(device_id: string, { catalog }: Pick<SharedFacts, "catalog">): string {
  const device = catalog.device(device_id);
  const site = device && catalog.site(device.site_no);
  return site ? `${site.key}/${device.key}` : device_id;
}

/** The id of the device here that the other side means; undefined where there is none. */
function deviceMeant(
  said: string,
  { catalog, project }: Pick<SharedFacts, "catalog"> & { readonly project: Project },
): string | undefined {
  const at = said.indexOf("/");
  if (at < 0) {
    const device = catalog.device(said);
    const site = device && catalog.site(device.site_no);
    return device === undefined || site?.project_no === project.project_no ? said : undefined;
  }
  const [site_key, key] = [said.slice(0, at), said.slice(at + 1)];
  const site = catalog.sites.find((it) =>
    it.project_no === project.project_no && it.key === site_key
  );
  return catalog.devices.find((it) => it.site_no === site?.site_no && it.key === key)?.id;
}

/** An issue for the other side; `merged_into` is an id. */
export function sharedIssue(
  issue: Issue,
  { merged_into, facts }: {
    readonly merged_into: string | null;
    readonly facts: SharedFacts;
  },
): SharedIssue {
  const { name, description, priority, sentinel_tag, external_id, source, status } = issue;
  const { effective_from, effective_to, resolved_at, created_at, deleted_at } = issue;
  return {
    ...{ name, description, priority, sentinel_tag, external_id, source, status },
    ...{ effective_from, effective_to, resolved_at, created_at, deleted_at, merged_into },
    assigned_to: personWith(issue.assigned_to, facts),
    created_by: personWith(issue.created_by, facts),
    devices: issue.devices.map((it) => ({ ...it, device_id: deviceSaid(it.device_id, facts) })),
  };
}

/** A work order for the other side, under the issue of an id. */
export function sharedOrder(
  order: WorkOrder,
  { issue_id, facts }: { readonly issue_id: string; readonly facts: SharedFacts },
): SharedOrder {
  const { title, description, priority, due_date, work_type, status, payload } = order;
  const { external_system, external_id, external_ref, external_url } = order;
  const { created_at, deleted_at } = order;
  return {
    ...{ issue_id, title, description, priority, due_date, work_type, status, payload },
    ...{ external_system, external_id, external_ref, external_url, created_at, deleted_at },
    assigned_to: personWith(order.assigned_to, facts),
    created_by: personWith(order.created_by, facts),
    devices: order.devices.map((it) => ({ ...it, device_id: deviceSaid(it.device_id, facts) })),
  };
}

type Here = SharedFacts & { readonly project: Project };

/** People and devices as they are called here; a device that is not here is left out. */
export function localNames<D extends { readonly device_id: string }>(
  { assigned_to, created_by, devices }: {
    readonly assigned_to: Person | null;
    readonly created_by: Person | null;
    readonly devices: readonly D[];
  },
  here: Here,
) {
  return {
    assigned_to: userWith(assigned_to, here),
    created_by: userWith(created_by, here),
    devices: devices.flatMap((device) => {
      const device_id = deviceMeant(device.device_id, here);
      return device_id === undefined ? [] : [{ ...device, device_id }];
    }),
  };
}

/** How people and devices in the values of history are called on the other side. */
type Naming = {
  readonly person: (who: unknown) => unknown;
  readonly device: (device_id: string) => string;
};

function renamed(field: string | null, value: unknown, naming: Naming): unknown {
  if (field === "assigned_to") return naming.person(value);
  if (field !== "devices" || !Array.isArray(value)) return value;
  return value.map((it) =>
    typeof it?.device_id === "string" ? { ...it, device_id: naming.device(it.device_id) } : it
  );
}

function renamedValues(
  { kind, field, previous_value, next_value }: Values,
  naming: Naming,
): Pick<Values, "previous_value" | "next_value"> {
  if (kind === "created" && typeof next_value === "object" && next_value !== null) {
    const fields = Object.entries(next_value);
    const names = fields.map(([name, it]) => [name, renamed(name, it, naming)]);
    return { previous_value, next_value: Object.fromEntries(names) };
  }
  return {
    previous_value: renamed(field, previous_value, naming),
    next_value: renamed(field, next_value, naming),
  };
}

type Values = Pick<ToldRow, "kind" | "field"> & {
  readonly previous_value: unknown;
  readonly next_value: unknown;
};

/** A row of history for the other side. */
export function toldRow(event: HistoryEvent, facts: SharedFacts): ToldRow {
  const { id, kind, field, created_at, user_id } = event;
  const [previous_value, next_value, detail] = [
    event.previous_value,
    event.next_value,
    event.detail,
  ].map((text) => text === null ? null : JSON.parse(text));
  const naming: Naming = {
    person: (who) => typeof who === "string" ? personWith(who, facts) : null,
    device: (device_id) => deviceSaid(device_id, facts),
  };
  const values = renamedValues({ kind, field, previous_value, next_value }, naming);
  const person = personWith(user_id, facts);
  return { ...{ id, kind, field, detail, person, created_at }, ...values as typeof detail };
}

/**
 * A row of history that the other side told, with what it means here; `by` names a stranger.
 * `gateway` says which one it came from, and `centre` that none did.
 */
export function rowHere({ person, detail, ...row }: ToldRow, here: Here) {
  const naming: Naming = {
    person: (who) => userWith(who as Person | null, here) ?? nameOf(who as Person | null),
    device: (said) => deviceMeant(said, here) ?? said,
  };
  const user_id = userWith(person, here);
  const by = user_id === null ? nameOf(person) : null;
  const said = Object(detail);
  return {
    ...{ ...row, ...renamedValues(row, naming), user_id },
    detail: {
      ...{ ...said, ...by === null ? {} : { by } },
      ...said.gateway === undefined && { centre: true },
    },
  };
}
