// A site file's text, TOML or JSON, as plain data.
import { parse, TomlError } from "smol-toml";
import { strictTextOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";

/** The two ways to write a site file. */
export type SiteSyntax = "toml" | "json";

/** The data that `bytes` write. Throws a `Fault` (invalid) that names the place of a mistake. */
export function readSiteText(bytes: Uint8Array, syntax: SiteSyntax): unknown {
  const text = strictTextOf(bytes);
  if (text === undefined) throw mistake("body", "is not UTF-8");
  try {
    return syntax === "toml" ? parse(text) : JSON.parse(text);
  } catch (error) {
    if (error instanceof TomlError) {
      const [sentence] = error.message.split("\n");
      throw mistake(`line ${error.line}, column ${error.column}`, sentence);
    }
    if (error instanceof SyntaxError) throw mistake("body", `is not JSON: ${error.message}`);
    throw error;
  }
}

function mistake(path: string, message: string): Fault {
  return new Fault("invalid", `the text can't be read: ${path}: ${message}`, {
    flaws: [{ path, message }],
  });
}
