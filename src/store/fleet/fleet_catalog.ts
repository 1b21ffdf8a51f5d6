// The fleet's catalogue in PostgreSQL: who holds which shard, and what shards tell each other.
import type { Sql } from "postgres";
import { sha256Hex } from "../../base/digest.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { inTime } from "../../base/in_time.ts";
import { Vault } from "../vault.ts";
import { connect, whyNot } from "./connect.ts";
import {
  clock_read,
  ended_forget,
  fleet_find,
  fleet_lock,
  fleet_tables,
  made_find,
  node_drain,
  node_leave,
  node_renew,
  nodes_list,
  place_find,
  place_insert,
  places_count,
  shards_make,
  strangers,
  tries_end,
  wants_end,
} from "./fleet_tables.ts";
import { Outlines } from "./outlines.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { CatalogPlace } from "../../model/fleet/place.ts";
import {
  type EndedToken,
  endsHeard,
  type FleetNode,
  home_shard,
  type Notice,
  type Shard,
} from "../../model/fleet/shard.ts";

/** A process that is a node of the fleet: another of the same name is another. */
export type Holder = { readonly name: string; readonly run: string };

/** A shard at one of its holders. */
export type Held = { readonly no: number; readonly epoch: number };

/** A shard as it was seen; `mark` changes with its lease. */
export type Seen = Shard & {
  readonly mark: string;
  /** Whether the copy of its plant's outline counts: what is old is read without it. */
  readonly is_outlined: boolean;
};

/** Which fleet it is, by its id, and how many shards it has. */
export type Fleet = { readonly id: string; readonly shards: number };

/** What was told last by a shard. */
export type News = { readonly no: number; readonly told_no: number; readonly told: Notice };

/** The same as it lies in the catalogue. */
type SealedNews = Omit<News, "told"> & {
  readonly told: Omit<Notice, "webhooks"> & { readonly webhooks?: string };
};

const sealed_place = "webhooks of a fleet";

/** How the fleet is, and what of it is the caller's. */
export type Beat = {
  /** Whether the name is this process's; another that uses it may still be alive. */
  readonly is_named: boolean;
  /** The time by its clock. */
  readonly now_ms: number;
  /** The shards whose leases were renewed. */
  readonly mine: readonly Held[];
  readonly shards: readonly Seen[];
  readonly nodes: readonly FleetNode[];
  readonly news: readonly News[];
  /** Tokens that ended while the home was away. */
  readonly ended: readonly EndedToken[];
};

/** What a beat says of its node. */
export type Beating = Holder & Pick<FleetNode, "address" | "version" | "data_version"> & {
  /** The number of what is known of each shard. */
  readonly known: ReadonlyMap<number, number>;
};

/** The keys of a project. */
type ProjectPlace = { readonly organization: string; readonly project: string };

type Opening = Pick<Shard, "is_made" | "data_version"> & { readonly home: string };

