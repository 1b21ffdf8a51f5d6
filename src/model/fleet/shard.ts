// A fleet as its catalogue knows it: shards, the nodes that may hold them, what shards tell.
import { sha256Hex } from "../../base/digest.ts";
import type { Scope } from "../access/token.ts";
import type { ToldSession, ToldUses } from "../access/session.ts";
import type { User } from "../access/user.ts";
import type { Organization, Project, Site } from "../plant/plant.ts";
import type { KeptKey } from "../webhooks/signing_key.ts";
import type { ToldDisabled, ToldSubscription } from "../webhooks/subscription.ts";

/** The shard that keeps who may do what, and which projects there are; it holds no plant. */
export const home_shard = 0;

/** What is said to who wants a fleet to forward to a centre. */
export const in_place_of_upstream =
  "let the gateway at the plant forward to the fleet, as to any " +
  "centre, and send what another service needs by destinations; docs/fleet.md says why";

/** A shard as its row is. */
export type Shard = {
  readonly no: number;
  /** Who holds it, or held it last without giving it back; null for nobody. */
  readonly node: string | null;
  /** Rises with every take-over. */
  readonly epoch: number;
  /** Whether its lease holds by the clock of the catalogue. */
  readonly is_held: boolean;
  /** The node that opened it last: where its directory is, on a volume of one machine. */
  readonly home: string | null;
  /** Whether that node did not give it back since: it may have the directory open. */
  readonly is_open: boolean;
  /** The node that an operator moved it to. */
  readonly wanted: string | null;
  /** Whether something belongs to it, so that a process has to run. */
  readonly is_used: boolean;
  /** Whether it ever had a database. */
  readonly is_made: boolean;
  /** The version of its data: older programs can't open them. 0: no node has said it. */
  readonly data_version: number;
  /** Why it does not run, or did not stay up; null where it does. */
  readonly why: string | null;
  /** The names of nodes that could not let it run, which have it last until it ran for long. */
  readonly tried: readonly string[];
};

/** A node as its row is. */
export type FleetNode = {
  readonly name: string;
  /** Where other nodes reach it. */
  readonly address: string;
  readonly version: string;
  /** The latest version of data that it can open; 0 where it is too old to say so. */
  readonly data_version: number;
  readonly is_live: boolean;
  /** Whether it is to give its shards away and take none. */
  readonly is_draining: boolean;
};

/** Whether a node can open the data of a shard. */
export function canOpen(
  node: Pick<FleetNode, "data_version"> | undefined,
  shard: Pick<Shard, "data_version">,
): boolean {
  return (node?.data_version ?? 0) >= shard.data_version;
}

/** A stored token, as far as others than its home need it. */
export type ToldToken = {
  readonly id: string;
  readonly name: string;
  readonly digest: string;
  readonly organization_id: string | null;
  readonly project_ids: readonly string[] | null;
  readonly scopes: readonly Scope[];
  readonly user_id: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
};

/** A site, and the project that it is of, whatever number that has where it is told. */
export type ToldSite = Site & { readonly project_id: string };

/** Who gets webhooks, and what these are signed with. */
export type ToldWebhooks = {
  readonly subscriptions: readonly ToldSubscription[];
  readonly keys: readonly KeptKey[];
};

/** A token that was ended while the home was away, and when (microseconds since 1970 UTC). */
export type EndedToken = { readonly id: string; readonly revoked_at: number };

/** What a shard tells all others: the home who may do what, the others what belongs to them. */
export type Notice = {
  readonly organizations: readonly Organization[];
  readonly projects: readonly Project[];
  readonly sites: readonly ToldSite[];
  readonly tokens: readonly ToldToken[];
  readonly users: readonly User[];
  /** The home's; nothing where a version told that knows of none. */
  readonly webhooks?: ToldWebhooks;
  /** The home's: who is signed in; nothing where a version told that tells none. */
  readonly sessions?: readonly ToldSession[];
  /** The others': when sessions were used there. */
  readonly uses?: ToldUses;
  /** The others'. */
  readonly disabled?: readonly ToldDisabled[];
  /** What the catalogue tells all shards, and each of them again, once it has taken it over. */
  readonly ended?: readonly EndedToken[];
  /** The ids of links that read; nothing where a version told that tells none. */
  readonly links?: readonly string[];
};

/** The tokens of whose end the home has heard by what it tells: its own, and those it never had. */
export function endsHeard({ tokens, ended = [] }: Pick<Notice, "tokens" | "ended">) {
  const told = tokens.filter(({ revoked_at }) => revoked_at !== null);
  return [...told, ...ended].map(({ id }) => id);
}

/** Which shard it is, of which fleet, by the id of that. */
export type ShardOf = { readonly no: number; readonly fleet: string };

/** The name of a shard's folder, and of what else it has to itself. */
export function shardName(no: number): string {
  return `shard-${String(no).padStart(3, "0")}`;
}

/** Whether a text is such a name. */
export function isShardName(text: string): boolean {
  return /^shard-\d{3,4}$/.test(text);
}

/** The identifier of an organization by its key: the same in every shard (UUIDv8, RFC 9562). */
export function organizationId(key: string): string {
  const digits = sha256Hex(`organization ${key}`);
  const variant = "89ab"[parseInt(digits[16], 16) % 4];
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    variant + digits.slice(17, 20),
    digits.slice(20, 32),
  ].join("-");
}
