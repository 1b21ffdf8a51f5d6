// Queries of tests and benches that nothing in the product asks: their rows are not declared.
import type { Connection } from "../../src/store/connection.ts";
import { type Statement, statement } from "../../src/store/statement.ts";
import type { Parameters } from "../../src/store/duckdb/parameter.ts";
import type { Plain } from "../../src/store/duckdb/result.ts";

/** The rows of any SELECT, as the caller says that they are. */
export async function queryRows<Row extends Readonly<Record<string, Plain>>>(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): Promise<Row[]> {
  const rows = await connection.rows(query(sql, parameters), ...given(parameters));
  return rows as unknown as Row[];
}

/** Runs any statement with parameters; without, there is `Connection.script`. */
export async function runQuery(
  connection: Connection,
  sql: string,
  parameters: Parameters,
): Promise<void> {
  await connection.run(query(sql, parameters), ...given(parameters));
}

/** A statement for `chunk`, `chunks` and `pieces`. */
export function query(sql: string, parameters: Parameters = {}): Statement<Any> {
  const types = Object.fromEntries(Object.keys(parameters).map((name) => [name, "text?" as const]));
  return statement({ sql, parameters: types });
}

type Any = Readonly<Record<never, never>>;

/** What the types of a declaration would ask for. */
function given(parameters: Parameters): [] {
  return [parameters] as unknown as [];
}
