// The keys that sign webhooks: their public halves for receivers; listed and replaced by admins.
import * as z from "zod";
import type { ShownKey } from "../../engine/webhooks/signing.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { requireWholeReach } from "../frame/auth.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const path = "/admin/v1/signing-keys";

/** The service's keys: for administrators, and for whoever receives what they sign. */
export function signingKeyRoutes(services: Services): readonly Route[] {
  return [...adminRoutes(services), jwksRoute(services)];
}

/** By tokens that reach every organization; never a secret half. */
function adminRoutes({ signing }: Services): readonly Route[] {
  return [
    route({
      ...common,
      name: "signing_keys",
      method: "GET",
      path,
      summary: "Signing keys",
      doc: "The keys that sign the webhooks of all organizations, from their publication to " +
        "their end, the oldest first.",
      handle: ({ grant }) => {
        requireWholeReach(grant!);
        return Response.json(shown(signing.list()));
      },
    }),
    route({
      ...common,
      name: "signing_key_rotate",
      method: "POST",
      path: `${path}/rotate`,
      summary: "Replace the signing key",
      doc: "Publishes the next key now. After a day it begins to sign, for another day together " +
        "with the old key. The old key stays published for one more day. 409 if a next key is " +
        "already published.",
      handle: async ({ grant }) => {
        requireWholeReach(grant!);
        return Response.json(shown(await signing.rotate()));
      },
    }),
  ];
}

/** Public, and good for a few minutes in any cache. */
function jwksRoute({ signing }: Services): Route {
  return route({
    name: "jwks",
    is_tagged: true,
    method: "GET",
    path: "/webhooks/jwks.json",
    summary: "Public keys of webhook signatures",
    doc: "A JWK Set (RFC 7517, RFC 8037) to verify `v1a` of x-svc-signature. A key is published " +
      "a day before it begins to sign and until a day after it stops. During a rotation two keys " +
      "sign.",
    scope: null,
    project: null,
    params: [],
    answer: { kind: "json", schema: () => z.toJSONSchema(jwks_schema) },
    handle: () => {
      const jwks: z.input<typeof jwks_schema> = { keys: [...signing.jwks().keys] };
      return Response.json(jwks, { headers: { "cache-control": "public, max-age=300" } });
    },
  });
}

const instant = z.string().describe("ISO 8601, UTC.");

const list_schema = z.strictObject({
  signing_keys: z.array(z.strictObject({
    kid: z.string().describe("Thumbprint (RFC 7638), as in the JWKS."),
    x: z.string().describe("The public key, base64url."),
    state: z.enum(["next", "signing", "retiring", "retired"]),
    published_from: instant,
    signs_from: instant.describe(
      "ISO 8601, UTC; for the next key the time when it will begin to sign.",
    ),
    signs_until: instant.nullable(),
    published_until: instant.nullable(),
  })),
});

const common = {
  scope: "admin",
  project: null,
  params: [],
  answer: { kind: "json", schema: () => z.toJSONSchema(list_schema) },
} as const;

function shown(keys: readonly ShownKey[]): z.input<typeof list_schema> {
  const text = (us: number | null) => us === null ? null : instantText(us);
  return {
    signing_keys: keys.map(({ kid, x, state, ...life }) => ({
      ...{ kid, x, state },
      published_from: instantText(life.published_from),
      signs_from: instantText(life.signs_from),
      signs_until: text(life.signs_until),
      published_until: text(life.published_until),
    })),
  };
}

const jwks_schema = z.strictObject({
  keys: z.array(z.strictObject({
    kty: z.literal("OKP"),
    crv: z.literal("Ed25519"),
    x: z.string().describe("The key's 32 bytes, base64url."),
    kid: z.string().describe("Thumbprint (RFC 7638)."),
    use: z.literal("sig"),
    alg: z.literal("EdDSA"),
  })),
});
