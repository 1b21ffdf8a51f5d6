// Which address a server is reached at: the one that was checked, whatever its name says later.
import assert from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import { sourceReachOf } from "../../../src/engine/devices/reach.ts";
import { openSession } from "../../../src/engine/opcua/opcua_client.ts";
import { opcua } from "../../../src/model/sources/kinds/opcua.ts";

/** A listener that takes what comes and closes: no server, but somebody who is reached. */
function listening(hostname = "127.0.0.1") {
  const listener = Deno.listen({ hostname, port: 0 });
  const heard: string[] = [];
  const running = (async () => {
    for await (const line of listener) {
      const room = new Uint8Array(4096);
      const count = await line.read(room);
      heard.push(new TextDecoder().decode(room.subarray(0, count ?? 0)));
      line.close();
    }
  })();
  return {
    ...{ heard, port: listener.addr.port },
    async close() {
      listener.close();
      await running.catch(() => {});
    },
  };
}

/** Resolves names by turns: each look-up has the next answer. */
function reachBy(answers: readonly (readonly string[])[], asked: string[]) {
  const effects = {
    ...systemEffects(),
    resolve: (host: string) => Promise.resolve(answers[asked.push(host) - 1] ?? []),
    addresses: () => [],
  };
  return sourceReachOf(effects, { source_allow: "127.0.0.1, ::1" });
}

const reachTest = (name: string, run: (folder: string) => Promise<void>) =>
  Deno.test({
    name,
    async fn() {
      const folder = await Deno.makeTempDir();
      try {
        await run(folder);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
    // Timers of a connection that the library is still ending.
    sanitizeOps: false,
    sanitizeResources: false,
  });

/** Opens a session as a source does, which ends as the listener is no server. */
async function tried(
  reach: ReturnType<typeof reachBy>,
  { port, folder }: { readonly port: number; readonly folder: string },
): Promise<string> {
  const endpoint = `opc.tcp://server.invalid:${port}/plant`;
  const entry = opcua.form.parse({
    ...{ key: "s", kind: "opcua", endpoint, security: "none", timeout_ms: 2_000 },
    points: [{ tag: "a", node: "i=1" }],
  });
  const parts = {
    certificates: folder,
    secret: () => Promise.reject(new Error("none")),
    effects: systemEffects(),
    signal: new AbortController().signal,
  };
  try {
    const addresses = await reach.vet(new URL(endpoint).hostname);
    await openSession(entry, { ...parts, addresses });
  } catch (error) {
    return (error as Error).message;
  }
  return "it was opened";
}

reachTest("a server is reached at the address that was checked, by its name", async (folder) => {
  const peer = listening();
  const asked: string[] = [];
  // The name stands for another address a moment later.
  const reach = reachBy([["127.0.0.1"], ["169.254.169.254"]], asked);
  await tried(reach, { port: peer.port, folder });
  assert.ok(peer.heard.length >= 1);
  assert.match(peer.heard[0], /^HELF/);
  assert.ok(peer.heard[0].includes(`opc.tcp://server.invalid:${peer.port}/plant`));
  assert.deepEqual(asked, ["server.invalid"]);
  const before = peer.heard.length;
  assert.match(await tried(reach, { port: peer.port, folder }), /169\.254\.169\.254/);
  assert.equal(peer.heard.length, before);
  await peer.close();
});

reachTest("where nobody answers at the first address, the next is tried", async (folder) => {
  const peer = listening();
  await tried(reachBy([["::1", "127.0.0.1"]], []), { port: peer.port, folder });
  assert.match(peer.heard[0], /^HELF/);
  await peer.close();
});
