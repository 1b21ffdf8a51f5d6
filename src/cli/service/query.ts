// `query`: one SELECT over the database of a stopped service, as CSV or JSON.
import type { Command } from "commander";
import { textOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { wordAt } from "../../model/data/chunk.ts";
import type { Connection } from "../../store/connection.ts";
import { jsonAnswer, textAnswer } from "../../store/query.ts";
import { encode } from "../../wire/format.ts";
import { type Context, offline } from "../frame/context.ts";

/** Adds `query`. */
export function addQueryCommand(program: Command, context: Context): void {
  program.command("query").argument("<sql>", "one SELECT statement")
    .description("read the database with SQL, while no service runs")
    .option("--json", "one JSON object per line instead of CSV")
    .action((sql: string, { json }: { json?: true }) =>
      offline(context, async ({ database }) => {
        const lines = json ? jsonLines : csvLines;
        try {
          await database.read(async (connection) => {
            for await (const text of lines(connection, sql)) context.effects.out(text);
          });
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          throw new Fault("invalid", reason.split("\n")[0]);
        }
      })
    );
}

async function* csvLines(connection: Connection, sql: string): AsyncGenerator<string> {
  const answer = await textAnswer(connection, sql);
  for await (const bytes of encode(answer, "csv")) yield textOf(bytes);
}

async function* jsonLines(connection: Connection, sql: string): AsyncGenerator<string> {
  for await (const { rows, vectors: [line] } of jsonAnswer(connection, sql).chunks) {
    if (line.kind !== "text") continue;
    for (let i = 0; i < rows; i++) yield `${wordAt(line.words, i)}\n`;
  }
}
