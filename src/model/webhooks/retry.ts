// What follows from a failed attempt: when the next one is due, and when a receiver gets a pause.
import { webhook_limits } from "./limits.ts";

/** How an attempt ended, as far as it matters for what follows. */
export type Ended = {
  /** Null where no answer came. */
  readonly status: number | null;
  /** Why no answer came, in a few words. */
  readonly error: string | null;
  readonly is_timeout: boolean;
  /** The header `Retry-After`, as it came. */
  readonly retry_after: string | null;
};

/** Where an attempt stands. */
export type AttemptPlace = {
  /** Which attempt of its delivery it was, from 1. */
  readonly attempt: number;
  /** When it ended, microseconds since 1970 UTC. */
  readonly now_us: number;
  /** How long its subscription has had nothing but failures; 0 from the first one. */
  readonly failing_us: number;
  /** A random number in [0, 1). */
  readonly chance: number;
};

/** What follows, and why. */
export type AttemptVerdict =
  & { readonly reason: string }
  & (
    | { readonly kind: "acknowledged" }
    | { readonly kind: "retry"; readonly wait_us: number }
    | { readonly kind: "dead" }
    /** The subscription is to be disabled, and the delivery held. */
    | { readonly kind: "disable" }
  );

const second_us = 1_000_000;
const hour_us = 3600 * second_us;

/** How long after the attempt before it each attempt is made, before jitter. */
export const attempt_waits_us = [
  0,
  5 * second_us,
  300 * second_us,
  1800 * second_us,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour_us),
] as const;

/** How far a wait may be from the schedule: this share of it, either way. */
export const attempt_jitter = 0.2;

/** The longest that a delivery can wait for its next attempt. */
export const longest_wait_us = 24 * hour_us * (1 + attempt_jitter);

/** Judges an attempt. Only 2xx acknowledges; what else came is tried again, all ten times. */
export function judgeAttempt(ended: Ended, place: AttemptPlace): AttemptVerdict {
  const { status, error } = ended;
  const reason = status === null ? error ?? "no answer" : `answered ${status}`;
  if (isAcknowledged(ended)) return { kind: "acknowledged", reason };
  if (status === 410) return { kind: "disable", reason: "the receiver answered 410 Gone" };
  if (place.failing_us >= webhook_limits.hopeless_us) {
    return { kind: "disable", reason: `nothing but failures for five days; the last: ${reason}` };
  }
  if (place.attempt >= attempt_waits_us.length) return { kind: "dead", reason };
  return { kind: "retry", wait_us: waitOf(ended, place), reason };
}

