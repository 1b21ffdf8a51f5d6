// The users of organizations in memory: made, changed, disabled, and found by id or e-mail.
import type { Effects } from "../../base/effects.ts";
import { meant } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { access_limits } from "../../model/access/limits.ts";
import { allows, covers, type Grant, type Scope } from "../../model/access/token.ts";
import {
  emailKey,
  isNamed,
  parseUser,
  parseUserChange,
  type User,
  userRefusal,
} from "../../model/access/user.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { changeUser, insertUser, readUsers } from "../../store/access/access.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { resolveReach } from "./reach_request.ts";

type Parts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** Who makes or changes a user: a token's grant; absent for the operator of the machine. */
type UserMaker = { readonly grant?: Grant };

/** Every user. An answer never tells a token of users that it does not reach. */
export class Users {
  readonly #parts: Parts;
  readonly #users = new Map<string, User>();
  #version = 0;
  /** Told of each user who was changed or disabled. */
  onChange: (user: User) => Promise<void> | void = () => {};
  /** The same by `emailKey`; made when it is asked for, gone with every change. */
  #by_email: ReadonlyMap<string, readonly User[]> | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reads the users. */
  static async open(parts: Parts): Promise<Users> {
    const users = new Users(parts);
    await users.reload();
    return users;
  }

  /** Reads the users again: after others than this wrote them; none goes. */
  async reload(): Promise<void> {
    for (const user of await this.#parts.database.read(readUsers)) this.#keep(user);
  }

  /** Rises with every change. */
  get version(): number {
    return this.#version;
  }

  /** The user of an id, disabled or not. */
  get(id: string): User | undefined {
    return this.#users.get(id);
  }

  /** The address of an organization's user; undefined where it has no such user. */
  emailOf(id: string, organization_id: string): string | undefined {
    const user = this.#users.get(id);
    return user?.organization_id === organization_id ? user.email : undefined;
  }

  /** Every user whose organization the maker reaches whole, disabled ones too, the oldest first. */
  list({ grant }: UserMaker = {}): readonly User[] {
    return [...this.#users.values()].filter((user) => !grant || reachesUser(grant, user));
  }

  /** The users of an organization who can act. */
  ofOrganization(organization_id: string): readonly User[] {
    return [...this.#users.values()].filter((user) =>
      user.organization_id === organization_id && user.disabled_at === null
    );
  }

  /** The users who can act and whom `word` names, by id or e-mail; one an organization at most. */
  named(word: string): readonly User[] {
    this.#by_email ??= Map.groupBy(this.#users.values(), ({ email }) => emailKey(email));
    const found = new Set(this.#by_email.get(emailKey(word)));
    const by_id = this.#users.get(word);
    if (by_id) found.add(by_id);
    return [...found].filter(({ disabled_at }) => disabled_at === null);
  }

  /**
   * Stores a new user from plain data. Throws a `Fault`: invalid with every flaw, forbidden where
   * the maker does not reach the organization, conflict where it has a user with this address.
   */
  async create(data: unknown, { grant }: UserMaker = {}): Promise<User> {
    const { organization, projects, ...person } = parseUser(data);
    const { database, effects } = this.#parts;
    const organization_id = this.#resolve(organization, grant);
    requireScopes(person.scopes, grant);
    const user: User = {
      id: newId(effects),
      organization_id,
      ...person,
      project_ids: this.#projectIds(projects, organization_id),
      created_at: effects.now_us(),
      disabled_at: null,
    };
    await database.write(async ({ connection }) => {
      await refuseTwin(connection, user);
      await insertUser(connection, user);
    });
    this.#keep(user);
    return user;
  }

  /**
   * Makes a user what plain data say. Throws a `Fault`: invalid with every flaw, not_found, or
   * conflict where another of the organization has the address.
   */
  async change(id: string, data: unknown, { grant }: UserMaker = {}): Promise<User> {
    const { organization_id } = this.#known(id, grant);
    const { disabled, projects, ...person } = parseUserChange(data);
    requireScopes(person.scopes, grant);
    const project_ids = this.#projectIds(projects, organization_id);
    return await this.#store(id, (user) => ({
      ...user,
      ...person,
      project_ids,
      disabled_at: disabled ? user.disabled_at ?? this.#parts.effects.now_us() : null,
    }));
  }

