// Links that read one thing, in memory: made, found by their secret, listed, revoked.
import { sha256Hex } from "../../base/digest.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { Lock } from "../../base/lock.ts";
import { access_limits } from "../../model/access/limits.ts";
import type { LinkRead, ReadLink } from "../../model/access/read_link.ts";
import { covers, type Grant, token_bytes, tokenText } from "../../model/access/token.ts";
import { canSignIn, fullName } from "../../model/access/user.ts";
import { isSecretOf } from "../../model/webhooks/signature.ts";
import {
  deleteReadLinks,
  insertReadLink,
  readReadLinks,
  revokeReadLink,
} from "../../store/access/read_link.ts";
import type { Database } from "../../store/database.ts";
import type { Access } from "./access.ts";
import type { Users } from "./user.ts";

type Parts = {
  readonly database: Database;
  readonly access: Pick<Access, "grant" | "list">;
  readonly users: Pick<Users, "get">;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** What a new link is to be. */
export type LinkRequest = {
  readonly name: string;
  readonly read: LinkRead;
  readonly format: string;
  /** Microseconds since 1970 UTC. */
  readonly expires_at: number;
};

/** Every link. One has the rights that its maker has when it is read, and ends with the maker. */
export class ReadLinks {
  readonly #parts: Parts;
  readonly #lock = new Lock();
  readonly #links = new Map<string, ReadLink>();

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reads the links. */
  static async open(parts: Parts): Promise<ReadLinks> {
    const links = new ReadLinks(parts);
    for (const link of await parts.database.read(readReadLinks)) links.#links.set(link.id, link);
    return links;
  }

  /** Whose link it would be. Throws a `Fault` (forbidden) for who is not kept. */
  makerOf({ token_id, user_id }: Grant): Pick<ReadLink, "token_id" | "user_id"> {
    if (this.#parts.access.grant(token_id)) return { token_id, user_id: null };
    if (user_id !== null) return { token_id: null, user_id };
    throw new Fault("forbidden", "a link ends with the token that made it: make a token for it");
  }

  /**
   * Makes a link. Its secret is in this answer and nowhere else. Throws a `Fault` (conflict) where
   * there are too many.
   */
  create(request: LinkRequest, grant: Grant): Promise<{ link: ReadLink; secret: string }> {
    return this.#lock.run(async () => {
      const { effects, database } = this.#parts;
      const maker = this.makerOf(grant);
      this.#requireRoom(maker);
      const secret = tokenText(effects.random(token_bytes)).slice(-43);
      const created_at = effects.now_us();
      const link: ReadLink = {
        ...request,
        ...maker,
        ...{ id: newId(effects), digest: sha256Hex(secret), created_at, revoked_at: null },
      };
      const over = this.#forgettable();
      await database.write(async ({ connection }) => {
        await deleteReadLinks(connection, over);
        await insertReadLink(connection, link);
      });
      over.forEach((id) => this.#links.delete(id));
      this.#links.set(link.id, link);
      return { link, secret };
    });
  }

  /** What the maker of a link may do now, by its id and secret; undefined where it has ended. */
  verify(id: string, secret: string): Grant | undefined {
    const link = this.#links.get(id);
    // One that is unknown takes as long.
    const isOwn = isSecretOf(secret, link?.digest ?? no_digest);
    const grant = link && this.#isLive(link) ? this.#grantOf(link) : undefined;
    return isOwn ? grant : undefined;
  }

  /** The ids of all links. */
  get ids(): readonly string[] {
    return [...this.#links.keys()];
  }

  /** The link of an id. */
  get(id: string): ReadLink | undefined {
    return this.#links.get(id);
  }

  /** Whether a link holds now. */
  holds(link: ReadLink): boolean {
    return this.#isLive(link) && this.#grantOf(link) !== undefined;
  }

  /** The links that a grant can see: its own, and as an administrator those of who it covers. */
  list(grant: Grant): readonly ReadLink[] {
    return [...this.#links.values()].filter((link) => this.#isSeenBy(link, grant));
  }

  /** Revokes a link for good; undefined where the grant sees none of that id. */
  revoke(id: string, grant: Grant): Promise<ReadLink | undefined> {
    return this.#lock.run(async () => {
      const link = this.#links.get(id);
      if (link === undefined || !this.#isSeenBy(link, grant)) return undefined;
      if (link.revoked_at !== null) return link;
      const revoked_at = this.#parts.effects.now_us();
      await this.#parts.database.write(({ connection }) =>
        revokeReadLink(connection, { id, revoked_at })
      );
      const revoked = { ...link, revoked_at };
      this.#links.set(id, revoked);
      return revoked;
    });
  }

  #isLive({ id, expires_at }: ReadLink): boolean {
    const revoked_at = this.#links.get(id)?.revoked_at;
    return revoked_at === null && expires_at > this.#parts.effects.now_us();
  }

  #grantOf({ token_id, user_id }: ReadLink): Grant | undefined {
    const { access, users } = this.#parts;
    if (token_id !== null) {
      const grant = access.grant(token_id);
      const actor = users.get(grant?.user_id ?? "");
      return actor && actor.disabled_at !== null ? undefined : grant;
    }
    const user = users.get(user_id!);
    if (user === undefined || !canSignIn(user)) return undefined;
    const { id, organization_id, project_ids, scopes } = user;
    const name = fullName(user);
    return { token_id: id, name, organization_id, project_ids, scopes, user_id: id };
  }

  #isSeenBy(link: ReadLink, grant: Grant): boolean {
    const isOwn = link.token_id === grant.token_id ||
      link.user_id !== null && link.user_id === grant.user_id;
    if (isOwn || !grant.scopes.includes("admin")) return isOwn;
    const { access, users } = this.#parts;
    const maker = link.token_id === null
      ? users.get(link.user_id!)
      : access.list().find(({ id }) => id === link.token_id);
    return covers(grant, maker ?? { organization_id: null, project_ids: null });
  }

  #requireRoom(maker: Pick<ReadLink, "token_id" | "user_id">): void {
    const live = [...this.#links.values()].filter((link) => this.#isLive(link));
    const own = live.filter(({ token_id, user_id }) =>
      token_id === maker.token_id && user_id === maker.user_id
    );
    if (own.length >= access_limits.read_links_per_maker) {
      throw new Fault("conflict", `there are ${own.length} links of yours: remove one first`);
    }
    if (live.length >= access_limits.read_links) {
      throw new Fault("conflict", `there are ${live.length} links: remove one first`);
    }
  }

  /** Those that ended long ago; until then, they tell what there was. */
  #forgettable(): readonly string[] {
    const before_us = this.#parts.effects.now_us() - access_limits.read_link_kept_us;
    return [...this.#links.values()]
      .filter((it) => Math.min(it.expires_at, it.revoked_at ?? Infinity) < before_us)
      .map(({ id }) => id);
  }
}

const no_digest = "0".repeat(64);
