// Picks how to read a request's body by its media type.
import { Fault } from "../../base/fault.ts";

/** What `by_type` has for a content type. Another type or charset is a `Fault`. */
export function pickByType<T>(by_type: Readonly<Record<string, T>>, content_type: string): T {
  const [type, ...parameters] = content_type.toLowerCase().split(";").map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice(8);
  if (charset && !/^"?(utf-?8|us-ascii)"?$/.test(charset)) {
    throw new Fault("unsupported_media", `unknown charset ${charset}: send utf-8`);
  }
  if (Object.hasOwn(by_type, type)) return by_type[type];
  const known = Object.keys(by_type).join(", ");
  throw new Fault("unsupported_media", `unknown media type ${type || "(none)"}: send ${known}`);
}
