// Access tokens in memory: makes, verifies, lists and revokes them, and notes their use.
import { sha256Hex } from "../../base/digest.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { access_limits } from "../../model/access/limits.ts";
import { Lock } from "../../base/lock.ts";
import type { ToldToken } from "../../model/fleet/shard.ts";
import { type Grant, type Scope, token_bytes, tokenText } from "../../model/access/token.ts";
import type { Database } from "../../store/database.ts";
import { addressKey, Throttle } from "./throttle.ts";
import {
  insertToken,
  readTokens,
  revokeToken,
  storeUses,
  type TokenRow,
} from "../../store/access/access.ts";

/** What is to be allowed. */
export type TokenRequest = {
  readonly name: string;
  /** Null for every organization. */
  readonly organization_id: string | null;
  /** Null for every project of the organization. */
  readonly project_ids: readonly string[] | null;
  readonly scopes: readonly Scope[];
  /** The user who acts with it; left out for a machine's. */
  readonly user_id?: string;
  /** Microseconds since 1970 UTC; null for never. */
  readonly expires_at: number | null;
};

/** A token as it is listed: never its text or digest. Instants in microseconds since 1970 UTC. */
export type TokenInfo = Omit<TokenRow, "digest">;

type Parts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "now_us" | "monotonic_ms" | "random">;
};

/** Every token. A look-up is one hash and one map access, whatever the text. */
export class Access {
  readonly #database: Database;
  readonly #effects: Parts["effects"];
  readonly #lock = new Lock();
  readonly #tokens = new Map<string, TokenRow>();
  /** Those not revoked, by digest. */
  readonly #live = new Map<string, TokenRow>();
  /** Of a shard that is told of them: those of which it heard before that, and when, by digest. */
  readonly #met = new Map<string, { readonly row: TokenRow; readonly met_ms: number }>();
  #used = new Map<string, number>();
  /** Digests of the last two local tokens: of the one before, a command may be in the middle. */
  #local: readonly string[] = [];
  #flushed_ms: number;
  #first_token: string | undefined;
  readonly #throttle: Throttle;