  /** From now on the user can't act; again changes nothing. Throws a `Fault` (not_found). */
  async disable(id: string, { grant }: UserMaker = {}): Promise<User> {
    this.#known(id, grant);
    const disabled_at = this.#parts.effects.now_us();
    return await this.#store(id, (user) => ({
      ...user,
      disabled_at: user.disabled_at ?? disabled_at,
    }));
  }

  /** The user of an id. Throws a `Fault` (not_found) where the maker does not reach it. */
  reached(id: string, { grant }: UserMaker = {}): User {
    return this.#known(id, grant);
  }

  /** Makes a user do what plain data say of scopes and projects alone. Throws as `change` does. */
  async allow(
    id: string,
    { scopes, projects }: { readonly scopes: readonly string[]; readonly projects?: string[] },
  ): Promise<User> {
    const { email, first_name, last_name, disabled_at } = this.#known(id, undefined);
    const disabled = disabled_at !== null;
    return await this.change(id, { email, first_name, last_name, disabled, scopes, projects });
  }

  async #store(id: string, changed: (user: User) => User): Promise<User> {
    const user = await this.#parts.database.write(async ({ connection }) => {
      const stored = (await readUsers(connection)).find((it) => it.id === id)!;
      const user = changed(stored);
      await refuseTwin(connection, user);
      await changeUser(connection, user);
      return user;
    });
    this.#keep(user);
    await this.onChange(user);
    return user;
  }

  #keep(user: User): void {
    this.#users.set(user.id, user);
    this.#version++;
    this.#by_email = undefined;
  }

  /** A user whom the maker reaches, and who may do no more than the maker. */
  #known(id: string, grant: Grant | undefined): User {
    const user = this.#users.get(id);
    if (user !== undefined && (!grant || reachesUser(grant, user))) {
      requireScopes(user.scopes, grant);
      return user;
    }
    // What may be an address is not repeated.
    const shown = id.includes("@") ? "of this address" : JSON.stringify(id.slice(0, 100));
    throw new Fault("not_found", `there is no user ${shown}`);
  }

  /** The ids of projects of an organization by their words. */
  #projectIds(
    projects: string[] | undefined,
    organization: string,
  ): readonly string[] | null {
    const refuse = { invalid: userRefusal, forbidden: tooWide };
    const { catalog } = this.#parts;
    return resolveReach({ organization, projects }, { catalog, refuse }).project_ids;
  }

  /** The id of an organization by its word, or the maker's own. */
  #resolve(word: string | undefined, grant: Grant | undefined): string {
    const own = grant?.organization_id ?? undefined;
    const { organizations } = this.#parts.catalog;
    const organization_id = word === undefined
      ? own
      : organizations.find(({ id, key }) => id === word || key === word)?.id;
    const reached = organization_id !== undefined && grant !== undefined &&
      reachesUser(grant, { organization_id });
    if (organization_id !== undefined && (reached || !grant)) return organization_id;
    // A limited maker must not learn what else exists.
    if (grant?.organization_id || grant?.project_ids) {
      throw new Fault("forbidden", "the token does not reach the whole organization");
    }
    const message = word === undefined
      ? "say of which organization"
      : `there is no ${JSON.stringify(word)}${meant(word, organizations.map(({ key }) => key))}`;
    throw userRefusal([{ path: "organization", message }]);
  }
}

/** Users belong to a whole organization: a token of some of its projects does not reach them. */
function reachesUser(grant: Grant, { organization_id }: Pick<User, "organization_id">): boolean {
  return covers(grant, { organization_id, project_ids: null });
}

/** Nobody gives, or takes over, more than they may do themselves. */
function requireScopes(scopes: readonly Scope[], grant: Grant | undefined): void {
  if (grant && !scopes.every((scope) => allows(grant, scope))) throw tooWide();
}

function tooWide(): Fault {
  return new Fault("forbidden", "the user may do more than the token");
}

async function refuseTwin(connection: Connection, user: User): Promise<void> {
  const users = await readUsers(connection);
  if (users.length >= access_limits.users && !users.some(({ id }) => id === user.id)) {
    throw new Fault("conflict", `there are ${access_limits.users} users`);
  }
  const twin = users.find(({ id, organization_id, email }) =>
    id !== user.id && organization_id === user.organization_id && isNamed(user, email)
  );
  if (twin === undefined) return;
  const message = "another user of the organization has this address";
  throw new Fault("conflict", `email: ${message}`, { flaws: [{ path: "email", message }] });
}
