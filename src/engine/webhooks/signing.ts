// The keys that sign webhooks: made, published, replaced in time, and handed to those who sign.
import { limits } from "../../base/limits.ts";
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { Lock } from "../../base/lock.ts";
import {
  type Jwk,
  jwkOf,
  type SigningKey,
  signingKey,
} from "../../model/webhooks/signature_key.ts";
import {
  type KeptKey,
  keysAt,
  type KeySpans,
  type KeyState,
  keyState,
  rotationDue,
  signsFrom,
  stepDue,
} from "../../model/webhooks/signing_key.ts";
import type { Database } from "../../store/database.ts";
import { readSigningKeys, replaceSigningKeys } from "../../store/webhooks/signing_key.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Settings } from "../../model/setting.ts";
import { Loop } from "../core/loop.ts";

const log = getLogger(["wattkeeper", "signing"]);

type Parts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "now_us" | "random" | "sleep">;
  /** How long a key signs, and how long the next one is published before it does. */
  readonly settings: Pick<Settings, "signing_key_days" | "signing_key_publish_hours">;
  /** Whether another service makes the keys, and this one is told them. */
  readonly is_signing_told?: boolean;
};

/** A key as it is shown: its public half and its life, in microseconds since 1970 UTC. */
export type ShownKey = {
  readonly kid: string;
  readonly x: string;
  readonly state: KeyState;
  readonly published_from: number;
  /** Since when it signs; of the next one when it will. */
  readonly signs_from: number;
  readonly signs_until: number | null;
  readonly published_until: number | null;
};

/**
 * The service's signing keys. One always signs. The next one is published for some hours before it
 * does; then both sign for a day, and the old one stays published for another.
 */
export class SigningKeys {
  /** Does in the background what is due, asleep until the next step is. */
  readonly loop: Loop;
  readonly #parts: Parts;
  readonly #spans: KeySpans;
  readonly #lock = new Lock();
  #kept: readonly KeptKey[] = [];
  /** The same keys, ready to sign. */
  #keys = new Map<string, SigningKey>();

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#spans = {
      period_us: parts.settings.signing_key_days * 86_400_000_000,
      publish_us: parts.settings.signing_key_publish_hours * 3_600_000_000,
    };
    this.loop = new Loop({
      name: "rotating signing keys",
      effects: parts.effects,
      retry_ms: limits.loop_retry_ms,
      turn: async () => {
        await this.settle();
        return this.#sleepMs();
      },
    });
  }

  /** Reads the keys; makes the first one where there was never one. */
  static async open(parts: Parts): Promise<SigningKeys> {
    const signing = new SigningKeys(parts);
    signing.#keep(await parts.database.read(readSigningKeys));
    await signing.settle();
    return signing;
  }

  /** The keys that sign now, the oldest first: one, or two during a rotation. */
  current(): readonly SigningKey[] {
    const now_us = this.#parts.effects.now_us();
    return this.#kept.filter((key) => {
      const state = keyState(key, now_us);
      return state === "signing" || state === "retiring";
    }).map(({ kid }) => this.#keys.get(kid)!);
  }

  /** The public half of every key that a receiver may need. */
  jwks(): { readonly keys: readonly Jwk[] } {
    return { keys: this.#kept.map(({ kid }) => jwkOf(this.#keys.get(kid)!)) };
  }

  /** Every key that is published, the oldest first. */
  list(): readonly ShownKey[] {
    const now_us = this.#parts.effects.now_us();
    return this.#kept.map((key) => ({
      kid: key.kid,
      x: this.#keys.get(key.kid)!.x,
      state: keyState(key, now_us),
      published_from: key.created_at,
      signs_from: signsFrom(key, this.#spans),
      signs_until: key.signs_until,
      published_until: key.expires_at,
    }));
  }

  /** Makes and publishes the next key. Throws a `Fault` (conflict) where there is one already. */
  async rotate(): Promise<readonly ShownKey[]> {
    await this.#lock.run(async () => {
      const next = this.#kept.find(({ signs_from }) => signs_from === null);
      if (next !== undefined) {
        const planned = instantText(signsFrom(next, this.#spans));
        throw new Fault("conflict", `the next key is published already; it signs from ${planned}`);
      }
      await this.#replace([...this.#kept, this.#make(this.#parts.effects.now_us())]);
    });
    this.loop.wake();
    return this.list();
  }

  /** Every key as it is kept, with its secret half: for who signs with the same. */
  get kept(): readonly KeptKey[] {
    return this.#kept;
  }

  /** Takes over the keys that another service keeps. */
  async adopt(keys: readonly KeptKey[]): Promise<void> {
    const textOf = (all: readonly KeptKey[]) =>
      all.map((it) => [it.kid, it.signs_from, it.signs_until, it.expires_at].join(" ")).join();
    await this.#lock.run(async () => {
      if (textOf(keys) !== textOf(this.#kept)) await this.#replace(keys);
    });
  }

  /** Does what is due now: keys made, taken into use, retired, forgotten. */
  async settle(): Promise<void> {
    if (this.#parts.is_signing_told) return;
    return await this.#lock.run(async () => {
      const now_us = this.#parts.effects.now_us();
      const keys = keysAt(this.#kept, now_us, this.#spans);
      if (keys.length === 0) await this.#replace([{ ...this.#make(now_us), signs_from: now_us }]);
      else if (rotationDue(keys, this.#spans) <= now_us) {
        await this.#replace([...keys, this.#make(now_us)]);
      } else if (keys !== this.#kept) await this.#replace(keys);
    });
  }

  #make(created_at: number): KeptKey {
    const seed = this.#parts.effects.random(32).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    });
    return {
      kid: signingKey(seed).kid,
      seed,
      created_at,
      signs_from: null,
      signs_until: null,
      expires_at: null,
    };
  }

  async #replace(keys: readonly KeptKey[]): Promise<void> {
    await this.#parts.database.write(({ connection }) => replaceSigningKeys(connection, keys));
    this.#keep(keys);
    for (const { kid, state, signs_from } of this.list()) {
      log.info("signing key {kid} is {state} from {from}", {
        ...{ kid, state, from: instantText(signs_from) },
      });
    }
  }

  #keep(keys: readonly KeptKey[]): void {
    this.#kept = keys;
    this.#keys = new Map(
      keys.map(({ kid, seed }) => [kid, this.#keys.get(kid) ?? signingKey(seed)]),
    );
  }

  /** Until the next step is due. */
  #sleepMs(): number {
    if (this.#parts.is_signing_told) return Infinity;
    const due_us = stepDue(this.#kept, this.#spans);
    return Math.ceil((due_us - this.#parts.effects.now_us()) / 1000);
  }
}
