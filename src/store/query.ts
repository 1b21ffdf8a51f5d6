// What an operator's own SELECT answers, as text or as JSON objects.
import type { Answer } from "../model/data/chunk.ts";
import type { Connection } from "./connection.ts";
import { statement } from "./statement.ts";

/** The names of an operator's columns. */
const names_list = statement({
  sql: "SELECT column_name AS name FROM (DESCRIBE FROM query($sql::VARCHAR))",
  parameters: { sql: "text" },
  row: { name: "text" },
  is_dynamic: true,
});

/** An operator's rows with every value as text, in the order that is asked for. */
const texts_list = statement({
  sql: "SELECT COLUMNS(*)::VARCHAR FROM query($sql::VARCHAR)",
  parameters: { sql: "text" },
  is_dynamic: true,
});

/** The rows of `sql`, which can only read, with every value as text. */
export async function textAnswer(connection: Connection, sql: string): Promise<Answer> {
  const names = await connection.rows(names_list, { sql });
  const text = { kind: "text", nullable: true, doc: "" } as const;
  return {
    columns: names.map(({ name }) => ({ ...text, name })),
    chunks: connection.chunks(texts_list, { sql }),
    metadata: {},
  };
}

/** An operator's rows as JSON objects, in the order that is asked for. */
const objects_list = statement({
  sql: "SELECT to_json(answer)::VARCHAR AS line FROM query($sql::VARCHAR) AS answer",
  parameters: { sql: "text" },
  row: { line: "text" },
  is_dynamic: true,
});

/** The same rows, one JSON object a row in a column of text. */
export function jsonAnswer(connection: Connection, sql: string): Answer {
  return {
    columns: [{ kind: "text", nullable: false, doc: "", name: "line" }],
    chunks: connection.chunks(objects_list, { sql }),
    metadata: {},
  };
}
