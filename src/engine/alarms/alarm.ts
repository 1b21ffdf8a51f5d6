// The alarms of the installation: numbers them, writes their changes, tells who listens.
import { type AlarmNumbers, lastAlarmNumbers } from "../../store/alarms/write.ts";
import type { Database, Write } from "../../store/database.ts";
import {
  type AlarmMark,
  AlarmUnitOfWork,
  type AlarmWitness,
  type StoredAlarms,
} from "./unit_of_work.ts";
import { Journal } from "../core/transaction_hooks.ts";

/** The one way to write alarms. */
export class Alarms extends Journal<AlarmUnitOfWork, AlarmMark, StoredAlarms> {
  /** Numbers of a write that fails are never given again. */
  readonly #numbers: AlarmNumbers;
  readonly #witnesses: AlarmWitness[] = [];

  private constructor(database: Database, numbers: AlarmNumbers) {
    super(database);
    this.#numbers = numbers;
  }

  /** Reads how far the numbers are. */
  static async open({ database }: { readonly database: Database }): Promise<Alarms> {
    return new Alarms(database, await database.read(lastAlarmNumbers));
  }

  begin(write: Write): AlarmUnitOfWork {
    const numbers = this.#numbers;
    return new AlarmUnitOfWork(write, { numbers, marks: this.marks, witnesses: this.#witnesses });
  }

  /** Lets `witness` see what every write has stored, within it, after those given before. */
  witness(witness: AlarmWitness): void {
    this.#witnesses.push(witness);
  }

  protected isNothing({ raised, changed }: StoredAlarms): boolean {
    return raised.length + changed.length === 0;
  }
}
