// Checks what requests say of issues and work orders: instants, users, devices, each flaw's place.
import { meant } from "../../base/did_you_mean.ts";
import type { Flaw } from "../../base/fault.ts";
import type { Project } from "../../model/plant/plant.ts";
import { instantFlaw, instantOf } from "../../wire/bytes/instant.ts";
import { no_user, userNamed } from "../access/actor.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Users } from "../access/user.ts";

/** What a request is checked against, and what was found wrong so far. */
export type Checking = {
  readonly catalog: Catalog;
  readonly users: Pick<Users, "named">;
  readonly project: Project;
  readonly flaws: Flaw[];
};

/** A device of a request; its component is its type's where it is not said. */
type SentDevice = { readonly device_id: string; readonly component?: string };

/** An instant in words, in microseconds since 1970 UTC; null and what is not said stay. */
export function checkInstant<T extends null | undefined>(
  text: string | T,
  path: string,
  { flaws }: Pick<Checking, "flaws">,
): number | T {
  if (typeof text !== "string") return text;
  const at_us = instantOf(text);
  if (Number.isNaN(at_us)) flaws.push({ path, message: instantFlaw(text) });
  return at_us;
}

/** The id of the user whom a word names; null and what is not said stay. */
export function checkAssignee<T extends null | undefined>(
  word: string | T,
  { users, project, flaws }: Checking,
): string | T {
  if (typeof word !== "string") return word;
  const found = userNamed(users, { word, project });
  if (found === undefined) {
    const message = `${no_user}; GET /platform/v1/meta/people lists them`;
    flaws.push({ path: "assigned_to", message });
  }
  return found?.id ?? word;
}

/** Devices by id, with their components, each of both once; the rest is as it was said. */
export function checkDevices<D extends SentDevice>(
  devices: readonly D[],
  checking: Checking,
): readonly (D & { readonly component: string })[] {
  const { catalog, project, flaws } = checking;
  const seen = new Set<string>();
  return devices.map((sent, i) => {
    const path = `devices[${i}]`;
    const device = catalog.deviceNamed(project, sent.device_id);
    const component = sent.component ?? device?.type ?? "";
    if (device === undefined) {
      const own = catalog.devices.filter((it) =>
        catalog.site(it.site_no)?.project_no === project.project_no
      );
      const hint = meant(sent.device_id, own.map((it) => it.key));
      flaws.push({ path: `${path}.device_id`, message: `is no device of the project${hint}` });
    }
    const device_id = device?.id ?? sent.device_id;
    const key = JSON.stringify([device_id, component]);
    if (seen.has(key)) flaws.push({ path, message: "is there twice" });
    seen.add(key);
    return { ...sent, device_id, component };
  });
}

/** Adds a flaw where an end lies before its start. */
export function checkSpan(
  { effective_from, effective_to }: {
    readonly effective_from: number | null;
    readonly effective_to: number | null;
  },
  path: string,
  { flaws }: Pick<Checking, "flaws">,
): void {
  if (effective_from === null || effective_to === null || !(effective_to < effective_from)) return;
  flaws.push({ path: `${path}effective_to`, message: "must not be before effective_from" });
}

/** What was said of some fields: those that were not said are left out. */
export function saidOf<T extends object>(fields: T): Said<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Said<T>;
}

type Said<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
