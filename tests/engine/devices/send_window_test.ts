// How many messages a broker sends ahead, as far as it has shown.
import assert from "node:assert/strict";
import { SendWindow } from "../../../src/engine/devices/mqtt_session.ts";

Deno.test("a window of a broker is known once it was full thrice, until it proves larger", () => {
  const window = new SendWindow();
  for (const waiting of [20, 7, 20, 20]) window.stalled(waiting);
  assert.equal(window.isFull(20), false);
  window.stalled(20);
  assert.deepEqual([window.isFull(19), window.isFull(20)], [false, true]);
  window.held(20);
  assert.equal(window.isFull(20), true);
  window.held(21);
  assert.equal(window.isFull(21), false);
});

Deno.test("messages that others send in turn are no sign that a broker waits", () => {
  const window = new SendWindow();
  assert.equal(window.isHurried(1), false);
  // More came until they were taken.
  window.taken(100);
  assert.equal(window.isHurried(1), false);
  window.taken(1_000);
  assert.equal(window.isHurried(1), true);
  for (const waiting of [100, 100]) window.stalled(waiting);
  assert.equal(window.isHurried(80), false);
  window.stalled(100);
  assert.equal(window.isFull(100), false);
});
