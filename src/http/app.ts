// The frame around every route: what is checked before the work, and how an answer leaves.
import { type Context, Hono } from "@hono/hono";
import { TrieRouter } from "@hono/hono/router/trie-router";
import { assert } from "../base/assert.ts";
import { type Account, unmetered } from "../base/budget.ts";
import { nearest } from "../base/did_you_mean.ts";
import { Fault } from "../base/fault.ts";
import { newId } from "../base/id.ts";
import { limits } from "../base/limits.ts";
import { writeLog } from "../engine/core/log.ts";
import type { Answer } from "../engine/service/service.ts";
import { request_limits } from "./frame/limits.ts";
import type { Grant } from "../model/access/token.ts";
import { plannedOff } from "../model/setting.ts";
import { metricsPlace } from "../model/setting_form.ts";
import { type Format, negotiate } from "../wire/format.ts";
import { authorize, namedValues } from "./frame/auth.ts";
import { boundBody, checkSize } from "./frame/body.ts";
import { clientAddress, hasHost, headerAdder, wanted_host } from "./frame/client.ts";
import { withTag } from "./frame/condition.ts";
import { Gates } from "./frame/gate.ts";
import { knowsByTelling, meetCaller } from "./frame/home_caller.ts";
import { parseInput, rawValues } from "./frame/input.ts";
import { Metrics } from "./frame/metrics.ts";
import { columns_param } from "./frame/param.ts";
import { type Problem, problemOf, problemResponse } from "./frame/problem.ts";
import { type Ending, isStreamed, type Route, type RouteContext } from "./frame/route.ts";
import type { Services } from "./frame/services.ts";
import { format_param, paramsOf } from "./openapi/openapi.ts";
import { metricsRoute, opsRoutes } from "./ops.ts";
import { referenceRoutes } from "./reference.ts";
import { screenRoutes } from "./screens/screens.ts";

/** The HTTP face of a service. */
export type App = {
  readonly fetch: Answer;
  /** The same for the address that the metrics have for themselves. */
  readonly fetchMetrics: Answer;
  /** Answers `/readyz` and all new work with 503 from now on. */
  readonly refuse: () => void;
};

/** The app of some routes and of those that every service has: reference, health, metrics. */
export function createApp(services: Services, routes: readonly Route[]): App {
  const frame = new Frame(services);
  const served = switchOff(routes, services.settings.planned_off);
  const metrics = metricsRoute(services, frame);
  const hasOwnPlace = typeof metricsPlace(services.settings.metrics) === "object";
  const described = [
    ...[...served, ...opsRoutes(services, frame)],
    ...(hasOwnPlace ? [] : [metrics]),
  ];
  const all = [...described, ...referenceRoutes(services, described), ...screenRoutes(services)];
  const addresses = new Set(all.map(({ method, path }) => `${method} ${path}`));
  assert(addresses.size === all.length, "two routes share an address");
  return {
    fetch: answerOf(all, { services, frame }),
    fetchMetrics: answerOf([metrics], { services, frame }),
    refuse: () => frame.refuse(),
  };
}

/** Finds the route of each request. */
function answerOf(
  routes: readonly Route[],
  { services, frame }: { readonly services: Services; readonly frame: Frame },
): Answer {
  // By itself Hono tries, at the first request, to tell so many routes by one regular expression.
  const hono = new Hono<Env>({ router: new TrieRouter() });
  const ordered = routes.toSorted(byPathParams);
  for (const route of ordered) {
    hono.on(route.method, honoPath(route.path), (c) => frame.answer(route, c));
  }
  // Apart from them: one handler for a request is called at once, several in a chain of calls.
  const known = new TrieRouter<readonly Route[]>();
  const by_path = Map.groupBy(ordered, (route) => route.path);
  for (const [path, ofPath] of by_path) known.add("ALL", honoPath(path), ofPath);
  const hint = hintOfPaths([...by_path.keys()]);
  hono.notFound((c) => {
    const [[found]] = known.match("ALL", c.req.path);
    return found ? otherMethod(c, found[0]) : notFound(c, hint);
  });
  hono.onError((error, c) => frame.fail(error, c));
  const addHeaders = headerAdder(services.settings);
  const answer = (request: Request, env: Env["Bindings"]) =>
    hasHost(request) ? hono.fetch(request, env) : problemResponse(no_host, env.request_id);
  return async (request, info) => {
    const request_id = newId(services.effects);
    const env = { peer: peerOf(info?.remoteAddr), request_id };
    const response = request.method === "HEAD"
      ? await headOf(
        await answer(new Request(request, { method: "GET" }), { ...env, is_head: true }),
      )
      : await answer(request, env);
    addHeaders(response.headers, { request, request_id });
    return response;
  };
}

/** The routes, where those of nouns that the setting `off` names answer 501. */
function switchOff(routes: readonly Route[], off: string): readonly Route[] {
  const nouns = plannedOff(off);
  return routes.map((route) =>
    route.noun === undefined || !nouns.has(route.noun) ? route : {
      ...route,
      doc: `Switched off at this site: answers 501. ${route.doc}`,
      planned: true,
      handle: () => {
        throw new Fault("not_available", `${route.path} is switched off at this site`);
      },
    }
  );
}