/** The catalogue. Throws a `Fault` (unavailable) where it does not answer in time. */
export class FleetCatalog {
  readonly #place: CatalogPlace;
  readonly #effects: Pick<Effects, "sleep">;
  /** What is secret of what is told lies in the catalogue sealed. */
  readonly #vault: Vault;
  /** Tells whether others have the same secret, and not which. */
  readonly #secret_mark: string;
  readonly outlines = new Outlines((work) => this.#ask(work));
  #client: Promise<Sql> | undefined;

  constructor(
    place: CatalogPlace,
    { effects, secret = "none" }: {
      readonly effects: Pick<Effects, "sleep" | "random">;
      /** The fleet's. */
      readonly secret?: string;
    },
  ) {
    this.#place = place;
    this.#effects = effects;
    this.#vault = new Vault(effects, Uint8Array.fromHex(sha256Hex(`wattkeeper fleet ${secret}`)));
    this.#secret_mark = sha256Hex(`mark of a wattkeeper fleet ${secret}`);
  }

  /** Makes the tables where there are none, of so many shards; gives which fleet it is. */
  make(shards: number): Promise<Fleet> {
    return this.#ask(async (sql) => {
      await sql.unsafe(fleet_tables);
      await sql.unsafe(shards_make, [shards, home_shard]);
      const [fleet] = await sql.unsafe<Fleet[]>(fleet_find);
      return fleet;
    });
  }

  /** Whether there is a fleet; its tables have by then what this version reads. */
  isMade(): Promise<boolean> {
    return this.#ask(async (sql) => {
      const [{ is_made }] = await sql.unsafe<{ is_made: boolean }[]>(made_find);
      if (is_made) await sql.unsafe(fleet_tables);
      return is_made;
    });
  }

  /** Says that a node is there, and renews its leases; gives how the fleet is. */
  beat({ name, run, address, version, data_version, known }: Beating): Promise<Beat> {
    return this.#ask(async (sql) => {
      const [nos, numbers] = [[...known.keys()], [...known.values()]];
      const [me, mark] = [[name, run], this.#secret_mark];
      // One after the other on one connection, without a wait between them.
      const [[{ now_ms }], named, mine, shards, nodes, ended, news] = await Promise.all([
        sql.unsafe<{ now_ms: number }[]>(clock_read),
        sql.unsafe<object[]>(node_renew, [...me, address, version, lease, data_version, mark]),
        sql.unsafe<Held[]>(lease_renew, [...me, lease]),
        sql.unsafe<Seen[]>(shards_list),
        sql.unsafe<FleetNode[]>(nodes_list),
        sql.unsafe<EndedToken[]>(ended_list),
        sql.unsafe<SealedNews[]>(news_list, [nos, numbers]),
      ]);
      return {
        ...{ is_named: named.length > 0, now_ms, mine: [...mine], shards: [...shards] },
        ...{ nodes: [...nodes], ended: [...ended] },
        news: news.map((it) => this.#unsealed(it)),
      };
    });
  }

  /**
   * Says for the first time that a node is there, unless others run with another secret: they and
   * this one are no fleet. Gives their names. Of two that join at once, one is first.
   */
  join(
    { name, run, address, version, data_version }: Omit<Beating, "known">,
  ): Promise<readonly string[]> {
    return this.#ask((sql) =>
      sql.begin(async (sql) => {
        await sql.unsafe(fleet_lock);
        const found = await sql.unsafe<{ name: string }[]>(strangers, [name, this.#secret_mark]);
        const said = [name, run, address, version, lease, data_version, this.#secret_mark];
        if (found.length === 0) await sql.unsafe(node_renew, said);
        return found.map((it) => it.name);
      })
    );
  }

  /** How the fleet is, for who is no node. */
  look(): Promise<Pick<Beat, "shards" | "nodes" | "news">> {
    return this.#ask(async (sql) => {
      const [shards, nodes, news] = await Promise.all([
        sql.unsafe<Seen[]>(shards_list),
        sql.unsafe<FleetNode[]>(nodes_list),
        sql.unsafe<SealedNews[]>(news_list, [[], []]),
      ]);
      const told = news.map((it) => this.#unsealed(it));
      return { shards: [...shards], nodes: [...nodes], news: told };
    });
  }

  /**
   * Takes shards that are still as they were seen, to the mark: who renews a lease between a look
   * and this keeps it, whatever the clocks say. Gives those that are the caller's now.
   */
  take({ name, run }: Holder, shards: readonly Pick<Seen, "no" | "mark">[]) {
    const marks = shards.map(({ mark }) => mark);
    const nos = shards.map(({ no }) => no);
    return this.#ask(async (sql) => [
      ...await sql.unsafe<Held[]>(lease_take, [name, run, lease, nos, marks]),
    ]);
  }

  /**
   * Gives shards back: nothing of them runs at their holder any more. `is_shut` says that nobody
   * before it has them open either; otherwise the next one is to fence that node.
   */
  async release(
    shards: readonly Held[],
    { is_shut }: { readonly is_shut: boolean },
  ): Promise<void> {
    const [nos, epochs] = columnsOf(shards);
    await this.#ask((sql) => sql.unsafe(lease_release, [nos, epochs, is_shut]));
  }

  /**
   * Says that a shard's holder is about to open its directory, which is empty unless `is_made`, or
   * has opened it, with which version of its data then; gives whether it still is the holder.
   */
  async opening({ no, epoch }: Held, { home, is_made, data_version }: Opening): Promise<boolean> {
    const said = [no, epoch, home, is_made, data_version];
    const held = await this.#ask((sql) => sql.unsafe(shard_open, said));
    return held.length > 0;
  }

  /** Keeps why a shard does not run and who tried it, which is wanted there no more; or neither. */
  async keepTrouble({ no, epoch }: Held, { why, tried }: Pick<Shard, "why" | "tried">) {
    await this.#ask((sql) => sql.unsafe(trouble_update, [no, epoch, why, [...tried]]));
  }

  /** Keeps what a shard's holder tells of it; what a former one tells changes nothing. */
  async tell({ no, epoch }: Held, { webhooks, ...told }: Notice): Promise<void> {
    const sealed: SealedNews["told"] = {
      ...told,
      webhooks: webhooks && this.#vault.seal(JSON.stringify(webhooks), sealed_place),
    };
    await this.#ask(async (sql) => {
      const kept = await sql.unsafe(told_update, [no, epoch, sealed as never]);
      if (no === home_shard && kept.length > 0) await sql.unsafe(ended_forget, [endsHeard(told)]);
    });
  }

  /** Ends a token for all shards, the home too once it is back; again changes nothing. */
  async endToken({ id, revoked_at }: EndedToken): Promise<void> {
    await this.#ask((sql) => sql.unsafe(ended_insert, [id, revoked_at]));
  }

  /** What another secret of the fleet sealed is told again by who knows it. */
  #unsealed({ told: { webhooks: sealed, ...told }, ...news }: SealedNews): News {
    if (sealed === undefined) return { ...news, told };
    try {
      const webhooks = JSON.parse(this.#vault.unseal(sealed, sealed_place));
      return { ...news, told: { ...told, webhooks } };
    } catch (error) {
      if (error instanceof Fault) return { ...news, told };
      throw error;
    }
  }

  /** The shard of a project; undefined where it has none yet. */
  placeOf({ organization, project }: ProjectPlace): Promise<number | undefined> {
    return this.#ask(async (sql) => {
      const [found] = await sql.unsafe<{ no: number }[]>(place_find, [organization, project]);
      return found?.no;
    });
  }

  /** The same, which is `proposed` from now on where it has none yet. */
  place({ organization, project }: ProjectPlace, proposed: number): Promise<number> {
    return this.#ask(async (sql) => {
      const key = [organization, project];
      await sql.unsafe(place_insert, [...key, proposed]);
      const [{ no }] = await sql.unsafe<{ no: number }[]>(place_find, key);
      await sql.unsafe(shard_use, [no]);
      return no;
    });
  }

  /** How many projects were placed in each shard that has one. */
  placed(): Promise<ReadonlyMap<number, number>> {
    return this.#ask(async (sql) => {
      const rows = await sql.unsafe<{ no: number; count: number }[]>(places_count);
      return new Map(rows.map(({ no, count }) => [no, count]));
    });
  }

  /** Says that something belongs to a shard. */
  async use(no: number): Promise<void> {
    await this.#ask((sql) => sql.unsafe(shard_use, [no]));
  }

  /** Says where a shard is to be; null for wherever there is room. */
  async want(no: number, node: string | null): Promise<void> {
    await this.#ask((sql) => sql.unsafe(shard_want, [no, node]));
  }

  /** Says whether a node is to give its shards away. */
  async drain(name: string, is_draining: boolean): Promise<void> {
    await this.#ask(async (sql) => {
      await sql.unsafe(node_drain, [name, is_draining]);
      if (is_draining) await sql.unsafe(wants_end, [name]);
    });
  }

  /** Forgets a node that stops, and what it tried; its shards are given back before. */
  async leave({ name, run }: Holder): Promise<void> {
    await this.#ask(async (sql) => {
      await sql.unsafe(node_leave, [name, run]);
      await sql.unsafe(tries_end, [name]);
    });
  }

  /** Lets go of the connection; it is opened again where it is needed. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.then((sql) => sql.end({ timeout: 0 })).catch(() => {});
  }

  async #ask<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
    const asking = (async () => await work(await (this.#client ??= connect(this.#place))))();
    const wait_ms = fleet_limits.answer_ms;
    try {
      if (await inTime(asking, { wait_ms, effects: this.#effects })) return await asking;
      throw new Error(`it takes longer than ${wait_ms / 1000} s`);
    } catch (error) {
      asking.catch(() => {});
      void this.close();
      throw new Fault("unavailable", whyNot(error as Error));
    }
  }
}

function columnsOf(shards: readonly Held[]): [number[], number[]] {
  return [shards.map(({ no }) => no), shards.map(({ epoch }) => epoch)];
}

const lease = `${fleet_limits.lease_ms} ms`;

const lease_renew = `
  UPDATE wattkeeper_fleet.shard SET until = now() + $3::interval
  WHERE node = $1 AND run = $2
    AND EXISTS (SELECT FROM wattkeeper_fleet.node AS it WHERE it.name = $1 AND it.run = $2)
  RETURNING no, epoch`;

const shards_list = `
  SELECT
    no, node, epoch, coalesce(until > now(), false) AS is_held, home, is_open, wanted, is_used,
    is_made, data_version, why, tried, concat(epoch, ' ', run, ' ', until) AS mark,
    coalesce(outline_epoch = epoch, false) AS is_outlined
  FROM wattkeeper_fleet.shard
  ORDER BY no`;

const news_list = `
  SELECT no, told_no, told
  FROM wattkeeper_fleet.shard
  LEFT JOIN unnest($1::int[], $2::int[]) AS known (known_no, known_told) ON no = known_no
  WHERE told_no > coalesce(known_told, 0)
  ORDER BY no`;

const lease_take = `
  UPDATE wattkeeper_fleet.shard
  SET node = $1, run = $2, epoch = shard.epoch + 1, until = now() + $3::interval,
    outline_epoch = CASE WHEN outline_epoch = shard.epoch THEN shard.epoch + 1 END
  FROM unnest($4::int[], $5::text[]) AS seen (seen_no, seen_mark)
  WHERE no = seen_no AND concat(epoch, ' ', run, ' ', until) = seen_mark
    AND (node IS NULL OR until < now())
  RETURNING no, epoch`;

const lease_release = `
  UPDATE wattkeeper_fleet.shard
  SET node = NULL, run = NULL, until = NULL, is_open = is_open AND NOT $3::boolean
  FROM unnest($1::int[], $2::int[]) AS held (held_no, held_epoch)
  WHERE no = held_no AND epoch = held_epoch`;

const shard_open = `
  UPDATE wattkeeper_fleet.shard
  SET home = $3::text, is_open = true, is_made = $4, data_version = $5,
    outline_no = outline_no + 1, outline_epoch = NULL
  WHERE no = $1 AND epoch = $2 AND node = $3::text AND until > now()
  RETURNING no`;

const trouble_update = `
  UPDATE wattkeeper_fleet.shard
  SET why = $3, tried = $4::text[], wanted = (SELECT wanted WHERE wanted <> ALL ($4::text[]))
  WHERE no = $1 AND epoch = $2`;

const told_update = `
  UPDATE wattkeeper_fleet.shard SET told = $3::jsonb, told_no = told_no + 1
  WHERE no = $1 AND epoch = $2
  RETURNING no`;

const ended_list = "SELECT id, revoked_at FROM wattkeeper_fleet.ended_token ORDER BY id";

const ended_insert = `
  INSERT INTO wattkeeper_fleet.ended_token (id, revoked_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`;

const shard_use = "UPDATE wattkeeper_fleet.shard SET is_used = true WHERE no = $1 AND NOT is_used";

/** Whoever tried it in vain may try again: that is what it is moved for. */
const shard_want = "UPDATE wattkeeper_fleet.shard SET wanted = $2, tried = '{}' WHERE no = $1";
