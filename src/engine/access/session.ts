// Browser sessions in memory: begins, verifies, lists and ends them, and notes their use.
import { sha256Hex } from "../../base/digest.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { Lock } from "../../base/lock.ts";
import { access_limits } from "../../model/access/limits.ts";
import {
  coarseUse,
  isSameSubject,
  sessionEnd,
  type SessionRow,
  type Subject,
  type ToldSession,
  type ToldUses,
} from "../../model/access/session.ts";
import type { Grant } from "../../model/access/token.ts";
import { canSignIn, fullName } from "../../model/access/user.ts";
import {
  deleteSessions,
  deleteSignInLinks,
  insertSession,
  readSessions,
  storeSessionUses,
} from "../../store/access/session.ts";
import type { Database } from "../../store/database.ts";
import type { Access } from "./access.ts";
import type { Users } from "./user.ts";

type Parts = {
  readonly database: Database;
  readonly access: Pick<Access, "grant">;
  readonly users: Pick<Users, "get">;
  readonly effects: Pick<Effects, "now_us" | "monotonic_ms" | "random">;
};

/** What a session begins with. */
export type SessionRequest = Subject & Pick<SessionRow, "via" | "address"> & {
  /** The link that is used up by it. */
  readonly link_digest?: string;
  /** Whether what the browser showed still holds, when its turn has come. */
  readonly holds?: () => boolean;
};

/** A session that holds, and what it allows now. */
export type Session = Omit<SessionRow, "digest"> & {
  readonly grant: Grant;
  /** When it ends if it is not used again. */
  readonly expires_at: number;
};

/** A session in memory: since when it is there and was not used, on the clock that never jumps. */
type Kept = SessionRow & { readonly kept_ms: number; readonly used_ms: number };

