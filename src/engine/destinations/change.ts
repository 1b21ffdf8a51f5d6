// Changes of one destination by the API: put and removed.
import type { Effects } from "../../base/effects.ts";
import { Fault, type Flaw } from "../../base/fault.ts";
import { meant } from "../../base/did_you_mean.ts";
import { newId } from "../../base/id.ts";
import type { Destination } from "../../model/destinations/destination.ts";
import {
  type DestinationEntry,
  destinationRefusal,
  parseDestination,
  parseDestinationBody,
  type Secrets,
  targetText,
} from "../../model/destinations/form.ts";
import { destination_limits } from "../../model/destinations/limits.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Settings } from "../../model/setting.ts";
import { firstSpans } from "../../model/upstream/span.ts";
import type { Database } from "../../store/database.ts";
import {
  nextDestinationNo,
  putDestination as storeDestination,
  removeDestination as deleteDestination,
  sealDestination,
  unsealDestination,
} from "../../store/destinations/destination.ts";
import { forgetLedgers, storeUpstreamSpans } from "../../store/upstream/ledger.ts";
import { no_folder } from "./couriers.ts";
import type { Destinations } from "./destinations.ts";

type ChangeParts = {
  readonly database: Database;
  readonly destinations: Destinations;
  readonly ingest: { readonly head_us: number };
  readonly settings: Pick<Settings, "destination_dir">;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

type Target = { readonly project: Project; readonly key: string };

/** A destination of a project, and the name of the token that it is changed with. */
type PutTarget = Target & { readonly author: string };

/** What a put did. */
export type DestinationPut = {
  readonly destination: Destination;
  readonly result: "created" | "updated";
};

/**
 * Makes a destination what `data` says. A secret that is left out stays as it was, as long as the
 * destination leads to the same place. Throws a `Fault`: invalid with every flaw, or conflict.
 */
export function putDestination(
  parts: ChangeParts,
  data: unknown,
  { project, key, author }: PutTarget,
): Promise<DestinationPut> {
  const { entry, secrets } = parseDestinationBody(data, key);
  const { destinations } = parts;
  return destinations.lock.run(async () => {
    const { project_no } = project;
    const others = destinations.list(project_no).filter((it) => it.key !== key);
    const old = destinations.list(project_no).find((it) => it.key === key);
    const flaws = flawsOf(entry, { others, settings: parts.settings });
    if (flaws.length > 0) throw destinationRefusal(flaws);
    if (!old && others.length >= destination_limits.project_destinations) {
      const most = destination_limits.project_destinations;
      throw new Fault("conflict", `the project has ${most} destinations already`);
    }
    // What is on its way comes to its end, or to nothing, before anything is changed.
    if (old) await destinations.leave(old);
    try {
      const destination = await store(parts, { entry, secrets, project_no, author, old });
      return { destination, result: old ? "updated" as const : "created" as const };
    } finally {
      await destinations.reload();
    }
  });
}

type Storing = {
  readonly entry: DestinationEntry;
  readonly secrets: Secrets;
  readonly project_no: number;
  readonly author: string;
  readonly old: Destination | undefined;
};

function store(
  { database, effects, ingest }: ChangeParts,
  { entry, secrets, project_no, author, old }: Storing,
): Promise<Destination> {
  return database.write(async ({ connection }) => {
    const kept = old && targetText(parseDestination(old.definition)) === targetText(entry)
      ? unsealDestination<Secrets>(connection, old)
      : {};
    const id = old?.id ?? newId(effects);
    const destination_no = old?.destination_no ?? await nextDestinationNo(connection);
    const destination: Destination = {
      ...{ destination_no, id, project_no, key: entry.key, author },
      definition: JSON.stringify(entry),
      secrets: sealDestination(connection, id, { ...kept, ...secrets }),
      created_at: old?.created_at ?? effects.now_us(),
    };
    await storeDestination(connection, destination);
    if (!old) {
      const [past, live] = firstSpans(ingest.head_us);
      const spans = entry.history ? [past, live] : [live];
      await storeUpstreamSpans(connection, { destination_no, project_no }, spans);
    }
    return destination;
  });
}

/** Removes a destination, and what is known of it. Throws a `Fault` (not_found). */
export function removeDestination(parts: ChangeParts, target: Target): Promise<Destination> {
  const { destinations, database } = parts;
  return destinations.lock.run(async () => {
    const destination = findDestination(destinations, target);
    await destinations.leave(destination);
    try {
      await database.write(async ({ connection }) => {
        await deleteDestination(connection, destination);
        await forgetLedgers(connection, destination.destination_no);
      });
    } finally {
      await destinations.reload();
    }
    return destination;
  });
}

/** The destination of a key in a project. Throws a `Fault` (not_found). */
export function findDestination(
  destinations: Destinations,
  { project, key }: Target,
): Destination {
  const all = destinations.list(project.project_no);
  const found = all.find((it) => it.key === key);
  if (found) return found;
  const near = meant(key, all.map((it) => it.key));
  throw new Fault("not_found", `the project ${project.key} has no destination ${key}${near}`);
}

function flawsOf(
  entry: DestinationEntry,
  { others, settings }: {
    readonly others: readonly Destination[];
    readonly settings: ChangeParts["settings"];
  },
): readonly Flaw[] {
  const double = others.find(({ definition }) => {
    const other = parseDestination(definition);
    return other.kind === entry.kind && targetText(other) === targetText(entry);
  });
  const is_folder = entry.kind === "parquet_folder";
  return [
    ...double
      ? [{ path: "key", message: `the destination ${double.key} leads there already` }]
      : [],
    ...is_folder && settings.destination_dir === "none"
      ? [{ path: "folder", message: no_folder }]
      : [],
  ];
}
