// Streams an answer as text in a dialect, in pieces of about `body_limits.piece_bytes`.
import { utf8 } from "../../base/bytes.ts";
import type { Answer } from "../../model/data/chunk.ts";
import { type Dialect, printerOf, type RowPrinter } from "./print.ts";
import { TextPiece } from "./text_piece.ts";

/** The rows of an answer as UTF-8, behind the dialect's head. */
export async function* encodeText(
  answer: Answer,
  dialect: Dialect,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const piece = new TextPiece();
  const head = utf8(dialect.head);
  if (piece.hasRoom(head.length)) piece.putBytes(head);
  const printChunk = printerOf(answer.columns, { dialect, piece });
  for await (const chunk of answer.chunks) {
    const printer = printChunk(chunk);
    for (let row = 0; row < chunk.rows;) {
      row = printRows(printer, { from: row, to: chunk.rows, piece });
      if (row < chunk.rows) yield piece.take();
    }
  }
  if (piece.length > 0) yield piece.take();
}

/** Prints rows until the piece is full; gives the first row that was not printed. */
function printRows(
  { width, print }: RowPrinter,
  { from, to, piece }: { from: number; to: number; piece: TextPiece },
): number {
  for (let row = from; row < to; row++) {
    if (!piece.hasRoom(width)) return row;
    print(row);
  }
  return to;
}
