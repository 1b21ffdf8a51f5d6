// The command line: its commands, its help, and how each ends.
import tab from "@bomb.sh/tab/commander";
import { Command, CommanderError } from "commander";
import { OutputClosed } from "../base/effects.ts";
import { Fault, refusalOfSystem } from "../base/fault.ts";
import {
  addConfigCommand,
  addInitCommand,
  addSettingFlags,
  readSettings,
  sources_help,
} from "./frame/config.ts";
import type { Context } from "./frame/context.ts";
import { addBackupCommands } from "./backup/backup.ts";
import { addDemoCommand } from "./demo/demo.ts";
import { addDoctorCommand } from "./service/doctor.ts";
import { addExtensionCommand } from "./service/extension.ts";
import { addServiceCommand } from "./service/install.ts";
import { addServeCommand } from "./service/serve.ts";
import { addFleetCommand } from "./fleet/fleet.ts";
import { exit_codes, exit_help, type ExitCode } from "./frame/exit.ts";
import { addImportCommand } from "./import/import.ts";
import {
  addCompactCommand,
  addModelCommand,
  addQueryCommand,
  addRetentionCommand,
  addVerifyCommand,
} from "./service/database.ts";
import { addRuleCommand } from "./rules/rule.ts";
import { addSetpointCommand } from "./setpoints/setpoint.ts";
import { addSourceCommand } from "./sources/scan.ts";
import { addSiteCommand } from "./site/site.ts";
import { addDestinationCommand } from "./destinations/destination.ts";
import { addGatewayCommand } from "./upstream/gateway.ts";
import { addUpstreamCommand } from "./upstream/upstream.ts";
import { addSessionCommand, addTokenCommand, addUserCommand } from "./access/access.ts";
import { addKeyCommand, addWebhookCommand } from "./webhooks/webhook.ts";

/** What the commands work with; `loadFleet` where there may be a fleet. */
type World =
  & Pick<Context, "effects" | "version" | "openService">
  & Partial<Pick<Context, "loadFleet">>;

/** Runs one command line and gives the code that the process ends with. */
export async function runCli(
  args: readonly string[],
  { loadFleet = notHere, ...world }: World,
): Promise<ExitCode> {
  let code: ExitCode = exit_codes.ok;
  const { effects, version, openService } = world;
  const program = new Command("wattkeeper")
    .description("Stores the data of solar plants and batteries, and shows what the plants did.")
    .version(version).exitOverride().showSuggestionAfterError()
    .configureOutput({ writeOut: effects.out, writeErr: effects.err })
    .addHelpText("after", `${sources_help}\n${exit_help}`);
  addSettingFlags(program);
  const context: Context = {
    effects,
    version,
    openService,
    loadFleet,
    resolve: () => readSettings(program, effects),
    exit: (given) => code = given,
  };
  for (const add of commands) add(program, context);
  for (const group of program.commands) nameCommands(group);
  tab(program, { completionCommandName: "completion" });
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    return endOf(error, effects.err);
  }
}

const notHere = () => Promise.reject(new Fault("not_available", "there are no fleets here"));

const commands = [
  addServeCommand,
  addDemoCommand,
  addInitCommand,
  addSiteCommand,
  addSourceCommand,
  addSetpointCommand,
  addTokenCommand,
  addUserCommand,
  addSessionCommand,
  addRuleCommand,
  addWebhookCommand,
  addKeyCommand,
  addImportCommand,
  addQueryCommand,
  addRetentionCommand,
  addUpstreamCommand,
  addGatewayCommand,
  addDestinationCommand,
  addModelCommand,
  addVerifyCommand,
  addDoctorCommand,
  addExtensionCommand,
  addServiceCommand,
  addBackupCommands,
  addCompactCommand,
  addFleetCommand,
  addConfigCommand,
];

/** Lets a command that has others say which, after an error. */
function nameCommands(group: Command): void {
  const names = group.commands.map((it) => it.name());
  if (names.length > 0) group.showHelpAfterError(`(Commands: ${names.join(", ")})`);
  for (const command of group.commands) nameCommands(command);
}

/** Says what went wrong: a sentence and its flaws for a mistake in use, a stack for one of ours. */
function endOf(error: unknown, err: (text: string) => void): ExitCode {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? exit_codes.ok : exit_codes.usage;
  }
  if (error instanceof OutputClosed) return exit_codes.pipe;
  if (error instanceof Fault) {
    const flaws = error.flaws.map(({ path, message }) => `  ${path}: ${message}\n`);
    err(`wattkeeper: ${error.message}\n${flaws.join("")}`);
    return exit_codes.failed;
  }
  const reason = refusalOfSystem(error);
  if (reason !== undefined) {
    err(`wattkeeper: ${reason}\n`);
    return exit_codes.failed;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  err(`wattkeeper: an error in the program, please report it:\n${stack}\n`);
  return exit_codes.bug;
}
