// The command line: its commands, its help, and how each ends.
import { Command, CommanderError } from "commander";
import { OutputClosed } from "../base/effects.ts";
import { Fault, refusalOfSystem } from "../base/fault.ts";
import { diskRefusal } from "../store/damage.ts";
import {
  addConfigCommand,
  addInitCommand,
  addSettingFlags,
  readSettings,
  sources_help,
} from "./frame/config.ts";
import type { Context } from "./frame/context.ts";
import { exit_codes, exit_help, type ExitCode } from "./frame/exit.ts";

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
  const at = wordsAt(program, args);
  await addCommands(program, context, args[at] ?? "");
  for (const group of program.commands) nameCommands(group);
  try {
    await program.parseAsync(withHelpBehind(args, at), { from: "user" });
    return code;
  } catch (error) {
    return endOf(error, effects.err);
  }
}

const notHere = () => Promise.reject(new Fault("not_available", "there are no fleets here"));

type Add = (program: Command, context: Context) => void;

/** What adds a command, by its name; most lie in files that no other command needs. */
const commands: Readonly<Record<string, () => Promise<Add>>> = {
  serve: async () => (await import("./service/serve.ts")).addServeCommand,
  demo: async () => (await import("./demo/demo.ts")).addDemoCommand,
  init: () => Promise.resolve(addInitCommand),
  site: async () => (await import("./site/site.ts")).addSiteCommand,
  source: async () => (await import("./sources/scan.ts")).addSourceCommand,
  setpoint: async () => (await import("./setpoints/setpoint.ts")).addSetpointCommand,
  token: async () => (await import("./access/access.ts")).addTokenCommand,
  user: async () => (await import("./access/access.ts")).addUserCommand,
  session: async () => (await import("./access/access.ts")).addSessionCommand,
  rule: async () => (await import("./rules/rule.ts")).addRuleCommand,
  webhook: async () => (await import("./webhooks/webhook.ts")).addWebhookCommand,
  key: async () => (await import("./webhooks/webhook.ts")).addKeyCommand,
  import: async () => (await import("./import/import.ts")).addImportCommand,
  query: async () => (await import("./service/database.ts")).addQueryCommand,
  retention: async () => (await import("./service/database.ts")).addRetentionCommand,
  upstream: async () => (await import("./upstream/upstream.ts")).addUpstreamCommand,
  gateway: async () => (await import("./upstream/gateway.ts")).addGatewayCommand,
  destination: async () => (await import("./destinations/destination.ts")).addDestinationCommand,
  model: async () => (await import("./service/database.ts")).addModelCommand,
  verify: async () => (await import("./service/database.ts")).addVerifyCommand,
  doctor: async () => (await import("./service/doctor.ts")).addDoctorCommand,
  extension: async () => (await import("./service/extension.ts")).addExtensionCommand,
  service: async () => (await import("./service/install.ts")).addServiceCommand,
  backup: async () => (await import("./backup/backup.ts")).addBackupCommands,
  restore: async () => (await import("./backup/backup.ts")).addBackupCommands,
  compact: async () => (await import("./service/database.ts")).addCompactCommand,
  fleet: async () => (await import("./fleet/fleet.ts")).addFleetCommand,
  config: () => Promise.resolve(addConfigCommand),
};

/** Where the words of a line begin: behind the flags, and their values, that stand before them. */
function wordsAt(program: Command, args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-")) {
    const hasValue = program.options.some((it) => it.required && it.long === args[at]);
    at += hasValue ? 2 : 1;
  }
  return at;
}

/** A line with the flag for help behind its words from `at` on, as each command knows it. */
function withHelpBehind(args: readonly string[], at: number): readonly string[] {
  const isHelp = (it: string) => it === "--help" || it === "-h";
  const flags = args.slice(0, at);
  if (!flags.some(isHelp)) return args;
  const end = args.findIndex((it, i) => i >= at && it.startsWith("-"));
  const words = args.slice(at, end < 0 ? undefined : end);
  const rest = args.slice(at + words.length);
  return [...flags.filter((it) => !isHelp(it)), ...words, "--help", ...rest];
}

/** Adds the command of this name; where there is none, all of them. */
async function addCommands(program: Command, context: Context, word: string): Promise<void> {
  const is_named = Object.hasOwn(commands, word);
  const loads = is_named ? [commands[word]] : Object.values(commands);
  const adds = await Promise.all(loads.map((load) => load()));
  // One file may add two.
  for (const add of new Set(adds)) add(program, context);
  if (is_named) return;
  const { default: tab } = await import("@bomb.sh/tab/commander");
  tab(program, { completionCommandName: "completion" });
}

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
  const reason = refusalOfSystem(error) ?? diskRefusal(error);
  if (reason !== undefined) {
    err(`wattkeeper: ${reason}\n`);
    return exit_codes.failed;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  err(`wattkeeper: an error in the program, please report it:\n${stack}\n`);
  return exit_codes.bug;
}
