// An independent client: it writes of everything, keeps what was acknowledged, and counts that.
import type { Server } from "../help/process.ts";
import type { Hook } from "./hook.ts";
import { makeWish, type Wish } from "./wish.ts";

/** What a client has to know again after its own end. */
export type Ledger = {
  readonly token: string;
  readonly project_id: string;
  /** When the first samples are of. */
  readonly from_ms: number;
  /** Everything that was sent, by its number. */
  readonly sent: Map<number, Entry>;
};

/** What was sent, and whether an answer came that says that it is stored. */
export type Entry = { is_acknowledged: boolean; id?: string; photo_id?: string };

/** Answers that say who may do what: all others are a broken promise. */
export const plain_refusals = new Set([429, 501, 503]);
const lanes = 4;
const patience_ms = 20_000;

/** What an answer was: undefined where none came. */
export type Answer = { readonly status: number; readonly text: string } | undefined;

export class Client {
  readonly ledger: Ledger;
  readonly hook: Hook;
  /** What a promise is broken by. */
  readonly wrong: string[] = [];
  /** How many answers refused something for now, and how many did not come. */
  readonly counts = { acknowledged: 0, refused: 0, cut: 0 };
  #next: number;

  constructor(ledger: Ledger, hook: Hook) {
    this.ledger = ledger;
    this.hook = hook;
    this.#next = ledger.sent.size;
  }

  /** Writes `requests` more, some at a time, or fewer where the server ends meanwhile. */
  async load(
    server: Server,
    { requests, onAnswer = () => {} }: {
      readonly requests: number;
      /** Told how many are acknowledged after each answer. */
      readonly onAnswer?: (acknowledged: number) => void;
    },
  ): Promise<void> {
    let is_over = false;
    server.ended.then(() => is_over = true);
    const end = this.#next + requests;
    const before = this.counts.acknowledged;
    const work = async () => {
      while (this.#next < end && !is_over) {
        await this.#write(server, this.#next++);
        onAnswer(this.counts.acknowledged - before);
      }
    };
    await Promise.all(Array.from({ length: lanes }, work));
  }

  /** Subscribes a receiver to everything; gives its secret. */
  async subscribe(
    server: Server,
    { name, target }: { readonly name: string; readonly target: string },
  ): Promise<string> {
    const body = JSON.stringify({ name, target, organization: "o", event_types: ["issue.*"] });
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body };
    const answer = await this.ask(server, "/admin/v1/subscriptions", init);
    if (answer?.status !== 201) throw new Error(`no subscription: ${answer?.text}`);
    return JSON.parse(answer.text).secret;
  }

  /** Sends again what nobody acknowledged, as a source does. */
  async repeat(server: Server): Promise<void> {
    for (const [n, { is_acknowledged }] of this.ledger.sent) {
      if (!is_acknowledged) await this.#write(server, n);
    }
  }

  async #write(server: Server, n: number): Promise<void> {
    const wish = makeWish(n, this.ledger);
    const entry = this.ledger.sent.get(n) ?? { is_acknowledged: false };
    this.ledger.sent.set(n, entry);
    const answer = await this.#send(server, wish);
    if (answer === undefined) return;
    const said = JSON.parse(answer);
    if (said.rejected_count > 0) return this.#refused(n, said.rejected[0].reason);
    Object.assign(entry, { is_acknowledged: true, id: said.id });
    this.counts.acknowledged++;
    if (wish.photo === undefined || entry.photo_id !== undefined) return;
    const path = `${wish.path}/${said.id}/photos`;
    const photo = await this.#send(server, { path, type: "image/png", body: wish.photo });
    if (photo !== undefined) entry.photo_id = JSON.parse(photo).photo_id;
  }

  /** A clock that was set back takes what is of now for the future. */
  #refused(n: number, reason: string): void {
    this.counts.refused++;
    if (!/in the future$|ahead$/.test(reason)) this.wrong.push(`${n} was rejected: ${reason}`);
  }

  /** The text of an answer that acknowledges; undefined where it refuses or does not come. */
  async #send(
    server: Server,
    { path, type, key, body }: Pick<Wish, "path" | "type" | "key" | "body">,
  ): Promise<string | undefined> {
    const headers = { "content-type": type, ...key && { "idempotency-key": key } };
    const answer = await this.ask(server, path, { method: "POST", headers, body });
    if (answer && answer.status < 300) return answer.text;
    this.counts[answer ? "refused" : "cut"]++;
    if (answer && !plain_refusals.has(answer.status)) {
      this.wrong.push(`${path} was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    }
  }

  /** Asks as the administrator, of the project. */
  async ask(server: Server, path: string, init: RequestInit = {}): Promise<Answer> {
    const { token, project_id } = this.ledger;
    const url = new URL(path, server.address);
    if (!path.startsWith("/admin")) url.searchParams.set("project_id", project_id);
    try {
      const headers = { authorization: `Bearer ${token}`, ...init.headers as object };
      const signal = AbortSignal.timeout(patience_ms);
      const answer = await fetch(url, { ...init, headers, signal });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return undefined;
    }
  }
}
