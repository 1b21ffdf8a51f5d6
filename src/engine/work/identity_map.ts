// Things of a kind within a write, by number and by id: as they were stored, as they are to be.
import { assert } from "../../base/assert.ts";

/** A thing's change: as it was stored, unless it is new, and as it is to be. */
export type Change<T> = { readonly before: T | undefined; readonly after: T };

/** What is held: each version of it has a snapshot. */
type Versioned = {
  readonly id: string;
  readonly updated_at: number;
  readonly deleted_at: number | null;
  readonly version: number;
  readonly snapshot_no: number;
};

/** Things that a write has loaded or added. */
export class Held<T extends Versioned> {
  readonly #changes = new Map<number, Change<T>>();
  readonly #nos = new Map<string, number>();
  readonly #noOf: (thing: T) => number;

  constructor(noOf: (thing: T) => number) {
    this.#noOf = noOf;
  }

  has(no: number): boolean {
    return this.#changes.has(no);
  }

  /** Every one that is not deleted, as it is to be. */
  get all(): readonly T[] {
    return Array.from(this.#changes.values(), ({ after }) => after)
      .filter(({ deleted_at }) => deleted_at === null);
  }

  /** The one of an id, as it is to be, unless it is deleted. */
  find(id: string): T | undefined {
    const thing = this.findAny(id);
    return thing?.deleted_at === null ? thing : undefined;
  }

  /** The one of an id, as it is to be, deleted or not. */
  findAny(id: string): T | undefined {
    return this.#changes.get(this.#nos.get(id) ?? 0)?.after;
  }

  /** The one of a number that is held, as it is to be, deleted or not. */
  at(no: number): T {
    const change = this.#changes.get(no);
    assert(change !== undefined, "it is neither loaded nor added");
    return change.after;
  }

  /** Takes one as it is stored. */
  load(thing: T): void {
    this.#put({ before: thing, after: thing });
  }

  /** Takes a new one. */
  add(thing: T): void {
    this.#put({ before: undefined, after: thing });
  }

  /** Takes one that is held as it is to be. */
  change(thing: T): void {
    this.at(this.#noOf(thing));
    this.#put({ before: this.#changes.get(this.#noOf(thing))!.before, after: thing });
  }

  /** Makes the next versions of those that changed, and of those `besides`; gives them. */
  renew(
    { at_us, nextSnapshot, besides = () => false }: {
      readonly at_us: number;
      readonly nextSnapshot: () => number;
      readonly besides?: (thing: T) => boolean;
    },
  ): readonly Change<T>[] {
    const renewed = [...this.#changes.values()]
      .filter(({ before, after }) => before !== after || besides(after))
      .map(({ before, after }) => ({
        before,
        after: {
          ...after,
          updated_at: at_us,
          version: after.version + 1,
          snapshot_no: nextSnapshot(),
        },
      }));
    for (const change of renewed) this.#put(change);
    return renewed;
  }

  #put(change: Change<T>): void {
    this.#changes.set(this.#noOf(change.after), change);
    this.#nos.set(change.after.id, this.#noOf(change.after));
  }
}
