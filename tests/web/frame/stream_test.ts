// Tests the connection that stays: resumed where it was, tried again ever more slowly.
import { deepEqual, equal } from "node:assert/strict";
import { followStream, waitBefore } from "../../../src/web/frame/stream.ts";

/** A browser whose connections and time the test moves. */
function openStream() {
  const addresses: string[] = [];
  const heard: string[] = [];
  const waits: number[] = [];
  let listeners: Record<string, (event: Event) => void> = {};
  let due = () => {};
  let is_open = false;
  const stop = followStream(
    {
      connect(address) {
        addresses.push(address);
        listeners = {};
        is_open = true;
        return {
          addEventListener: (type, then) => listeners[type] = then,
          close: () => is_open = false,
        };
      },
      after(wait_ms, then) {
        waits.push(wait_ms);
        due = then;
        return () => due = () => {};
      },
    },
    (id) => id ?? "start",
    {
      onOpen: () => heard.push("open"),
      onCut: () => heard.push("cut"),
      events: { alarm: (data) => heard.push(data) },
    },
  );
  const tell = (type: string, said = {}) => listeners[type](Object.assign(new Event(type), said));
  return {
    ...{ addresses, heard, waits, stop },
    event: (data: string, lastEventId: string) => tell("alarm", { data, lastEventId }),
    open: () => tell("open"),
    fail: () => tell("error"),
    pass: () => due(),
    isOpen: () => is_open,
  };
}

Deno.test("a stream that is cut is taken up after the last event", () => {
  const stream = openStream();
  stream.open();
  stream.event("a", "7");
  stream.event("b", "");
  stream.fail();
  equal(stream.isOpen(), false);
  stream.pass();
  stream.open();
  stream.event("c", "8");
  deepEqual(stream.addresses, ["start", "7"]);
  deepEqual(stream.heard, ["open", "a", "b", "cut", "open", "c"]);
});

Deno.test("waits grow while it fails, and are short again once it was open", () => {
  const stream = openStream();
  for (let i = 0; i < 9; i++) {
    stream.fail();
    stream.pass();
  }
  const all = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000];
  deepEqual(stream.waits, all);
  stream.open();
  stream.fail();
  equal(stream.waits.at(-1), 500);
  equal(waitBefore(0), 0);
});

Deno.test("a stream that is stopped is closed, and says nothing more", () => {
  const stream = openStream();
  stream.stop();
  equal(stream.isOpen(), false);
  stream.event("a", "1");
  deepEqual(stream.heard, []);
  const other = openStream();
  other.fail();
  other.stop();
  other.pass();
  equal(other.addresses.length, 1);
});
