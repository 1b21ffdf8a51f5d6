// Signing in with a provider of OpenID Connect, and the page about signing in.
import { html } from "@hono/hono/html";
import { Fault } from "../../base/fault.ts";
import { Oidc, type OidcSecrets } from "../../engine/access/oidc.ts";
import { access_limits } from "../../model/access/limits.ts";
import { cookieOf, cookieText, hostName, ownOrigin, sessionCookie } from "../frame/client.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { documentPage } from "../page/document.ts";
import { page } from "../page/html.ts";
import guide from "./signin.md" with { type: "text" };

const path = "/platform/v1/session/oidc";
const callback_path = `${path}/callback`;

/** The page about signing in. */
export function signInPage(): Promise<string> {
  return documentPage(guide, {});
}

const navigation = {
  method: "GET",
  scope: null,
  project: null,
  params: [],
} as const;

/** Sends a browser to the configured provider, and takes it back. */
export function oidcRoutes(services: Services): readonly Route[] {
  const oidc = new Oidc(services);
  return [
    route({
      ...navigation,
      name: "session_oidc",
      path,
      summary: "Sign in with OpenID Connect",
      doc: "For a browser: redirects to the configured provider (/docs/signin). 501 without one.",
      answer: { kind: "redirect", status: 302 },
      faults: ["not_available"],
      handle: ({ request }) => begin(services, { oidc, request }),
    }),
    route({
      ...navigation,
      name: "session_oidc_callback",
      path: callback_path,
      summary: "Return from OpenID Connect",
      doc: "For a browser that the provider sends back: begins a session and redirects to `/`. " +
        "403 with a page where nobody is signed in.",
      any_query: true,
      answer: { kind: "redirect", status: 303 },
      faults: ["forbidden"],
      handle: (context) => finish(services, { oidc, ...context }),
    }),
  ];
}

async function begin(
  services: Services,
  { oidc, request }: Pick<RouteContext<[]>, "request"> & { readonly oidc: Oidc },
): Promise<Response> {
  if (services.settings.oidc_issuer === "none") {
    throw new Fault("not_available", "no provider of OpenID Connect is configured");
  }
  const { url, secrets } = await oidc.begin(ownOrigin(services, request) + callback_path);
  const { state, nonce, verifier } = secrets;
  const value = [state, nonce, verifier].join(".");
  const headers = { location: url.href, "set-cookie": secretsCookie(services, value) };
  return new Response(null, { status: 302, headers });
}

async function finish(
  services: Services,
  { oidc, request, address }: Pick<RouteContext<[]>, "request" | "address"> & {
    readonly oidc: Oidc;
  },
): Promise<Response> {
  const { sign_in, log } = services;
  const secrets = secretsOf(services, request);
  const headers = new Headers({ "set-cookie": secretsCookie(services, undefined) });
  if (secrets === undefined) return refusal(headers);
  const url = new URL(callback_path + new URL(request.url).search, ownOrigin(services, request));
  try {
    const { secret } = await sign_in.withProvider(() => oidc.emailOf(url, secrets), { address });
    headers.append("set-cookie", sessionCookie(services, secret));
    headers.set("location", "/");
    return new Response(null, { status: 303, headers });
  } catch (error) {
    if (error instanceof Fault && error.code !== "unauthorized") throw error;
    // Its message could repeat what the provider sent.
    const { name, code } = error as { readonly name: string; readonly code?: string };
    log.warning("a sign-in by OpenID Connect failed: {name} {code}", { name, code });
    return refusal(headers);
  }
}

async function refusal(headers: Headers): Promise<Response> {
  headers.set("content-type", "text/html; charset=utf-8");
  headers.set("content-security-policy", "default-src 'none'; style-src 'self'");
  const words = html`
    <h1>Not signed in</h1>
    <p>
      The provider did not confirm a verified e-mail address of a user who can sign in here, or this
      took too long. Ask an administrator of the service whether you have a user with scopes.
    </p>
    <p><a href="/">Back</a></p>
  `;
  return new Response(String(await page("Not signed in", [words])), { status: 403, headers });
}

/** Sent back by the browser when the provider's page leads here: so not `Strict`. */
function secretsCookie(services: Services, value: string | undefined): string {
  const max_age_s = value === undefined ? 0 : access_limits.oidc_us / 1e6;
  return cookieText(services, {
    name: hostName(services, "wk_oidc"),
    value: value ?? "",
    more: `SameSite=Lax; Max-Age=${max_age_s}`,
  });
}

function secretsOf(services: Services, request: Request): OidcSecrets | undefined {
  const value = cookieOf(request, hostName(services, "wk_oidc"));
  const [, state, nonce, verifier] = /^([\w-]{43})\.([\w-]{43})\.([\w-]{43})$/.exec(value ?? "") ??
    [];
  return verifier === undefined ? undefined : { state, nonce, verifier };
}
