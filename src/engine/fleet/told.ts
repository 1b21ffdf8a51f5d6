// What a shard tells all others, and what it takes over from them.
import { compareText } from "../../base/bytes.ts";
import { home_shard, type Notice } from "../../model/fleet/shard.ts";
import type { ToldUses } from "../../model/access/session.ts";
import type { Project, Site } from "../../model/plant/plant.ts";
import { changeUser, insertToken, insertUser, revokeToken } from "../../store/access/access.ts";
import type { Connection } from "../../store/connection.ts";
import { plant_kinds, type PlantRows, putRows } from "../../store/site/site.ts";
import type { Access } from "../access/access.ts";
import type { Users } from "../access/user.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Parts } from "../service/service.ts";

type Knowing = Pick<
  Parts,
  | "database"
  | "access"
  | "users"
  | "sign_in"
  | "catalog"
  | "effects"
  | "subscriptions"
  | "signing"
  | "read_links"
>;

const nothing: Notice = { organizations: [], projects: [], sites: [], tokens: [], users: [] };

/**
 * What a shard tells: the home who may do what and who gets webhooks, each other one what belongs
 * to it, and of which receivers it despaired.
 */
export function toldBy(no: number, parts: Knowing): Notice {
  const { access, users, catalog, subscriptions, signing, read_links } = parts;
  const { sessions } = parts.sign_in;
  const links = read_links.ids;
  const listed = subscriptions.list();
  if (no === home_shard) {
    const webhooks = {
      subscriptions: listed.map((it) => ({
        subscription: it,
        secrets: subscriptions.secretsOf(it),
      })),
      keys: signing.kept,
    };
    const people = { tokens: access.told, users: users.list(), sessions: sessions.told };
    return { ...nothing, ...people, webhooks, links };
  }
  const { organizations, projects } = catalog;
  const sites = catalog.sites.map((site) => ({
    ...site,
    project_id: catalog.projectByNo(site.project_no)!.id,
  }));
  const disabled = listed.filter(({ state }) => state === "disabled")
    .map(({ id, updated_at, reason }) => ({ id, updated_at, reason: reason ?? "" }));
  const { uses } = sessions;
  return { ...nothing, organizations, projects, sites, disabled, links, uses };
}

/** Everything that some shards tell, in the order in which it was made: identifiers rise. */
export function allTold(told: Iterable<Notice>): Notice {
  const all = [...told];
  const byId = <Row extends { readonly id: string }>(
    rows: readonly Row[],
  ) =>
    [...new Map(rows.map((row) => [row.id, row])).values()]
      .toSorted((a, b) => compareText(a.id, b.id));
  return {
    organizations: byId(all.flatMap((it) => it.organizations)),
    projects: byId(all.flatMap((it) => it.projects)),
    sites: byId(all.flatMap((it) => it.sites)),
    tokens: all.flatMap((it) => it.tokens),
    users: all.flatMap((it) => it.users),
    disabled: all.flatMap((it) => it.disabled ?? []),
    uses: latestUses(all.map((it) => it.uses ?? {})),
  };
}

/** When each session was used last, wherever that was. */
function latestUses(told: readonly ToldUses[]): ToldUses {
  const latest = new Map<string, number>();
  for (const [id, use] of told.flatMap((it) => Object.entries(it))) {
    latest.set(id, Math.max(use, latest.get(id) ?? use));
  }
  return Object.fromEntries(latest);
}

/** Takes over what others told: the home which projects there are, others who may do what. */
export async function adoptTold(no: number, told: Notice, parts: Knowing): Promise<void> {
  const { database, catalog, subscriptions, signing, sign_in } = parts;
  if (no !== home_shard) {
    await adoptPeople(withEnded(told), parts);
    sign_in.sessions.adopt(told.sessions ?? []);
    if (told.webhooks === undefined) return;
    await signing.adopt(told.webhooks.keys);
    return await subscriptions.adopt(told.webhooks.subscriptions);
  }
  sign_in.sessions.hearUses(told.uses ?? {});
  for (const { id, revoked_at } of told.ended ?? []) await parts.access.revoke(id, revoked_at);
  for (const one of told.disabled ?? []) await subscriptions.adoptDisabled(one);
  const rows = plantRows(told, catalog);
  if (rows === undefined) return;
  await database.write(({ connection }) => putRows(connection, rows));
  await catalog.reload();
}

