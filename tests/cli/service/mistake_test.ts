// What ends a process that serves: a mistake of the program, and signals.
import { deepEqual, equal } from "node:assert/strict";
import { assert } from "../../../src/base/assert.ts";
import { aborted } from "../../../src/base/in_time.ts";
import { exit_codes } from "../../../src/cli/frame/exit.ts";
import { serve } from "../../../src/cli/service/serve.ts";
import { Connections } from "../../../src/engine/service/connections.ts";
import type { Served } from "../../../src/engine/service/service.ts";
import { fakeEffects } from "../../help/effects.ts";
import { test_settings } from "../../help/service.ts";

/** Hears what is logged. */
type Tell = (text: string, values?: { readonly error?: Error }) => void;

/** A service without a question to answer; `closed` aborts when it stops. */
function quietService(log: Readonly<Record<string, Tell>>) {
  const { effects } = fakeEffects();
  const settings = { ...test_settings, host: "127.0.0.1", port: 0, stop_notice_ms: 0 };
  const closed = new AbortController();
  const service = {
    parts: {
      log: { info: () => {}, warning: () => {}, error: () => {}, ...log },
      connections: new Connections({ effects, settings }),
      ...{ database: { answers: () => Promise.resolve(true) }, loops: [], status: () => "" },
    },
    fetch: () => Promise.resolve(new Response()),
    announce: () => {},
    invalid: new Promise<void>(() => {}),
    refuse: () => closed.abort(),
    close: () => Promise.resolve(),
  } as unknown as Served;
  return { effects, settings, service, closed };
}

Deno.test("a process goes on after a network's error, and ends with its own mistake", async () => {
  const told: string[] = [];
  const error = (_: string, values: { readonly error?: Error } = {}) =>
    void (values.error && told.push(values.error.message));
  const open = new AbortController();
  const { effects, settings, service, closed } = quietService({ error });
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

/** The same without the runner of the tests, which ends all of them at a real signal. */
async function atInterrupt(interrupt: "stops" | "ignored"): Promise<boolean> {
  const said: string[] = [];
  const { effects, settings, service } = quietService({ info: (text) => void said.push(text) });
  const stop = new AbortController();
  const { addSignalListener, removeSignalListener } = Deno;
  const listeners = new Map<Deno.Signal, () => void>();
  Deno.addSignalListener = (signal, listener) => void listeners.set(signal, listener);
  Deno.removeSignalListener = () => {};
  try {
    const ready = Promise.withResolvers<string>();
    const onReady = ready.resolve;
    const served = serve(service, { settings, effects, onReady, signal: stop.signal, interrupt });
    await ready.promise;
    listeners.get("SIGINT")!();
    const is_told = said.includes("stopping");
    listeners.get("SIGTERM")!();
    equal(await served, exit_codes.ok);
    return is_told;
  } finally {
    Object.assign(Deno, { addSignalListener, removeSignalListener });
  }
}

Deno.test("Ctrl-C stops a service, and no process of a node, which its node stops", async () => {
  equal(await atInterrupt("stops"), true);
  equal(await atInterrupt("ignored"), false);
});
