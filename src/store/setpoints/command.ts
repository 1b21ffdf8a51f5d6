// Stores commands to setpoints, and reads their log.
import { type Command, command_table, type CommandEnd } from "../../model/setpoints/setpoint.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const commands = table("setpoint_command", command_table);

const beside_list = statement({
  sql: `
    SELECT {row}
    FROM setpoint_command
    WHERE project_no = $project_no::INTEGER
      AND (key = $key::VARCHAR OR tag = $tag::VARCHAR
        OR (outcome = 'under_way'
          AND device = $device::VARCHAR AND source = $source::VARCHAR))
    ORDER BY asked_at, id`,
  parameters: { project_no: "int32", key: "text", tag: "text", source: "text", device: "text" },
  row: command_table,
});

/** What stands beside a new command: of its key, of its tag, and under way at its device. */
export function listBeside(
  connection: Connection,
  { project_no, key, tag, source, device }: Pick<
    Command,
    "project_no" | "key" | "tag" | "source" | "device"
  >,
): Promise<Command[]> {
  return connection.rows(beside_list, { project_no, key, tag, source, device });
}

/** Stores a command. */
export function insertCommand(connection: Connection, command: Command): Promise<void> {
  return appendRows(connection, commands, [command]);
}

const command_end = statement({
  sql: `
    UPDATE setpoint_command SET
      outcome = $outcome::VARCHAR, reason = $reason::VARCHAR, before = $before::DOUBLE,
      after = $after::DOUBLE, ended_at = $ended_at::BIGINT
    WHERE id = $id::VARCHAR`,
  parameters: {
    id: "text",
    outcome: "text",
    reason: "text?",
    before: "float64?",
    after: "float64?",
    ended_at: "instant",
  },
});

/** Says of a command how it ended. */
export function endCommand(
  connection: Connection,
  ended: CommandEnd & { readonly id: string; readonly ended_at: number },
): Promise<void> {
  return connection.run(command_end, ended);
}

const under_way_list = statement({
  sql: "SELECT id FROM setpoint_command WHERE outcome = 'under_way' ORDER BY id",
  row: { id: "text" },
});

/** The commands that are under way. */
export async function listUnderWay(connection: Connection): Promise<readonly string[]> {
  return (await connection.rows(under_way_list)).map(({ id }) => id);
}

const old_delete = statement({
  sql: "DELETE FROM setpoint_command WHERE asked_at < $before_us::BIGINT",
  parameters: { before_us: "instant" },
});

/** Removes the commands that were asked for before an instant. */
export function deleteOldCommands(connection: Connection, before_us: number): Promise<void> {
  return connection.run(old_delete, { before_us });
}

const command_list = statement({
  sql: `
    SELECT {row}
    FROM setpoint_command
    WHERE project_no = $project_no::INTEGER
      AND ($tag::VARCHAR IS NULL OR tag = $tag::VARCHAR)
    ORDER BY asked_at DESC, id DESC
    LIMIT $limit::BIGINT OFFSET $offset::BIGINT`,
  parameters: { project_no: "int32", tag: "text?", limit: "int64", offset: "int64" },
  row: command_table,
});

/** The log of a project, newest first. */
export function listCommands(
  connection: Connection,
  wanted: {
    readonly project_no: number;
    readonly tag: string | null;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<Command[]> {
  return connection.rows(command_list, wanted);
}