  private constructor({ database, effects }: Parts) {
    this.#database = database;
    this.#effects = effects;
    this.#flushed_ms = effects.monotonic_ms();
    this.#throttle = new Throttle({
      ...{ effects, window_ms: access_limits.wrong_tokens_ms, what: "wrong tokens" },
    });
  }

  /** Reads the tokens; where there was never one, makes an administrator's (`first_token`). */
  static async open(parts: Parts): Promise<Access> {
    const access = new Access(parts);
    await access.reload();
    if (access.#tokens.size === 0) {
      const { token } = await access.create({
        name: "first administrator",
        organization_id: null,
        project_ids: null,
        scopes: ["admin"],
        expires_at: null,
      });
      access.#first_token = token;
    }
    return access;
  }

  /** Reads the tokens again: after others than this wrote them. */
  async reload(): Promise<void> {
    const rows = await this.#database.read(readTokens);
    this.#tokens.clear();
    this.#live.clear();
    this.#met.clear();
    rows.forEach((row) => this.#keep(row));
  }

  /** Takes one over that was made a moment ago, until it is stored here, or for a moment. */
  meet(told: ToldToken): void {
    // What was ended here, while its home was away, its home may not have heard of yet.
    if ((this.#tokens.get(told.id)?.revoked_at ?? null) !== null) return;
    const met_ms = this.#effects.monotonic_ms();
    this.#met.set(told.digest, { row: { ...told, last_used_at: null }, met_ms });
  }

  /** One that is believed no longer may have ended before its home has told it. */
  #metRow(digest: string): TokenRow | undefined {
    const met = this.#met.get(digest);
    const is_sure = met && this.#effects.monotonic_ms() - met.met_ms < access_limits.met_ms;
    return is_sure ? met.row : undefined;
  }

  /** What others need of a token that holds; undefined of one that does not. */
  toldOf(token_text: string): ToldToken | undefined {
    const grant = this.verify(token_text);
    const row = grant && this.#tokens.get(grant.token_id);
    return row && toldOf(row);
  }

  /** What others are told of all. */
  get told(): readonly ToldToken[] {
    return this.rows.map(toldOf);
  }

  /** Every token as it is stored. */
  get rows(): readonly TokenRow[] {
    return [...this.#tokens.values()];
  }

  /** The text of the administrator's token, only on the very first start. */
  get first_token(): string | undefined {
    return this.#first_token;
  }

  /** What a token allows now; undefined for one that is unknown, expired or revoked. */
  verify(token_text: string): Grant | undefined {
    const digest = sha256Hex(token_text);
    if (this.#local.includes(digest)) return local_grant;
    const row = this.#live.get(digest) ?? this.#metRow(digest);
    const now_us = this.#effects.now_us();
    if (row === undefined || !isUsable(row, now_us)) return undefined;
    this.#used.set(row.id, now_us);
    const unflushed_ms = this.#effects.monotonic_ms() - this.#flushed_ms;
    if (unflushed_ms >= access_limits.token_use_flush_ms) void this.flush();
    return grantOf(row);
  }

  /**
   * Counts a token that does not hold, until the function that it gives takes that back. Throws a
   * `Fault` (too_many) where too many came from its address; those that hold are answered whatever
   * else comes from there.
   */
  countWrong(address: string | null): () => void {
    return this.#throttle.take([{ key: addressKey(address), most: access_limits.wrong_tokens }]);
  }

  /** What the token of an id allows now; undefined likewise. Does not count as its use. */
  grant(id: string): Grant | undefined {
    const row = this.#tokens.get(id);
    const isLive = row && row.revoked_at === null && isUsable(row, this.#effects.now_us());
    return isLive ? grantOf(row) : undefined;
  }

  /** Makes a token for commands on this machine: not stored, and void after the next but one. */
  makeLocalToken(): string {
    const token = tokenText(this.#effects.random(token_bytes));
    this.#local = [sha256Hex(token), ...this.#local.slice(0, 1)];
    return token;
  }

  /** Makes a token. Its text is in this answer and nowhere else. */
  create(request: TokenRequest): Promise<{ token: string; id: string }> {
    return this.#lock.run(() => this.#create(request));
  }

  /** One at a time: each is counted before the next. */
  async #create(request: TokenRequest): Promise<{ token: string; id: string }> {
    if (this.#usable() >= access_limits.tokens) {
      throw new Fault("conflict", `there are ${access_limits.tokens} tokens: revoke one first`);
    }
    const token = tokenText(this.#effects.random(token_bytes));
    const row: TokenRow = {
      ...request,
      user_id: request.user_id ?? null,
      id: newId(this.#effects),
      digest: sha256Hex(token),
      created_at: this.#effects.now_us(),
      revoked_at: null,
      last_used_at: null,
    };
    await this.#database.write(({ connection }) => insertToken(connection, row));
    this.#keep(row);
    return { token, id: row.id };
  }

  /** Every token, revoked ones too, the oldest first. */
  list(): readonly TokenInfo[] {
    return [...this.#tokens.values()].map(({ digest: _, ...info }) => ({
      ...info,
      last_used_at: this.#used.get(info.id) ?? info.last_used_at,
    }));
  }

  /** Ends a token at once; again changes nothing. Undefined when there is none of this id. */
  async revoke(
    id: string,
    revoked_at = this.#effects.now_us(),
  ): Promise<TokenInfo | undefined> {
    const row = this.#tokens.get(id);
    if (row !== undefined && row.revoked_at === null) {
      await this.#database.write(({ connection }) => revokeToken(connection, { id, revoked_at }));
      this.#live.delete(row.digest);
      this.#tokens.set(id, { ...this.#tokens.get(id)!, revoked_at });
    }
    return this.list().find((info) => info.id === id);
  }

  /** Stores when tokens were last used; what can't be stored now is kept for the next time. */
  async flush(): Promise<void> {
    this.#flushed_ms = this.#effects.monotonic_ms();
    const uses = this.#used;
    if (uses.size === 0) return;
    this.#used = new Map();
    for (const [id, last_used_at] of uses) {
      const row = this.#tokens.get(id);
      if (row) this.#keep({ ...row, last_used_at });
    }
    try {
      await this.#database.write(({ connection }) => storeUses(connection, uses));
    } catch {
      this.#used = new Map([...uses, ...this.#used]);
    }
  }

  #usable(): number {
    const now_us = this.#effects.now_us();
    return [...this.#live.values()].filter((row) => isUsable(row, now_us)).length;
  }

  #keep(row: TokenRow): void {
    this.#tokens.set(row.id, row);
    if (row.revoked_at === null) this.#live.set(row.digest, row);
  }
}

const local_grant: Grant = {
  token_id: "local",
  name: "command on this machine",
  organization_id: null,
  project_ids: null,
  scopes: ["admin"],
  user_id: null,
};

function toldOf({ last_used_at: _, ...told }: TokenRow): ToldToken {
  return told;
}

function grantOf({ id, name, organization_id, project_ids, scopes, user_id }: TokenRow): Grant {
  return { token_id: id, name, organization_id, project_ids, scopes, user_id };
}

/** Whether a token that is not revoked has not expired either. */
function isUsable({ expires_at }: TokenRow, now_us: number): boolean {
  return expires_at === null || expires_at > now_us;
}
