// `webhook listen`: a receiver on a port of this machine, to try webhooks with.
import { type Command, InvalidArgumentError } from "commander";
import { Fault } from "../../base/fault.ts";
import type { Context } from "../frame/context.ts";
import { Jwks, type MaterialFlags, secretsOf, withSecrets } from "./material.ts";
import { Receiver, type ReceiverPlan } from "./receiver.ts";

type Flags = MaterialFlags & {
  readonly forward?: URL;
  readonly save?: string;
  readonly fail?: number;
  readonly hang?: true;
  readonly rotate?: true;
  readonly times: number;
};

/** Adds `webhook listen`. */
export function addWebhookListen(webhook: Command, context: Context): void {
  withSecrets(webhook.command("listen").description("receive webhooks, verify and print them"))
    .option("--jwks <place>", "also check v1a: the URL or file of the public keys")
    .option("--port <number>", "port to listen on; 0 for any free one (default: 9000)")
    .option("--host <address>", "address to listen on (default: 127.0.0.1)")
    .option(
      "--forward <url>",
      "forward genuine requests to this address, and answer with its answers",
      urlOf,
    )
    .option("--save <dir>", "keep every delivery as a file that webhook verify reads")
    .option("--fail <status>", "answer with this status, such as 503", statusOf)
    .option("--hang", "never answer")
    .option("--rotate", "accept only the last secret, like a receiver after a rotation")
    .option(
      "--times <count>",
      "fail or hang this often, then accept everything",
      wholeNumber,
      Infinity,
    )
    .addHelpText("after", listen_help)
    .action(async (flags: Flags, command: Command) => {
      const place = placeOf(command);
      const plan = await planOf(context, flags);
      await listen(context, place, plan).finished;
    });
}

const listen_help = `
Prints a line for each delivery: time, type, id, result of the check, answer. A request that is not
genuine gets 401. A repeat of an acknowledged event is printed and acknowledged, but not forwarded.
The service calls this machine only if its setting webhook_allow lists 127.0.0.1.

  wattkeeper webhook listen --secret-file secret.txt --jwks http://127.0.0.1:8480/webhooks/jwks.json
  wattkeeper webhook listen --secret "$SECRET" --fail 503 --times 3
  wattkeeper webhook listen --secret "$OLD" "$NEW" --rotate --forward http://127.0.0.1:3000/hook`;

type Place = { readonly hostname: string; readonly port: number };

/** The service has settings of these names, whose flags the program reads wherever they stand. */
function placeOf(command: Command): Place {
  const given = command.optsWithGlobals<{ readonly host?: string; readonly port?: string }>();
  const { host = "127.0.0.1", port = "9000" } = given;
  if (/^\d{1,5}$/.test(port) && Number(port) < 65_536) {
    return { hostname: host, port: Number(port) };
  }
  throw new Fault("invalid", "--port: give a whole number up to 65535");
}

async function planOf({ effects }: Context, flags: Flags): Promise<ReceiverPlan> {
  const { jwks, forward, save, fail, hang, rotate, times } = flags;
  const secrets = await secretsOf(flags);
  if (rotate && secrets.length < 2) {
    throw new Fault("invalid", "--rotate: give both secrets, the new one last");
  }
  if (save !== undefined) await Deno.mkdir(save, { recursive: true });
  const how = hang ? "hang" : fail;
  return {
    secrets: rotate ? secrets.slice(-1) : secrets,
    jwks: await Jwks.open(effects, jwks),
    forward,
    save,
    failure: how === undefined ? undefined : { how, times },
  };
}

function listen(
  { effects }: Context,
  { hostname, port }: Place,
  plan: ReceiverPlan,
): Deno.HttpServer {
  const receiver = new Receiver(effects, plan);
  const onListen = ({ port }: Deno.NetAddr) => {
    const is_blind = plan.secrets.length + plan.jwks.keys.length === 0;
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    const warning = is_blind ? "; without --secret or --jwks nothing is verified" : "";
    effects.err(`listening on http://${host}:${port}${warning}\n`);
  };
  try {
    return Deno.serve({ hostname, port, onListen }, (request) => receiver.take(request));
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new Fault("conflict", `port ${port} on ${hostname} is in use`);
  }
}

function wholeNumber(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("give a whole number");
}

function statusOf(text: string): number {
  if (/^[2-5]\d\d$/.test(text)) return Number(text);
  throw new InvalidArgumentError("give a status from 200 to 599");
}

function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError("give an http:// or https:// URL");
}
