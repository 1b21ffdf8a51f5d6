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
  const known = { authorization: `Bearer ${world.token}` };
  const list = "/platform/v1/alarms";
  for (
    const [what, path, least, headers] of [
      ["an alarm", `${one_path}?project_id=p0`, 30_000, known],
      ["404, an unknown alarm", `${list}/none?project_id=p0`, 20_000, known],
      ["404, an unknown path", "/platform/v1/nothing", 20_000, known],
      ["401, no token", `${list}?project_id=p0`, 20_000, {}],
      ["400, a wrong parameter", `${list}?project_id=p0&limit=x`, 20_000, known],
      ["405, a wrong method", "/ingest/v1/signals", 20_000, known],
    ] as const
  ) {
    const answer = await fetch(`${server.address}${path}`, { headers });
    // The second time: by then the runtime has compiled what all of them need.
    const ask = async (address: string) => {
      await requestsPerSecond(address, { path, headers });
      return await requestsPerSecond(address, { path, headers });
    };
    const limit = await onBareServer(await readyProgram(answer), ask);
    const hono = Math.round(await onBareServer(bare_hono, ask)).toLocaleString("en");
    const value = await ask(server.address);
    yield {
      workload: "W10",
      what: `small requests: ${what}`,
      ...{ value, unit: "/s", target: `≥ ${least / 1000} 000`, met: value >= least },
      limit: { what: `Deno.serve with answer and headers ready; bare Hono ${hono}`, value: limit },
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

/** Ends a program: the server that its `handle` answers, which prints where it listens. */
const serve = `
const onListen = ({ port }) => console.log("http://127.0.0.1:" + port);
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, handle);`;

/** The program of a server that always gives the same answer. */
async function readyProgram(answer: Response): Promise<string> {
  const headers = [...answer.headers].filter(([name]) => !own_headers.includes(name));
  return `const answer = Uint8Array.fromBase64("${(await answer.bytes()).toBase64()}");
const headers = ${JSON.stringify(headers)};
const handle = () => new Response(answer, { headers });${serve}`;
}

/** That of Hono alone, with a route and a query. */
const bare_hono = `import { Hono } from "@hono/hono";
const app = new Hono();
app.get("/platform/v1/alarms/:id", (c) => c.json([c.req.param("id"), c.req.query("project_id")]));
const handle = app.fetch;${serve}`;

/** Runs `work` against a program's server in a process of its own. */
async function onBareServer<T>(
  program: string,
  work: (address: string) => Promise<T>,
): Promise<T> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", program],
    cwd: new URL("../../", import.meta.url).pathname,
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