/** What the home told, with what ended since, which it does not know yet. */
function withEnded({ tokens, ended = [], ...told }: Notice): Notice {
  const ends = new Map(ended.map(({ id, revoked_at }) => [id, revoked_at]));
  return {
    ...told,
    tokens: tokens.map((it) => ({ ...it, revoked_at: it.revoked_at ?? ends.get(it.id) ?? null })),
  };
}

/**
 * The rows of the projects and sites of other shards, with numbers of the home's own; undefined
 * where it has them all.
 */
function plantRows(
  told: Notice,
  catalog: Pick<Catalog, "organizations" | "projects" | "sites">,
): PlantRows | undefined {
  const numbered = numbersOf(catalog.projects, ({ project_no }) => project_no);
  const sited = numbersOf(catalog.sites, ({ site_no }) => site_no);
  const project = told.projects.map((it): Project => ({ ...it, project_no: numbered(it.id) }));
  const site = told.sites.map(({ project_id, ...it }): Site => (
    { ...it, site_no: sited(it.id), project_no: numbered(project_id) }
  ));
  const wanted = { organization: told.organizations, project, site };
  const known = new Set(
    [...catalog.organizations, ...catalog.projects, ...catalog.sites].map((it) => textOf(it)),
  );
  if (Object.values(wanted).flat().every((row) => known.has(textOf(row)))) return undefined;
  const none = Object.fromEntries(plant_kinds.map((kind) => [kind, []])) as unknown as PlantRows;
  return { ...none, ...wanted };
}

function textOf(row: object): string {
  return JSON.stringify(Object.entries(row).toSorted(([a], [b]) => a < b ? -1 : 1));
}

/** Numbers by id: those that are there, and the next ones for others. */
function numbersOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  numberOf: (row: Row) => number,
): (id: string) => number {
  const numbers = new Map(rows.map((row) => [row.id, numberOf(row)]));
  let next = Math.max(0, ...numbers.values()) + 1;
  return (id) => {
    if (!numbers.has(id)) numbers.set(id, next++);
    return numbers.get(id)!;
  };
}

async function adoptPeople(
  told: Notice,
  { database, access, users, effects }: Knowing,
): Promise<void> {
  const now_us = effects.now_us();
  const changes = [...tokenChanges(told, { access, now_us }), ...userChanges(told, users)];
  if (changes.length === 0) return;
  await database.write(async ({ connection }) => {
    for (const change of changes) await change(connection);
  });
  await access.reload();
  await users.reload();
}

type Change = (connection: Connection) => Promise<void>;

/** A token of a shard's own, which no other knows, ends. */
function tokenChanges(
  { tokens }: Notice,
  { access, now_us }: { readonly access: Access; readonly now_us: number },
): readonly Change[] {
  const known = new Map(access.rows.map((row) => [row.id, row]));
  const told = new Set(tokens.map(({ id }) => id));
  const end = (id: string, revoked_at: number): Change => (connection) =>
    revokeToken(connection, { id, revoked_at });
  return [
    ...tokens.flatMap((token): readonly Change[] => {
      const before = known.get(token.id);
      const add: Change = (connection) => insertToken(connection, { ...token, last_used_at: null });
      const is_ended = token.revoked_at !== null && (before?.revoked_at ?? null) === null;
      return [...(before ? [] : [add]), ...(is_ended ? [end(token.id, token.revoked_at)] : [])];
    }),
    ...[...known.values()].filter(({ id, revoked_at }) => !told.has(id) && revoked_at === null)
      .map(({ id }) => end(id, now_us)),
  ];
}

function userChanges({ users: told }: Notice, users: Users): readonly Change[] {
  return told.flatMap((user): readonly Change[] => {
    const before = users.get(user.id);
    if (before === undefined) return [(connection) => insertUser(connection, user)];
    if (textOf(before) === textOf(user)) return [];
    return [(connection) => changeUser(connection, user)];
  });
}
