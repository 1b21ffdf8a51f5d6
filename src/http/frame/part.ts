// Parts of an answer, in a fleet: a shard is asked for its part by the one that puts all together.
import type * as z from "zod";
import { Fault, type FaultCode, refusal } from "../../base/fault.ts";
import type { PartAnswer, PartSource } from "../../engine/core/gather.ts";
import { instantOf } from "../../wire/bytes/instant.ts";
import { decodePart, encodePart, part_type } from "../../wire/bytes/part.ts";
import { callerHeaders } from "./client.ts";
import { problems } from "./problem.ts";
import type { Services } from "./services.ts";

/** The header by which the node says which of a request's projects lie together in a shard. */
export const parts_header = "x-fleet-parts";
/** The header with the question to one shard. */
const question_header = "x-fleet-part";
/** The parameter that names several projects. */
const projects_name = "project_ids";

type Asking = Pick<Services, "effects" | "settings">;

/** What a node says of a request's projects: their names, shard by shard. */
export function partsText(parts: readonly (readonly string[])[]): string {
  return encodeURIComponent(JSON.stringify(parts));
}

/** The shards of a request, and what they say beside their parts. */
export type Gather = PartSource & {
  /** The sum of a number that the last answer of each shard has in a header, where it has one. */
  readonly sumOf: (header: string) => number;
};

/** The shards of a request whose projects lie in several; undefined where they lie here. */
export function gatherOf({ effects, settings }: Asking, request: Request): Gather | undefined {
  const text = request.headers.get(parts_header);
  if (text === null || settings.fleet_address === "none") return undefined;
  const caller = callerHeaders(request);
  const parts: readonly (readonly string[])[] = JSON.parse(decodeURIComponent(text));
  const { pathname, search } = new URL(request.url);
  const others = search.slice(1).split("&").filter((pair) => nameOf(pair) !== projects_name);
  const said: Headers[] = [];
  return {
    count: parts.length,
    sumOf: (header) => said.reduce((sum, headers) => sum + Number(headers.get(header)), 0),
    async ask(i, question, signal) {
      const own = parts[i].map((name) => `${projects_name}=${encodeURIComponent(name)}`);
      const address = `${settings.fleet_address}${pathname}?${[...own, ...others].join("&")}`;
      const headers = new Headers(caller);
      headers.set(question_header, JSON.stringify(question));
      const asked = new Request(address, { headers, ...(signal && { signal }) });
      const response = await effects.request(asked).catch(() => {
        throw away();
      });
      if (response.headers.get("content-type") !== part_type) throw await faultOf(response);
      said[i] = response.headers;
      // Its node may break it off, as it is not certain any more.
      const bytes = await response.bytes().catch(() => {
        throw away();
      });
      return decodePart(bytes);
    },
  };
}

/** The question of who puts an answer together; undefined for any other request. */
export function askedPart<T>(
  { settings }: Pick<Services, "settings">,
  request: Request,
  form: z.ZodType<T>,
): T | undefined {
  const text = request.headers.get(question_header);
  if (text === null || settings.fleet_address === "none") return undefined;
  // A question to one shard that came to who asks several: what that has itself is no answer.
  if (request.headers.has(parts_header)) throw away();
  const read = form.safeParse(jsonOf(text));
  if (read.success) return read.data;
  const message = "must be a question of a node of the same version; leave it out";
  throw refusal(`the header ${question_header} ${message}`, [{ path: question_header, message }]);
}

/** A part as a response, with headers that are told beside it. */
export function partResponse(
  part: PartAnswer,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const pieces = encodePart(part).filter(({ length }) => length > 0);
  return new Response(ReadableStream.from(pieces), {
    headers: { ...headers, "content-type": part_type },
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nameOf(pair: string): string {
  return new URLSearchParams(pair).keys().next().value ?? "";
}

function away(): Fault {
  return new Fault("unavailable", "a shard of these projects is away; try again shortly", {
    retry_after_s: 2,
  });
}

/**
 * What a shard said is wrong. A token that it does not know yet is known here: it will be there
 * soon. So will be the same version.
 */
async function faultOf(response: Response): Promise<unknown> {
  const said = jsonOf(await response.text()) as {
    readonly type?: string;
    readonly detail?: string;
    readonly errors?: Fault["flaws"];
    readonly available_from?: string;
  } | undefined;
  const code = said?.type?.split("#problem-")[1] ?? "";
  const is_unknown = said?.errors?.some(({ path }) => path === question_header);
  if (response.ok || is_unknown || code === "unauthorized" || code === "forbidden") return away();
  if (!Object.hasOwn(problems, code) || code === "internal" || code === "method_not_allowed") {
    return new Error(`a shard answered ${response.status}: ${said?.detail}`);
  }
  const retry = response.headers.get("retry-after");
  return new Fault(code as FaultCode, said!.detail!, {
    flaws: said!.errors ?? [],
    ...(retry === null ? {} : { retry_after_s: Number(retry) }),
    ...(said!.available_from ? { available_from_us: instantOf(said!.available_from) } : {}),
  });
}
