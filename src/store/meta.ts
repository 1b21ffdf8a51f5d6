// Small facts that the database keeps about itself, each a text under its name.
import type { Connection } from "./connection.ts";
import { statement } from "./statement.ts";
import { appendRows, table } from "./table.ts";

const meta_table = table("meta", { name: "text", value: "text" });

/** The fact of a name. */
const fact_find = statement({
  sql: "SELECT value FROM meta WHERE name = $name::VARCHAR",
  parameters: { name: "text" },
  row: { value: "text" },
});

/** What is kept under a name; undefined for nothing. */
export async function readFact(connection: Connection, name: string): Promise<string | undefined> {
  const [fact] = await connection.rows(fact_find, { name });
  return fact?.value;
}

/** Forgets the facts of some names. */
const facts_delete = statement({
  sql: "DELETE FROM meta WHERE name IN (SELECT unnest($names::VARCHAR[]))",
  parameters: { names: "text[]" },
});

/** Keeps facts in place of those before, in one transaction; null keeps nothing under a name. */
export async function keepFacts(
  connection: Connection,
  facts: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  await connection.run(facts_delete, { names: Object.keys(facts) });
  const kept = Object.entries(facts).filter(([, value]) => value !== null);
  await appendRows(
    connection,
    meta_table,
    kept.map(([name, value]) => ({ name, value: `${value}` })),
  );
}
