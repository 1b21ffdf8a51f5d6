// A small request body as plain data, by its media type.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { request_limits } from "./limits.ts";
import type { RouteBody } from "./route.ts";
import { readSiteText, type SiteSyntax } from "../../model/site/text.ts";
import { parseExact } from "../../wire/alarms/decode_json.ts";

const syntaxes: ReadonlyMap<string, SiteSyntax> = new Map([
  ["application/json", "json"],
  ["application/toml", "toml"],
]);

/** Media types of a body that may be written either way. */
export const data_media_types = [...syntaxes.keys()];

/**
 * The data that a body writes, read whole. Throws a `Fault`: unsupported_media for a type that is
 * not among `media_types`, or a compressed body; invalid with the place of a mistake.
 */
export async function readData(
  request: Request,
  media_types: readonly string[] = ["application/json"],
): Promise<unknown> {
  const syntax = requireMedia(request, media_types);
  const bytes = await request.bytes();
  const data = readSiteText(bytes, syntax);
  if (syntax === "json") refuseHidden(bytes);
  return data;
}

/** Refuses what a parser does not show: a key that stands twice, of which it keeps the last, and
 * nesting without end. */
function refuseHidden(bytes: Uint8Array): void {
  const parsed = parseExact(bytes, {
    start: 0,
    end: bytes.length,
    depth: request_limits.body_depth,
  });
  if (parsed === "ended" || "data" in parsed) return;
  const flaws = [{ path: "body", message: parsed.flaw }];
  throw new Fault("invalid", `the text can't be read: body: ${parsed.flaw}`, { flaws });
}

/** The syntax of a body by its type. Throws a `Fault` (unsupported_media) likewise. */
export function requireMedia(request: Request, media_types: readonly string[]): SiteSyntax {
  return syntaxes.get(requirePlain(request, media_types))!;
}

/** The media type of a body that is not compressed. Throws a `Fault` (unsupported_media). */
export function requirePlain(request: Request, media_types: readonly string[]): string {
  const type = (request.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();
  if (!media_types.includes(type)) {
    throw new Fault("unsupported_media", `send content-type ${media_types.join(" or ")}`);
  }
  if ((request.headers.get("content-encoding") ?? "identity") !== "identity") {
    throw new Fault("unsupported_media", "send the body without a content-encoding");
  }
  return type;
}

/** The same of a JSON body that may be left out: then it is an empty object. */
export async function readOptionalData(request: Request): Promise<unknown> {
  const bytes = await request.bytes();
  if (bytes.length === 0) return {};
  const { url, method, headers } = request;
  return await readData(new Request(url, { method, headers, body: bytes }));
}

/** What a route says of a body in JSON that a form checks. */
export function formBody(form: z.ZodType, said: Pick<RouteBody, "doc" | "limit_bytes">): RouteBody {
  const schema = () => z.toJSONSchema(form, { io: "input" });
  return { ...said, media_types: ["application/json"], schema };
}

/** The same of a body that may be written either way, and leave out the key, which its path has. */
export function keyedBody(
  form: z.ZodType,
  said: Pick<RouteBody, "doc" | "limit_bytes">,
): RouteBody {
  const schema = () => withoutKey(z.toJSONSchema(form, { io: "input" }));
  return { ...said, media_types: data_media_types, schema };
}

type Keyed = { readonly required?: readonly string[]; readonly oneOf?: readonly object[] };

/** An object's schema, or that of a choice of objects, none of which requires a key. */
function withoutKey(schema: object): object {
  const { required, oneOf } = schema as Keyed;
  return {
    ...schema,
    ...(required ? { required: required.filter((name) => name !== "key") } : {}),
    ...(oneOf ? { oneOf: oneOf.map(withoutKey) } : {}),
  };
}
