// Who is signed in, what they may do, and the plants that they reach.
import { computed, signal } from "@preact/signals";
import { getJson, Problem, send, whenUnauthorized } from "./api.ts";
import { param } from "./place.ts";

/** What a person or a token may do. */
export type Scope = "read" | "ingest" | "operate" | "manage" | "sync" | "query" | "admin";

/** A plant as everybody sees it. */
export type Project = {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly timezone: string;
};

/** A browser's session. */
export type Session = {
  readonly user: { readonly id: string; readonly name: string; readonly email: string } | null;
  readonly name: string;
  readonly via: "token" | "link" | "password" | "oidc" | "demo";
  readonly scopes: readonly Scope[];
  readonly projects: readonly Project[];
  readonly expires_at: string;
  readonly demo: boolean;
};

/** The ways of signing in that the service offers to this browser. */
export type Ways = {
  readonly password: boolean;
  readonly oidc: { readonly name: string } | null;
  readonly demo: boolean;
};

/** What one signs in with. */
export type Credentials =
  | { readonly token: string }
  | { readonly link: string }
  | { readonly email: string; readonly password: string }
  | { readonly demo: true };

const path = "/platform/v1/session";

/** The session; null where nobody is signed in, undefined until that is known. */
export const session = signal<Session | null | undefined>(undefined);

/** The plant that the address names, or the only or first one. */
export const project = computed(() => {
  const { projects = [] } = session.value ?? {};
  const key = param("project");
  return projects.find((it) => it.key === key || it.id === key) ?? projects[0];
});

/** The zone of the plant that is shown. */
export const zone = computed(() => project.value?.timezone ?? "UTC");

/** Whether the person may do what needs a scope. */
export function may(scope: Scope): boolean {
  const scopes = session.value?.scopes ?? [];
  return scopes.includes(scope) || scopes.includes("admin");
}

/** Finds out who is signed in: by the link in the address, the cookie, or as the demo's guest. */
export async function openSession(): Promise<void> {
  whenUnauthorized(() => {
    if (session.value) session.value = null;
  });
  const link = new URLSearchParams(location.hash.slice(1)).get("link");
  if (link !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    const refused = await signIn({ link }).then(() => undefined, (problem) => problem as Problem);
    if (refused === undefined) return;
  }
  session.value = await getJson<Session | null>(path, { optional: true });
  if (session.value !== null) return;
  const { demo } = await signInWays();
  if (demo) await signIn({ demo: true }).catch(noSession);
}

/** The ways of signing in. Throws a `Problem`. */
export function signInWays(): Promise<Ways> {
  return getJson<Ways>(`${path}/ways`);
}

/** Signs in. Throws a `Problem` that says why not. */
export async function signIn(credentials: Credentials): Promise<void> {
  session.value = await send<Session>("POST", path, { body: credentials });
}

/** Ends the session, here and at the service. */
export async function signOut(): Promise<void> {
  await send("DELETE", path);
  session.value = null;
}

function noSession(error: unknown): null {
  if (error instanceof Problem && error.status === 401) return null;
  throw error;
}
