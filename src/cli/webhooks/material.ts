// What signatures are checked with: secrets from flags or a file, public keys from a JWKS.
import type { Command } from "commander";
import { z } from "zod";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import {
  type Received,
  type SignatureRefusal,
  signatureRefusal,
} from "../../model/webhooks/signature.ts";

/** The flags that name it. */
export type MaterialFlags = {
  readonly secret?: readonly string[];
  readonly secretFile?: string;
  readonly jwks?: string;
};

/** The text of secrets, and of public keys their `x`. */
export type Material = Pick<Received, "secrets" | "keys">;

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
export async function readText(path: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(path));
}

/** A file's bytes. Throws a `Fault`. */
export async function readBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    throw new Fault("invalid", `${path} can't be read: ${(error as Error).message}`);
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
