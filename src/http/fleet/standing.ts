// The routes of a service that stands in for a shard: what the days of the lake alone decide.
import { away, type SealedDays } from "../../engine/fleet/sealed_days.ts";
import type { Route } from "../frame/route.ts";

/** The paths that a node asks a stand-in. */
export const standing_paths: readonly string[] = ["/platform/v1/signals"];

/** Whether a stand-in may answer a request. */
export function isStandable({ method, url }: Request): boolean {
  return method === "GET" && standing_paths.includes(new URL(url).pathname);
}

/** The same routes, which answer what they read of sealed days, and 503 to all else. */
export function standingRoutes(routes: readonly Route[], days: SealedDays): readonly Route[] {
  return routes.map((route) => ({
    ...route,
    handle: async (context) => {
      const span = route.spanOf?.(context.values);
      if (span === undefined) throw away("nothing of this is answered meanwhile");
      if ("ask" in span) throw away(span.ask);
      const answer = async () => await route.handle(context);
      return await days.read(span, answer, ({ body }) => body?.cancel());
    },
  }));
}
