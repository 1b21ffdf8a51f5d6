// Errors that nobody handled: all are in the log, and a mistake of the program ends it.
import { deepEqual, equal } from "node:assert/strict";
import { assert } from "../../../src/base/assert.ts";
import { aborted } from "../../../src/base/in_time.ts";
import { exit_codes } from "../../../src/cli/frame/exit.ts";
import { serve } from "../../../src/cli/service/serve.ts";
import { Connections } from "../../../src/engine/service/connections.ts";
import type { Served } from "../../../src/engine/service/service.ts";
import { fakeEffects } from "../../help/effects.ts";
import { test_settings } from "../../help/service.ts";

Deno.test("a process goes on after a network's error, and ends with its own mistake", async () => {
  const { effects } = fakeEffects();
  const settings = { ...test_settings, host: "127.0.0.1", port: 0, stop_notice_ms: 0 };
  const told: string[] = [];
  const error = (_: string, values: { readonly error?: Error } = {}) =>
    void (values.error && told.push(values.error.message));
  const open = new AbortController();
  const closed = new AbortController();
  const service = {
    parts: {
      log: { info: () => {}, warning: () => {}, error },
      connections: new Connections({ effects, settings }),
      ...{ database: { answers: () => Promise.resolve(true) }, loops: [], status: () => "" },
    },
    fetch: () => Promise.resolve(new Response()),
    announce: () => {},
    invalid: new Promise<void>(() => {}),
    refuse: () => closed.abort(),
  } as unknown as Served;
  /** As the runtime does where nobody handles a rejection; true where it has to end the program. */
  const reject = (reason: unknown) => {
    const promise = Promise.resolve();
    const event = { promise, reason, cancelable: true };
    return globalThis.dispatchEvent(new PromiseRejectionEvent("unhandledrejection", event));
  };
  const onReady = () => {
    equal(reject(new Error("the peer is gone")), false);
    try {
      assert(false, "two of one");
    } catch (error) {
      equal(reject(error), false);
    }
  };
  const code = await serve(service, { settings, effects, onReady, signal: open.signal });
  equal(code, exit_codes.bug);
  deepEqual(told, ["the peer is gone", "assertion failed: two of one"]);
  open.abort();
  await aborted(closed.signal);
});
