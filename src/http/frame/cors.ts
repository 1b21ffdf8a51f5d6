// Pages of other sites (CORS): those of the setting cors_origins may call with a token.
import { type Settings } from "../../model/setting.ts";
import { originsOf } from "../../model/setting_form.ts";

/** What such a page may send and read beside what every page may. */
const sent = "accept, authorization, content-encoding, content-type, if-match, if-none-match, " +
  "idempotency-key, last-event-id, x-svc-signature";
const shown = "content-disposition, deprecation, etag, idempotency-replayed, link, retry-after, " +
  "sunset, www-authenticate, x-request-id, x-svc-existing, x-svc-site-timezone, " +
  "x-svc-unknown-tags";

/** How long a browser keeps the answer to its question, in seconds. */
const preflight_s = "600";

/**
 * Makes what an answer has beside its own headers: what the page that asks may do with it. Nothing
 * allows credentials: a page of another site has a token, never the browser's session.
 */
export function corsHeaders(
  { cors_origins }: Pick<Settings, "cors_origins">,
): (request: Request, answer: Headers) => readonly (readonly [string, string])[] {
  const allowed = new Set(originsOf(cors_origins));
  if (allowed.size === 0) return () => [];
  return ({ method, headers }, answer) => {
    const origin = headers.get("origin");
    const vary = ["vary", "origin"] as const;
    if (origin === null || !allowed.has(origin)) return [vary];
    const open = [vary, ["access-control-allow-origin", origin]] as const;
    const asks = method === "OPTIONS" && headers.has("access-control-request-method");
    if (!asks) return [...open, ["access-control-expose-headers", shown]];
    return [
      ...open,
      ["access-control-allow-methods", answer.get("allow") ?? ""],
      ["access-control-allow-headers", sent],
      ["access-control-max-age", preflight_s],
    ];
  };
}
