// A caller whom this shard of a fleet has not heard of yet: its home is asked, once.
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import type { ToldSession } from "../../model/access/session.ts";
import { isTokenForm } from "../../model/access/token.ts";
import type { ToldToken } from "../../model/fleet/shard.ts";
import { bearerOf, type Call, sentToken, unknownToken } from "./auth.ts";
import { callerHeaders, clientAddress, secretOf, sessionOf } from "./client.ts";
import type { Services } from "./services.ts";

/** The header by which another shard asks the home for all that it keeps of a session or token. */
const question_header = "x-fleet-session";
export const session_path = "/platform/v1/session";

type Asking = Pick<Services, "effects" | "settings" | "sign_in" | "access" | "users">;

/** What another shard is to know of the token or session of a request; undefined: none asks. */
export function toldByHome(
  services: Asking,
  request: Request,
): ToldToken | ToldSession | null | undefined {
  const { settings, access, sign_in: { sessions } } = services;
  if (settings.fleet_address === "none" || !request.headers.has(question_header)) return undefined;
  const token = bearerOf(request);
  if (token !== undefined) return access.toldOf(token) ?? null;
  const session = sessionOf(services, request);
  return session ? sessions.toldOf(session.id) ?? null : null;
}

/** Whether a shard asks what the home alone can tell of a caller. */
export function asksOfCaller({ headers }: Request): boolean {
  return headers.has(question_header);
}

/** Whether callers are told to this service: it is a shard of a fleet, and not the home. */
export function knowsByTelling({ sign_in }: Pick<Services, "sign_in">): boolean {
  return sign_in.sessions.is_told;
}

/**
 * Makes a token or a session known that a call has, where only the home knows it. Who signed in, or
 * made a token, a moment ago would else be sent away, and a program may take that as final. Throws
 * a `Fault` (unavailable) where nobody can tell.
 */
export async function meetCaller(services: Asking, call: Call): Promise<void> {
  if (call.route.by_link) return;
  const token = sentToken(call);
  if (token !== undefined) await meetToken(services, { ...call, token });
  else if (!call.request.headers.has("authorization")) await meetSession(services, call.request);
}

async function meetToken(
  services: Asking,
  { token, request, peer }: Pick<Call, "request" | "peer"> & { readonly token: string },
): Promise<void> {
  const { access, users } = services;
  if (!isTokenForm(token) || access.verify(token)) return;
  // Before the home is asked: whoever sends many wrong ones is not passed on to it.
  const takeBack = access.countWrong(clientAddress(services, { request, peer }));
  const headers = new Headers({ authorization: `Bearer ${token}` });
  const told = await askHome<ToldToken>(services, headers, request.signal);
  if (told === null) throw unknownToken(token);
  takeBack();
  if (told) access.meet(told);
  const is_known = told && (told.user_id === null || users.get(told.user_id) !== undefined);
  if (!is_known) throw notYet();
}

async function meetSession(services: Asking, request: Request): Promise<void> {
  const { settings, sign_in: { sessions } } = services;
  const secret = secretOf({ settings }, request);
  if (secret === undefined || sessions.verify(secret)) return;
  const told = await askHome<ToldSession>(services, callerHeaders(request), request.signal);
  if (told === null) return;
  if (told) sessions.meet(told);
  if (!told || !sessions.verify(secret)) throw notYet();
}

/** What the home knows of who asks so; null for nobody, undefined where it does not say. */
async function askHome<Told>(
  { effects, settings }: Asking,
  headers: Headers,
  signal: AbortSignal,
): Promise<Told | null | undefined> {
  headers.set(question_header, "?1");
  const address = `${settings.fleet_address}${session_path}?optional=true`;
  const answer = await effects.request(new Request(address, { headers, signal }))
    .catch(() => undefined);
  if (answer?.ok) return await answer.json().catch(() => undefined);
  await answer?.body?.cancel();
  // A page of another site is refused by the home, and will be here.
  return answer?.status === 403 ? null : undefined;
}

function notYet(): Fault {
  const what = "this token or session is not known here yet; try again shortly";
  return new Fault("unavailable", what, { retry_after_s: limits.retry_after_s });
}
