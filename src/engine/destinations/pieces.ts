// Stored samples where their order counts: which go next, read tag by tag, and those not taken.
import { assert } from "../../base/assert.ts";
import type { Effects } from "../../base/effects.ts";
import { type Chunk, isValid, type Vector, wordAt } from "../../model/data/chunk.ts";
import { destination_limits } from "../../model/destinations/limits.ts";
import type { Tag } from "../../model/plant/plant.ts";
import {
  backlogPiece,
  livePart,
  oldestPart,
  type StampSpan,
  type StampSpans,
} from "../../model/upstream/span.ts";
import { type SetAside, sumOfAside } from "../../model/upstream/upstream.ts";
import type { Database } from "../../store/database.ts";
import {
  countStored,
  findBlock,
  findNewest,
  findOldest,
  readStored,
  stored_columns,
} from "../../store/upstream/piece.ts";
import type { Courier, CourierTools, Next } from "./courier.ts";

type PieceTools = {
  readonly database: Database;
  readonly ingest: { readonly head_us: number };
  readonly effects: Pick<Effects, "monotonic_ms">;
};

/** The oldest first, in the order of storing. */
export function oldestFirst({ database, ingest }: PieceTools, most: number): Courier["next"] {
  return (spans) => {
    const part = oldestPart(spans, ingest.head_us);
    if (part === undefined) return Promise.resolve(undefined);
    return database.aside(async (connection): Promise<Next> => {
      const step_us = destination_limits.step_us;
      const found = await findOldest(connection, { ...part, step_us, most });
      return found === undefined ? { span: part, is_empty: true } : { span: found };
    });
  };
}

/** What came last first, now and then; meanwhile the past, its newest hour first. */
export function newestFirst(
  { database, effects, ingest }: PieceTools,
  most: number,
): Courier["next"] {
  let live_ms = -Infinity;
  return async (spans: StampSpans) => {
    const past = backlogPiece(spans);
    const live = livePart(spans, ingest.head_us);
    const is_due = past === undefined ||
      effects.monotonic_ms() - live_ms >= destination_limits.look_ms;
    const part = live && is_due ? live : past;
    if (part === undefined) return undefined;
    if (part === live) live_ms = effects.monotonic_ms();
    return await database.aside(async (connection): Promise<Next> => {
      const step_us = destination_limits.step_us;
      const last_us = await findNewest(connection, { ...part, step_us });
      if (last_us === undefined) return { span: part, is_empty: true };
      const newest: StampSpan = {
        from_us: Math.max(part.from_us, last_us - step_us),
        to_us: part.to_us,
      };
      return { span: (await findBlock(connection, { ...newest, most })) ?? newest };
    });
  };
}

/** A sample as it is sent; without a value it is bad. */
export type SentSample = {
  readonly tag: Tag;
  readonly ts_us: number;
  readonly value: number | bigint | string | undefined;
  readonly quality: number | undefined;
  readonly status_code: number | undefined;
};

/** The samples of a piece by tag and time, read some at once. */
export async function* samplesOf(
  { database, catalog, isSent }: CourierTools,
  span: StampSpan,
): AsyncGenerator<readonly SentSample[], void> {
  const { samples } = await database.aside((connection) => countStored(connection, span));
  let group: { tag_nos: number[]; rows: number } = { tag_nos: [], rows: 0 };
  const read = async () => {
    const { tag_nos } = group;
    group = { tag_nos: [], rows: 0 };
    if (tag_nos.length === 0) return [];
    const chunk = await database.aside((connection) =>
      readStored(connection, { kind: "samples", span, tag_nos })
    );
    return sentSamples(chunk, (tag_no) => catalog.tag(tag_no)!);
  };
  for (const { tag_no, rows } of samples) {
    const tag = catalog.tag(tag_no);
    if (tag === undefined || !isSent(tag)) continue;
    if (group.rows > 0 && group.rows + rows > destination_limits.read_rows) yield await read();
    group.tag_nos.push(tag_no);
    group.rows += rows;
  }
  yield await read();
}

function sentSamples({ rows, vectors }: Chunk, tagOf: (tag_no: number) => Tag): SentSample[] {
  const at = (name: string) => vectors[stored_columns.samples.indexOf(name)];
  const [tag_no, ts, ...cells] = ["tag_no", "ts", "value", "value_int", "value_str"].map(at);
  const [quality, status] = [at("quality"), at("status_code")];
  return Array.from({ length: rows }, (_, row) => {
    const value = cells.map((vector) => cellOf(vector, row)).find((it) => it !== undefined);
    return {
      tag: tagOf(Number(cellOf(tag_no, row))),
      ts_us: Number(cellOf(ts, row)),
      value,
      quality: numberOf(quality, row),
      status_code: numberOf(status, row),
    };
  });
}

function numberOf(vector: Vector, row: number): number | undefined {
  const cell = cellOf(vector, row);
  return cell === undefined ? undefined : Number(cell);
}

function cellOf(vector: Vector, row: number): number | bigint | string | undefined {
  if (!isValid(vector.valid, row)) return undefined;
  if (vector.kind === "text") return wordAt(vector.words, vector.codes ? vector.codes[row] : row);
  assert(vector.kind !== "bool", "numbers, instants and texts");
  return vector.values[row];
}

/** Rows of a piece that are not taken, by tag. */
export class Asides {
  readonly #by_tag = new Map<number, SetAside>();

  add(
    { tag: { tag_no }, ts_us }: Pick<SentSample, "tag" | "ts_us">,
    of: Pick<SetAside, "from_us" | "to_us" | "reason" | "changed_at" | "destination_no">,
  ): void {
    const one: SetAside = {
      ...{ tag_no, lane: "signal", rows: 1, first_ts: ts_us, last_ts: ts_us },
      ...of,
    };
    const known = this.#by_tag.get(tag_no);
    this.#by_tag.set(tag_no, known ? sumOfAside(known, one) : one);
  }

  get all(): readonly SetAside[] {
    return [...this.#by_tag.values()];
  }
}
