// Signing in: what a browser shows becomes a session, and what is tried in vain is bounded.
import { sha256Hex } from "../../base/digest.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { access_limits } from "../../model/access/limits.ts";
import {
  isSameSubject,
  type LinkRow,
  type SessionRow,
  type Subject,
} from "../../model/access/session.ts";
import { canSignIn, emailKey, type User } from "../../model/access/user.ts";
import {
  deleteSignInLinks,
  insertSignInLink,
  readSignInLinks,
} from "../../store/access/session.ts";
import type { Database } from "../../store/database.ts";
import type { Access } from "./access.ts";
import { Passwords } from "./password.ts";
import { notSignedIn, randomText, type Session, type SessionRequest, Sessions } from "./session.ts";
import { addressKey, Throttle, type Tried } from "./throttle.ts";
import type { Users } from "./user.ts";

type Parts = {
  readonly database: Database;
  readonly access: Access;
  readonly users: Users;
  readonly effects: Pick<Effects, "now_us" | "monotonic_ms" | "random">;
};

/** Where a browser signs in from; null where that is not known. */
type From = Pick<SessionRow, "address">;

/** An e-mail address with its password; the organization, by id or key, where several have it. */
type Login = {
  readonly email: string;
  readonly password: string;
  readonly organization_id?: string;
};

type Begun = ReturnType<Sessions["begin"]>;

/** A link in memory: since when, on the clock that never jumps. */
type KeptLink = LinkRow & { readonly kept_ms: number };

/** The ways to sign in, but OpenID Connect's own part. */
export class SignIn {
  readonly sessions: Sessions;
  /** The user whom a browser on this machine may sign in as; only the demo has one. */
  demo_user_id: string | undefined;
  readonly #parts: Parts;
  readonly #passwords: Passwords;
  readonly #throttle: Throttle;
  readonly #links = new Map<string, KeptLink>();

