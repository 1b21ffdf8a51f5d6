// Imports a file piece by piece, reading ahead while pieces are stored, and proves the verdicts.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import type { Project } from "../../model/plant/plant.ts";
import { type IngestAnswer, needOf, type Rejection } from "../../model/samples/sample.ts";
import type { Database } from "../../store/database.ts";
import { readTags } from "../../store/plant/tag.ts";
import { setTagUnits } from "../../store/plant/tag.ts";
import { body_limits } from "../../wire/bytes/limits.ts";
import type { Decoded } from "../../wire/decode.ts";
import type { ImportFile, ImportMark, ImportPiece } from "../../wire/import/import_file.ts";
import type { Source } from "../../wire/import/options.ts";
import { type Catalog, wantedOf } from "../catalog/catalog.ts";
import { ratedPowers } from "../catalog/rated_power.ts";
import { type ImportCheck, noteReason, type Reasons } from "./check.ts";
import type { Ratings } from "./excess.ts";
import type { Ingest } from "./ingest.ts";
import type { TagNews } from "./understanding.ts";
import { foreseenFlaws } from "./transaction.ts";

/** What became of some rows; how many were corrected is null where that is not told. */
export type ImportAnswer = IngestAnswer & { readonly corrected: number | null };

/** Where samples go: this machine's database, or a service. */
export type ImportTarget = {
  readonly add: (decoded: Decoded) => Promise<ImportAnswer>;
  /** Throws a `Fault` where the file and the site file contradict each other on times. */
  readonly check: (file: Pick<ImportFile, "moved">) => void;
  /** The rows that will be rejected by their times, or by what known tags hold, as far as known. */
  readonly foresee: (decoded: Decoded) => readonly Rejection[];
  /** Notes units by tag, for tags that have none. */
  readonly noteUnits: (units: ReadonlyMap<string, string>) => Promise<void>;
};

/** What became of the rows so far; a rejection's line is the file's. */
export type ImportReport = {
  accepted: number;
  /** Of the accepted, those that replaced a stored value; null where that is not told. */
  corrected: number | null;
  duplicates: number;
  rejected_count: number;
  readonly reasons: Reasons;
};

type ImportRun = {
  /** Where to begin, and what became of the rows before: without that, the sum is not proved. */
  readonly from?: ImportMark;
  readonly before?: Readonly<ImportReport>;
  /** What was found in the whole file. */
  readonly check?: Pick<ImportCheck, "rows" | "rejected_count">;
  /**
   * Whether pieces go one at a time: where values replace others of the file, which must come
   * before them, and where others' samples should not wait for two.
   */
  readonly in_order?: boolean;
  /** Ends it early: what was stored by then is stored, and reported. */
  readonly signal?: AbortSignal;
  /** Called when everything before `mark` is stored. */
  readonly onStored: (mark: ImportMark, report: ImportReport) => Promise<void>;
};

/** Pieces on their way to the database while the next one is read. */
const pieces_ahead = 2;

/**
 * Imports a file from a mark on. A `Fault` where a row became neither accepted, a duplicate nor
 * rejected, or where the file is not any more what it was when it was checked.
 */
export async function importFile(
  file: ImportFile,
  target: ImportTarget,
  { from, before, check, in_order, signal, onStored }: ImportRun,
): Promise<ImportReport> {
  target.check(file);
  const none = { accepted: 0, corrected: 0, duplicates: 0, rejected_count: 0 };
  const report: ImportReport = { ...before ?? none, reasons: new Map(before?.reasons) };
  const ahead = in_order ? 1 : pieces_ahead;
  const waiting: { readonly piece: ImportPiece; readonly answer: Promise<ImportAnswer> }[] = [];
  const settleFirst = async () => {
    const { piece, answer } = waiting.shift()!;
    addUp(report, await answer, piece);
    await onStored(piece.mark, report);
  };
  try {
    for await (const piece of file.pieces(from)) {
      if (signal?.aborted) break;
      const answer = target.add(piece.decoded);
      // It may fail while another piece is waited for; its turn comes.
      answer.catch(() => {});
      waiting.push({ piece, answer });
      if (waiting.length >= ahead) await settleFirst();
    }
    while (waiting.length > 0) await settleFirst();
  } finally {
    await Promise.allSettled(waiting.map((it) => it.answer));
  }
  if (signal?.aborted) return report;
  if (check && (before || from === undefined)) proveWhole(report, check);
  if (file.units.size > 0) await target.noteUnits(file.units);
  return report;
}

