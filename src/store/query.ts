// What an operator's own SELECT answers, as text or as JSON objects.
import json_sql from "./query_json.sql" with { type: "text" };
import text_sql from "./query_text.sql" with { type: "text" };
import type { Answer } from "../model/data/chunk.ts";
import type { Connection } from "./connection.ts";

/** The rows of `sql`, which can only read, with every value as text. */
export async function textAnswer(connection: Connection, sql: string): Promise<Answer> {
  const names = await connection.rows<{ name: string }>(
    "SELECT column_name AS name FROM (DESCRIBE FROM query($sql))",
    { sql },
  );
  const text = { kind: "text", nullable: true, doc: "" } as const;
  return {
    columns: names.map(({ name }) => ({ ...text, name })),
    chunks: connection.chunks(text_sql, { sql }),
    metadata: {},
  };
}

/** The same rows, one JSON object a row in a column of text. */
export function jsonAnswer(connection: Connection, sql: string): Answer {
  return {
    columns: [{ kind: "text", nullable: false, doc: "", name: "line" }],
    chunks: connection.chunks(json_sql, { sql }),
    metadata: {},
  };
}