const no_host: Problem = { code: "invalid", detail: wanted_host };

type Env = {
  Bindings: { readonly peer: string | null; readonly request_id: string; readonly is_head?: true };
};

function peerOf(address: Deno.Addr | undefined): string | null {
  return address && "hostname" in address ? address.hostname : null;
}

/** What happens around a route's work. */
class Frame {
  readonly metrics = new Metrics();
  readonly gates: Gates;
  readonly #services: Services;
  readonly #closing = new AbortController();

  constructor(services: Services) {
    this.#services = services;
    this.gates = new Gates(services.effects);
  }

  refuse(): void {
    this.gates.open = false;
    this.#closing.abort();
  }

  /** One request on its route, from its checks to its end; never throws. */
  async answer(route: Route, c: Context<Env>): Promise<Response> {
    const started_ms = this.#services.effects.monotonic_ms();
    const call = new Call(route, c);
    const response = await this.#work(call).catch((error) => this.#problem(error, call));
    call.finish((error) => this.#report(error, call)).then((ending) => {
      const duration_ms = this.#services.effects.monotonic_ms() - started_ms;
      const { status } = response;
      this.metrics.countRequest({ route: route.name, status, ending, duration_ms });
      this.#log(call, { status, ending, duration_ms: Math.round(duration_ms * 10) / 10 });
    });
    if (!c.env.is_head || !isStreamed(route.answer)) return response;
    // Nothing of it is read.
    await response.body?.cancel();
    return new Response(null, response);
  }

  /** What was thrown outside of a route. */
  fail(error: unknown, c: Context<Env>): Response {
    this.#services.log.error("request failed: {error}", {
      error,
      request_id: c.env.request_id,
    });
    return problemResponse(problemOf(error, c.req.raw), c.env.request_id);
  }

  /** The order of checks: size, token, scope and project, a slot, parameters, then the work. */
  async #work(call: Call): Promise<Response> {
    const { route, request, query } = call;
    const { effects, database } = this.#services;
    if (database.is_invalid) throw invalid();
    if (request.url.length > request_limits.url_bytes) {
      throw new Fault("too_large", `send an address of at most ${request_limits.url_bytes} bytes`);
    }
    if (!route.to_the_end) this.gates.requireOpen();
    checkSize(route, request);
    if (route.scope !== null && knowsByTelling(this.#services)) {
      await meetCaller(this.#services, call);
    }
    call.grant = authorize(this.#services, call);
    if (call.grant) {
      const { token_id } = call.grant;
      call.release = await this.gates.enter(route, token_id, call);
      call.account = this.#services.budget.open(token_id);
    }
    const meter = call.account ?? unmetered;
    const format = formatOf(call);
    const values = route.planned || route.any_query
      ? {}
      : parseInput(paramsOf(route), { query, path: call.path });
    const { grant } = call;
    const services = this.#services;
    const bounds = {
      ...{ effects, meter },
      get ended() {
        return call.ended;
      },
    };
    const context: RouteContext<[]> = {
      request: boundBody(route, request, bounds),
      request_id: call.request_id,
      values: namedValues(services, { route, grant, values }),
      grant,
      get signal() {
        return call.signal;
      },
      closing: this.#closing.signal,
      isAllowed: () => this.#isAllowed(call),
      format,
      columns: rawValues(query, columns_param.name).flatMap((names) => names.split(",")),
      get address() {
        return clientAddress(services, call);
      },
      effects,
      meter,
      hold: (ending) => call.held.push(ending),
    };
    const response = await route.handle(context);
    return route.is_tagged ? await withTag(response, request) : response;
  }

  #isAllowed(call: Call): boolean {
    try {
      authorize(this.#services, call);
      return true;
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  #problem(thrown: unknown, call: Call): Response {
    const error = this.#services.database.is_invalid ? invalid() : thrown;
    if (call.isLeft(error)) {
      call.held.push(Promise.resolve("cancelled"));
      const detail = "the client went away";
      return problemResponse({ code: "unavailable", detail }, call.request_id);
    }
    const problem = problemOf(error, call.request);
    if (problem.code === "internal") this.#report(error, call);
    return problemResponse(problem, call.request_id, call.route.errors);
  }

  /** A failure of ours, with its cause, for the log alone. */
  #report(error: unknown, { request_id, route }: Call): void {
    this.#services.log.error("{route} failed: {error}", { route: route.name, error, request_id });
  }

  #log(call: Call, outcome: { status: number; ending: Ending; duration_ms: number }): void {
    const { route: { path, scope }, method, request_id, grant } = call;
    const { status, ending, duration_ms } = outcome;
    writeLog(this.#services, {
      level: scope === null ? "debug" : "info",
      text: `${method} ${path} ${status} ${ending} in ${duration_ms} ms`,
      properties: { method, path, request_id, token_id: grant?.token_id ?? null, ...outcome },
    });
  }
}

