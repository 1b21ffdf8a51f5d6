// What is wrong with small site files, in words.
import assert from "node:assert/strict";
import { Fault } from "../../src/base/fault.ts";
import { checkSiteFile } from "../../src/model/site/check.ts";

/** The parts that every site file has. */
export const head = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "Europe/Madrid" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
};

/** Paths and messages of what is wrong with a file of `head` and `more`. */
export function flaws(more: object): string[] {
  try {
    checkSiteFile({ ...head, ...more });
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === "invalid", String(error));
    return error.flaws.map(({ path, message }) => `${path}: ${message}`);
  }
  return [];
}

/** The one flaw that such a file has, which is at `path`. */
export function flawAt(path: string, more: object): string {
  const found = flaws(more);
  assert.deepEqual(found.map((flaw) => flaw.split(": ")[0]), [path], found.join("\n"));
  return found[0];
}
