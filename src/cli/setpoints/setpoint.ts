// `setpoint`: lists the setpoints of a running service, sends to one, and shows the log.
import { type Command, InvalidArgumentError } from "commander";
import { newId } from "../../base/id.ts";
import { exit_codes } from "../frame/exit.ts";
import { type Context, outList } from "../frame/context.ts";
import { askProject, type ProjectFlags, withProject } from "../frame/project.ts";
import { withRemote } from "../frame/remote.ts";

type SendFlags = ProjectFlags & {
  readonly unit: string;
  readonly key?: string;
  readonly note?: string;
};

/** What `GET /platform/v1/setpoints` says, as far as it is printed. */
type Setpoint = {
  readonly tag: string;
  readonly device: string;
  readonly can_be_sent: boolean;
  readonly limits: { readonly min: number; readonly max: number; readonly unit: string };
};

/** A command, as far as it is printed. */
type Sent = {
  readonly tag: string;
  readonly value: number;
  readonly unit: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly author: string;
  readonly asked_at: string;
};

const path = "/platform/v1/setpoints";

/** Adds `setpoint`. */
export function addSetpointCommand(program: Command, context: Context): void {
  const setpoint = program.command("setpoint")
    .description("send values to devices, where sources declare setpoints")
    .addHelpText("after", help);
  withProject(withRemote(setpoint.command("list"), "read"))
    .description("what can be sent where, and within which limits")
    .action((flags: ProjectFlags) => list(context, flags));
  withProject(withRemote(setpoint.command("send"), "operate"))
    .argument("<tag>", "the setpoint's tag")
    .argument("<value>", "a number within its limits; a negative one behind --", numberIn)
    .description("send a value once, and say how that ended")
    .requiredOption("--unit <unit>", "the unit of the value, the one that the setpoint declares")
    .option("--key <text>", "the command's own key: the same again sends nothing; made by default")
    .option("--note <text>", "why, for the log")
    .addHelpText("after", send_help)
    .action((tag: string, value: number, flags: SendFlags) => send(context, { tag, value, flags }));
  withProject(withRemote(setpoint.command("log"), "read"))
    .argument("[tag]", "only this setpoint")
    .description("who sent what when, and how it ended; newest first")
    .action((tag: string | undefined, flags: ProjectFlags) => showLog(context, { tag, flags }));
}

const help = `
The service sends only with the setting setpoints = "on".

  wattkeeper setpoint list
  wattkeeper setpoint send INV-1.limit_pct 60 --unit % --note "grid operator, 14:05"
  wattkeeper setpoint log INV-1.limit_pct`;

const send_help = `
Ends with 0 only if the device has the value: it was read back. To repeat a command of which you do
not know how it ended, give the key that was printed: nothing is sent twice.

  wattkeeper setpoint send INV-1.limit_pct 60 --unit % --note "grid operator, 14:05"`;

async function list(context: Context, flags: ProjectFlags): Promise<void> {
  const all = await askProject<readonly Setpoint[]>(context, flags, { path });
  outList(context.effects, {
    lines: all.map(({ tag, device, can_be_sent, limits: { min, max, unit } }) =>
      `${tag}: ${min} to ${max} ${unit}, ${device}${can_be_sent ? "" : ", can't be sent now"}\n`
    ),
    none: "no source of the project declares a setpoint",
  });
}

async function send(
  context: Context,
  { tag, value, flags }: {
    readonly tag: string;
    readonly value: number;
    readonly flags: SendFlags;
  },
): Promise<void> {
  const { effects, exit } = context;
  const { unit, note, key = newId(effects) } = flags;
  effects.err(`key ${key}\n`);
  const body = { tag, value, unit, key, ...(note === undefined ? {} : { note }) };
  const sent = await askProject<Sent>(context, flags, { method: "POST", path, body });
  effects.out(`${lineOf(sent)}\n`);
  if (sent.outcome !== "confirmed") exit(exit_codes.failed);
}

async function showLog(
  context: Context,
  { tag, flags }: { readonly tag: string | undefined; readonly flags: ProjectFlags },
): Promise<void> {
  const search: Record<string, string> = tag === undefined ? {} : { tag };
  const all = await askProject<readonly Sent[]>(context, flags, { path: `${path}/log`, search });
  outList(context.effects, {
    lines: all.map((it) => `${it.asked_at} ${it.author}: ${lineOf(it)}\n`),
    none: "nothing was sent to a setpoint of the project",
  });
}

function lineOf({ tag, value, unit, before, after, outcome, reason }: Sent): string {
  const was = `before ${before ?? "not known"}, after ${after ?? "not known"}`;
  return `${tag} = ${value} ${unit}: ${outcome} (${was})${reason === null ? "" : `: ${reason}`}`;
}

function numberIn(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("give a number such as 60 or 12.5");
}
