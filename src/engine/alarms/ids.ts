// Which IDs alarms may have, in memory: one that surely is nobody's is told without a query.
import { hash } from "node:crypto";
import { alarm_limits } from "../../model/alarms/limits.ts";
import { readIdHashes } from "../../store/alarms/write.ts";
import type { Database } from "../../store/database.ts";
import type { Alarms } from "./alarm.ts";

type Parts = {
  readonly database: Pick<Database, "read">;
  readonly alarms: Pick<Alarms, "listen">;
};

/** The IDs of every occurrence: those stored as a filter, read when first asked, and newer ones. */
export class AlarmIds {
  readonly #database: Parts["database"];
  #stored: Promise<BloomFilter> | undefined;
  /** Raised since then. */
  readonly #raised = new Set<string>();

  constructor({ database, alarms }: Parts) {
    this.#database = database;
    alarms.listen(({ raised }) => {
      for (const { occurrence_id } of raised) this.#raised.add(occurrence_id);
      if (this.#raised.size > alarm_limits.ids_kept) this.#forget();
    });
  }

  /** Whether an occurrence may have an ID, of whatever project; false: there is none. */
  async mayHave(occurrence_id: string): Promise<boolean> {
    const stored = this.#stored ??= this.#read();
    const filter = await stored;
    const isOld = this.#stored !== stored;
    return isOld || this.#raised.has(occurrence_id) || filter.mayHave(...idHash(occurrence_id));
  }

  async #read(): Promise<BloomFilter> {
    try {
      const hashes = await this.#database.read(readIdHashes);
      return new BloomFilter(hashes);
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** What is raised now is stored: the next question reads it. */
  #forget(): void {
    this.#stored = undefined;
    this.#raised.clear();
  }
}

const bits_per_id = 16;
const probes = 4;

/** A set that never misses what is in it, and takes one other in four hundred for a part of it. */
class BloomFilter {
  readonly #words: Uint32Array;
  readonly #mask: number;

  /** Of 63-bit hashes. */
  constructor(hashes: readonly BigInt64Array[]) {
    const count = hashes.reduce((sum, { length }) => sum + length, 0);
    const bits = 2 ** Math.min(31, Math.ceil(Math.log2(bits_per_id * Math.max(64, count))));
    this.#words = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
    for (const { buffer, byteOffset, length } of hashes) {
      const halves = new Uint32Array(buffer, byteOffset, 2 * length);
      for (let i = 0; i < halves.length; i += 2) this.#add(halves[i], halves[i + 1]);
    }
  }

  mayHave(low: number, high: number): boolean {
    for (let i = 0; i < probes; i++) {
      const bit = (low + Math.imul(i, high)) & this.#mask;
      if ((this.#words[bit >>> 5] & 1 << (bit & 31)) === 0) return false;
    }
    return true;
  }

  #add(low: number, high: number): void {
    for (let i = 0; i < probes; i++) {
      const bit = (low + Math.imul(i, high)) & this.#mask;
      this.#words[bit >>> 5] |= 1 << (bit & 31);
    }
  }
}

/**
 * The number that an alarm is found by, as it is stored: half of the lower half of its ID's MD5, as
 * unsigned numbers of its lower 32 bits and the 31 above.
 */
function idHash(occurrence_id: string): [low: number, high: number] {
  const digest = hash("md5", occurrence_id, "buffer");
  const low = digest.readUInt32LE(8);
  const high = digest.readUInt32LE(12);
  return [(low >>> 1 | high << 31) >>> 0, high >>> 1];
}
