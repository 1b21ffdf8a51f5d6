// Brings samples as Parquet files: one for each period of storing and day of the samples.
import { concat, utf8 } from "../../base/bytes.ts";
import type { Chunk, Vector } from "../../model/data/chunk.ts";
import { assert } from "../../base/assert.ts";
import type { DestinationOf } from "../../model/destinations/form.ts";
import { destination_limits } from "../../model/destinations/limits.ts";
import type { Tag } from "../../model/plant/plant.ts";
import { signal_columns } from "../../model/samples/signal.ts";
import { dayText } from "../../model/time/calendar.ts";
import { endedPart, periodAt, periodName, type StampSpan } from "../../model/upstream/span.ts";
import {
  countByDay,
  day_columns,
  type DayRows,
  findNewest,
  readDay,
} from "../../store/upstream/piece.ts";
import { encode } from "../../wire/format.ts";
import { type SignalLine, signalMaker } from "../signals/row.ts";
import type { Carried, Courier, CourierTools } from "./courier.ts";
import type { ObjectStore } from "./object_store.ts";

/** Columns of a file, as `/platform/v1/signals` has them: those that raw samples have. */
const file_names: readonly string[] = [
  ...["sensor_tag", "device_key", "device_name", "tag_class", "value_encoding", "unit", "ts"],
  ...["received_at", "value", "value_int", "value_str", "quality", "status_code", "status_name"],
];
const columns = signal_columns.filter(({ name }) => file_names.includes(name));

type ParquetEntry = Pick<DestinationOf<"parquet_folder" | "parquet_s3">, "period">;

/** What a period's files are, as its manifest says. */
type File = { readonly path: string; readonly rows: number; readonly bytes: number };

/**
 * Each period is brought once it is over, whole, the newest first. Its files have the same names
 * whenever they are brought, so that a repeat replaces them; its manifest comes last.
 */
export function parquetCourier(
  { period }: ParquetEntry,
  { tools, store }: { readonly tools: CourierTools; readonly store: ObjectStore },
): Courier {
  const { database, project, count } = tools;
  return {
    async next(spans) {
      const span = endedPart(spans, { now_us: database.now_us, length: period });
      if (span === undefined) return undefined;
      // A write that goes on may have a stamp of the period: one that begins now ends after it.
      if (database.committed_us < span.to_us) await database.write(() => Promise.resolve());
      const newest_us = await database.aside((connection) =>
        findNewest(connection, { ...span, step_us: destination_limits.step_us })
      );
      if (newest_us === undefined) return { span, is_empty: true };
      const newest = periodAt(newest_us, period);
      if (newest.to_us < span.to_us) {
        return { span: { from_us: newest.to_us, to_us: span.to_us }, is_empty: true };
      }
      return { span: newest };
    },
    async carry(span, signal) {
      const base = `project=${project.key}`;
      const name = periodName(span, period);
      const days = await rowsByDay(tools, span);
      const files: File[] = [];
      for (const [day, tags] of days) {
        const path = `day=${dayText(day)}/${name}.parquet`;
        const rows = tags.reduce((sum, it) => sum + it.rows, 0);
        const pieces = fileOf(tools, { span, day, tags });
        files.push({ path, rows, bytes: await store.put(`${base}/${path}`, pieces, signal) });
        count(rows);
      }
      if (files.length === 0) return nothing;
      const manifest = utf8(manifestOf(project.key, { span, files }));
      await store.put(`${base}/_manifest/${name}.json`, one(manifest), signal);
      return {
        rows: files.reduce((sum, it) => sum + it.rows, 0),
        bytes: files.reduce((sum, it) => sum + it.bytes, manifest.length),
        asides: [],
      };
    },
  };
}

const nothing: Carried = { rows: 0, bytes: 0, asides: [] };

async function rowsByDay(
  { database, catalog, isSent }: CourierTools,
  span: StampSpan,
): Promise<ReadonlyMap<number, readonly DayRows[]>> {
  const counts = await database.aside((connection) => countByDay(connection, span));
  const sent = counts.filter(({ tag_no }) => {
    const tag = catalog.tag(tag_no);
    return tag !== undefined && isSent(tag);
  });
  return Map.groupBy(sent, ({ day }) => day);
}

/** The bytes of a file: rows by tag and time, of some tags at once. */
async function* fileOf(
  { database, catalog }: CourierTools,
  { span, day, tags }: {
    readonly span: StampSpan;
    readonly day: number;
    readonly tags: readonly DayRows[];
  },
): AsyncGenerator<Uint8Array, void> {
  const chunks = async function* () {
    for (const tag_nos of groupsOf(tags)) {
      const chunk = await database.aside((it) => readDay(it, { span, day, tag_nos }));
      yield signalChunk(chunk, (tag_no) => catalog.tag(tag_no)!);
    }
  };
  yield* encode({ columns, chunks: chunks(), metadata: {} }, "parquet");
}

/** Tags whose rows are read at once. */
function groupsOf(tags: readonly DayRows[]): readonly (readonly number[])[] {
  const groups: { tag_nos: number[]; rows: number }[] = [];
  for (const { tag_no, rows } of tags) {
    const last = groups.at(-1);
    if (last && last.rows + rows <= destination_limits.read_rows) {
      last.tag_nos.push(tag_no);
      last.rows += rows;
    } else groups.push({ tag_nos: [tag_no], rows });
  }
  return groups.map(({ tag_nos }) => tag_nos);
}

/** Stored rows as rows of signals. */
function signalChunk({ rows, vectors }: Chunk, tagOf: (tag_no: number) => Tag): Chunk {
  const parts: Record<string, Vector> = Object.fromEntries(
    day_columns.map((name, i) => [name, vectors[i]]),
  );
  const { tag_no } = parts;
  assert(tag_no.kind === "int32", "a tag's number");
  const lines: SignalLine[] = [];
  const line = tag_no.values.map((no, row) => {
    if (row === 0 || no !== tag_no.values[row - 1]) {
      lines.push({ lane: "raw_signal", tag: tagOf(no), sensor: null });
    }
    return lines.length - 1;
  });
  const page = { rows, parts: { ...parts, line: { kind: "int32", values: line } as const } };
  return {
    rows,
    vectors: columns.map(({ name }) => signalMaker(name)!.make({ page, lines })),
  };
}

function manifestOf(
  project: string,
  { span, files }: { readonly span: StampSpan; readonly files: readonly File[] },
): string {
  const [stored_from, stored_to] = [span.from_us, span.to_us].map((us) =>
    new Date(us / 1000).toISOString()
  );
  return `${JSON.stringify({ project, stored_from, stored_to, files }, undefined, 1)}\n`;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield await Promise.resolve(concat([bytes]));
}
