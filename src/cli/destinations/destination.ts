// `destination`: where a project's samples are sent beside a centre, and how that goes.
import { counted } from "../../base/count.ts";
import type { Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { readDataFile } from "../frame/data_file.ts";
import { type Context, outList } from "../frame/context.ts";
import { askProject, type ProjectFlags, withProject } from "../frame/project.ts";
import { withRemote } from "../frame/remote.ts";
import { sizeText } from "../upstream/upstream.ts";

/** An entry of `GET /platform/v1/destinations`, as far as it is printed. */
type Listed = {
  readonly key: string;
  readonly kind: string;
  readonly state: {
    readonly connected: boolean | null;
    readonly reason: string | null;
    readonly next_try_at: string | null;
    readonly notes: readonly string[];
    readonly rows_per_s: number;
    readonly lag_s: number;
    readonly waiting_rows: number;
    readonly set_aside_rows: number;
    readonly lost: readonly { readonly day: string; readonly rows: number }[];
    readonly days: readonly {
      readonly day: string;
      readonly bytes: number;
      readonly rows: number;
    }[];
  };
};

/** An entry of `GET /platform/v1/destinations/KEY/set-aside`. */
type Aside = {
  readonly tag: string;
  readonly rows: number;
  readonly first_ts: string;
  readonly last_ts: string;
  readonly reason: string;
};

/** Adds `destination`. */
export function addDestinationCommand(program: Command, context: Context): void {
  const { effects } = context;
  const destination = program.command("destination")
    .description("send a project's samples to files, stores and brokers, and show how that goes")
    .addHelpText("after", help);
  withProject(withRemote(destination.command("list"), "read"))
    .description("list them, with how far behind each is and what keeps it back")
    .option("--json", "print the whole answer as JSON")
    .action(async ({ json, ...flags }: ProjectFlags & { readonly json?: true }) => {
      const all = await askProject<Listed[]>(context, flags, { path });
      if (json) return effects.out(`${JSON.stringify(all, undefined, 2)}\n`);
      outList(effects, { lines: all.map(textOf), none: "the project has no destination" });
    });
  withProject(withRemote(destination.command("put").argument("<file>", "TOML, or *.json")))
    .description("make or change the destination of a file")
    .action(async (file: string, flags: ProjectFlags) => {
      const body = await readDataFile(file);
      const { key } = (body ?? {}) as { readonly key?: unknown };
      if (typeof key !== "string") {
        const what = "destinations" in Object(body)
          ? "write its keys at the top, without [[destinations]]"
          : 'such as key = "lake"';
        throw new Fault("invalid", `${file} declares no destination, key is missing: ${what}`);
      }
      const put = await askProject<Listed & { readonly result: string }>(context, flags, {
        ...{ method: "PUT", path: pathOf(key), body },
      });
      const next = `wattkeeper destination list${
        flags.project ? ` --project ${flags.project}` : ""
      }`;
      effects.out(`${put.key} (${put.kind}): ${put.result}; see \`${next}\`\n`);
    });
  withProject(withRemote(destination.command("remove").argument("<key>", "the destination's")))
    .description("send nothing there any more, and forget what waits for it")
    .action(async (key: string, flags: ProjectFlags) => {
      await askProject(context, flags, { method: "DELETE", path: pathOf(key) });
      effects.out(`${key} is removed; what it has stays there\n`);
    });
  addAsideCommands(destination, context);
}

function addAsideCommands(destination: Command, context: Context): void {
  const { effects } = context;
  const aside = destination.command("set-aside")
    .description("rows that were sent to a destination and that it does not take");
  withProject(withRemote(aside.command("list").argument("<key>", "the destination's"), "read"))
    .description("list them by tag, with the destination's reason")
    .action(async (key: string, flags: ProjectFlags) => {
      const rows = await askProject<Aside[]>(context, flags, {
        path: `${pathOf(key)}/set-aside`,
      });
      outList(effects, { lines: rows.map(asideLine), none: `${key}: nothing is set aside` });
    });
  withProject(withRemote(aside.command("retry").argument("<key>", "the destination's"), "operate"))
    .description("send them again, once the reason is mended there")
    .action(async (key: string, flags: ProjectFlags) => {
      const { rows } = await askProject<{ readonly rows: number }>(context, flags, {
        method: "POST",
        path: `${pathOf(key)}/set-aside/retry`,
      });
      effects.out(`${key}: ${counted(rows, "row")} sent again\n`);
    });
}

const path = "/platform/v1/destinations";

const pathOf = (key: string) => `${path}/${encodeURIComponent(key)}`;

const help = `
These commands ask the service that runs on the data directory, or the one at --url. A destination
is declared in a file, such as lake.toml:

  key = "lake"
  kind = "parquet_folder"
  folder = "plant-1"

  wattkeeper destination put lake.toml
  wattkeeper destination list`;

function textOf({ key, kind, state }: Listed): string {
  const how = { true: "connected", false: "waits", null: "nothing sent yet" }[`${state.connected}`];
  const next = state.next_try_at === null ? "" : `; the next try is at ${state.next_try_at}`;
  return [
    `${key} (${kind}): ${how}, ${state.rows_per_s} rows/s, ${state.lag_s} s behind, ` +
    `${counted(state.waiting_rows, "row")} waiting, ${state.set_aside_rows} set aside\n`,
    ...state.reason === null ? [] : [`  ${state.reason}${next}\n`],
    ...state.notes.map((note) => `  ${note}\n`),
    ...state.lost.slice(0, 5).map(({ day, rows }) =>
      `  lost: ${counted(rows, "sample")} of ${day}, for which the disk had no room\n`
    ),
    ...state.days.slice(0, 3).map(({ day, bytes, rows }) =>
      `  ${day}: ${sizeText(bytes)} sent for ${counted(rows, "row")}\n`
    ),
  ].join("");
}

function asideLine({ tag, rows, first_ts, last_ts, reason }: Aside): string {
  return `${tag}: ${counted(rows, "row")} from ${first_ts} to ${last_ts}: ${reason}\n`;
}