/** A file's bytes; `onRead` is told how far they were read. */
export function fileSource(path: string, onRead: (offset: number) => void = () => {}): Source {
  return async function* (offset) {
    using file = await Deno.open(path);
    await file.seek(offset, Deno.SeekMode.Start);
    for (let at = offset;;) {
      const bytes = new Uint8Array(body_limits.piece_bytes);
      const read = await file.read(bytes);
      if (read === null) return;
      onRead(at += read);
      yield bytes.subarray(0, read);
    }
  };
}

/** What the catalog knows of the powers of a project. */
export function ratingsOf(catalog: Catalog, project: Project): Ratings {
  return new Map(
    ratedPowers(catalog, project).map((
      { sensor: { tag_no, scale, offset }, rated_w },
    ) => [catalog.tag(tag_no)!.sensor_tag, { rated_w, scale, offset }]),
  );
}

/** What the catalog knows of a project's tags. */
export function tagNews(catalog: Catalog, { project_no }: Project): TagNews {
  return (name) => {
    const tag = catalog.findTag(project_no, "signal", name);
    return tag === undefined
      ? null
      : { measures: catalog.sensorsOfTag(tag.tag_no).map(({ measure }) => measure) };
  };
}

/** The database of this process as a target. */
export function databaseTarget(
  { database, catalog, ingest, effects }: {
    readonly database: Database;
    readonly catalog: Catalog;
    readonly ingest: Ingest;
    readonly effects: Pick<Effects, "now_us">;
  },
  project: Project,
): ImportTarget {
  return {
    add: (decoded) => ingest.add(project, decoded),
    foresee({ batches }) {
      const now_us = effects.now_us();
      return batches.flatMap((batch) => {
        if (batch.lane === "forecast") return [];
        const entries = batch.tags.map((name) => {
          const tag = catalog.findTag(project.project_no, batch.lane, name);
          return tag ? wantedOf(catalog, tag) : { need: needOf([]), encoding: null };
        });
        return foreseenFlaws(batch, { entries, now_us });
      });
    },
    check: ({ moved }) => {
      const twice = [...moved].find((name) => {
        const tag = catalog.findTag(project.project_no, "signal", name);
        return tag && catalog.sensorsOfTag(tag.tag_no).some((it) => it.interval_at === "end");
      });
      if (twice === undefined) return;
      throw new Fault(
        "invalid",
        `the times of ${twice} would move to the start of their intervals twice: the site file ` +
          'says interval_at = "end". Leave that out, or import with --label start',
      );
    },
    async noteUnits(units) {
      const bare = [...units].flatMap(([name, unit]) => {
        const tag = catalog.findTag(project.project_no, "signal", name);
        return tag && tag.unit === null ? [{ tag_no: tag.tag_no, unit }] : [];
      });
      if (bare.length === 0) return;
      const tags = await database.write(async ({ connection }) => {
        await setTagUnits(connection, bare);
        return await readTags(connection, bare.map((tag) => tag.tag_no));
      });
      catalog.putTags(tags);
    },
  };
}

function addUp(report: ImportReport, answer: ImportAnswer, piece: ImportPiece): void {
  const { accepted, corrected, duplicates, rejected_count, rejected } = answer;
  const { decoded } = piece;
  const sent = decoded.batches.reduce((sum, { rows }) => sum + rows, decoded.rejected_count);
  const told = accepted + duplicates + rejected_count;
  if (sent !== told) {
    throw new Fault("conflict", `of ${sent} rows only ${told} were accounted for: import again`);
  }
  report.accepted += accepted;
  report.corrected = sumOrNull(report.corrected, corrected);
  report.duplicates += duplicates;
  report.rejected_count += rejected_count;
  for (const rejection of rejected) noteReason(report.reasons, rejection, piece);
}

/** The sum of two counts; null where one of them is not told. */
export function sumOrNull(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function proveWhole(
  report: ImportReport,
  check: Pick<ImportCheck, "rows" | "rejected_count">,
): void {
  const { accepted, duplicates, rejected_count } = report;
  const [told, held] = [accepted + duplicates + rejected_count, check.rows + check.rejected_count];
  if (told === held) return;
  throw new Fault(
    "conflict",
    `the file changed while it was imported: it held ${held} rows, ${told} were read. Import again`,
  );
}
