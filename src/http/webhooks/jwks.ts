// The public halves of the keys that sign webhooks, for whoever receives them.
import { z } from "zod";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** `GET /webhooks/jwks.json`: public, and good for a few minutes in any cache. */
export function jwksRoutes({ signing }: Services): readonly Route[] {
  return [route({
    name: "jwks",
    method: "GET",
    path: "/webhooks/jwks.json",
    summary: "Public keys of webhook signatures",
    doc: "A JWK Set (RFC 7517, RFC 8037) to verify `v1a` of x-svc-signature. A key is published " +
      "a day before it begins to sign and until a day after it stops. During a rotation two keys " +
      "sign.",
    scope: null,
    project: null,
    params: [],
    answer: { kind: "json", schema: z.toJSONSchema(jwks_schema) },
    handle: () => {
      const jwks: z.input<typeof jwks_schema> = { keys: [...signing.jwks().keys] };
      return Response.json(jwks, { headers: { "cache-control": "public, max-age=300" } });
    },
  })];
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
