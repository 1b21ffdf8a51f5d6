// What the bench needs of a product: found on this machine, started on a folder, fed and asked.
import type { BodyFormat, Question, Work } from "./work.ts";

/** A product, as its documentation advises to run it for this work. */
export type Peer = {
  readonly name: string;
  /** Where it is looked for, in words. */
  readonly sought: string;
  /** What the acknowledgement of a body promises. */
  readonly durability: string;
  /** What is set otherwise than by default, and through which interface it is used. */
  readonly settings: string;
  /** Whether its answers come from another process; else no byte of them is written or sent. */
  readonly is_server: boolean;
  /** The bodies it takes; each format is an ingest of its own. */
  readonly formats: readonly BodyFormat[];
  /** Questions that it has no answer to, and why. */
  readonly lacks: Partial<Readonly<Record<Question, string>>>;
  /** Its version; undefined where it is not on this machine. */
  readonly find: () => Promise<string | undefined>;
  /** Starts it on a folder of its own, which is empty or was left by an earlier start. */
  readonly open: (folder: string, work: Work) => Promise<Store>;
};

/** Counts the values of an answer that has been read to its end; not part of what is timed. */
export type Count = () => number;

/** A body in a file, and which of the clients sends it. */
export type Sent = {
  readonly format: BodyFormat;
  readonly path: string;
  readonly client: number;
};

/** A product that runs. */
export type Store = {
  /** Its process, whose children are its own too. */
  readonly pid: number;
  /** Resolves when a body is acknowledged. */
  readonly load: (body: Sent) => Promise<void>;
  /** Resolves when all that was acknowledged can be read, rolled up where the product does that. */
  readonly settle: () => Promise<void>;
  /** Lets it do at once what it does in quiet moments. */
  readonly rest: () => Promise<void>;
  /** What the values take on the disk, in bytes, with all indexes. */
  readonly bytes: () => Promise<number>;
  /** Reads the answer to a question to its last byte. */
  readonly ask: (question: Question) => Promise<Count>;
  readonly close: () => Promise<void>;
};
