// Copies of the outlines of plants, in the catalogue of a fleet: each counts while it is true.
import type { Sql } from "postgres";
import { Shared } from "../../base/lock.ts";
import type { OutlineWord } from "../../model/fleet/outline.ts";
import type { Held } from "./fleet_catalog.ts";

/** Asks the catalogue. Throws a `Fault` (unavailable) where it does not answer in time. */
type Ask = <T>(work: (sql: Sql) => PromiseLike<T>) => Promise<T>;

/** An outline as it is kept, in base64, and its number. */
export type KeptOutline = { readonly outline_no: number; readonly outline: string };

/**
 * An outline counts in the epoch in which it was kept, and in those after it in which nobody opened
 * the shard. Its number rises with all that happens to it: who finds the same one twice knows that
 * it was true all the time between. What comes late, of a process that is not any more, does
 * nothing.
 */
export class Outlines {
  readonly #ask: Ask;
  /** Anybody may let a node ask, on the connection that renews its leases. */
  readonly #finding = new Map<number, Shared<number | undefined>>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * Does what the process of a shard says: withdraws the outline, or keeps one in place of what it
   * withdrew. Gives the number from then on; undefined where it is not the holder's to say, or
   * something has happened since.
   */
  keep({ no, epoch }: Held, { after_no, outline }: OutlineWord): Promise<number | undefined> {
    return this.#ask(async (sql) => {
      const [kept] = outline === null
        ? await sql.unsafe<Numbered[]>(outline_withdraw, [no, epoch])
        : await sql.unsafe<Numbered[]>(outline_keep, [no, epoch, after_no, outline]);
      return kept?.outline_no;
    });
  }

  /** The number of the outline that counts now; undefined where none does. */
  find(no: number): Promise<number | undefined> {
    const finding = this.#finding.get(no) ?? new Shared();
    this.#finding.set(no, finding);
    return finding.ask(() =>
      this.#ask(async (sql) => {
        const [found] = await sql.unsafe<Numbered[]>(outline_find, [no]);
        return found?.outline_no;
      })
    );
  }

  /** The outline that counts now. */
  read(no: number): Promise<KeptOutline | undefined> {
    return this.#ask(async (sql) => {
      const [found] = await sql.unsafe<KeptOutline[]>(outline_read, [no]);
      return found;
    });
  }
}

type Numbered = Pick<KeptOutline, "outline_no">;

const outline_withdraw = `
  UPDATE wattkeeper_fleet.shard SET outline_no = outline_no + 1, outline_epoch = NULL
  WHERE no = $1 AND epoch = $2
  RETURNING outline_no`;

const outline_keep = `
  UPDATE wattkeeper_fleet.shard
  SET outline = decode($4, 'base64'), outline_no = outline_no + 1, outline_epoch = epoch
  WHERE no = $1 AND epoch = $2 AND outline_no = $3
  RETURNING outline_no`;

const outline_find = `
  SELECT outline_no FROM wattkeeper_fleet.shard WHERE no = $1 AND outline_epoch = epoch`;

const outline_read = `
  SELECT outline_no, encode(outline, 'base64') AS outline
  FROM wattkeeper_fleet.shard
  WHERE no = $1 AND outline_epoch = epoch`;
