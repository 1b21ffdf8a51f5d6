// Stores destinations, their secrets sealed.
import { type Destination, destination_table } from "../../model/destinations/destination.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import { secret_places } from "../vault.ts";

const destinations = table("destination", destination_table);

const destinations_list = statement({
  sql: "SELECT {row} FROM destination ORDER BY destination_no",
  row: destination_table,
});

/** Every destination, its secrets still sealed. */
export function readDestinations(connection: Connection): Promise<Destination[]> {
  return connection.rows(destinations_list);
}

const destination_delete = statement({
  sql: "DELETE FROM destination WHERE destination_no = $destination_no::INTEGER",
  parameters: { destination_no: "int32" },
});

/** Stores a destination, its secrets sealed already, in place of the one of its number. */
export async function putDestination(
  connection: Connection,
  destination: Destination,
): Promise<void> {
  await removeDestination(connection, destination);
  await appendRows(connection, destinations, [destination]);
}

/** Forgets a destination. */
export async function removeDestination(
  connection: Connection,
  { destination_no }: Pick<Destination, "destination_no">,
): Promise<void> {
  await connection.run(destination_delete, { destination_no });
}

/** The text that is stored in place of secrets. */
export function sealDestination({ vault }: Connection, id: string, secrets: unknown): string {
  return vault.seal(JSON.stringify(secrets), secret_places.destination(id));
}

/** The secrets of a destination. Throws a `Fault` (conflict) where they can't be opened. */
export function unsealDestination<S>({ vault }: Connection, { id, secrets }: Destination): S {
  return JSON.parse(vault.unseal(secrets, secret_places.destination(id)));
}

const no_find = statement({
  sql: `
    SELECT 1 + greatest(
      (SELECT coalesce(max(destination_no), 0) FROM destination),
      (SELECT coalesce(max(destination_no), 0) FROM upstream_span)
    )::INTEGER AS destination_no`,
  row: { destination_no: "int32" },
});

/** A number that no destination has. */
export async function nextDestinationNo(connection: Connection): Promise<number> {
  const [{ destination_no }] = await connection.rows(no_find);
  return destination_no;
}
