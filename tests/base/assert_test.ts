// Which errors that nobody handled are mistakes of ours.
import { equal, ok } from "node:assert/strict";
import { assert, isMistake } from "../../src/base/assert.ts";
import { Fault } from "../../src/base/fault.ts";

/** What a piece of work throws. */
async function thrownBy(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
}

Deno.test("a mistake is an assertion, or a wrong use of a value in our own lines", async () => {
  const nothing = JSON.parse("null");
  const mistakes = [
    () => assert(false, "two routes share an address"),
    () => nothing.length,
    () => new Array(-1),
    () => nothing(),
  ];
  for (const work of mistakes) equal(isMistake(await thrownBy(work)), true, `${work}`);
  const others = [
    () => {
      throw new Fault("unavailable", "away");
    },
    () => fetch("http://127.0.0.1:1/"),
    () => new URL("nowhere"),
    () => Deno.readTextFile("no-such-file"),
    () => AbortSignal.abort().throwIfAborted(),
    () => JSON.parse("{"),
    () => new ReadableStream({ pull: (it) => it.error(new Error("broke off")) }).getReader().read(),
    () => Promise.reject("text"),
  ];
  for (const work of others) equal(isMistake(await thrownBy(work)), false, `${work}`);
  const of_package = new TypeError("no");
  of_package.stack = `${of_package}\n    at f (file:///x/node_modules/mqtt/client.js:1:2)`;
  equal(isMistake(of_package), false);
});

Deno.test("a fault is an error to who catches it, but notes no place where it was made", () => {
  const fault = new Fault("invalid", "limit: give a whole number");
  ok(fault instanceof Error);
  equal(String(fault), "Fault: limit: give a whole number");
  equal(fault.stack, "Fault: limit: give a whole number");
  // What the runtime gives its own errors costs most of a refusal.
  ok(!Object.hasOwn(fault, "stack"));
});
