// A running service that commands ask over HTTP, and what it says when it refuses.
import type { Command } from "commander";
import type { Effects } from "../../base/effects.ts";
import { Fault, type Flaw } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { fileRefusal } from "./data_file.ts";
import { service_limits } from "../../engine/service/limits.ts";
import type { Scope } from "../../model/access/token.ts";

/** Where a service is, and the token to ask it with. */
export type Remote = { readonly url: string; readonly token: string };

/** The flags that name a service; without a url there is none. */
export type RemoteFlags = {
  readonly url?: string;
  readonly token?: string;
  readonly tokenFile?: string;
};

/** Adds the flags that name a running service, and the scope that its token needs. */
export function withRemote(command: Command, scope: Scope = "admin"): Command {
  return command
    .option("--url <address>", "ask the service at this address instead of this machine's")
    .option("--token <text>", `with --url: a token with the scope ${scope}`)
    .option("--token-file <path>", "with --url: a file that holds the token");
}

/** What is asked; `body` is plain data, `rows` are NDJSON. By default a GET, with either a POST. */
export type Question = {
  readonly method?: "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly rows?: Uint8Array<ArrayBuffer>;
};

/** The service that flags name. Throws a `Fault` where it can't be one, or there is no token. */
export async function remoteOf(url: string, flags: RemoteFlags): Promise<Remote> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new Fault("invalid", `--url: ${url} is no address such as http://plant:8480`);
  }
  const { username, password, search, hash, origin } = new URL(url);
  if (`${username}${password}${search}${hash}` !== "") {
    throw new Fault("invalid", `--url: give the address alone, ${origin}: a token signs in`);
  }
  const token = await tokenOf(flags);
  if (/^[!-~]+$/.test(token)) return { url, token };
  const where = flags.tokenFile ?? "--token";
  const has = /^(Bearer|Token)\b/i.test(token)
    ? "a word before the token: give the token alone"
    : "no token, or more than one";
  throw new Fault("invalid", `${where} has ${has}`);
}

async function tokenOf({ token, tokenFile }: RemoteFlags): Promise<string> {
  if (token !== undefined) return token;
  if (tokenFile === undefined) {
    const advice = "where it runs, `wattkeeper token create` makes one";
    throw new Fault("invalid", `give the service's token with --token or --token-file; ${advice}`);
  }
  try {
    return (await Deno.readTextFile(tokenFile)).trim();
  } catch (error) {
    throw await fileRefusal(tokenFile, error);
  }
}

/** The answer as plain data, asked again while the service is too busy. Throws its refusal. */
export async function askService<Answer>(
  { request, sleep }: Pick<Effects, "request" | "sleep">,
  remote: Remote,
  question: Question,
): Promise<Answer> {
  const response = await askResponse({ request, sleep }, remote, question);
  const text = await response.text();
  try {
    return JSON.parse(text) as Answer;
  } catch {
    const { origin } = new URL(remote.url);
    const shown = JSON.stringify(text.trim().slice(0, 40));
    const what = `${origin} is not the service, or something before it answers: ${shown}`;
    throw new Fault("invalid", `${what}${pathHint(remote)}`);
  }
}

/** The answer as it comes. */
export async function askResponse(
  { request, sleep }: Pick<Effects, "request" | "sleep">,
  remote: Remote,
  question: Question,
): Promise<Response> {
  for (let tries = 1;; tries++) {
    const response = await reach(request, requestOf(remote, question));
    if (response.ok) return response;
    const text = await response.text();
    const busy = response.status === 503 || response.status === 429;
    const pause_s = Number(response.headers.get("retry-after")) || limits.retry_after_s;
    const is_last = tries === service_limits.import_tries || pause_s > service_limits.asked_pause_s;
    if (!busy || is_last) throw refusalOf(response.status, text, remote);
    await sleep(1000 * pause_s);
  }
}

async function reach(send: Effects["request"], request: Request): Promise<Response> {
  try {
    return await send(request);
  } catch (error) {
    const { origin } = new URL(request.url);
    const { message, cause } = error as Error;
    const reason = (cause instanceof Error ? cause.message : message).replace(
      /^.*\(Connect\): /,
      "",
    );
    const [, help = ""] = certificate_help.find(([sign]) => reason.includes(sign)) ?? [];
    throw new Fault("unavailable", `${origin} does not answer: ${reason}${help}`);
  }
}

/** What helps where the certificate of a service is not trusted. */
const certificate_help: readonly (readonly [sign: string, help: string])[] = [
  [
    "CaUsedAsEndEntity",
    ". The certificate signs itself as an authority: make one with `openssl req -x509 -addext " +
    "basicConstraints=critical,CA:FALSE`, and set DENO_CERT to its file",
  ],
  ["UnknownIssuer", ". Set DENO_CERT to the file of the authority that signed the certificate"],
];

function requestOf({ url, token }: Remote, question: Question): Request {
  const { path, search = {}, rows } = question;
  const body = rows ?? (question.body === undefined ? undefined : JSON.stringify(question.body));
  const method = question.method ?? (body === undefined ? "GET" : "POST");
  const media_type = rows ? "application/x-ndjson" : "application/json";
  const address = `${url.replace(/\/$/, "")}${path}?${new URLSearchParams(search)}`;
  return new Request(address, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": media_type },
    body,
  });
}

/** What helps where an address may have too much behind it. */
function pathHint({ url }: Remote): string {
  const { pathname, origin } = new URL(url);
  return pathname === "/" ? "" : `; give the address without a path, --url ${origin}`;
}

function refusalOf(status: number, text: string, remote: Remote): Fault {
  type Problem = { readonly detail?: string; readonly errors?: readonly Flaw[] };
  try {
    const { detail, errors } = JSON.parse(text) as Problem;
    if (detail) {
      const hint = status === 404 ? pathHint(remote) : "";
      return new Fault("invalid", `the service answered ${status}: ${detail}${hint}`, {
        flaws: errors,
      });
    }
  } catch {
    // No problem in JSON: some proxy's page.
  }
  const what = `the service answered ${status}: ${text.slice(0, 200)}`;
  return new Fault("invalid", `${what}${pathHint(remote)}`);
}
