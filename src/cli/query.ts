// `query`: one SELECT over the database of a stopped service, as CSV or JSON.
import type { Command } from "commander";
import { Fault } from "../base/fault.ts";
import { printQuery } from "../store/query.ts";
import { type Context, offline } from "./context.ts";

/** Adds `query`. */
export function addQueryCommand(program: Command, context: Context): void {
  program.command("query").argument("<sql>", "one SELECT statement")
    .description("read the database with SQL, while no service runs")
    .option("--json", "one JSON object a line instead of CSV")
    .action((sql: string, { json }: { json?: true }) =>
      offline(context, async ({ database }) => {
        const format = json ? "json" : "csv";
        const failed = (error: Error) => {
          throw new Fault("invalid", error.message);
        };
        await database.read((connection) => printQuery(connection, { sql, format }).catch(failed));
      })
    );
}
