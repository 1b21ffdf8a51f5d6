// What the front of a node tells the process of a shard about who asks.
import { equal } from "node:assert/strict";
import type { FleetNode } from "../../../src/engine/fleet/node.ts";
import { Front } from "../../../src/http/fleet/front.ts";
import type { FleetCatalog } from "../../../src/store/fleet/fleet_catalog.ts";
import { fakeEffects } from "../../help/effects.ts";

/** The client's address that a shard is told, of a request with such a header. */
async function toldOf(forwarded: string | undefined, trusted_proxies: string) {
  const told: (string | null)[] = [];
  const holding = { left_ms: 1, begin: () => () => {} };
  const front = new Front({
    node: { wayTo: () => ({ kind: "here", holding, port: 1 }) } as unknown as FleetNode,
    catalog: {} as FleetCatalog,
    effects: {
      ...fakeEffects().effects,
      request: ({ headers }) => {
        told.push(headers.get("x-forwarded-for"));
        return Promise.resolve(new Response("[]"));
      },
    },
    settings: { fleet_secret: "0123456789abcdef", trusted_proxies, metrics: "open" },
    ...{ version: "1", log: { error: () => {} } },
  });
  const headers: HeadersInit = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const remoteAddr = { transport: "tcp" as const, hostname: "10.0.0.2", port: 1 };
  const request = new Request("http://node/admin/v1/tokens", { headers });
  const answer = await front.fetch(request, { remoteAddr });
  equal(answer.status, 200, await answer.text());
  return told.join();
}

Deno.test("a shard is told the one address of a client that the node believes", async () => {
  equal(await toldOf(undefined, "none"), "10.0.0.2");
  equal(await toldOf("127.0.0.1", "none"), "10.0.0.2", "anybody can say that");
  equal(await toldOf("127.0.0.1, 203.0.113.9", "10.0.0.0/8"), "203.0.113.9");
  equal(await toldOf("nonsense", "10.0.0.0/8"), "unknown", "which is not this machine");
});
