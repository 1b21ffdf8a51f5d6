// A provider of OpenID Connect that vouches for users: where a browser is sent, and who returns.
import type { Configuration, CustomFetch } from "openid-client";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import type { Settings } from "../../model/setting.ts";
import { randomText } from "./session.ts";

/** The package takes long to load, and most services have no use for it. */
const load = () => import("openid-client");

type Parts = {
  readonly effects: Pick<Effects, "request" | "random">;
  readonly settings: Pick<Settings, "oidc_issuer" | "oidc_client_id" | "oidc_client_secret">;
};

/** What the browser keeps while it is at the provider. */
export type OidcSecrets = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

/** The configured provider, which is asked about itself when it is first needed. */
export class Oidc {
  readonly #parts: Parts;
  #asked: Promise<Configuration> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Where a browser signs in, to come back to `redirect_uri`. Throws a `Fault` (unavailable). */
  async begin(redirect_uri: string): Promise<{ readonly url: URL; readonly secrets: OidcSecrets }> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load();
    const provider = await this.#provider().catch(() => {
      throw new Fault("unavailable", "the provider of OpenID Connect does not answer");
    });
    const text = () => randomText(this.#parts.effects);
    const secrets = { state: text(), nonce: text(), verifier: text() };
    const url = buildAuthorizationUrl(provider, {
      redirect_uri,
      scope: "openid email",
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: "S256",
    });
    return { url, secrets };
  }

  /**
   * The verified e-mail address of whoever comes back to `url`; undefined where the provider says
   * of none that it is verified. Throws what the provider, or the check of its answer, refuses.
   */
  async emailOf(url: URL, { state, nonce, verifier }: OidcSecrets): Promise<string | undefined> {
    const { authorizationCodeGrant, fetchUserInfo } = await load();
    const provider = await this.#provider();
    const tokens = await authorizationCodeGrant(provider, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const told = claims.email === undefined
      ? await fetchUserInfo(provider, tokens.access_token, claims.sub)
      : claims;
    return told.email_verified === true && typeof told.email === "string" ? told.email : undefined;
  }

  /** Asks again after a failure. */
  #provider(): Promise<Configuration> {
    return this.#asked ??= this.#ask().catch((error) => {
      this.#asked = undefined;
      throw error;
    });
  }

  async #ask(): Promise<Configuration> {
    const { oidc_issuer, oidc_client_id, oidc_client_secret } = this.#parts.settings;
    const { request } = this.#parts.effects;
    const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks, None } =
      await load();
    const ask: CustomFetch = (url, options) => request(new Request(url, options as RequestInit));
    const secret = oidc_client_secret === "none" ? undefined : oidc_client_secret;
    return await discovery(
      new URL(oidc_issuer),
      oidc_client_id,
      secret,
      secret === undefined ? None() : undefined,
      {
        execute: [
          enableNonRepudiationChecks,
          ...(oidc_issuer.startsWith("http:") ? [allowInsecureRequests] : []),
        ],
        [customFetch]: ask,
      },
    );
  }
}
