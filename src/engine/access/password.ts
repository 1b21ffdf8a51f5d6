// The passwords of users, as hashes in memory. One is worked on at a time, and few may wait.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { Lock } from "../../base/lock.ts";
import { access_limits } from "../../model/access/limits.ts";
import {
  isPassword,
  noPasswordHash,
  passwordHash,
  salt_bytes,
} from "../../model/access/password.ts";
import { putPassword, readPasswords } from "../../store/access/session.ts";
import type { Database } from "../../store/database.ts";

type Parts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** Every password. */
export class Passwords {
  /** How many hashes were worked out since the start. */
  worked = 0;
  readonly #parts: Parts;
  readonly #hashes = new Map<string, string>();
  readonly #lock = new Lock();
  #waiting = 0;
  /** Of no password: an unknown user costs what a known one does. */
  readonly #nobody: string;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#nobody = noPasswordHash(parts.effects.random);
  }

  /** Reads the hashes. */
  static async open(parts: Parts): Promise<Passwords> {
    const passwords = new Passwords(parts);
    const rows = await parts.database.read(readPasswords);
    for (const { user_id, hash } of rows) passwords.#hashes.set(user_id, hash);
    return passwords;
  }

  /** What is kept of a user's password; changes when the password does. */
  hashOf(user_id: string | undefined): string | undefined {
    return user_id === undefined ? undefined : this.#hashes.get(user_id);
  }

  /**
   * Whether a password is the user's. Works as hard where there is no such user, or where the user
   * has none. Throws a `Fault` (unavailable) where too many wait already.
   */
  check(user_id: string | undefined, password: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const known = this.hashOf(user_id);
      const fits = await isPassword(password, known ?? this.#nobody);
      return fits && known !== undefined;
    });
  }

  /** Gives a user a password. Throws as `check` does. */
  async set(user_id: string, password: string): Promise<void> {
    const { database, effects } = this.#parts;
    const hash = await this.#inTurn(() => passwordHash(password, effects.random(salt_bytes)));
    const row = { user_id, hash, changed_at: effects.now_us() };
    await database.write(({ connection }) => putPassword(connection, row));
    this.#hashes.set(user_id, hash);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= access_limits.password_queue) {
      const message = "too many passwords are being checked; try again shortly";
      throw new Fault("unavailable", message, { retry_after_s: limits.retry_after_s });
    }
    this.#waiting++;
    try {
      return await this.#lock.run(() => {
        this.worked++;
        return work();
      });
    } finally {
      this.#waiting--;
    }
  }
}
