// The start page, the API description and the reference page, all from the table of routes.
import { jsonAnswer } from "./answer.ts";
import { describe } from "./openapi.ts";
import { type Route, route } from "./route.ts";
import type { Services } from "./services.ts";

/** `/openapi.json`, of the service's routes and itself. */
export function referenceRoutes(
  services: Pick<Services, "version">,
  routes: readonly Route[],
): readonly Route[] {
  const common = { method: "GET", scope: null, project: null, params: [] } as const;
  return [
    route({
      ...common,
      name: "openapi",
      path: "/openapi.json",
      summary: "This description",
      doc: "OpenAPI 3.1 of every endpoint.",
      answer: { kind: "json", schema: { type: "object" } },
      handle: () => jsonAnswer(describe(routes, services.version)),
    }),
  ];
}
