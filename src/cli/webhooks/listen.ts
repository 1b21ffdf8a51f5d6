// `webhook listen`: a receiver on a port of this machine, which verifies, prints, passes on, fails.
import { type Command, InvalidArgumentError } from "commander";
import { concat, utf8 } from "../../base/bytes.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import type { SignatureRefusal } from "../../model/webhooks/signature.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Context } from "../frame/context.ts";
import { Jwks, type MaterialFlags, materialRefusal, secretsOf, withSecrets } from "./verify.ts";

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
    const remedy = "stop what listens there, or give another --port";
    throw new Fault("conflict", `port ${port} on ${hostname} is in use: ${remedy}`);
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

/** What a receiver knows and is to do. */
export type ReceiverPlan = {
  readonly secrets: readonly string[];
  readonly jwks: Jwks;
  /** Where what is genuine goes; the answer from there is the answer here. */
  readonly forward?: URL;
  /** The folder that every delivery is kept in, in the form of HTTP/1.1. */
  readonly save?: string;
  /** How it fails, and how often before it takes what comes. */
  readonly failure?: { readonly how: "hang" | number; readonly times: number };
};

type Delivery = {
  readonly id: string;
  readonly type: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
};

/** How often an id has come, and whether it was acknowledged. */
type Seen = { times: number; is_acknowledged: boolean };

/** Takes deliveries as a good receiver does: a line for each, every id once. */
export class Receiver {
  readonly #effects: Pick<Effects, "now_us" | "out" | "request">;
  readonly #plan: ReceiverPlan;
  readonly #seen = new Map<string, Seen>();
  #failures_left: number;

  constructor(effects: Pick<Effects, "now_us" | "out" | "request">, plan: ReceiverPlan) {
    this.#effects = effects;
    this.#plan = plan;
    this.#failures_left = plan.failure?.times ?? 0;
  }

  /** Answers a request. */
  async take(request: Request): Promise<Response> {
    if (request.method !== "POST") return answer(405, "webhooks are posted\n");
    const body = await bodyOf(request);
    if (body === undefined) return answer(413, "the body is larger than webhooks are\n");
    const { headers, signal } = request;
    const word = (name: string) => headers.get(`x-svc-event-${name}`)?.slice(0, 100) || "-";
    const delivery = { id: word("id"), type: word("type"), headers, body, signal };
    const seen = this.#see(delivery.id);
    await this.#save(request, { delivery, seen });
    const refusal = await this.#refusalOf(delivery);
    if (refusal) {
      this.#print(delivery, `refused: ${refusal.failed}: ${refusal.reason}, answered 401`);
      return answer(401, `${refusal.reason}\n`);
    }
    return await this.#answerTo(delivery, seen);
  }

  async #answerTo(delivery: Delivery, seen: Seen): Promise<Response> {
    const note = seen.is_acknowledged ? ", duplicate" : seen.times > 1 ? ", again" : "";
    const how = this.#failures_left > 0 ? this.#plan.failure!.how : undefined;
    if (how !== undefined) this.#failures_left--;
    if (how === "hang") {
      this.#print(delivery, `genuine${note}, left without an answer`);
      await gone(delivery.signal);
      return answer(504, "");
    }
    const forwarded = how === undefined && !seen.is_acknowledged && this.#plan.forward;
    const response = forwarded
      ? await this.#forward(delivery, forwarded)
      : answer(how ?? 200, how === undefined ? "" : "told to fail\n");
    seen.is_acknowledged ||= response.ok;
    this.#print(
      delivery,
      `genuine${note}, ${forwarded ? "forwarded, " : ""}answered ${response.status}`,
    );
    return response;
  }

  async #refusalOf({ headers, body }: Delivery): Promise<SignatureRefusal | undefined> {
    const { secrets, jwks } = this.#plan;
    const header = headers.get("x-svc-signature");
    const refuse = () => {
      const now_us = this.#effects.now_us();
      return materialRefusal({ header, body, now_us, secrets, keys: jwks.keys });
    };
    if (secrets.length + jwks.keys.length === 0) return undefined;
    if (refuse()?.failed === "signature") await jwks.refresh();
    return refuse();
  }

  async #forward({ headers, body }: Delivery, url: URL): Promise<Response> {
    const own = new Headers(headers);
    for (const name of ["host", "connection", "content-length", "accept-encoding"]) {
      own.delete(name);
    }
    const request = new Request(url, { method: "POST", headers: own, body, redirect: "manual" });
    try {
      const { status, body } = await this.#effects.request(request);
      await body?.cancel();
      return answer(status, "");
    } catch (error) {
      return answer(502, `${url.origin} does not answer: ${(error as Error).message}\n`);
    }
  }

  async #save(
    { url, headers }: Request,
    { delivery, seen }: { readonly delivery: Delivery; readonly seen: Seen },
  ): Promise<void> {
    if (this.#plan.save === undefined) return;
    const { pathname, search } = new URL(url);
    const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
    const head = utf8(`POST ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`);
    const name = delivery.id.replaceAll(/[^\w-]/g, "_");
    const path = `${this.#plan.save}/${name}.${seen.times}.http`;
    await Deno.writeFile(path, concat([head, delivery.body]));
  }

  /** Ids of old are forgotten: a repeat comes within days, and this is no store. */
  #see(id: string): Seen {
    const seen = this.#seen.get(id) ?? { times: 0, is_acknowledged: false };
    this.#seen.delete(id);
    this.#seen.set(id, seen);
    if (this.#seen.size > webhook_limits.listen_ids) {
      this.#seen.delete(this.#seen.keys().next().value!);
    }
    seen.times++;
    return seen;
  }

  #print({ type, id }: Delivery, verdict: string): void {
    const { secrets, jwks } = this.#plan;
    const is_checked = secrets.length + jwks.keys.length > 0;
    const said = is_checked ? verdict : verdict.replace("genuine", "unchecked");
    this.#effects.out(`${instantText(this.#effects.now_us())}  ${type}  ${id}  ${said}\n`);
  }
}

/** The body, or undefined where it is larger than any of ours. */
async function bodyOf({ body }: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > webhook_limits.body_bytes) return undefined;
    pieces.push(piece);
  }
  return concat(pieces);
}

function answer(status: number, text: string): Response {
  const is_bare = status === 204 || status === 205 || status === 304;
  return new Response(is_bare ? null : text, { status });
}

function gone(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
