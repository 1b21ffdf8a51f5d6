// The events that are being delivered: read many at a time, kept while there is room.
import { utf8 } from "../../base/bytes.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import type { Database } from "../../store/database.ts";
import { type EventBody, readBodies } from "../../store/webhooks/delivery.ts";

/** An event as every attempt sends it. */
export type SentEvent = Omit<EventBody, "body"> & { readonly body: Uint8Array };

/** Events by their number; those read first make room. */
export class EventCache {
  readonly #database: Database;
  readonly #kept = new Map<number, SentEvent>();
  #bytes = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  get(event_no: number): SentEvent | undefined {
    return this.#kept.get(event_no);
  }

  /** Reads those of some events that are not there yet. */
  async load(event_nos: readonly number[]): Promise<void> {
    const missing = event_nos.filter((event_no) => !this.#kept.has(event_no));
    const read = await this.#database.read((connection) => readBodies(connection, missing));
    for (const event of read) {
      const body = utf8(event.body);
      this.#kept.set(event.event_no, { ...event, body });
      this.#bytes += body.length;
    }
    const newest = read.at(-1)?.event_no;
    for (const [event_no, { body }] of this.#kept) {
      if (this.#bytes <= webhook_limits.bodies_bytes || event_no === newest) break;
      this.#kept.delete(event_no);
      this.#bytes -= body.length;
    }
  }
}
