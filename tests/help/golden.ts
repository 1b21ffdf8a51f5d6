// Expected text kept in tests/golden; `GOLDEN=update` rewrites it.
import { equal } from "node:assert/strict";

/** Compares `text` with the file of that name, or rewrites the file when asked to. */
export async function equalGolden(name: string, text: string): Promise<void> {
  const path = new URL(`../golden/${name}`, import.meta.url);
  if (Deno.env.get("GOLDEN") === "update") await Deno.writeTextFile(path, text);
  equal(text, await Deno.readTextFile(path));
}
