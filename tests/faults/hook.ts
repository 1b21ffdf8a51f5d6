// A receiver of webhooks that trusts nobody: it proves each signature and keeps what came.
import { Webhook } from "standardwebhooks";
import { signedBy } from "../help/signature.ts";

/** What came of one event. */
export type Arrived = { readonly type: string; readonly body: string };

/** An honest receiver, which the copies of one prepared directory share: their events differ. */
export class Hook {
  /** What a promise is broken by. */
  readonly wrong: string[] = [];
  /** Events by their ids. */
  readonly arrived = new Map<string, Arrived>();
  /** Of the subscription; unknown until that is made. */
  secret = "";
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    const place = { hostname: "127.0.0.1", port: 0, onListen() {} };
    this.#server = Deno.serve(place, async (request) => {
      this.#take(request.headers, await request.text());
      return new Response();
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  /** Whether the issue of this name was told of. */
  knowsIssue(id: string): boolean {
    return this.#issues.has(id);
  }

  readonly #issues = new Set<string>();

  #take(headers: Headers, body: string): void {
    const id = headers.get("webhook-id") ?? "";
    const flaw = this.#flawOf(headers, body);
    if (flaw) this.wrong.push(`event ${id}: ${flaw}`);
    const { type, data } = JSON.parse(body);
    const before = this.arrived.get(id);
    if (before && before.body !== body) this.wrong.push(`event ${id} came with other bytes`);
    this.arrived.set(id, { type, body });
    if (type === "issue.created") this.#issues.add(data.id);
  }

  #flawOf(headers: Headers, body: string): string | undefined {
    const header = headers.get("x-svc-signature") ?? "";
    const t = Number(/t=(\d+)/.exec(header)?.[1]);
    if (!header.includes(signedBy(this.secret, body, t))) return "x-svc-signature is wrong";
    const standard = new Webhook(this.secret).sign(
      headers.get("webhook-id") ?? "",
      new Date(t * 1000),
      body,
    );
    const is_there = (headers.get("webhook-signature") ?? "").split(" ").includes(standard);
    return is_there ? undefined : "webhook-signature is wrong";
  }

  async close(): Promise<void> {
    await this.#server.shutdown();
  }
}
