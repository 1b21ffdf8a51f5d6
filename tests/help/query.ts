// Queries of tests and benches that nothing in the product asks: their rows are not declared.
import type { Connection } from "../../src/store/connection.ts";
import { type ParameterTypes, statement } from "../../src/store/statement.ts";
import type { Parameters, Plain } from "../../src/store/value.ts";

/** The rows of any SELECT, as the caller says that they are. */
export async function queryRows<Row extends Record<string, Plain>>(
  connection: Connection,
  sql: string,
  parameters: Parameters = {},
): Promise<Row[]> {
  const types = Object.fromEntries(Object.keys(parameters).map((name) => [name, "text?"]));
  const query = statement({ sql, parameters: types as ParameterTypes });
  return await connection.rows(query, parameters as never) as unknown as Row[];
}
