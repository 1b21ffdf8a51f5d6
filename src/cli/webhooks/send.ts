// `webhook send`: signs a body as the service does, posts it once, prints request and answer.
import { type Command, InvalidArgumentError } from "commander";
import { textOf, utf8 } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import { isAcknowledged } from "../../model/webhooks/retry.ts";
import { signatureHeader, standardHeaders } from "../../model/webhooks/signature.ts";
import { envelopeOf, webhook_types, type WebhookType } from "../../model/webhooks/webhook.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Context } from "../frame/context.ts";
import { exit_codes } from "../frame/exit.ts";
import { type MaterialFlags, readBytes, secretsOf, withSecrets } from "./verify.ts";

type Flags = MaterialFlags & {
  readonly body?: string;
  readonly type?: WebhookType;
  readonly id?: string;
  readonly timeout: number;
};

type Message = { readonly id: string; readonly type: string; readonly body: Uint8Array };

/** Adds `webhook send`. */
export function addWebhookSend(webhook: Command, context: Context): void {
  const { effects, exit } = context;
  const longest_s = webhook_limits.timeout_s;
  withSecrets(webhook.command("send").argument("<url>", "the URL of the receiver"))
    .description("sign a test body with a secret and post it once")
    .option("--body <path>", "file with the body (default: a small event)")
    .option(
      "--type <type>",
      "type of the event (default: the body's, otherwise webhook.test)",
      typeOf,
    )
    .option(
      "--id <text>",
      "id of the event, to send it twice (default: the body's, otherwise a new one)",
    )
    .option("--timeout <seconds>", `how long the answer may take, to ${longest_s}`, secondsOf, 10)
    .addHelpText("after", send_help)
    .action(async (address: string, flags: Flags) => {
      const url = URL.parse(address);
      if (!url || !/^https?:$/.test(url.protocol)) {
        throw new Fault("invalid", `${address} is no http:// or https:// URL`);
      }
      const secrets = await secretsOf(flags);
      if (secrets.length === 0) throw new Fault("invalid", "give --secret or --secret-file");
      const message = await messageOf(context, flags);
      const headers = headersOf(context, message, secrets);
      const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`).join("");
      effects.out(`POST ${url.href}\n${head}\n${textOf(message.body)}\n\n`);
      const began_ms = effects.monotonic_ms();
      const posted = await effects.post({
        ...{ url, headers, body: message.body, timeout_ms: 1000 * flags.timeout },
        refuse: () => undefined,
        signal: new AbortController().signal,
      });
      const took_ms = Math.round(effects.monotonic_ms() - began_ms);
      const { status, error, address: called } = posted;
      const from = called === null ? "" : ` from ${called}`;
      effects.out(`${status ?? error}${from} after ${took_ms} ms\n`);
      if (posted.answer !== "") effects.out(`${posted.answer.trimEnd()}\n`);
      if (!isAcknowledged(posted)) exit(exit_codes.failed);
    });
}

const send_help = `
The command does not use this machine's data directory. It sends a test event, signed with the
secret only (v1; v1a needs the key of the service), to any address, also to private ones. The exit
code is 0 if the receiver acknowledged it (2xx). With --body it sends any file that you give.

  wattkeeper webhook send http://127.0.0.1:9000 --secret "$SECRET"
  wattkeeper webhook send https://hooks.example.org/in --secret-file secret.txt \\
    --body issue.json --type issue.updated`;

async function messageOf({ effects }: Context, { body, type, id }: Flags): Promise<Message> {
  if (body !== undefined) {
    const bytes = await readBytes(body);
    const said = saidIn(bytes);
    return {
      id: id ?? said.id ?? newId(effects),
      type: type ?? said.type ?? "webhook.test",
      body: bytes,
    };
  }
  const event = { id: id ?? newId(effects), type: type ?? "webhook.test" } as const;
  const text = envelopeOf({
    ...event,
    occurred_at: instantText(effects.now_us()),
    project: { id: "project", organization_id: "organization" },
    data: JSON.stringify({ subscription_id: "none", name: "wattkeeper webhook send" }),
  });
  return { ...event, body: utf8(text) };
}

/** What an envelope says of itself; nothing where the body is none. */
function saidIn(body: Uint8Array): { readonly id?: string; readonly type?: string } {
  try {
    const { id, type } = JSON.parse(textOf(body));
    return { id: wordOf(id), type: wordOf(type) };
  } catch {
    return {};
  }
}

function wordOf(data: unknown): string | undefined {
  return typeof data === "string" && /^[!-~]{1,200}$/.test(data) ? data : undefined;
}

function headersOf(
  { effects, version }: Context,
  { id, type, body }: Message,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const t = Math.floor(effects.now_us() / 1e6);
  const signing = { t, body, secrets, keys: [] };
  // Standard Webhooks takes a secret for base64, as ours are; a test's own need not be.
  const is_standard = secrets.every((secret) => /^whsec_[A-Za-z0-9+/]{43}=$/.test(secret));
  return {
    "content-type": "application/json",
    "user-agent": `Wattkeeper/${version}`,
    "x-svc-event-id": id,
    "x-svc-event-type": type,
    "x-svc-signature": signatureHeader(signing),
    ...(is_standard ? standardHeaders(id, signing) : {}),
  };
}

function typeOf(text: string): WebhookType {
  const type = webhook_types.find((it) => it === text);
  if (type !== undefined) return type;
  throw new InvalidArgumentError(`give one of ${webhook_types.join(", ")}`);
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,2}$/.test(text) && seconds >= 1 && seconds <= webhook_limits.timeout_s) return seconds;
  throw new InvalidArgumentError(`give whole seconds from 1 to ${webhook_limits.timeout_s}`);
}
