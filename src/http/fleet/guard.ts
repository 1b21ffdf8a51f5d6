// Lets no answer out of a shard while it is not certain whose that is.
import { Fault } from "../../base/fault.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { Answer } from "../../engine/service/service.ts";
import type { BodyBounds } from "../frame/body.ts";
import { parts_header } from "../frame/part.ts";
import { problemOf, problemResponse } from "../frame/problem.ts";
import { sentBody } from "./body.ts";
import { meaningOf } from "./meaning.ts";

/** What tells whether answers may leave. */
export type Certainty = { readonly is_certain: boolean };

/** The same answers, where they may leave: before the work, and once more after it. */
export function guarded(answer: Answer, lease: Certainty): Answer {
  return async (request, info) => {
    if (!lease.is_certain) return uncertain(request);
    const response = await answer(request, info);
    if (lease.is_certain) return response;
    await response.body?.cancel();
    return uncertain(request, response.headers.get("x-request-id") ?? undefined);
  };
}

/** By this header a node asks a shard to say aside how an answer is packed, and is told it. */
const packing_header = "x-fleet-packing";

/** Asks for that. Whoever hears of a packing unpacks it, and a node only passes it on. */
export function askPacked(headers: Headers): void {
  headers.set(packing_header, "?1");
  // Without a word from the client, what asks for a node would say one of its own.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
}

/** The same answers, which say aside how they are packed, where they are asked to. */
export function packedAside(answer: Answer): Answer {
  return async (request, info) => {
    const response = await answer(request, info);
    const packing = response.headers.get("content-encoding");
    if (packing === null || !request.headers.has(packing_header)) return response;
    const headers = new Headers(response.headers);
    headers.delete("content-encoding");
    headers.set(packing_header, packing);
    return new Response(response.body, { status: response.status, headers });
  };
}

/** Says how an answer is packed as its client wants to hear it. */
export function tellPacking(headers: Headers): void {
  const packing = headers.get(packing_header);
  if (packing === null) return;
  headers.delete(packing_header);
  headers.set("content-encoding", packing);
}

/** The projects and sites that the home knows: all are other shards'. */
type Known = Readonly<
  Record<"projects" | "sites", readonly { readonly id: string; readonly key: string }[]>
>;

/**
 * The home's answers, but for what is for another shard. That came here as a node did not know the
 * project yet; stored here, nobody would find it.
 */
export function ownOfHome(
  answer: Answer,
  { catalog: known, effects }: { readonly catalog: Known; readonly effects: BodyBounds["effects"] },
): Answer {
  return async (request, info) => {
    // It puts together what lies in several others.
    if (request.headers.has(parts_header)) return await answer(request, info);
    const meaning = meaningOf(request.method, new URL(request.url));
    const others = meaning.kind === "site" ? known.sites : known.projects;
    const names = meaning.kind === "body"
      ? meaning.form.namesOf(await sentBody(request.clone(), meaning.form.limit_bytes, effects)) ??
        []
      : meaning.kind === "project" || meaning.kind === "site"
      ? meaning.names
      : [];
    const is_known = names.length > 0 &&
      names.every((name) => others.some(({ id, key }) => id === name || key === name));
    return is_known ? uncertain(request) : await answer(request, info);
  };
}

/** A body that breaks off where the rest may not leave any more; `onEnd` hears its end. */
export function passing(
  body: ReadableStream<Uint8Array>,
  lease: Certainty,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (!lease.is_certain) throw new Error("the shard may be another node's by now");
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
        await reader.cancel(error).catch(() => {});
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason).catch(() => {});
    },
  }, { highWaterMark: 0 });
}

/** What is answered while a shard is on its way, or nobody can tell whose it is. */
export function onItsWay(): Fault {
  const where = "its shard is on its way to another node, or away with its own";
  const help = "try again; `wattkeeper fleet status` shows more";
  return new Fault("unavailable", `no node answers for this now: ${where}; ${help}`, {
    retry_after_s: fleet_limits.retry_after_s,
  });
}

function uncertain(request: Request, id = ""): Response {
  return problemResponse(problemOf(onItsWay(), request), id);
}
