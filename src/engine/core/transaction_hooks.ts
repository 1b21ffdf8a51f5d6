// One way to write things of a kind: changes are marked before they are stored, and told after.
import type { Database, Write } from "../../store/database.ts";

/** What a write stored; `settle` is what its marks do after the commit. */
export type Told = { readonly settle: readonly (() => void)[] };

/** Changes within one write. */
type Changes<Stored> = { readonly store: () => Promise<Stored> };

/** Changes go through here, so that who has to look at them and who waits for them does. */
export abstract class Journal<C extends Changes<Stored>, Mark, Stored extends Told> {
  /** Look at every write before it is stored, one after the other. */
  protected readonly marks: Mark[] = [];
  readonly #database: Database;
  readonly #listeners = new Set<(stored: Stored) => void>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Starts changes within the caller's own write, who stores them there (`changes.store()`), once,
   * and after the commit says so (`committed`).
   */
  abstract begin(write: Write): C;

  /** Whether a write stored nothing that anyone is told of. */
  protected abstract isNothing(stored: Stored): boolean;

  /** Makes changes in a transaction of their own: `work`, then its changes stored, then told. */
  async write<T>(work: (changes: C) => Promise<T>): Promise<T> {
    const { result, stored } = await this.#database.write(async (write) => {
      const changes = this.begin(write);
      const result = await work(changes);
      return { result, stored: await changes.store() };
    });
    this.committed(stored);
    return result;
  }

  /** Tells the listeners what was stored; after its commit. */
  committed(stored: Stored): void {
    for (const settle of stored.settle) settle();
    if (this.isNothing(stored)) return;
    for (const listener of [...this.#listeners]) listener(stored);
  }

  /** Lets `mark` look at every write before it is stored, after those that were given before. */
  mark(mark: Mark): void {
    this.marks.push(mark);
  }

  /**
   * Tells `listener` of each commit from now on; gives the way to stop that. It must not throw,
   * and must not write before it returns.
   */
  listen(listener: (stored: Stored) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