/** One request on its way through the frame. */
class Call {
  readonly route: Route;
  readonly request: Request;
  readonly request_id: string;
  /** As it was asked: HEAD is answered as GET. */
  readonly method: string;
  /** The address of the connection's other end. */
  readonly peer: string | null;
  /** The query as it came, without `?`. */
  readonly query: string;
  readonly path: Readonly<Record<string, string>>;
  readonly held: Promise<Ending>[] = [];
  grant: Grant | null = null;
  release = () => {};
  account: Account | undefined;
  #ended: AbortController | undefined;
  #hears = false;

  constructor(route: Route, c: Context<Env>) {
    this.route = route;
    this.request = c.req.raw;
    this.request_id = c.env.request_id;
    this.peer = c.env.peer;
    this.method = c.env.is_head ? "HEAD" : c.req.method;
    const at = this.request.url.indexOf("?");
    this.query = at < 0 ? "" : this.request.url.slice(at + 1).replace(/#.*/, "");
    this.path = c.req.param() as Record<string, string>;
  }

  /** Aborts when everything of the call has ended: what is left of its body is not read. */
  get ended(): AbortSignal {
    return (this.#ended ??= new AbortController()).signal;
  }

  /** Aborts when the client goes away. To listen costs as much as a small answer: many never do. */
  get signal(): AbortSignal {
    this.#hears = true;
    return this.request.signal;
  }

  /** Whether the client went away; a refusal before anybody listened has nothing to do with it. */
  isLeft(error: unknown): boolean {
    const may_be_why = this.#hears || !(error instanceof Fault);
    return may_be_why && this.request.signal.aborted;
  }

  /** Frees what the call holds when everything of it has ended, and says how that was. */
  async finish(onError: (error: unknown) => void): Promise<Ending> {
    try {
      const endings = await Promise.all(this.held);
      return endings.find((ending) => ending !== "complete") ?? "complete";
    } catch (error) {
      onError(error);
      return "failed";
    } finally {
      this.account?.close();
      this.release();
      this.#ended?.abort(has_ended);
    }
  }
}

/**
 * The answer to HEAD of that to GET: its headers, and its length where that is known before it is
 * sent. An empty stream stands for the streamed: its length is not told, here as there.
 */
async function headOf(response: Response): Promise<Response> {
  const { status, body } = response;
  if (status === 204 || status === 304) return response;
  if (body === null) return new Response(ReadableStream.from([]), response);
  const headers = new Headers(response.headers);
  headers.set("content-length", String((await response.bytes()).length));
  return new Response(null, { status, headers });
}

/** Why what a call has begun stops with it. Made once: an abort without a reason makes one. */
const has_ended = new Error("the request has ended");

/** What everybody is told in the moment between a fatal error of the database and the restart. */
function invalid(): Fault {
  return new Fault("unavailable", "the service is restarting; try again shortly", {
    retry_after_s: limits.retry_after_s,
  });
}

function formatOf({ route, request, query }: Call): Format {
  const named = rawValues(query, format_param.name)[0] ?? null;
  if (route.answer.kind === "rows") return negotiate(null, named ?? "json");
  if (route.answer.kind !== "stream") return "arrow";
  return negotiate(request.headers.get("accept"), named);
}

/** Fixed paths before those with parameters, which would swallow them. */
function byPathParams(a: Route, b: Route): number {
  return a.path.split("{").length - b.path.split("{").length;
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function otherMethod(c: Context<Env>, routes: readonly Route[]): Response {
  const methods: string[] = routes.map((route) => route.method);
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  if (c.req.method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
  const detail = `${routes[0].path} takes ${allow}, not ${c.req.method.slice(0, 20)}`;
  const problem: Problem = { code: "method_not_allowed", detail, headers: { allow } };
  return problemResponse(problem, c.env.request_id);
}

function notFound(c: Context<Env>, hint: (path: string) => string): Response {
  const path = c.req.path.slice(0, request_limits.log_path_length);
  const detail = `there is nothing at ${path}; ${hint(path)}`;
  return problemResponse({ code: "not_found", detail }, c.env.request_id);
}

/** What may be meant by a path that is none of some. */
function hintOfPaths(paths: readonly string[]): (path: string) => string {
  // Clients of others know where an interface goes on, not where it begins here.
  const named = paths.filter((path) => path.includes("}"));
  const tails = Map.groupBy(named, (path) => path.slice(path.lastIndexOf("}") + 1));
  const look = (path: string) => {
    const [whole] = tails.get(path) ?? [];
    const meant = whole ?? nearest(path, paths);
    return meant ? `meant ${meant}?` : "the endpoints are listed in /docs";
  };
  // A program that asks for what is not there asks again and again.
  const hints = new Map<string, string>();
  return (path) => {
    const hint = hints.get(path) ?? look(path);
    if (hints.size >= request_limits.path_hints) hints.clear();
    hints.set(path, hint);
    return hint;
  };
}
