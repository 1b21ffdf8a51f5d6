// Forms of the words that site files and requests are made of: keys, names, names of tags.
import * as z from "zod";
import { limits } from "../../base/limits.ts";

/** A key that stands in addresses. */
export const key_form = z.string().max(limits.key_length).regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, {
  error: "give letters, digits, `.`, `_` and `-`, the first a letter or digit",
});

/** A name, or a source system's key: something to be seen. */
export const name_form = textUpTo(limits.name_length).refine((text) => !/^\s+$/.test(text), {
  error: "give more than spaces",
});

/** A source system's name of a tag. */
export const tag_form = textUpTo(limits.tag_length);

/** A text that is not empty, of at most `length` characters, kept as it is by every format. */
export function textUpTo(length: number) {
  return z.string().min(1).max(length).refine(isPlainText, {
    error: "give a text without control characters",
  });
}

/** A text of several lines that says something, of at most `length` characters, likewise kept. */
export function noteUpTo(length: number) {
  return z.string().max(length).refine(isNote, {
    error: "give a text, without control characters but new lines and tabs",
  });
}

/** Whether the text says something, and the database and every format keep it as it is. */
function isNote(text: string): boolean {
  return text.trim() !== "" && text.isWellFormed() && !/[^\P{Cc}\n\r\t]/u.test(text);
}

/** Whether the database and every format keep the text as it is. */
function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/** What is left of any text that can be kept as a plain one, of at most `length` characters. */
export function plainText(text: string, length: number): string {
  return text.toWellFormed().replaceAll(/\p{Cc}+/gu, " ").trim().slice(0, length).toWellFormed();
}
