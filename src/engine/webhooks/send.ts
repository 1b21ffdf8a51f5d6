// Makes one attempt of a delivery: signs it anew, sends it where it may go, keeps no secret of it.
import type { Effects } from "../../base/effects.ts";
import { limits } from "../../base/limits.ts";
import { addressRefusal, isOwnAddress, parseNetworks } from "../../model/webhooks/address.ts";
import type { Settings } from "../../model/setting.ts";
import { signatureHeader, standardHeaders } from "../../model/webhooks/signature.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";
import type { SentEvent } from "./event_cache.ts";
import type { SigningKeys } from "./signing.ts";
import type { Subscriptions } from "./subscription.ts";

/** What attempts are made with. */
export type SendParts = {
  readonly subscriptions: Subscriptions;
  readonly signing: Pick<SigningKeys, "current">;
  readonly settings: Pick<Settings, "webhook_allow" | "port">;
  readonly effects: Effects;
  /** The program's. */
  readonly version: string;
};

/** How an attempt ended. */
export type Sent = {
  /** Microseconds since 1970 UTC. */
  readonly sent_at: number;
  readonly took_ms: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly is_timeout: boolean;
  readonly retry_after: string | null;
  readonly address: string | null;
  readonly answer: string | null;
};

/** Sends events; what ends an attempt is an answer, never an error. */
export type Send = (
  event: SentEvent,
  subscription: Subscription,
  options: { readonly signal: AbortSignal },
) => Promise<Sent>;

/** Gives the way to send. */
export function sender(parts: SendParts): Send {
  const { subscriptions, signing, effects, version, settings } = parts;
  const allowed = parseNetworks(settings.webhook_allow);
  const refusalAt = (url: URL) => (address: string) => {
    const refusal = addressRefusal(address, allowed);
    if (refusal !== undefined || portOf(url) !== settings.port) return refusal;
    return isOwnAddress(address, effects.addresses()) ? `${url.host} is this service` : undefined;
  };
  return async (event, subscription, { signal }) => {
    const secrets = subscriptions.secretsOf(subscription).map(({ secret }) => secret);
    const sent_at = effects.now_us();
    const t = Math.floor(sent_at / 1e6);
    const signed = { t, body: event.body, secrets, keys: signing.current() };
    const url = new URL(subscription.target);
    const from_ms = effects.monotonic_ms();
    const { answer, ...posted } = await effects.post({
      url,
      headers: {
        ...subscription.headers,
        "content-type": "application/json",
        "user-agent": `Wattkeeper/${version}`,
        "x-svc-signature": signatureHeader(signed),
        "x-svc-event-id": event.id,
        "x-svc-event-type": event.type,
        ...standardHeaders(event.id, signed),
      },
      body: event.body,
      timeout_ms: subscription.timeout_s * 1000,
      refuse: refusalAt(url),
      signal,
    });
    const took_ms = effects.monotonic_ms() - from_ms;
    const words = [...secrets, ...Object.values(subscription.headers)];
    return { ...posted, sent_at, took_ms, answer: answer === "" ? null : keptOf(answer, words) };
  };
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

/** An answer's start, without what was sent in confidence: some receivers echo everything. */
function keptOf(answer: string, words: readonly string[]): string {
  const clean = words.filter((word) => word.length >= 4)
    .reduce((text, word) => text.replaceAll(word, "[redacted]"), answer);
  return clean.slice(0, limits.webhook_answer_kept);
}
