// Texts of known loggers that are no tables as they stand, line by line as rows between tabs.
import { textOf, utf8 } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { kostalLog } from "./kostal.ts";
import { table_limits } from "./limits.ts";
import type { Source } from "./options.ts";
import { surfradDay } from "./surfrad.ts";

/** Makes the line of a number, from 1, a row of a table. */
export type Rewrite = (line: string, number: number) => string;

/** What knows a text by its first lines; `written_at` is what a person said of it. */
export type KnownText = (
  lines: readonly string[],
  said: { readonly written_at?: string },
) => Rewrite | undefined;

const known_texts: readonly KnownText[] = [surfradDay, kostalLog];
/** So many lines tell what a text is, if they are no longer than these bytes. */
const looked_lines = 16;
const looked_bytes = 16 * 1024;

/** How a text is to be rewritten; undefined where it is of no logger that is known. */
export async function rewriteOf(
  source: Source,
  said: { readonly written_at?: string },
): Promise<Rewrite | undefined> {
  const lines = await firstLines(source);
  for (const known of known_texts) {
    const rewrite = known(lines, said);
    if (rewrite !== undefined) return rewrite;
  }
  if (said.written_at === undefined) return undefined;
  throw new Fault(
    "invalid",
    "the file is no log whose times count from an inverter's start: leave out --written-at",
  );
}

async function firstLines(source: Source): Promise<readonly string[]> {
  let text = "";
  for await (const part of source(0)) {
    text += textOf(part.subarray(0, looked_bytes));
    if (text.length >= looked_bytes || text.split("\n").length > looked_lines) break;
  }
  return text.replace(/^\ufeff/, "").split("\n").slice(0, looked_lines).map(withoutEnd);
}

/** The rows of a text. A line beyond `table_limits.line_bytes` is a `Fault` (invalid). */
export async function* rewritten(
  text: AsyncIterable<Uint8Array>,
  rewrite: Rewrite,
): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder();
  let rest = "";
  let number = 0;
  for await (const part of text) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop()!;
    if (rest.length > table_limits.line_bytes) {
      throw new Fault("invalid", `line ${number + 1} is over ${table_limits.line_bytes} bytes`);
    }
    if (lines.length === 0) continue;
    yield utf8(lines.map((line) => `${rewrite(withoutEnd(line), ++number)}\n`).join(""));
  }
  if (rest !== "") yield utf8(rewrite(withoutEnd(rest), number + 1));
}

function withoutEnd(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
