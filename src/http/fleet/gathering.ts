// One question to several shards, and one answer of what they say.
import type { FleetNode } from "../../engine/fleet/node.ts";
import { home_shard } from "../../model/fleet/shard.ts";
import { callerHeaders } from "../frame/client.ts";
import { problems } from "../frame/problem.ts";
import { onItsWay } from "./guard.ts";
import { type GatheredNoun, mergeMetrics, merges } from "./merge.ts";
import type { Passage, Passed } from "./passage.ts";

/** Who asks: a request, and the address of its connection's other end. */
export type Asker = Pick<Passed, "request" | "peer">;

/** What some shards answered, and the JSON of each. */
type Said = { readonly answers: readonly Response[]; readonly bodies: readonly unknown[] };

/** Asks the shards of a fleet. */
export class Gathering {
  readonly #node: FleetNode;
  readonly #passage: Passage;

  constructor(node: FleetNode, passage: Passage) {
    this.#node = node;
    this.#passage = passage;
  }

  /** The shards with projects. */
  get plants(): readonly number[] {
    const used = this.#node.shards.filter(({ no, is_used }) => is_used && no !== home_shard);
    return used.map(({ no }) => no).toSorted((a, b) => a - b);
  }

  /** The home, and the shards with projects. */
  get all(): readonly number[] {
    return [home_shard, ...this.plants];
  }

  /** Asks each shard, the home first, and makes one answer of what they say. */
  async askAll(noun: GatheredNoun, { request, peer }: Asker): Promise<Response> {
    const said = await this.said(this.all, { request: getOf(request), peer, body: null });
    if (said instanceof Response) return said;
    const [{ headers }] = said.answers;
    return jsonOf(merges[noun](said.bodies as never), headers);
  }

  /** The metrics of the shards that this node holds. */
  async metrics({ request, peer }: Asker): Promise<Response> {
    const { held } = this.#node;
    const passed = { request: getOf(request, "/metrics"), peer, body: null };
    const answers = await this.answers(held, passed);
    const refusal = await refusalIn(answers);
    if (refusal) return refusal;
    const pages = await Promise.all(
      answers.map(async (answer, i) => ({ shard: held[i], text: await readText(answer) })),
    );
    for (const [shard, count] of this.#node.stand_ins.answered) {
      pages.push({ shard, text: standingMetrics(count) });
    }
    const type = "text/plain; version=0.0.4; charset=utf-8";
    return new Response(mergeMetrics(pages), { headers: { "content-type": type } });
  }

  /** What some shards say, or what one of them refuses: a part is no answer. */
  async said(shards: readonly number[], passed: Passed): Promise<Said | Response> {
    const answers = await this.answers(shards, passed);
    const refusal = await refusalIn(answers);
    if (refusal) return refusal;
    return { answers, bodies: await Promise.all(answers.map((it) => readJson<unknown>(it))) };
  }

  /** What the home says to who is no administrator: it knows each token that there is. */
  async refusalOf({ request, peer }: Asker): Promise<Response | undefined> {
    const question = getOf(request, "/admin/v1/organizations");
    const answer = await this.#passage.send(home_shard, { request: question, peer, body: null });
    if (!answer.ok) return answer;
    await answer.body?.cancel();
  }

  /**
   * What some shards answer, good or not; where one is away, nothing of others is left open. The
   * first, which is the home where that is among them, is asked before the others: who it refuses
   * costs them nothing.
   */
  async answers(
    [first, ...others]: readonly number[],
    passed: Passed,
  ): Promise<readonly Response[]> {
    if (first === undefined) return [];
    const answer = await this.#passage.send(first, passed);
    if (!answer.ok && answer.status !== problems.not_found.status) return [answer];
    const sent = await Promise.allSettled(others.map((no) => this.#passage.send(no, passed)));
    const answers = sent.flatMap((it) => it.status === "fulfilled" ? [it.value] : []);
    const failed = sent.find((it) => it.status === "rejected");
    if (failed === undefined) return [answer, ...answers];
    await Promise.all([answer, ...answers].map(({ body }) => body?.cancel()));
    throw failed.reason;
  }
}

/** What a node says of a shard for which it answered, as a shard says what it does. */
function standingMetrics(count: number): string {
  const name = "wattkeeper_fleet_stand_in_answers_total";
  const help = "Answers from the lake in the place of a shard that was away";
  return [`# HELP ${name} ${help}`, `# TYPE ${name} counter`, `${name} ${count}`].join("\n");
}

/** A whole body; its node may break it off, as it is not certain any more. */
async function readText(answer: Response): Promise<string> {
  return await answer.text().catch(() => {
    throw onItsWay();
  });
}

/** The same as JSON. */
export async function readJson<T>(answer: Response): Promise<T> {
  return JSON.parse(await readText(answer));
}

/**
 * The same request by GET, or one of its sender for another path; its answer is read here. So it is
 * asked for whole: what a client has already can be one shard's part alone.
 */
export function getOf(request: Request, path?: string): Request {
  const { url, headers, signal } = request;
  const own = path === undefined ? new Headers(headers) : callerHeaders(request);
  own.set("accept-encoding", "identity");
  own.delete("if-none-match");
  return new Request(new URL(path ?? url, url), { headers: own, signal });
}

/** The first answer that is a refusal; then nothing of the others is read. */
async function refusalIn(answers: readonly Response[]): Promise<Response | undefined> {
  const refusal = answers.find(({ ok }) => !ok);
  const others = answers.filter((it) => it !== refusal);
  if (refusal) await Promise.all(others.map(({ body }) => body?.cancel()));
  return refusal;
}

/** An answer with the headers of one of its parts. */
export function jsonOf(said: unknown, part: Headers, status = 200): Response {
  const headers = new Headers(part);
  for (const name of ["content-length", "etag"]) headers.delete(name);
  return Response.json(said, { status, headers });
}
