// Receivers of webhooks that mean harm: an honest one is told of everything as fast as ever.
import { type Behaviour, hang, readRequest, receive, write } from "../../help/receiver.ts";
import { undelivered } from "../count.ts";
import type { Kind } from "../round.ts";
import { until } from "../until.ts";

/** No receiver may delay what another is told by more. */
const patience_ms = 10_000;

const answering =
  (status: string, ...lines: readonly string[]): Behaviour => async (connection) => {
    if (await readRequest(connection) === null) return;
    await write(connection, [`HTTP/1.1 ${status}`, ...lines, "", ""].join("\r\n"));
  };

/** What is answered to the honest receiver's address is not signed for it. */
const behavioursFor = (honest: string): Readonly<Record<string, Behaviour>> => ({
  hanging: hang,
  closing: () => Promise.resolve(),
  redirecting: answering("307 Temporary Redirect", `Location: ${honest}`, "Content-Length: 0"),
  leaving: answering("410 Gone", "Content-Length: 0"),
  delaying: answering("429 Too Many Requests", "Retry-After: 999999999", "Content-Length: 0"),
  lying: answering("200 OK", "Content-Length: 99999999", "", "short"),
  garbled: answering("200 \0\xff", "x: \r\r\n:", "Transfer-Encoding: chunked", "", "zz"),
  async huge(connection) {
    await readRequest(connection);
    await write(connection, "HTTP/1.1 200 OK\r\n");
    for (let i = 0; i < 2000; i++) await write(connection, `x-${i}: ${"y".repeat(1000)}\r\n`);
  },
  async dripping(connection) {
    await readRequest(connection);
    for (const letter of "HTTP/1.1 200 OK\r\nx: y".repeat(9)) {
      await write(connection, letter);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  },
});

export const receivers: Kind = async (world) => {
  const { client } = world;
  const server = await world.start();
  const behaviours = behavioursFor(client.hook.url);
  const name = world.choose(Object.keys(behaviours));
  const receiver = receive(behaviours[name]);
  try {
    await client.subscribe(server, { name, target: `http://${receiver.address}/` });
    await client.load(server, { requests: 20 });
    const late = await until(() => undelivered(server, client), patience_ms);
    if (world.pick(2) === 0) await world.kill();
    const wrong = receiver.accepted() === 0 ? [`the ${name} receiver was not asked`] : late;
    return { did: `a ${name} receiver, asked ${receiver.accepted()} times`, wrong };
  } finally {
    receiver.close();
  }
};
