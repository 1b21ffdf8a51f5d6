// What a route answers to the service itself: the rows of a read, before they are written out.
import type { Answer } from "../../model/data/chunk.ts";
import type { Grant } from "../../model/access/token.ts";
import type { Format } from "../../wire/format.ts";
import { namedValues, requireProjects } from "../frame/auth.ts";
import { parseInput } from "../frame/input.ts";
import type { Route, RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { format_param, paramsOf } from "../openapi/openapi.ts";

/** A read by its route, with the query of its address, for whom, within which request. */
export type InnerRead = {
  readonly route: Route;
  readonly query: string;
  readonly grant: Grant;
  readonly outer: RouteContext<[]>;
};

/** The form of an answer, and its columns. */
type Shape = { readonly format: Format; readonly columns: readonly string[] };

/** How the rows of an answer are asked for. */
type Asked = {
  readonly columns: readonly string[];
  /** Rows at most, where the route gives pages. */
  readonly limit: number;
};

/**
 * The rows of a read as columns, or what a route that gives no rows answers. Throws a `Fault` as
 * the route does; the projects are checked, the scope is the caller's to check.
 */
export async function readRows(
  services: Pick<Services, "catalog" | "users">,
  read: InnerRead,
  { columns, limit }: Asked,
): Promise<Answer | Response> {
  const { route } = read;
  let taken: Answer | undefined;
  const params = paramsOf(route)
    .map((param) => param.name === "limit" ? { ...param, maximum: limit } : param);
  const isPaged = params.some(({ name }) => name === "limit");
  const response = await route.handle({
    ...contextOf(services, read, {
      params,
      query: isPaged ? `${read.query}&limit=${limit}` : read.query,
    }),
    ...{ format: "arrow", columns },
    take: (answer) => taken = answer,
  });
  return taken ?? response;
}

/** The answer of a read in a format, as a client of the route gets it. */
export async function readAnswer(
  services: Pick<Services, "catalog" | "users">,
  read: InnerRead,
  { format, columns }: Shape,
): Promise<Response> {
  const { route, query } = read;
  const params = paramsOf(route);
  return await route.handle({
    ...contextOf(services, read, { params, query }),
    ...{ format, columns },
  });
}

function contextOf(
  services: Pick<Services, "catalog" | "users">,
  { route, grant, outer }: InnerRead,
  { params, query }: { readonly params: ReturnType<typeof paramsOf>; readonly query: string },
): RouteContext<[]> {
  requireProjects(services, { grant, route, query, path: {} });
  const values = parseInput(params, { query, path: {} });
  const address = new URL(`${route.path}?${query}`, outer.request.url);
  return {
    ...outer,
    grant,
    request: new Request(address, { signal: outer.signal }),
    values: namedValues(services, { route, grant, values }) as RouteContext<[]>["values"],
  };
}

/** The name of the parameter that says in which format. */
export const format_name = format_param.name;