/** Whether an attempt was answered with 2xx. */
export function isAcknowledged({ status }: Pick<Ended, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

function waitOf(ended: Ended, { attempt, chance, now_us }: AttemptPlace): number {
  const scheduled_us = attempt_waits_us[attempt] * (1 + attempt_jitter * (2 * chance - 1));
  const { status, is_timeout } = ended;
  const is_overloaded = is_timeout || status === 429 || status === 503;
  const least_us = is_overloaded ? webhook_limits.overload_wait_us : 0;
  const asked_us = Math.min(askedUs(ended, now_us), webhook_limits.retry_after_us);
  return Math.round(Math.max(scheduled_us, least_us, asked_us));
}

/** How long a receiver asks to wait (RFC 9110 section 10.2.3); 0 where it doesn't clearly. */
function askedUs({ retry_after }: Ended, now_us: number): number {
  const text = retry_after?.trim() ?? "";
  if (/^\d{1,12}$/.test(text)) return Number(text) * second_us;
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return 0;
  const at_us = Date.parse(text) * 1000;
  return Number.isFinite(at_us) ? Math.max(0, at_us - now_us) : 0;
}

/** Attempts that ended within a stretch of time. */
type Stretch = { readonly from_us: number; ended: number; failed: number };

/** An attempt under way, to be told how it ended: well, badly, or with no word of the receiver. */
export type BreakerAttempt = {
  readonly succeed: (now_us: number) => void;
  readonly fail: (now_us: number) => void;
  /** After either of the others it changes nothing. */
  readonly end: () => void;
};

/** What a breaker is: closed, open, or open while one attempt decides. */
export const breaker_states = ["closed", "open", "trying"] as const;

/** Where a breaker stands, by its own clock. */
export type BreakerStand =
  | { readonly state: "closed" }
  | {
    readonly state: "open" | "trying";
    readonly since_us: number;
    readonly next_us: number;
  };

/**
 * Opens when attempts keep failing; what is due then waits, and costs no attempt. After its wait
 * one attempt is let through: it closes the breaker, or doubles the wait. Instants are microseconds
 * of one clock that never jumps.
 */
export class Breaker {
  #failures_in_row = 0;
  /** The last minutes, the newest last; short stretches, as there can be very many attempts. */
  #stretches: Stretch[] = [];
  #open_until_us: number | undefined;
  #open_since_us = 0;
  #wait_us: number = webhook_limits.breaker_wait_us;
  /** The attempt under way that decides. */
  #trial: BreakerAttempt | undefined;

  get isOpen(): boolean {
    return this.#open_until_us !== undefined;
  }

  /** Where it stands: since when it is open, and from when the next attempt may be made. */
  get stand(): BreakerStand {
    if (this.#open_until_us === undefined) return { state: "closed" };
    const state = this.#trial ? "trying" : "open";
    return { state, since_us: this.#open_since_us, next_us: this.#open_until_us };
  }

  /** From when an attempt may be made; Infinity while the one that decides is under way. */
  get from_us(): number {
    return this.#trial ? Infinity : this.#open_until_us ?? -Infinity;
  }

  /** Says that an attempt begins; whatever comes of it, what this gives is to be told. */
  begin(): BreakerAttempt {
    const attempt: BreakerAttempt = {
      succeed: (now_us) => this.#succeed(now_us),
      fail: (now_us) => this.#fail(now_us, attempt),
      end: () => {
        if (this.#trial === attempt) this.#trial = undefined;
      },
    };
    if (this.isOpen) this.#trial = attempt;
    return attempt;
  }

  #succeed(now_us: number): void {
    this.#failures_in_row = 0;
    if (this.isOpen) this.#close();
    this.#stretchAt(now_us).ended++;
  }

  #fail(now_us: number, attempt: BreakerAttempt): void {
    if (this.isOpen) {
      // One that began before the breaker opened says nothing new.
      if (this.#trial !== attempt) return;
      this.#wait_us = Math.min(2 * this.#wait_us, webhook_limits.breaker_longest_wait_us);
      return this.#open(now_us);
    }
    this.#failures_in_row++;
    const stretch = this.#stretchAt(now_us);
    stretch.ended++;
    stretch.failed++;
    if (this.#isHopeless()) this.#open(now_us);
  }

  #isHopeless(): boolean {
    if (this.#failures_in_row >= webhook_limits.breaker_failures) return true;
    const sum = (name: "ended" | "failed") =>
      this.#stretches.reduce((sum, stretch) => sum + stretch[name], 0);
    const ended = sum("ended");
    return ended >= webhook_limits.breaker_attempts &&
      sum("failed") >= webhook_limits.breaker_share * ended;
  }

  #open(now_us: number): void {
    if (!this.isOpen) this.#open_since_us = now_us;
    this.#open_until_us = now_us + this.#wait_us;
    this.#trial = undefined;
  }

  #close(): void {
    this.#open_until_us = undefined;
    this.#wait_us = webhook_limits.breaker_wait_us;
    this.#trial = undefined;
    this.#stretches = [];
  }

  #stretchAt(now_us: number): Stretch {
    const from_us = now_us - now_us % webhook_limits.breaker_stretch_us;
    const since_us = now_us - webhook_limits.breaker_window_us;
    this.#stretches = this.#stretches.filter((stretch) => stretch.from_us > since_us);
    const last = this.#stretches.at(-1);
    if (last && last.from_us >= from_us) return last;
    const stretch = { from_us, ended: 0, failed: 0 };
    this.#stretches.push(stretch);
    return stretch;
  }
}