/** Every session. A look-up is one hash and one map access, whatever the text. */
export class Sessions {
  readonly #parts: Parts;
  readonly #lock = new Lock();
  readonly #rows = new Map<string, Kept>();
  readonly #by_digest = new Map<string, string>();
  readonly #used = new Set<string>();
  #flushed_ms: number;
  /** By id: what the home says of their use, where it is another that keeps the sessions. */
  #told: ReadonlyMap<string, number> | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#flushed_ms = parts.effects.monotonic_ms();
  }

  /** Reads the sessions. */
  static async open(parts: Parts): Promise<Sessions> {
    const sessions = new Sessions(parts);
    for (const row of await parts.database.read(readSessions)) sessions.#keep(row);
    return sessions;
  }

  /** The session of a cookie's value, which is used by it; undefined for one that is over. */
  verify(secret: string): Session | undefined {
    const row = this.#rows.get(this.#by_digest.get(sha256Hex(secret)) ?? "");
    if (row === undefined || !this.#grantOf(row)) return undefined;
    const { effects } = this.#parts;
    const used_ms = effects.monotonic_ms();
    // A wall clock that was set back for a while ends nothing when it is right again.
    const last_used_at = Math.max(row.last_used_at, effects.now_us());
    const used = { ...row, last_used_at, used_ms };
    this.#rows.set(row.id, used);
    this.#used.add(row.id);
    if (used_ms - this.#flushed_ms >= access_limits.token_use_flush_ms) void this.flush();
    return this.#shown(used);
  }

  /** Every session that holds, the oldest first. */
  list(): readonly Session[] {
    return [...this.#rows.values()].flatMap((row) => this.#shown(row) ?? []);
  }

  /** What others are told of those that hold. */
  get told(): readonly ToldSession[] {
    return [...this.#rows.values()].flatMap((row) => this.#grantOf(row) ? [toldOf(row)] : []);
  }

  /** The same of one. */
  toldOf(id: string): ToldSession | undefined {
    const row = this.#rows.get(id);
    return row && toldOf(row);
  }

  /** Whether another keeps the sessions, who may have one that is not known here yet. */
  get is_told(): boolean {
    return this.#told !== undefined;
  }

  /** Takes over which sessions their home has: no other holds here. */
  adopt(told: readonly ToldSession[]): void {
    const before = new Map(this.#rows);
    this.#told = new Map(told.map((row) => [row.id, row.last_used_at]));
    this.#forget([...before.keys()]);
    for (const row of told) {
      const known = before.get(row.id);
      if (known) this.#put(this.#usedAt(known, row.last_used_at));
      else this.meet(row);
    }
  }

  /** Takes one over that began a moment ago, until its home tells it to all, or for a moment. */
  meet(told: ToldSession): void {
    this.#keep({ ...told, address: null });
  }

  /** Which were used here since their home heard of it. */
  get uses(): ToldUses {
    return Object.fromEntries(
      [...this.#rows.values()].flatMap((row) => {
        const use = coarseUse(row);
        return use > (this.#told?.get(row.id) ?? use) ? [[row.id, use]] : [];
      }),
    );
  }

  /** Hears that sessions were used elsewhere. */
  hearUses(uses: ToldUses): void {
    for (const [id, told_us] of Object.entries(uses)) {
      const row = this.#rows.get(id);
      const used = row && this.#usedAt(row, told_us);
      if (used === undefined || used === row) continue;
      this.#rows.set(id, used);
      this.#used.add(id);
    }
  }

  /** A session as it is since it was used elsewhere; the same where it was used later here. */
  #usedAt(row: Kept, told_us: number): Kept {
    const { effects } = this.#parts;
    const now_us = effects.now_us();
    const last_used_at = Math.min(told_us, now_us);
    if (row.last_used_at >= last_used_at) return row;
    const used_ms = effects.monotonic_ms() - (now_us - last_used_at) / 1000;
    return { ...row, last_used_at, used_ms: Math.max(row.used_ms, used_ms) };
  }

  /**
   * Begins a session and gives its cookie's value, which is nowhere else. Whoever has too many
   * loses the one that was not used for longest. Throws a `Fault`: unauthorized for who can't sign
   * in, conflict where there are too many in all.
   */
  begin(request: SessionRequest): Promise<{ readonly secret: string; readonly session: Session }> {
    return this.#lock.run(async () => {
      const { link_digest, holds = () => true, ...begun } = request;
      const { effects, database } = this.#parts;
      const secret = randomText(effects);
      const now_us = effects.now_us();
      const row: SessionRow = {
        ...begun,
        id: newId(effects),
        digest: sha256Hex(secret),
        created_at: now_us,
        last_used_at: now_us,
      };
      const session = this.#shown(this.#kept(row));
      if (session === undefined || !holds()) throw notSignedIn();
      const over = [...this.#over(), ...this.#surplus(row)];
      if (this.#rows.size - over.length >= access_limits.sessions) {
        throw new Fault("conflict", `there are ${access_limits.sessions} sessions`);
      }
      this.#forget(over);
      await database.write(async ({ connection }) => {
        await deleteSessions(connection, over);
        if (link_digest !== undefined) await deleteSignInLinks(connection, [link_digest]);
        await insertSession(connection, row);
      });
      this.#keep(row);
      return { secret, session };
    });
  }

  /** Ends those sessions of `ids` that there are. */
  async end(ids: readonly string[]): Promise<void> {
    this.#forget(ids);
    await this.#parts.database.write(({ connection }) => deleteSessions(connection, ids));
  }

  /** Does `first`, and ends every session of a user but `own`; none begins meanwhile. */
  endOf(
    user_id: string,
    { own, first = () => Promise.resolve() }: {
      readonly own?: string;
      readonly first?: () => Promise<void>;
    } = {},
  ): Promise<void> {
    return this.#lock.run(async () => {
      await first();
      const all = [...this.#rows.values()];
      await this.end(
        all.filter((row) => row.user_id === user_id && row.id !== own).map(({ id }) => id),
      );
    });
  }

  /** Stores when sessions were last used, and deletes what is over. */
  async flush(): Promise<void> {
    this.#flushed_ms = this.#parts.effects.monotonic_ms();
    const over = this.#over();
    this.#forget(over);
    // Its home stores what others tell it.
    if (this.is_told) return this.#used.clear();
    const ids = [...this.#used];
    this.#used.clear();
    if (over.length + ids.length === 0) return;
    const uses = new Map(ids.flatMap((id) => {
      const row = this.#rows.get(id);
      return row ? [[id, row.last_used_at]] : [];
    }));
    try {
      await this.#parts.database.write(async ({ connection }) => {
        await deleteSessions(connection, over);
        if (uses.size > 0) await storeSessionUses(connection, uses);
      });
    } catch {
      // What can't be stored now is kept for the next time; what is over is never read again.
      for (const id of ids) this.#used.add(id);
    }
  }

  #kept(row: SessionRow): Kept {
    const now_ms = this.#parts.effects.monotonic_ms();
    return { ...row, kept_ms: now_ms, used_ms: now_ms };
  }

  #shown(row: Kept): Session | undefined {
    const grant = this.#grantOf(row);
    if (grant === undefined) return undefined;
    const { digest: _, kept_ms: __, used_ms: ___, ...session } = row;
    const now_us = this.#parts.effects.now_us();
    return { ...session, grant, expires_at: now_us + this.#leftUs(row) };
  }

  /** How long a session lasts if it is not used again: by either clock, whichever is first. */
  #leftUs(row: Kept): number {
    const { effects } = this.#parts;
    const end_us = sessionEnd({ created_at: row.kept_ms * 1000, last_used_at: row.used_ms * 1000 });
    const left_us = Math.round(end_us - effects.monotonic_ms() * 1000);
    return Math.min(sessionEnd(row) - effects.now_us(), left_us);
  }

  /** What a session allows now; undefined where it is over. */
  #grantOf(row: Kept): Grant | undefined {
    const { access, users } = this.#parts;
    if (this.#leftUs(row) <= 0 || !this.#isSure(row)) return undefined;
    if (row.token_id !== null) {
      const grant = access.grant(row.token_id);
      const actor = users.get(grant?.user_id ?? "");
      return actor && actor.disabled_at !== null ? undefined : grant;
    }
    const user = users.get(row.user_id!);
    if (user === undefined || !canSignIn(user)) return undefined;
    const { id: user_id, organization_id, project_ids, scopes } = user;
    const name = fullName(user);
    // However many browsers a user has, they share what one token may take.
    return { token_id: user_id, name, organization_id, project_ids, scopes, user_id };
  }

  /**
   * Whether its home still has it for all that is known. One that ends before its home has told it
   * is never told: so who was asked for it once is asked again.
   */
  #isSure({ id, kept_ms }: Kept): boolean {
    if (this.#told === undefined || this.#told.has(id)) return true;
    return this.#parts.effects.monotonic_ms() - kept_ms < access_limits.met_ms;
  }

  #over(): readonly string[] {
    return [...this.#rows.values()].filter((row) => !this.#grantOf(row)).map(({ id }) => id);
  }

  /** What has to go so that one more of the same user or token has room. */
  #surplus(subject: Subject): readonly string[] {
    const own = [...this.#rows.values()]
      .filter((row) => isSameSubject(row, subject) && this.#grantOf(row))
      .sort((a, b) => b.last_used_at - a.last_used_at);
    return own.slice(access_limits.sessions_per_user - 1).map(({ id }) => id);
  }

  #keep(row: SessionRow): void {
    this.#put(this.#kept(row));
  }

  #put(row: Kept): void {
    this.#rows.set(row.id, row);
    this.#by_digest.set(row.digest, row.id);
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) {
      const row = this.#rows.get(id);
      if (row) this.#by_digest.delete(row.digest);
      this.#rows.delete(id);
      this.#used.delete(id);
    }
  }
}

function toldOf({ address: _, kept_ms: __, used_ms: ___, ...row }: Kept): ToldSession {
  return { ...row, last_used_at: coarseUse(row) };
}

/** A text that nobody guesses: 32 bytes of chance. */
export function randomText({ random }: Pick<Effects, "random">): string {
  return random(32).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The refusal of whoever can't sign in, the same whatever the reason is. */
export function notSignedIn(): Fault {
  return new Fault("unauthorized", "that does not sign in: it is wrong, used, expired or revoked");
}
