// Imports a file piece by piece, reading ahead while pieces are stored, and adds up the verdicts.
import { Fault } from "../../base/fault.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { IngestAnswer, Rejection } from "../../model/samples/sample.ts";
import type { Database } from "../../store/database.ts";
import { readTags } from "../../store/plant/tag.ts";
import { setTagUnits } from "../../store/plant/tag.ts";
import type { Decoded } from "../../wire/decode.ts";
import type { ImportFile, ImportMark, ImportPiece } from "../../wire/import_file.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Ingest } from "./ingest.ts";

/** Where samples go: this machine's database, or a service. */
export type ImportTarget = {
  readonly add: (decoded: Decoded) => Promise<IngestAnswer>;
  /** Throws a `Fault` where the file and the site file contradict each other on times. */
  readonly check: (file: Pick<ImportFile, "moved">) => void;
  /** Notes units by tag, for tags that have none. */
  readonly noteUnits: (units: ReadonlyMap<string, string>) => Promise<void>;
};

/** What became of the rows so far; a rejection's line is the file's. */
export type ImportReport = {
  accepted: number;
  duplicates: number;
  rejected_count: number;
  /** By reason: those that were named, and the first of them. */
  readonly reasons: Map<string, { count: number; readonly first: Rejection[] }>;
};

type ImportRun = {
  /** Where to begin. */
  readonly from?: ImportMark;
  /** Called when everything before `mark` is stored. */
  readonly onStored: (mark: ImportMark, report: ImportReport) => Promise<void>;
};

/** Pieces on their way to the database while the next one is read. */
const ahead = 2;
const shown_per_reason = 3;

/** Imports a file from a mark on. */
export async function importFile(
  file: ImportFile,
  target: ImportTarget,
  { from, onStored }: ImportRun,
): Promise<ImportReport> {
  target.check(file);
  const report = newReport();
  const waiting: { readonly piece: ImportPiece; readonly answer: Promise<IngestAnswer> }[] = [];
  const settleFirst = async () => {
    const { piece, answer } = waiting.shift()!;
    addUp(report, await answer, piece.line_base);
    await onStored(piece.mark, report);
  };
  try {
    for await (const piece of file.pieces(from)) {
      waiting.push({ piece, answer: target.add(piece.decoded) });
      if (waiting.length >= ahead) await settleFirst();
    }
    while (waiting.length > 0) await settleFirst();
  } finally {
    await Promise.allSettled(waiting.map((it) => it.answer));
  }
  if (file.units.size > 0) await target.noteUnits(file.units);
  return report;
}

/** A report of nothing. */
function newReport(): ImportReport {
  return { accepted: 0, duplicates: 0, rejected_count: 0, reasons: new Map() };
}

/** The database of this process as a target. */
export function databaseTarget(
  { database, catalog, ingest }: {
    readonly database: Database;
    readonly catalog: Catalog;
    readonly ingest: Ingest;
  },
  project: Project,
): ImportTarget {
  return {
    add: (decoded) => ingest.add(project, decoded),
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

function addUp(report: ImportReport, answer: IngestAnswer, line_base: number): void {
  report.accepted += answer.accepted;
  report.duplicates += answer.duplicates;
  report.rejected_count += answer.rejected_count;
  for (const rejection of answer.rejected) {
    const { reason } = rejection;
    const entry = report.reasons.get(reason) ?? { count: 0, first: [] };
    entry.count++;
    if (entry.first.length < shown_per_reason) {
      entry.first.push({ ...rejection, line: rejection.line + line_base });
    }
    report.reasons.set(reason, entry);
  }
}
