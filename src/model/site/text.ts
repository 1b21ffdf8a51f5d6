// A site file's text, TOML or JSON, as plain data.
import { parse, TomlError } from "smol-toml";
import { strictTextOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";

/** The two ways to write a site file. */
export type SiteSyntax = "toml" | "json";

const as_json = { json: "name a site file *.json, or send it as application/json" };

/** The data that `bytes` write. Throws a `Fault` (invalid) that names the place of a mistake. */
export function readSiteText(bytes: Uint8Array, syntax: SiteSyntax): unknown {
  const text = strictTextOf(bytes);
  if (text === undefined) throw mistake("body", "is not UTF-8");
  try {
    return syntax === "toml" ? parse(text) : JSON.parse(text);
  } catch (error) {
    if (error instanceof TomlError) {
      throw mistake(`line ${error.line}, column ${error.column}`, tomlFlaw(error, text, as_json));
    }
    if (error instanceof SyntaxError) {
      const hint = /^\s*[\w#[]/.test(text) ? "; where this is TOML, name it *.toml" : "";
      throw mistake("body", `is not JSON: ${error.message}${hint}`);
    }
    throw error;
  }
}

/**
 * What is wrong with a text that is no TOML, and what it may have been meant to be; `json` says
 * what to do where that is JSON.
 */
export function tomlFlaw(
  { message, line }: TomlError,
  text: string,
  { json = "write TOML" } = {},
): string {
  const [sentence] = message.split("\n");
  const here = text.split("\n")[line - 1] ?? "";
  const [, hint = ""] = habits.find(([form]) => form.test(text.trimStart()[0] + here)) ?? [];
  return sentence + (hint === looks_like_json ? `${hint}: ${json}` : hint);
}

const looks_like_json = "; this looks like JSON";

/** Other ways to write: the first sign of the text and the line, and what helps. */
const habits: readonly (readonly [form: RegExp, help: string])[] = [
  [/^\{/, looks_like_json],
  [/^.\s*(- )?[\w-]+:(\s|$)/, '; this looks like YAML: write TOML, such as key = "north"'],
  [/=\s*-?\d+,\d/, "; a number has a decimal point, such as 39.2"],
  [/=\s*[A-Za-z][\w.\/ -]*$/, '; a text stands in quotation marks, such as key = "INV-1"'],
];

function mistake(path: string, message: string): Fault {
  return new Fault("invalid", `the text can't be read: ${path}: ${message}`, {
    flaws: [{ path, message }],
  });
}
