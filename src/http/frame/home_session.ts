// A session that this shard of a fleet has not heard of yet: its home is asked.
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import type { ToldSession } from "../../model/access/session.ts";
import { callerHeaders, secretOf } from "./client.ts";
import type { Services } from "./services.ts";

/** The header by which another shard asks the home for all that it keeps of a session. */
const question_header = "x-fleet-session";
export const session_path = "/platform/v1/session";

type Asking = Pick<Services, "effects" | "settings" | "sign_in">;

/** Whether another shard asks, which is to know all of the session. */
export function asksForTold({ settings }: Pick<Services, "settings">, request: Request): boolean {
  return settings.fleet_address !== "none" && request.headers.has(question_header);
}

/** Whether sessions are told to this service: it is a shard of a fleet, and not the home. */
export function knowsByTelling({ sign_in }: Pick<Services, "sign_in">): boolean {
  return sign_in.sessions.is_told;
}

/**
 * Makes a session known whose cookie a request has, where only the home knows it. Who signed in a
 * moment ago would else be sent away. Throws a `Fault` (unavailable) where nobody can tell.
 */
export async function meetSession(
  { effects, settings, sign_in: { sessions } }: Asking,
  request: Request,
): Promise<void> {
  if (request.headers.has("authorization")) return;
  const secret = secretOf({ settings }, request);
  if (secret === undefined || sessions.verify(secret)) return;
  const headers = callerHeaders(request);
  headers.set(question_header, "?1");
  const question = new Request(`${settings.fleet_address}${session_path}?optional=true`, {
    headers,
    signal: request.signal,
  });
  const answer = await effects.request(question).catch(() => undefined);
  const told: ToldSession | null | undefined = answer?.ok
    ? await answer.json().catch(() => undefined)
    : await answer?.body?.cancel();
  // A page of another site is refused by the home, and will be here.
  if (told === null || answer?.status === 403) return;
  if (told) sessions.meet(told);
  if (!told || !sessions.verify(secret)) {
    const what = "who is signed in is not known here yet; try again shortly";
    throw new Fault("unavailable", what, { retry_after_s: limits.retry_after_s });
  }
}
