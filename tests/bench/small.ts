// Workload W10: small requests a second, many under way on a few connections.
import type { Server } from "../help/process.ts";
import { one_path } from "./alarm_read.ts";
import type { Figure } from "./figure.ts";
import type { World } from "./world.ts";

const connections = 8;
const under_way = 16;
const rounds = 200;

/** W10 against a running server; the limit is one of Deno's that has answer and headers ready. */
export async function* measureSmall(server: Server, world: World): AsyncGenerator<Figure> {
  const headers = { authorization: `Bearer ${world.token}` };
  const unknown = "/platform/v1/alarms/none?project_id=p0";
  for (
    const [what, path, least] of [
      ["an alarm", `${one_path}?project_id=p0`, 30_000],
      ["an unknown alarm", unknown, 20_000],
      ["an unknown path", "/platform/v1/nothing", 20_000],
    ] as const
  ) {
    const answer = await fetch(`${server.address}${path}`, { headers });
    const limit = await onBareServer(
      answer,
      (address) => requestsPerSecond(address, { path, headers }),
    );
    const value = await requestsPerSecond(server.address, { path, headers });
    yield {
      workload: "W10",
      what: `small requests: ${what}`,
      ...{ value, unit: "/s", target: `≥ ${least / 1000} 000`, met: value >= least },
      limit: { what: "Deno.serve with answer and headers ready", value: limit },
    };
  }
}

type Asked = { readonly path: string; readonly headers: Readonly<Record<string, string>> };

/** Sends the same request over and over, some at a time on each connection. */
async function requestsPerSecond(address: string, { path, headers }: Asked): Promise<number> {
  const { hostname, port } = new URL(address);
  const lines = Object.entries({ host: "bench", ...headers }).map(([name, is]) => `${name}: ${is}`);
  const request = `GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
  const batch = new TextEncoder().encode(request.repeat(under_way));
  const from = performance.now();
  await Promise.all(Array.from({ length: connections }, async () => {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const buffer = new Uint8Array(256 * 1024);
    const counter = new AnswerCounter();
    for (let round = 0; round < rounds; round++) {
      await connection.write(batch);
      for (let answers = 0; answers < under_way;) {
        const read = await connection.read(buffer);
        if (read === null) throw new Error("the server closed the connection");
        answers += counter.add(buffer.subarray(0, read));
      }
    }
  }));
  return connections * under_way * rounds / ((performance.now() - from) / 1000);
}

const head = "HTTP/1.1 ";

/** Counts answers in a stream of them, whatever the pieces it comes in. */
class AnswerCounter {
  #rest = "";

  /** How many answers begin in the next piece, or end of the last with it. */
  add(bytes: Uint8Array): number {
    const text = this.#rest + latin.decode(bytes);
    let count = 0;
    for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) count++;
    this.#rest = text.slice(1 - head.length);
    return count;
  }
}

const latin = new TextDecoder("latin1");

/** What each server sets by itself. */
const own_headers = ["content-length", "date", "transfer-encoding", "connection", "vary"];

/** Runs `work` against a server in a process of its own that always gives the same answer. */
async function onBareServer<T>(
  answer: Response,
  work: (address: string) => Promise<T>,
): Promise<T> {
  const headers = [...answer.headers].filter(([name]) => !own_headers.includes(name));
  const program = `const answer = Uint8Array.fromBase64("${(await answer.bytes()).toBase64()}");
const headers = ${JSON.stringify(headers)};
const onListen = ({ port }) => console.log("http://127.0.0.1:" + port);
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, () => new Response(answer, { headers }));`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", program],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  try {
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value = "" } = await lines.read();
    return await work(/http:\/\/[^\s]+/.exec(value)![0]);
  } finally {
    child.kill();
    await child.status;
  }
}