  private constructor(parts: Parts, sessions: Sessions, passwords: Passwords) {
    this.#parts = parts;
    this.sessions = sessions;
    this.#passwords = passwords;
    this.#throttle = new Throttle({
      effects: parts.effects,
      window_ms: access_limits.failures_ms,
      what: "attempts to sign in failed",
    });
  }

  /** Reads sessions, links and passwords. A user who can't sign in any more is signed out. */
  static async open(parts: Parts): Promise<SignIn> {
    const sessions = await Sessions.open(parts);
    const sign_in = new SignIn(parts, sessions, await Passwords.open(parts));
    for (const link of await parts.database.read(readSignInLinks)) {
      sign_in.#keep(link);
    }
    await sessions.flush();
    parts.users.onChange = (user) => sign_in.#follow(user);
    return sign_in;
  }

  /** How many passwords were hashed since the start. */
  get hashed(): number {
    return this.#passwords.worked;
  }

  /** Signs in with an access token. Throws a `Fault`: unauthorized, or too_many. */
  withToken(token: string, { address }: From): Begun {
    return this.#try([ofAddress(address)], () => {
      const grant = this.#parts.access.verify(token);
      if (grant === undefined) throw notSignedIn();
      return { user_id: null, token_id: grant.token_id, via: "token", address };
    });
  }

  /** Signs in with a link's code, once. Throws likewise. */
  withLink(code: string, { address }: From): Begun {
    return this.#try([ofAddress(address)], () => {
      const digest = sha256Hex(code);
      const link = this.#links.get(digest);
      this.#links.delete(digest);
      if (link === undefined || this.#isOver(link)) throw notSignedIn();
      const { user_id, token_id } = link;
      return { user_id, token_id, via: "link", address, link_digest: digest };
    });
  }

  /** Signs in with a password. Throws likewise, as soon for a user that there is not. */
  withPassword({ email, password, organization_id }: Login, { address }: From): Begun {
    return this.#try([ofAccount(email), ofAddress(address), of_all], async () => {
      const found = this.#known(email, organization_id);
      const user_id = found?.id;
      const hash = this.#passwords.hashOf(user_id);
      const fits = await this.#passwords.check(user_id, password);
      if (!fits || user_id === undefined) throw notSignedIn();
      const holds = () => this.#passwords.hashOf(user_id) === hash;
      return { user_id, token_id: null, via: "password", address, holds };
    });
  }

  /** Signs in whose e-mail address a provider tells. Throws likewise, and what `ask` throws. */
  withProvider(ask: () => Promise<string | undefined>, { address }: From): Begun {
    return this.#try([ofAddress(address)], async () => {
      const user = this.#known(await ask() ?? "");
      if (user === undefined) throw notSignedIn();
      return { user_id: user.id, token_id: null, via: "oidc", address };
    });
  }

  /** Signs in as the demo's user. Throws a `Fault` (forbidden) where the service is no demo. */
  asDemo({ address }: From): Begun {
    const user_id = this.demo_user_id;
    if (user_id === undefined) throw new Fault("forbidden", "the service is no demo");
    return this.sessions.begin({ user_id, token_id: null, via: "demo", address });
  }

  /**
   * Gives a session's user a password, and ends the user's other sessions. Throws a `Fault`:
   * forbidden where the session is a token's, or the old password is wrong, unless the session
   * began with a link.
   */
  async setPassword(
    { id: own, user_id, via, address }: Session,
    { password, current }: { readonly password: string; readonly current?: string },
  ): Promise<void> {
    const user = this.#parts.users.get(user_id ?? "");
    if (user === undefined) throw new Fault("forbidden", "a token has no password");
    const tried = [ofAccount(user.email), ofAddress(address), of_all];
    const isRight = () => this.#passwords.check(user.id, current ?? "");
    if (via !== "link" && !await this.#counted(tried, isRight)) {
      throw new Fault("forbidden", "the current password is wrong: sign in by a link to set one");
    }
    const first = () => this.#passwords.set(user.id, password);
    await this.sessions.endOf(user.id, { own, first });
  }

  /** The same for a user. Throws a `Fault` (conflict) for one who can't sign in. */
  makeUserLink(user: User): ReturnType<SignIn["makeLink"]> {
    if (canSignIn(user)) return this.makeLink({ user_id: user.id, token_id: null });
    throw new Fault("conflict", "the user is disabled, or has no scopes");
  }

  /** The code of a new link, in place of one before for the same user or token. */
  async makeLink(
    subject: Subject,
  ): Promise<{ readonly code: string; readonly expires_at: number }> {
    const { effects, database } = this.#parts;
    const code = randomText(effects);
    const expires_at = effects.now_us() + access_limits.link_us;
    const row: LinkRow = { ...subject, digest: sha256Hex(code), expires_at };
    const old = this.#takeLinks((link) => this.#isOver(link) || isSameSubject(link, subject));
    await database.write(async ({ connection }) => {
      await deleteSignInLinks(connection, old);
      await insertSignInLink(connection, row);
    });
    this.#keep(row);
    return { code, expires_at };
  }

  #try(
    tried: readonly Tried[],
    show: () => SessionRequest | Promise<SessionRequest>,
  ): Begun {
    return this.#counted(tried, async () => await this.sessions.begin(await show()));
  }

  /** A try counts as failed until it has given something; one that was not judged does not. */
  async #counted<T>(tried: readonly Tried[], work: () => Promise<T>): Promise<T> {
    const giveBack = this.#throttle.take(tried);
    let failed = true;
    try {
      const given = await work();
      failed = given === false;
      return given;
    } catch (error) {
      failed = !(error instanceof Fault) || error.code === "unauthorized";
      throw error;
    } finally {
      if (!failed) giveBack();
    }
  }

  /** The only user who can sign in with an address. */
  #known(email: string, organization_id?: string): User | undefined {
    const found = this.#parts.users.named(email).filter((user) =>
      canSignIn(user) && emailKey(user.email) === emailKey(email) &&
      (organization_id === undefined || user.organization_id === organization_id)
    );
    return found.length === 1 ? found[0] : undefined;
  }

  async #follow(user: User): Promise<void> {
    if (canSignIn(user)) return;
    const old = this.#takeLinks(({ user_id }) => user_id === user.id);
    await this.#parts.database.write(({ connection }) => deleteSignInLinks(connection, old));
    await this.sessions.endOf(user.id);
  }

  #keep(link: LinkRow): void {
    this.#links.set(link.digest, { ...link, kept_ms: this.#parts.effects.monotonic_ms() });
  }

  /** By either clock: one that is set back makes no link last longer. */
  #isOver({ expires_at, kept_ms }: KeptLink): boolean {
    const { effects } = this.#parts;
    const age_us = (effects.monotonic_ms() - kept_ms) * 1000;
    return expires_at <= effects.now_us() || age_us >= access_limits.link_us;
  }

  /** Forgets links, and gives their digests. */
  #takeLinks(wanted: (link: KeptLink) => boolean): readonly string[] {
    const taken = [...this.#links.values()].filter(wanted).map(({ digest }) => digest);
    for (const digest of taken) this.#links.delete(digest);
    return taken;
  }
}

const of_all: Tried = { key: "all", most: access_limits.failures };

function ofAddress(address: string | null): Tried {
  return { key: addressKey(address), most: access_limits.failures_per_address };
}

function ofAccount(email: string): Tried {
  return { key: `account ${emailKey(email)}`, most: access_limits.failures_per_account };
}
