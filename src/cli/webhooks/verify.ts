// `webhook verify`: whether a delivery that was kept is genuine, and which check says so.
import type { Command } from "commander";
import type { Effects } from "../../base/effects.ts";
import { textOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { explainSignature, type Finding, type Received } from "../../model/webhooks/signature.ts";
import { instant_form, instantOf } from "../../wire/bytes/instant.ts";
import type { Context } from "../frame/context.ts";
import { exit_codes } from "../frame/exit.ts";
import {
  Jwks,
  type MaterialFlags,
  materialRefusal,
  readBytes,
  readText,
  secretsOf,
  withSecrets,
} from "./material.ts";

type Flags = MaterialFlags & {
  readonly headers?: string;
  readonly body?: string;
  readonly at?: string;
  readonly explain?: true;
};

/** Adds `webhook verify`. */
export function addWebhookVerify(webhook: Command, context: Context): void {
  const { effects, exit } = context;
  withSecrets(
    webhook.command("verify").argument(
      "[file]",
      "a request as it was received: headers and body",
    ),
  )
    .description("check whether a saved delivery is genuine")
    .option("--headers <path>", "only the headers, one 'name: value' per line")
    .option("--body <path>", "only the body, exactly as it was received")
    .option("--jwks <place>", "also check v1a: the URL or file of the public keys")
    .option("--at <time>", "time for the check: an instant, or Unix seconds (default: now)")
    .option("--explain", "show each check with its result and the reason")
    .addHelpText("after", verify_help)
    .action(async (file: string | undefined, flags: Flags) => {
      const kept = await keptOf(file, flags);
      const received: Received = {
        header: kept.headers.get("x-svc-signature"),
        body: kept.body,
        now_us: clockOf(flags.at, effects),
        secrets: await secretsOf(flags),
        keys: (await Jwks.open(effects, flags.jwks)).keys,
      };
      if (received.secrets.length + received.keys.length === 0) {
        throw new Fault("invalid", "give something to check with: --secret, --secret-file, --jwks");
      }
      const refusal = materialRefusal(received);
      if (flags.explain) {
        for (const finding of [...explainSignature(received), ...envelopeFindings(kept)]) {
          effects.out(lineOf(finding));
        }
      }
      effects.out(refusal ? `refused: ${refusal.failed}: ${refusal.reason}\n` : "genuine\n");
      if (refusal) exit(exit_codes.failed);
    });
}

const verify_help = `
A delivery is genuine if its header has the right form, its t is at most 300 seconds from the clock,
and any value of v1 (with a secret) or v1a (with --jwks) is a correct signature of t, a point and
the bytes of the body. \`webhook listen --save DIR\` saves deliveries in the form that this reads.

  wattkeeper webhook verify delivery.http --secret-file secret.txt --at 1767225600 --explain
  wattkeeper webhook verify --headers head.txt --body body.json --secret "$SECRET" \\
    --jwks http://plant:8480/webhooks/jwks.json --explain`;

type Kept = { readonly headers: Headers; readonly body: Uint8Array };

async function keptOf(file: string | undefined, { headers, body }: Flags): Promise<Kept> {
  if (file !== undefined && headers === undefined && body === undefined) {
    return parseRequest(await readBytes(file));
  }
  if (file === undefined && headers !== undefined && body !== undefined) {
    return { headers: headersOf(await readText(headers)), body: await readBytes(body) };
  }
  throw new Fault("invalid", "give a file, or both --headers and --body");
}

/** A request in the form of HTTP/1.1; its first line may be left out. */
function parseRequest(bytes: Uint8Array): Kept {
  const feed = 10;
  const isEnd = (i: number) =>
    bytes[i] === feed && (bytes[i + 1] === feed || (bytes[i + 1] === 13 && bytes[i + 2] === feed));
  const end = bytes.findIndex((_, i) => isEnd(i));
  if (end < 0) throw new Fault("invalid", "there is no empty line between headers and body");
  const start = bytes[end + 1] === feed ? end + 2 : end + 3;
  return { headers: headersOf(textOf(bytes.subarray(0, end))), body: bytes.subarray(start) };
}

function headersOf(text: string): Headers {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const headers = new Headers();
  for (const line of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(line) ?? [];
    // The first line of a request has no name of a header.
    if (name === undefined && line !== lines[0]) {
      throw new Fault("invalid", `${JSON.stringify(line.slice(0, 80))} is no header`);
    }
    if (name !== undefined) headers.append(name, value.trim());
  }
  return headers;
}

/** Whether the headers say what the body says. */
function envelopeFindings({ headers, body }: Kept): readonly EnvelopeFinding[] {
  const envelope = envelopeOf(body);
  return (["id", "type"] as const).flatMap((name) => {
    const header = headers.get(`x-svc-event-${name}`);
    if (header === null) return [];
    const said = envelope[name];
    const is_passed = header === said;
    const words = is_passed
      ? `${header}, as in the body`
      : `${header}, but ${said ?? "none"} in the body`;
    return [{ check: `x-svc-event-${name}`, is_passed, words }];
  });
}

type EnvelopeFinding = Omit<Finding, "check"> & { readonly check: string };

function envelopeOf(body: Uint8Array): { readonly id?: unknown; readonly type?: unknown } {
  try {
    return JSON.parse(textOf(body)) ?? {};
  } catch {
    return {};
  }
}

function lineOf({ check, is_passed, words }: EnvelopeFinding): string {
  return `${is_passed ? "passed" : "FAILED"}  ${check}: ${words}\n`;
}

function clockOf(at: string | undefined, { now_us }: Pick<Effects, "now_us">): number {
  if (at === undefined) return now_us();
  if (/^\d{1,12}$/.test(at)) return Number(at) * 1e6;
  const at_us = instantOf(at);
  if (!Number.isNaN(at_us)) return at_us;
  throw new Fault("invalid", `--at: give Unix seconds, or ${instant_form}`);
}
