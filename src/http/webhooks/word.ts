// What receivers are to know of webhooks, as tables of words for the page that explains them.
import type { DeliveryState } from "../../model/webhooks/webhook.ts";

/** What follows from how an attempt ends. */
export const ending_docs = {
  "2xx": "Acknowledged: it is not sent again.",
  "3xx": "Failed: redirects are not followed.",
  "410 Gone": "The subscription is disabled; what waits for it is held.",
  "429, 503": "Failed; the next attempt waits as long as Retry-After says, a day at most, and at " +
    "least a minute.",
  "other": "Failed.",
  "none in time": "Failed; the next attempt waits at least a minute.",
} as const satisfies Readonly<Record<string, string>>;

/** What becomes of a delivery. */
export const delivery_docs = {
  pending: "On its way: an attempt is due, now or later.",
  acknowledged: "A receiver took it.",
  dead: "All attempts failed, or the subscription was removed: kept, listed, and sent again when " +
    "somebody asks.",
  held: "The subscription is paused or disabled: sent when it is resumed.",
} as const satisfies Readonly<Record<DeliveryState, string>>;

/** Addresses of which one stands for all that are refused alike. */
export const refused_addresses = [
  "127.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "224.0.0.1",
  "192.0.2.1",
  "::1",
  "fe80::1",
  "fd00::1",
  "::ffff:10.1.2.3",
  "64:ff9b::a01:203",
  "2002:a01:203::1",
] as const;

/** How the helpers for receivers are named, by language, and what they check. */
export const helper_docs = {
  "verify.ts": "TypeScript, WebCrypto: v1 and v1a.",
  "verify.py": "Python: v1; v1a with the package cryptography.",
  "verify.go": "Go: v1 and v1a.",
  "Verify.cs": "C#, .NET Framework, Mono and .NET: v1.",
  "verify.ps1": "PowerShell 5.1 and 7: v1.",
} as const satisfies Readonly<Record<string, string>>;
