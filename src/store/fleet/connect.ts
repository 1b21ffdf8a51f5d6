// A connection to the PostgreSQL of a fleet's catalogue.
import type { Sql } from "postgres";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { CatalogPlace } from "../../model/fleet/place.ts";

/** Loaded where it is needed: a service alone has no use for it. */
export async function connect({ ssl_mode, root_file, ...place }: CatalogPlace): Promise<Sql> {
  const { default: postgres } = await import("postgres");
  return postgres({
    ...definedOf(place),
    ...{ max: 1, onnotice: () => {} },
    // Without an object, certificates are not checked.
    ssl: ssl_mode === "verify-full"
      ? { servername: place.host, ...(root_file && { ca: await Deno.readTextFile(root_file) }) }
      : ssl_mode === "require" && "require",
    connect_timeout: fleet_limits.answer_ms / 1000,
  });
}

function definedOf<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}

/** What is said of a catalogue that does not do what it was asked. */
export function whyNot(error: Error): string {
  // What PostgreSQL itself says has a severity.
  const what = "severity" in error ? "refuses" : "does not answer";
  const help = "the setting fleet_catalog says where it is, and who asks";
  return `the fleet's catalogue ${what}: ${error.message}; ${help}`;
}
