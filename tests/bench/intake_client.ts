// A client of benches that sends bodies, and what the service that takes them costs.
import type { Server } from "../help/process.ts";
import { body_values, type Format, formats } from "./bodies.ts";

/** Clock ticks a second of `/proc/…/stat`. */
const ticks = 100;

/** Who sends bodies to a service of its own. */
export class Client {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  async call(method: string, path: string, type?: string, body?: BodyInit): Promise<string> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#server.token}`,
      accept: "application/json-seq, */*;q=0.1",
    };
    if (type !== undefined) headers["content-type"] = type;
    const response = await fetch(`${this.#server.address}${path}`, { method, headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }

  /** Sends a body; milliseconds until it is acknowledged. */
  async send(
    format: Format,
    body: Uint8Array<ArrayBuffer>,
    values = body_values,
  ): Promise<number> {
    const { path, media_type } = formats[format];
    const from_ms = performance.now();
    const at = `/ingest/v1/${path}?project_id=${await this.projectId()}`;
    const { accepted } = JSON.parse(await this.call("POST", at, media_type, body));
    if (accepted !== values) throw new Error(`only ${accepted} rows were accepted`);
    return performance.now() - from_ms;
  }

  /** The id of the plant's only project. */
  async projectId(): Promise<string> {
    return this.#project_id ??=
      JSON.parse(await this.call("GET", "/platform/v1/meta/projects")).projects[0].project_id;
  }
  #project_id: string | undefined;

  /** Asks for something small again and again, until told to end; how long each answer took. */
  ask(
    once: () => Promise<unknown> = () => this.call("GET", "/healthz"),
  ): { readonly end: () => Promise<number[]> } {
    const took_ms: number[] = [];
    let over = false;
    const work = async () => {
      while (!over) {
        const from_ms = performance.now();
        await once();
        took_ms.push(performance.now() - from_ms);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return took_ms;
    };
    const done = work();
    return {
      end: () => {
        over = true;
        return done;
      },
    };
  }

  /** Resolves when nothing waits for the roll-up, new or of the past. */
  async rolled(): Promise<void> {
    for (;;) {
      const metrics = await this.call("GET", "/metrics");
      const isNone = (gauge: string) => new RegExp(`^\\w*${gauge} 0$`, "m").test(metrics);
      if (["roll_backlog_rows", "roll_history_days"].every(isNone)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Seconds of the processor that a server has taken. */
export async function cpuOf({ pid }: Server): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
  return (Number(user) + Number(system)) / ticks;
}
