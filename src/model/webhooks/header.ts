// Headers that a subscription adds to every attempt: what their names and values may be.
import { limits } from "../../base/limits.ts";

/** A flaw by where it is: the name of a header, or none for all of them. */
type HeaderFlaw = { readonly path: readonly string[]; readonly message: string };

/** Set by the service or by the connection itself (RFC 9110 section 7.6.1). */
const reserved = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);
const reserved_families = ["x-svc-", "webhook-", "proxy-"];

/** What is wrong with headers; neither a bad name nor any value is repeated. */
export function headerFlaws(headers: Readonly<Record<string, string>>): readonly HeaderFlaw[] {
  const names = Object.keys(headers);
  if (names.length > limits.webhook_headers) {
    return [{ path: [], message: `give at most ${limits.webhook_headers} headers` }];
  }
  const seen = new Set<string>();
  return names.flatMap((name) => {
    const message = flawOf(name, headers[name], seen);
    seen.add(name.toLowerCase());
    if (message === undefined) return [];
    return [{ path: isToken(name) ? [name] : [], message }];
  });
}

function flawOf(name: string, value: string, seen: ReadonlySet<string>): string | undefined {
  const lower = name.toLowerCase();
  if (!isToken(name)) return "give names of letters, digits and !#$%&'*+-.^_`|~";
  if (seen.has(lower)) return "is there twice";
  if (reserved.has(lower) || reserved_families.some((family) => lower.startsWith(family))) {
    return "is the service's own, or the connection's";
  }
  if (value.length > limits.webhook_header_length) {
    return `give at most ${limits.webhook_header_length} characters`;
  }
  // RFC 9110 section 5.5, without its obsolete letters.
  if (!/^(?:[!-~](?:[ \t!-~]*[!-~])?)?$/.test(value)) {
    return "give printable ASCII without line breaks, and no blanks at the ends";
  }
  return undefined;
}

function isToken(name: string): boolean {
  return name.length <= limits.webhook_header_length && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}
