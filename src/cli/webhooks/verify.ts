// `webhook verify`, and the secrets and public keys that signatures are checked with.
import type { Command } from "commander";
import type { Effects } from "../../base/effects.ts";
import { textOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import {
  explainSignature,
  type Finding,
  type Received,
  type SignatureRefusal,
  signatureRefusal,
} from "../../model/webhooks/signature.ts";
import { instant_form, instantOf } from "../../wire/bytes/instant.ts";
import type { Context } from "../frame/context.ts";
import { fileRefusal } from "../frame/data_file.ts";
import { exit_codes } from "../frame/exit.ts";
import * as z from "zod";
import { webhook_limits } from "../../model/webhooks/limits.ts";

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
    return parseRequest(file, await readBytes(file));
  }
  if (file === undefined && headers !== undefined && body !== undefined) {
    return { headers: headersOf(await readText(headers)), body: await readBytes(body) };
  }
  throw new Fault("invalid", "give a file, or both --headers and --body");
}

/** A request in the form of HTTP/1.1; its first line may be left out. */
function parseRequest(path: string, bytes: Uint8Array): Kept {
  const feed = 10;
  const isEnd = (i: number) =>
    bytes[i] === feed && (bytes[i + 1] === feed || (bytes[i + 1] === 13 && bytes[i + 2] === feed));
  const end = bytes.findIndex((_, i) => isEnd(i));
  if (end < 0) {
    const what = textOf(bytes).trimStart().startsWith("{")
      ? "is a body alone: headers and an empty line stand before it"
      : "has no empty line between headers and body";
    throw new Fault(
      "invalid",
      `${path} ${what}. Give a request as it was received, which \`webhook listen --save\` ` +
        "writes, or its parts: --headers PATH --body PATH",
    );
  }
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

/** The flags that name it. */
export type MaterialFlags = {
  readonly secret?: readonly string[];
  readonly secretFile?: string;
  readonly jwks?: string;
};

/** Adds the flags that name secrets. */
export function withSecrets(command: Command): Command {
  return command
    .option("--secret <text...>", "the secret of the subscription; two during a rotation")
    .option("--secret-file <path>", "a file with secrets, one per line");
}

/** The secrets that flags name. */
export async function secretsOf(
  { secret = [], secretFile }: MaterialFlags,
): Promise<readonly string[]> {
  if (secretFile === undefined) return secret;
  const lines = (await readText(secretFile)).split("\n").map((line) => line.trim());
  return [...secret, ...lines.filter((line) => line !== "")];
}

/** The public keys that signatures are checked with: of a file, or of a service that rotates. */
export class Jwks {
  readonly #effects: Pick<Effects, "request" | "monotonic_ms">;
  readonly #place: string | undefined;
  #keys: readonly string[] = [];
  #loaded_ms = 0;

  private constructor(effects: Pick<Effects, "request" | "monotonic_ms">, place?: string) {
    this.#effects = effects;
    this.#place = place;
  }

  /** Loads the keys; without a place, a path or a URL, there are none. Throws a `Fault`. */
  static async open(
    effects: Pick<Effects, "request" | "monotonic_ms">,
    place: string | undefined,
  ): Promise<Jwks> {
    const jwks = new Jwks(effects, place);
    await jwks.#load();
    return jwks;
  }

  /** The keys' public halves, `x`. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /** Loads them again, as a signature may be of a newer key; not so soon after the last time. */
  async refresh(): Promise<void> {
    const age_ms = this.#effects.monotonic_ms() - this.#loaded_ms;
    if (isUrl(this.#place) && age_ms >= webhook_limits.jwks_fresh_ms) {
      await this.#load().catch(() => {});
    }
  }

  async #load(): Promise<void> {
    const place = this.#place;
    if (place === undefined) return;
    this.#loaded_ms = this.#effects.monotonic_ms();
    const text = isUrl(place) ? await this.#ask(place) : await readText(place);
    const parsed = jwks_form.safeParse(dataOf(text));
    if (!parsed.success) throw new Fault("invalid", `${place} is no JWK Set`);
    this.#keys = parsed.data.keys.flatMap(({ crv, x }) => crv === "Ed25519" && x ? [x] : []);
    if (this.#keys.length === 0) throw new Fault("invalid", `${place} has no Ed25519 key`);
  }

  async #ask(place: string): Promise<string> {
    const fault = (words: string) => new Fault("unavailable", `${place} ${words}`);
    const response = await this.#effects.request(new Request(place)).catch((error) => {
      throw fault(`does not answer: ${(error as Error).message}`);
    });
    const text = await response.text();
    if (!response.ok) throw fault(`answered ${response.status}`);
    return text;
  }
}

const jwks_form = z.object({
  keys: z.array(z.object({ crv: z.string().optional(), x: z.string().optional() })),
});

/**
 * Why a receiver must refuse what came; undefined where, of each kind that there is something to
 * check with, a signature verifies.
 */
export function materialRefusal(received: Received): SignatureRefusal | undefined {
  const { secrets, keys } = received;
  if (secrets.length === 0 || keys.length === 0) return signatureRefusal(received);
  return signatureRefusal({ ...received, keys: [] }) ??
    signatureRefusal({ ...received, secrets: [] });
}

/** A file's text. Throws a `Fault`. */
async function readText(path: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(path));
}

/** A file's bytes. Throws a `Fault`. */
export async function readBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    throw await fileRefusal(path, error);
  }
}

function isUrl(place: string | undefined): place is string {
  return place !== undefined && /^https?:\/\//i.test(place) && URL.canParse(place);
}

function dataOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
