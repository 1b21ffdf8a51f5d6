// The alarms of the installation: numbers them, writes their changes, tells who listens.
import { type AlarmNumbers, lastAlarmNumbers } from "../store/alarm_write.ts";
import type { Database, Write } from "../store/database.ts";
import { AlarmChanges, type AlarmMark, type StoredAlarms } from "./alarm_change.ts";

/** Is told what each commit stored. It must not throw, and must not write before it returns. */
export type AlarmListener = (stored: StoredAlarms) => void;

/** The one way to write alarms. */
export class Alarms {
  readonly #database: Database;
  /** Numbers of a write that fails are never given again. */
  readonly #numbers: AlarmNumbers;
  readonly #marks: AlarmMark[] = [];
  readonly #listeners = new Set<AlarmListener>();

  private constructor(database: Database, numbers: AlarmNumbers) {
    this.#database = database;
    this.#numbers = numbers;
  }

  /** Reads how far the numbers are. */
  static async open({ database }: { readonly database: Database }): Promise<Alarms> {
    return new Alarms(database, await database.read(lastAlarmNumbers));
  }

  /** Makes changes in a transaction of their own: `work`, then its changes stored, then told. */
  async write<T>(work: (changes: AlarmChanges) => Promise<T>): Promise<T> {
    const { result, stored } = await this.#database.write(async (write) => {
      const changes = this.begin(write);
      const result = await work(changes);
      return { result, stored: await changes.store() };
    });
    this.committed(stored);
    return result;
  }

  /**
   * Starts changes within the caller's own write, who stores them there (`changes.store()`), once,
   * and after the commit says so (`committed`).
   */
  begin(write: Write): AlarmChanges {
    return new AlarmChanges(write, { numbers: this.#numbers, marks: this.#marks });
  }

  /** Tells the listeners what was stored; after its commit. */
  committed(stored: StoredAlarms): void {
    for (const settle of stored.settle) settle();
    if (stored.raised.length + stored.changed.length === 0) return;
    for (const listener of [...this.#listeners]) listener(stored);
  }

  /** Lets `mark` look at every write before it is stored, after those that were given before. */
  mark(mark: AlarmMark): void {
    this.#marks.push(mark);
  }

  /** Tells `listener` of each commit from now on; gives the way to stop that. */
  listen(listener: AlarmListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
