// One attempt of a delivery: how it is signed and sent, and what follows from its answer.
import type { Effects } from "../../base/effects.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import type { Settings } from "../../model/setting.ts";
import { addressRefusal, isOwnAddress, parseNetworks } from "../../model/webhooks/address.ts";
import { type AttemptVerdict, isAcknowledged, judgeAttempt } from "../../model/webhooks/retry.ts";
import { signatureHeader, standardHeaders } from "../../model/webhooks/signature.ts";
import type { Subscription } from "../../model/webhooks/subscription.ts";
import type { Settlement } from "../../store/webhooks/delivery.ts";
import type { EndpointQueue, PendingDelivery } from "./endpoint_queue.ts";
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
type AttemptResult = {
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
) => Promise<AttemptResult>;

/** An attempt that ended, what follows, and how that is stored. */
export type AttemptOutcome = {
  readonly queue: EndpointQueue;
  readonly delivery: PendingDelivery;
  readonly verdict: AttemptVerdict;
  readonly settlement: Settlement;
};

/** A claimed delivery whose attempt has ended, and when. */
type Landed = Pick<AttemptOutcome, "queue" | "delivery"> & {
  /** On the clock of stamps. */
  readonly at_us: number;
};

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

/** Judges an attempt; `now_us` is of the clock that never jumps. Notes the result in the queue. */
export function outcomeOf(
  { sent, now_us, ...landed }: Landed & { readonly sent: AttemptResult; readonly now_us: number },
  effects: Pick<Effects, "now_us" | "random">,
): AttemptOutcome {
  const { queue, delivery } = landed;
  queue.note(delivery, { is_good: isAcknowledged(sent), now_us });
  const attempt = delivery.attempts + 1;
  const failing_us = now_us - (queue.failing_since_us ?? now_us);
  const place = { attempt, now_us: effects.now_us(), failing_us, chance: chanceOf(effects) };
  return outcomeFrom(landed, { sent, verdict: judgeAttempt(sent, place) });
}

/** Ends a delivery whose event is no longer kept: there is nothing to send. */
export function outcomeOfLostEvent(
  landed: Landed,
  effects: Pick<Effects, "now_us">,
): AttemptOutcome {
  const reason = "the event is no longer kept";
  const sent = notSent(reason, effects);
  return outcomeFrom(landed, { sent, verdict: { kind: "dead", reason } });
}

/** An attempt that was not made, and why. */
export function notSent(error: string, { now_us }: Pick<Effects, "now_us">): AttemptResult {
  const nothing = { status: null, is_timeout: false, retry_after: null, address: null };
  return { ...nothing, sent_at: now_us(), took_ms: 0, error, answer: null };
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

/** An answer's start, without what was sent in confidence: some receivers echo everything. */
function keptOf(answer: string, words: readonly string[]): string {
  const clean = words.filter((word) => word.length >= 4)
    .reduce((text, word) => text.replaceAll(word, "[redacted]"), answer);
  return clean.slice(0, webhook_limits.answer_kept);
}

function outcomeFrom(
  { queue, delivery, at_us }: Landed,
  { sent, verdict }: Pick<AttemptOutcome, "verdict"> & { readonly sent: AttemptResult },
): AttemptOutcome {
  const { delivery_no, attempts } = delivery;
  const { is_timeout: _, retry_after: __, ...logged } = sent;
  const state = verdict.kind === "acknowledged" || verdict.kind === "dead"
    ? verdict.kind
    : "pending";
  const settlement: Settlement = {
    delivery_no,
    state,
    attempts: attempts + 1,
    due_at: verdict.kind === "retry" ? at_us + verdict.wait_us : at_us,
    settled_at: state === "pending" ? null : at_us,
    attempt: { delivery_no, attempt: attempts + 1, ...logged },
  };
  return { queue, delivery, verdict, settlement };
}

function chanceOf(effects: Pick<Effects, "random">): number {
  return new DataView(effects.random(4).buffer).getUint32(0) / 2 ** 32;
}
