// The routes of a service that stands in for a shard: what the days of the lake alone decide.
import { away, type SealedDays } from "../../engine/fleet/sealed_days.ts";
import { retention_limits } from "../../model/retention/limits.ts";
import { instantOf } from "../../wire/bytes/instant.ts";
import { rawValues, withPlus } from "../frame/input.ts";
import type { Route } from "../frame/route.ts";

/** The paths that a node asks a stand-in. */
export const standing_paths: readonly string[] = ["/platform/v1/signals"];

/**
 * Whether a stand-in may answer a request: nothing younger lies in a lake, and to start a process
 * for each look at what is new would cost a node much just when it takes shards over.
 */
export function isStandable({ method, url }: Request, now_ms: number): boolean {
  const { pathname, search } = new URL(url);
  if (method !== "GET" || !standing_paths.includes(pathname)) return false;
  const [to = ""] = rawValues(search.slice(1), "to");
  // A day is left for clocks that differ.
  const least_ms = (retention_limits.keep_days_least - 1) * day_ms;
  return instantOf(withPlus(to)) / 1000 <= now_ms - least_ms;
}

const day_ms = 86_400_000;

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
