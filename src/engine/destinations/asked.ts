// What people want a destination to be sent again, on disk until it was: a restart forgets nothing.
import { sharedSpans, type StampSpans } from "../../model/upstream/span.ts";
import type { AskedAgainRow } from "../../model/upstream/upstream.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { addAskedAgain, dropAskedAgain, readAskedAgain } from "../../store/upstream/ledger.ts";
import type { AskedAgain } from "./courier.ts";

/** What was asked for of one destination. */
export class AskedList {
  readonly #database: Database;
  readonly #destination_no: number;
  #all: readonly AskedAgain[] = [];

  constructor(database: Database, destination_no: number) {
    this.#database = database;
    this.#destination_no = destination_no;
  }

  /** Reads what was asked for before a start, in turn. */
  async read(): Promise<readonly AskedAgain[]> {
    const rows = await this.#database.aside((it) => readAskedAgain(it, this.#destination_no));
    const by_ask = Map.groupBy(rows, ({ asked_at }) => asked_at);
    this.#all = Array.from(by_ask, ([asked_at, own]) => askedOf(asked_at, own));
    return this.#all;
  }

  /** Stores what is asked for, with what is stored beside it. */
  async add(connection: Connection, asked: AskedAgain): Promise<void> {
    await addAskedAgain(connection, rowsOf(asked, this.#destination_no));
    this.#all = [...this.#all, asked];
  }

  /** Forgets what waits no longer. */
  async forgetSent(waiting: StampSpans): Promise<void> {
    const isLeft = ({ spans }: AskedAgain) => sharedSpans(waiting, spans).length > 0;
    const sent = this.#all.filter((it) => !isLeft(it));
    if (sent.length === 0) return;
    const destination_no = this.#destination_no;
    await this.#database.write(async ({ connection }) => {
      for (const { asked_at } of sent) {
        await dropAskedAgain(connection, { destination_no, asked_at });
      }
    });
    this.#all = this.#all.filter((it) => !sent.includes(it));
  }
}

function askedOf(asked_at: number, rows: readonly AskedAgainRow[]): AskedAgain {
  const asides = rows.flatMap(({ tag_no, from_us: first_ts, to_us: last_ts }) =>
    tag_no === null ? [] : [{ tag_no, first_ts, last_ts }]
  );
  const spans = rows.filter(({ tag_no }) => tag_no === null)
    .map(({ from_us, to_us }) => ({ from_us, to_us }));
  return { asked_at, asides, spans };
}

function rowsOf(
  { asked_at, asides, spans }: AskedAgain,
  destination_no: number,
): readonly AskedAgainRow[] {
  const common = { destination_no, asked_at };
  return [
    ...asides.map(({ tag_no, first_ts: from_us, last_ts: to_us }) => (
      { ...common, tag_no, from_us, to_us }
    )),
    ...spans.map(({ from_us, to_us }) => ({ ...common, tag_no: null, from_us, to_us })),
  ];
}
