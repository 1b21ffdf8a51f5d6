// Answers as newline-delimited JSON: one object a line, no RS byte.
import type { Answer } from "../../model/data/chunk.ts";
import { jsonDialect } from "./json.ts";
import { encodeText } from "../bytes/text.ts";

/** The rows of an answer as JSON objects, each ended by a line feed; nothing for no rows. */
export function encodeNdjson(answer: Answer): AsyncGenerator<Uint8Array, void> {
  return encodeText(answer, jsonDialect(answer.columns, { open: "{", after: "}\n" }));
}
