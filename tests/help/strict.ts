// Strict assertions by name: of Deno, "node:assert/strict" itself has the loose ones by name, for
// which "1" is 1 and -0 is 0. So deno.json maps it to this file.
export { strict as default } from "node:assert";
import { strict } from "node:assert";

export const {
  deepEqual,
  doesNotMatch,
  equal,
  fail,
  match,
  notDeepEqual,
  notEqual,
  ok,
  rejects,
  throws,
} = strict;
