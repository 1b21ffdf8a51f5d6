// Reads which occurrences leave the shelf by themselves, and when.
import type { Connection } from "../connection.ts";
import shelf_list from "./shelf_list.sql" with { type: "text" };

/** A shelved occurrence, and when it returns: microseconds since 1970 UTC. */
export type Shelf = { readonly occurrence_no: number; readonly shelved_until: number };

/** Every shelf that has an end, the first to end first. */
export function readShelves(connection: Connection): Promise<Shelf[]> {
  return connection.rows<Shelf>(shelf_list);
}
