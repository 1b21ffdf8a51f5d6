// Tests which connections stay: shares of addresses, those that give way, those idle too long.
import { deepEqual, equal, ok } from "node:assert/strict";
import { Connections } from "../../../src/engine/service/connections.ts";
import { service_limits } from "../../../src/engine/service/limits.ts";
import { fakeEffects } from "../../help/effects.ts";

const { no_request_ms, idle_ms, address_share } = service_limits;

function openConnections({ most = 40, trusted_proxies = "none" } = {}) {
  const { effects, clock } = fakeEffects();
  const connections = new Connections({ effects, settings: { trusted_proxies } });
  connections.most = most;
  const closed: string[] = [];
  const open = (name: string, address = "192.0.2.1") =>
    connections.open(address, () => closed.push(name));
  return { connections, clock, closed, open, share: most * address_share };
}

Deno.test("a connection without a request ends, and a later one that rests", () => {
  const { connections, clock, closed, open } = openConnections();
  open("silent");
  const asked = open("asked")!;
  asked.begin();
  const busy = open("busy")!;
  busy.begin();
  clock.advance(no_request_ms - 1);
  connections.sweep();
  deepEqual(closed, []);
  asked.end();
  clock.advance(1);
  connections.sweep();
  deepEqual(closed, ["silent"]);
  clock.advance(idle_ms);
  connections.sweep();
  deepEqual(closed, ["silent", "asked"]);
  ok(busy.is_busy);
  deepEqual(connections.counts, { open: 1, idle: 0 });
  deepEqual(connections.closed, { no_request: 1, idle: 1, crowded: 0, refused: 0 });
});

Deno.test("an address has its share: its own that rested longest gives way, no other's", () => {
  const { connections, closed, open, share } = openConnections();
  open("other", "192.0.2.2");
  const mine = Array.from({ length: share }, (_, i) => open(`mine ${i}`)!);
  mine[0].begin();
  mine[0].end();
  mine[1].begin();
  ok(open("one more"));
  deepEqual(closed, ["mine 2"]);
  ok(open("and one", "::ffff:192.0.2.1"));
  deepEqual(closed, ["mine 2", "mine 3"]);
  deepEqual(connections.counts, { open: share + 1, idle: share });
});

Deno.test("an address whose whole share is busy gets no more, and others do", () => {
  const { connections, closed, open, share } = openConnections();
  for (let i = 0; i < share; i++) open(`${i}`)!.begin();
  equal(open("one more"), undefined);
  ok(open("another's", "2001:db8::1"));
  equal(connections.closed.refused, 1);
  deepEqual(closed, []);
});

Deno.test("where all are taken, the address that has most gives one", () => {
  const { closed, open, share } = openConnections();
  for (let i = 0; i < share; i++) open(`a ${i}`, "192.0.2.1");
  for (let peer = 2; peer < 32; peer++) open(`b ${peer}`, `192.0.2.${peer}`);
  deepEqual(closed, []);
  ok(open("new", "192.0.2.99"));
  deepEqual(closed, ["a 0"]);
});

Deno.test("a listed proxy has no share of its own, and an IPv6 network has one", () => {
  const proxy = openConnections({ trusted_proxies: "192.0.2.0/24" });
  for (let i = 0; i < 2 * proxy.share; i++) ok(proxy.open(`${i}`));
  deepEqual(proxy.closed, []);
  const { closed, open, share } = openConnections();
  for (let i = 0; i <= share; i++) open(`${i}`, `2001:db8::${i + 1}`);
  deepEqual(closed, ["0"]);
});

Deno.test("what left or was closed is counted no more, whatever comes of it after that", () => {
  const { connections, clock, closed, open } = openConnections();
  const gone = open("gone")!;
  gone.begin();
  gone.leave();
  gone.end();
  gone.leave();
  open("late");
  clock.advance(no_request_ms);
  connections.sweep();
  connections.sweep();
  deepEqual(closed, ["late"]);
  deepEqual(connections.counts, { open: 0, idle: 0 });
});
