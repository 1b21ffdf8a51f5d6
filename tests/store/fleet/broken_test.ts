// A node outlives a connection to its catalogue that breaks, and no mistake of its own.
import { deepEqual, equal } from "node:assert/strict";
import { survive } from "../../../src/fleet.ts";

/** An error that was thrown there, on the way from a timer of the runtime. */
function thrownAt(place: string): Error {
  const error = new TypeError("Cannot read properties of null (reading 'write')");
  error.stack = `${error}\n    at f (${place})\n    at g (ext:deno_node/internal/timers.mjs:1:2)`;
  return error;
}

Deno.test("an error of the catalogue's connection ends nothing, any other one does", () => {
  const told: unknown[] = [];
  const end = survive((error) => told.push(error));
  const isHandled = (error: unknown) =>
    !globalThis.dispatchEvent(new ErrorEvent("error", { error, cancelable: true }));
  const errors = [
    Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
    Object.assign(new Error("write CONNECTION_CLOSED db:5432"), { code: "CONNECTION_CLOSED" }),
    thrownAt("file:///node_modules/postgres/src/connection.js:255:22"),
    thrownAt("ext:deno_node/net.ts:9:9"),
  ];
  for (const error of errors) equal(isHandled(error), true, error.message);
  const ours = thrownAt("file:///wattkeeper/src/engine/fleet/node.ts:9:9");
  for (const error of [ours, new RangeError("too deep"), "text"]) {
    equal(isHandled(error), false, `${error}`);
  }
  deepEqual(told, errors);
  end();
  equal(isHandled(errors[0]), false);
});
