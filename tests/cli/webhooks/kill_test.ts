// A real server is killed between sending an event and settling it: the next one sends it again.
import { deepEqual, equal } from "node:assert/strict";
import { declareProject } from "../../help/client.ts";
import { type Server, startServer } from "../../help/process.ts";

const args = ["--webhook-allow", "127.0.0.1"];

Deno.test("what was sent and not settled when the server was killed is sent again", async () => {
  const folder = await Deno.makeTempDir();
  let server = await startServer(folder, { args });
  const received: { readonly id: string | null; readonly body: string }[] = [];
  const killed = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const receiver = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      received.push({ id: request.headers.get("webhook-id"), body: await request.text() });
      if (received.length > 1) arrived.resolve();
      else server.end("SIGKILL").then(() => killed.resolve());
      await killed.promise;
      return new Response("thanks");
    },
  );
  const { token } = await declareProject(server);
  const call = async (path: string, body?: object) => {
    const answer = await fetch(`${server.address}/admin/v1/${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    return await answer.json();
  };
  const target = `http://127.0.0.1:${receiver.addr.port}/`;
  const said = { name: "hook", organization: "o", target, event_types: ["*"] };
  const { id } = await call("subscriptions", said);
  const { event_id } = await call(`subscriptions/${id}/test`, {});
  await killed.promise;
  server = await startServer(folder, { args });
  await arrived.promise;
  equal(received[0].id, event_id);
  deepEqual(received[1], received[0]);
  deepEqual(await settledDelivery(call), ["acknowledged", 1]);
  await end(server, receiver);
});

/** The state of the one delivery once it is settled, and its attempts. */
async function settledDelivery(call: (path: string) => Promise<{ deliveries: Json[] }>) {
  for (let turn = 0;; turn++) {
    const { deliveries: [{ state, attempts }] } = await call("deliveries");
    if (state !== "pending" || turn === 200) return [state, attempts];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

type Json = Readonly<Record<string, unknown>>;

async function end(server: Server, receiver: Deno.HttpServer): Promise<void> {
  await server.end("SIGTERM");
  await receiver.shutdown();
}
